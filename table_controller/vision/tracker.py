"""What is new, moved, hidden or gone in one seat's play area: pure bookkeeping over what was seen at rest.

A play is what is new since the seat's last play, also where it partly covers it. Cards pushed or straightened are the
same cards. A card no longer seen is hidden if another lies over it, else it is gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from table_controller.cards import FACES, UNKNOWN
from table_controller.geometry import Point
from table_controller.vision.cards_on_mat import SeenCard, apart, ordered
from table_controller.vision.echoes import lies_between, without_echoes
from table_controller.vision.rows import gaps_doubted, lies_in_row, moved_as_one, something

_NEAR_MM = 9.0
_CHANCE = 0.01
_STAYED_MM, _IN_PLACE_MM = 5.0, 2.0
_SLID_MM = 45.0
_SHOWN_AGAIN_MM = 30.0
_PUSHED_MM = 130.0
_HIDDEN_SHARE = 0.35
_STILL_HIDDEN_SHARE = 0.12
_TOUCHED_SHARE = 0.08
_ROW_STEP_MM = 34.0
"""Neighbours in a row lie no further apart,"""
_CROWDED_MM = 8.0
"""and no closer."""


@dataclass
class Known:
    """A card that lies in the area: as last seen, in which play it came, and whether others hide it now."""

    seen: SeenCard
    play: int
    hidden: bool = False


@dataclass(frozen=True)
class Settled:
    """What one look at an area at rest brought. ``new`` is left to right."""

    new: tuple[SeenCard, ...] = ()
    gone: tuple[Known, ...] = ()
    cleared: bool = False


def _area_share(part: Sequence[Point], by: Sequence[Point]) -> float:
    mine, other = np.array(part, dtype=np.float32), np.array(by, dtype=np.float32)
    shared, _ = cv2.intersectConvexConvex(mine, other)
    return float(shared) / max(1e-6, float(cv2.contourArea(mine)))


def _compatible(a: SeenCard, b: SeenCard) -> bool:
    return a.card == b.card or (a.doubtful and _may_be(a, b.card)) or (b.doubtful and _may_be(b, a.card))


def _may_be(doubtful: SeenCard, card: str) -> bool:
    """Whether a doubtful card's reading leaves a chance that it is ``card``."""
    return doubtful.probs is None or card == UNKNOWN or float(doubtful.probs[FACES.index(card)]) > _CHANCE


def _under_a_whole(card: SeenCard, seen: Sequence[SeenCard]) -> bool:
    """Whether a card's index is half covered by a card that shows whole: so it lay there before that one.

    One that is sure of itself must be covered from its left: in a row the right one lies on top, its index shows whole.
    """
    if card.top is None:
        return False
    wholes = [other for other in seen if not other.doubtful and other.top is not None and other.bottom is not None]
    wholes = [other for other in wholes if card.doubtful or other.anchor[0] < card.anchor[0]]
    patch = card.index_patch(card.top)
    return any(_area_share(patch, other.outline()) > _TOUCHED_SHARE for other in wholes)


def _never(_: SeenCard) -> bool:
    return False


def _nowhere(_: Point) -> bool:
    return False


def _nothing(_: SeenCard, __: SeenCard) -> bool:
    return False


@dataclass
class SeatTracker:
    """The cards of one seat's area."""

    known: list[Known] = field(default_factory=list)
    plays: int = 0
    _under: Callable[[Point], bool] = _nowhere
    _beside: Callable[[SeenCard, SeenCard], bool] = _nothing

    def settle(
        self,
        seen: Sequence[SeenCard],
        remains: Callable[[SeenCard], bool],
        stirred: Callable[[SeenCard], bool] = _never,
        under: Callable[[Point], bool] = _nowhere,
        shows: Callable[[SeenCard, SeenCard], bool] = something,
        showed: Callable[[SeenCard], bool] = _never,
        beside: Callable[[SeenCard, SeenCard], bool] = _nothing,
    ) -> Settled:
        """Take in the cards of an area at rest.

        ``remains(card)`` says whether most of the print at a known card's corner is still in its place: then it lies
        there even if it was not read this time, and a reading of another face there is that card, half covered.
        ``stirred(card)``: it is there, but by a hair elsewhere: pushed, or its second copy lies on it. ``under(at)``:
        a thing that is no card lies over this place. ``shows(left, right)``: something like an index shows between two
        cards. ``showed(card)``: the print of a new card's index was there already when the area was last read.
        ``beside(known, card)``: print of a known card shows in its place beside a card that lies over the rest of it.
        """
        self._under, self._beside = under, beside
        if not seen and not self.known:
            return Settled()
        if not seen:
            if any(remains(known.seen) or self._lies_under(known) for known in self.known if not known.hidden):
                return Settled()
            gone = tuple(self.known)
            self.known.clear()
            return Settled(gone=gone, cleared=True)
        seen = without_echoes(seen)
        pairs, unsure = self._match(seen, remains, stirred)
        matched_seen = {j for _, j in pairs}
        lying = self._plays_seen(seen, pairs)
        # what shows there showed there before, and was no card then: print, or one that was missed
        fresh = [
            replace(card, doubtful=True) if j in unsure or showed(card) else card
            for j, card in enumerate(seen)
            if j not in matched_seen and not (card.doubtful and lies_between(card, lying))
        ]
        fresh = gaps_doubted(ordered(fresh), shows)
        over = [(self.plays + 1, card) for card in fresh]
        for i, j in pairs:
            moved = apart(self.known[i].seen, seen[j]) > _NEAR_MM
            over.append((self.plays + 1 if moved else self.known[i].play, seen[j]))
            self._update(self.known[i], seen[j])
        matched_known = {i for i, _ in pairs}
        left = [known for i, known in enumerate(self.known) if i not in matched_known]
        gone_now = [known for known in left if self._is_gone(known, over, remains)]
        self.known = [known for known in self.known if not any(known is lost for lost in gone_now)]
        cleared = bool(gone_now) and not self.known
        if fresh:
            self.plays += 1
            self.known += [Known(card, self.plays) for card in fresh]
        return Settled(tuple(ordered(fresh)), tuple(gone_now), cleared)

    def _plays_seen(self, seen: Sequence[SeenCard], pairs: Sequence[tuple[int, int]]) -> list[list[SeenCard]]:
        """The cards of the earlier plays, where they are seen now."""
        plays: dict[int, list[SeenCard]] = {}
        for i, j in pairs:
            plays.setdefault(self.known[i].play, []).append(seen[j])
        return list(plays.values())

    @staticmethod
    def _update(known: Known, seen: SeenCard) -> None:
        known.hidden = False
        if known.seen.card != seen.card and not known.seen.doubtful:
            return
        if known.seen.doubtful or not seen.doubtful:
            known.seen = seen

    def _lies_under(self, known: Known) -> bool:
        return any(self._under(at) for at in (known.seen.top, known.seen.bottom) if at is not None)

    def _is_gone(self, known: Known, over: Sequence[tuple[int, SeenCard]], remains: Callable[[SeenCard], bool]) -> bool:
        """``over``: the cards seen, each with its play; only a later play lies over an earlier one."""
        corners = [at for at in (known.seen.top, known.seen.bottom) if at is not None]
        later = [card.outline() for play, card in over if play > known.play]
        # once hidden it stays so while anything lies over a part of it: a half-covered corner cannot be read
        least = _STILL_HIDDEN_SHARE if known.hidden else _HIDDEN_SHARE
        covered = all(
            self._under(at) or any(_area_share(known.seen.index_patch(at), outline) > least for outline in later)
            for at in corners
        )
        if covered:
            known.hidden = True
            return False
        return known.hidden or not remains(known.seen)

    # --- matching ---------------------------------------------------------------------------------------------------

    def _match(
        self, seen: Sequence[SeenCard], remains: Callable[[SeenCard], bool], stirred: Callable[[SeenCard], bool]
    ) -> tuple[list[tuple[int, int]], set[int]]:
        """Known cards and which of those seen they are; and which of the new ones are doubtful for where they lie."""
        whole = self._as_one(seen, remains)
        pairs = whole + self._near(seen, whole, remains)
        copies = [(i, j) for i, j in pairs if self._lies_over_its_row(i, j, seen, pairs)]
        pairs = [pair for pair in pairs if pair not in copies]
        stayed = [(i, j) for i, j in pairs if remains(self.known[i].seen)]
        moved = [pair for pair in self._moved(seen, pairs) if pair not in copies]
        others = [pair for pair in pairs if pair not in stayed] + moved
        taken = {j for _, j in stayed + others}
        fresh = [j for j in range(len(seen)) if j not in taken]
        others_new = [seen[k] for k in fresh]
        kept = [
            (i, j)
            for i, j in others
            if (i, j) in whole or not self._in_new_row(seen[j], others_new) or self._shows_under(i, seen[j], others_new)
        ]
        unsure: set[int] = set()
        for i, j in list(kept):
            # the one card of its play that lies a hair elsewhere: nudged, or its second copy
            beside = [pair for pair in pairs if self.known[pair[0]].play == self.known[i].play and pair[0] != i]
            alone = bool(beside) and all(pair in stayed and pair[0] < i for pair in beside)
            hair = apart(self.known[i].seen, seen[j]) < _STAYED_MM and not _crowded(seen[j], others_new)
            if alone and hair and lies_in_row(seen[j], others_new) and not self._shows_under(i, seen[j], others_new):
                kept.remove((i, j))
                unsure.add(j)
        for i, j in stayed:
            last = not any(self.known[k].play == self.known[i].play and k > i for k, _ in stayed)
            begins = last and lies_in_row(seen[j], others_new) and not self._shows_under(i, seen[j], others_new)
            if begins and stirred(self.known[i].seen):
                # nudged as a new row was laid beside it, or its second copy that begins that row: nobody can tell
                unsure.add(j)
            else:
                kept.append((i, j))
        return kept, unsure

    def _lies_over_its_row(self, i: int, j: int, seen: Sequence[SeenCard], pairs: Sequence[tuple[int, int]]) -> bool:
        """Whether what is seen where a card of a row lay covers the index of the next one, which lay over it; and
        another of that row still lies to the right (none was taken back): a second copy was laid."""
        known, card = self.known[i], seen[j]
        if known.hidden or known.seen.bottom is not None or card.bottom is None:
            return False
        found = {k for k, _ in pairs}
        right = [
            (k in found, other.seen)
            for k, other in enumerate(self.known)
            if other.play == known.play and not other.hidden and other.seen.anchor[0] > known.seen.anchor[0]
        ]
        return any(seen_still for seen_still, _ in right) and any(
            _area_share(other.index_patch(other.anchor), card.outline()) > 1 - _HIDDEN_SHARE
            for seen_still, other in right
            if not seen_still and other.top is not None
        )

    def _as_one(self, seen: Sequence[SeenCard], remains: Callable[[SeenCard], bool]) -> list[tuple[int, int]]:
        """Plays that lie where they lay, or were pushed as a whole: of those no card lies in its place any more."""
        pairs: list[tuple[int, int]] = []
        for play in sorted({known.play for known in self.known}, reverse=True):
            members = [i for i, known in enumerate(self.known) if known.play == play and not known.hidden]
            free = [j for j in range(len(seen)) if j not in {taken for _, taken in pairs}]
            if len(members) < 2:
                continue
            here = [seen[j] for j in free]
            found = moved_as_one([self.known[i].seen for i in members], here, _PUSHED_MM)
            pushed = bool(found) and apart(self.known[members[0]].seen, here[found[0]]) > _NEAR_MM
            if not pushed or not any(self._in_place(self.known[i].seen, here, remains) for i in members):
                pairs += [(members[k], free[n]) for k, n in enumerate(found)]
        return pairs

    @staticmethod
    def _in_place(card: SeenCard, seen: Sequence[SeenCard], remains: Callable[[SeenCard], bool]) -> bool:
        """Whether a card was read where it lay, by the very print that was read there."""
        return any(card.card == other.card and apart(card, other) < _IN_PLACE_MM for other in seen) and remains(card)

    def _shows_under(self, i: int, card: SeenCard, fresh: Sequence[SeenCard]) -> bool:
        """Whether what is seen where a card lay is that card, under the edge of a new one."""
        known = self.known[i].seen
        return apart(known, card) < _STAYED_MM and any(
            card.anchor[0] < new.anchor[0]
            and _area_share(known.index_patch(known.anchor), new.outline()) > _TOUCHED_SHARE
            and self._beside(known, new)
            for new in fresh
        )

    def _near(
        self, seen: Sequence[SeenCard], found: list[tuple[int, int]], remains: Callable[[SeenCard], bool]
    ) -> list[tuple[int, int]]:
        """Other cards that lie where they lay."""
        candidates = []
        used_known, used_seen = {i for i, _ in found}, {j for _, j in found}
        for i, known in enumerate(self.known):
            for j, card in enumerate(seen):
                if i in used_known or j in used_seen:
                    continue
                off = apart(known.seen, card)
                same = known.seen.card == card.card
                if off >= _NEAR_MM:
                    continue
                if known.hidden and not same:
                    continue
                stays = same or _compatible(known.seen, card) or (off < _STAYED_MM and remains(known.seen))
                if stays or _under_a_whole(card, seen):
                    candidates.append((off + (0 if same else 5) + (3 if known.hidden else 0), i, j))
        return _greedy(candidates)

    def _moved(self, seen: Sequence[SeenCard], near: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Cards pushed or straightened: the same face a little way off, or a whole play further away."""
        used_known, used_seen = {i for i, _ in near}, {j for _, j in near}
        candidates = []
        for i, known in enumerate(self.known):
            if i in used_known:
                continue
            for j, card in enumerate(seen):
                if j in used_seen:
                    continue
                off = apart(known.seen, card)
                same = known.seen.card == card.card
                if known.hidden and not (same and off < _SHOWN_AGAIN_MM):
                    continue
                if off >= (_PUSHED_MM if same else _SLID_MM) or not _compatible(known.seen, card):
                    continue
                if same and not known.hidden and self._beside(known.seen, card):
                    continue  # it shows in its place: what lies over a part of it is its second copy
                candidates.append((off + (0 if same else 60), i, j))
        pairs = _greedy(candidates)
        return [
            (i, j) for i, j in pairs if apart(self.known[i].seen, seen[j]) < _SLID_MM or self._whole(i, near, pairs)
        ]

    def _whole(self, i: int, near: list[tuple[int, int]], moved: list[tuple[int, int]]) -> bool:
        """Whether the whole of a card's play moved with it."""
        play = self.known[i].play
        members = {k for k, known in enumerate(self.known) if known.play == play and not known.hidden}
        return members <= {k for k, _ in moved} and not members & {k for k, _ in near}

    @staticmethod
    def _in_new_row(candidate: SeenCard, fresh: list[SeenCard]) -> bool:
        """A card beside surely new ones came with them; an earlier one of the same face is hidden or gone."""
        return not _crowded(candidate, fresh) and any(
            not card.doubtful and math.dist(card.anchor, candidate.anchor) < _ROW_STEP_MM for card in fresh
        )


def _crowded(card: SeenCard, fresh: Sequence[SeenCard]) -> bool:
    """Whether a new card lies over a card's index: nobody lays a row so, that card lay there before."""
    u, v = card.anchor
    return any(0 < new.anchor[0] - u < _CROWDED_MM and abs(new.anchor[1] - v) < _ROW_STEP_MM for new in fresh)


def _greedy(candidates: list[tuple[float, int, int]]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    used_known: set[int] = set()
    used_seen: set[int] = set()
    for _, i, j in sorted(candidates):
        if i not in used_known and j not in used_seen:
            used_known.add(i)
            used_seen.add(j)
            pairs.append((i, j))
    return pairs
