"""The rendered table: what the overhead camera would see of mat, cards, prompt cards, hands and held fans.

A scene is changed by what simulated players do, and rendered a region at a time: an unchanged frame costs a copy and
its noise. Everything random comes from the ``random.Random`` given, so a seed gives the same pictures.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import SEATS, Seat
from table_controller.geometry import Geometry, Point, load_geometry, seat_rotation_deg, seat_to_mat
from table_controller.sim import hands, poses
from table_controller.sim.art import mat_picture, prompt_picture
from table_controller.sim.deck import FACE_PX_PER_MM, deck, to_bgra
from table_controller.sim.light import Look, camera_pose, develop, gain_map, noise_tile
from table_controller.sim.plain_set import plain_prompt_picture
from table_controller.sim.poses import Pose
from table_controller.sim.sprites import Box, Sprite, clip_box, flat_sprite, overlap
from table_controller.sim.things import THING_PX_PER_MM, thing_picture

Picture = NDArray[np.uint8]
Matrix = NDArray[np.float64]
_ART_PX_PER_MM = 3.2
_TABLE_MM = 780.0
_MARGIN_PX = 16
_DISCARD_U_MM = -120.0
_HAND_Z, _HELD_Z = 1_000_000, 900_000


@dataclass
class LaidPlay:
    """Cards laid in one go: where they lie, left to right."""

    id: int
    seat: Seat
    cards: tuple[str, ...]
    poses: list[Pose]
    keys: list[int] = field(default_factory=list)


@dataclass
class _Prompt:
    marker: int
    key: int


class Scene:
    """A table that players act on and a camera looks at. Lengths in mm, seat frames as in geometry.py."""

    def __init__(
        self, rng: random.Random, *, style: str = "classic", look: Look | None = None, geometry: Geometry | None = None,
        plain_set: str | None = None,
    ) -> None:  # fmt: skip
        """``plain_set``: prompt cards without markers, one of plain_set.DESIGNS, in place of ours."""
        self.geometry = geometry or load_geometry()
        self.look = look or Look()
        self.revision = 0
        self._rng = rng
        self._deck = deck(style)
        self._size = self.geometry.frame_px
        self.to_frame: Matrix = camera_pose(self.geometry, self.look, rng)
        self._base = self._render_base()
        self._gain = gain_map(self._size, self.look, rng)
        self._noise = noise_tile(max(self._size) + 64, self.look, rng)
        self._noise_at = random.Random(rng.getrandbits(32))
        self._sprites: dict[int, tuple[int, Sprite]] = {}
        self._next_key = 1
        self._next_play = 1
        self._plays: dict[Seat, list[LaidPlay]] = {seat: [] for seat in SEATS}
        self._prompts: dict[Seat, list[_Prompt]] = {seat: [] for seat in SEATS}
        self._plain_set = plain_set
        self._prompt_faces: dict[int, Picture] = {}
        self._over: dict[tuple[Seat, str], list[int]] = {}
        self._clean = np.zeros((self._size[1], self._size[0], 3), dtype=np.uint8)
        self._dirty: list[Box] = [(0, 0, *self._size)]

    # --- playing cards ----------------------------------------------------------------------------------------------

    def plays(self, seat: Seat) -> list[LaidPlay]:
        """The plays that lie face up in a seat's area, oldest first."""
        return list(self._plays[seat])

    def lay(
        self, seat: Seat, cards: Sequence[str], *, slot: int | None = None, tidy: float = 1.0,
        at: Sequence[Pose] | None = None,
    ) -> LaidPlay:  # fmt: skip
        """Lay cards in a row; ``slot`` 0, 1, 2 asks for left, middle, right; ``tidy`` 0 is a careless player.

        ``at`` says exactly where each card goes instead.
        """
        laid = list(at) if at is not None else self._row(seat, len(cards), slot, tidy)
        play = LaidPlay(self._next_play, seat, tuple(cards), laid)
        self._next_play += 1
        self._plays[seat].append(play)
        play.keys = [self._put(self._card_sprite(seat, pose, card)) for card, pose in zip(cards, laid, strict=True)]
        return play

    def _row(self, seat: Seat, count: int, slot: int | None, tidy: float) -> list[Pose]:
        size, room = self.geometry.card_mm, self.geometry.centre_side_mm - 6
        pitches = poses.pitches_for(count, tidy, room, size, self._rng)
        taken = [poses.extent(play.poses, size) for play in self._plays[seat]]
        wanted = None if slot is None else (slot - 1) * 120.0
        width = poses.row_width(pitches, size) + 6
        u = poses.free_centre(width, taken, self.geometry, self._rng, wanted)
        v = self.geometry.centre_side_mm / 2 + self.geometry.play_band_mm / 2 + self._rng.uniform(-4, 4)
        return poses.row(count, (u, v), pitches, tidy=tidy, card_mm=size, rng=self._rng)

    def straighten(self, play: LaidPlay) -> None:
        """Push a play's cards into an even row."""
        self._move(play, poses.straightened(play.poses, self._rng))

    def nudge(self, play: LaidPlay, du_mm: float, dv_mm: float) -> None:
        """Push a whole play aside."""
        self._move(play, [replace(pose, u_mm=pose.u_mm + du_mm, v_mm=pose.v_mm + dv_mm) for pose in play.poses])

    def place(self, play: LaidPlay, new_poses: Sequence[Pose]) -> None:
        """Put a play's cards exactly where told (tests of angle and cover)."""
        self._move(play, list(new_poses))

    def take_back(self, play: LaidPlay) -> None:
        """Pick a play up again."""
        for key in play.keys:
            self._remove(key)
        self._plays[play.seat].remove(play)

    def clear(self, seat: Seat) -> None:
        """All cards of a seat leave its area and lie face down on its discard pile."""
        count = sum(len(play.cards) for play in self._plays[seat])
        for play in list(self._plays[seat]):
            self.take_back(play)
        v = self.geometry.table_side_mm / 2 - self.geometry.discard_edge_mm - self.geometry.discard_mm[1] / 2
        for _ in range(min(count, 6)):
            pose = Pose(_DISCARD_U_MM + self._rng.gauss(0, 6), v - 14 + self._rng.gauss(0, 4), self._rng.gauss(90, 8))
            self._put(self._card_sprite(seat, pose, None))

    def lay_face_down(self, seat: Seat, u_mm: float, v_mm: float, turn_deg: float = 0.0) -> int:
        """Lay one card face down anywhere; returns a key for ``remove``."""
        return self._put(self._card_sprite(seat, Pose(u_mm, v_mm, turn_deg), None))

    def lay_loose(self, seat: Seat, card: str, pose: Pose) -> int:
        """Lay one card face up that is no play (a discard turned up); returns a key for ``remove``."""
        return self._put(self._card_sprite(seat, pose, card))

    def stand(self, seat: Seat, kind: str, pose: Pose) -> int:
        """Put down a ``cup`` or a ``phone``; returns a key for ``remove``."""
        return self._put(self._flat(seat, pose, thing_picture(kind, self._rng), THING_PX_PER_MM, 5.0))

    def remove(self, key: int) -> None:
        """Take away a thing laid by ``lay_face_down``, ``lay_loose`` or ``stand``."""
        self._remove(key)

    def sweep(self) -> None:
        """Everything leaves the table: a deal is over."""
        for key in list(self._sprites):
            self._remove(key)
        for seat in SEATS:
            self._plays[seat].clear()
            self._prompts[seat].clear()
        self._over.clear()

    # --- prompt cards -----------------------------------------------------------------------------------------------

    def lay_prompt(self, seat: Seat, kind: str, index_in_box: int | None = None, turn_deg: float | None = None) -> int:
        """Lay a prompt card on the seat's stack; the lowest unused one of its kind. Returns its marker id.

        It lies roughly upright, or turned by ``turn_deg``.
        """
        lying = {prompt.marker for prompt in self._prompts[seat]}
        box = [i for i, name in enumerate(self.geometry.prompt_box) if name == kind]
        index = index_in_box if index_in_box is not None else next(
            (i for i in box if self.geometry.prompt_marker(seat, i) not in lying), box[0]
        )  # fmt: skip
        marker = self.geometry.prompt_marker(seat, index)
        u, v = self.geometry.prompt_centre
        pose = Pose(u + self._rng.uniform(-5, 5), v + self._rng.uniform(-5, 5), self._rng.gauss(0, 16))
        if turn_deg is not None:
            pose = replace(pose, turn_deg=turn_deg)
        if marker not in self._prompt_faces:
            self._prompt_faces[marker] = _prompt_face(self.geometry, marker, kind, self._plain_set)
        face = self._prompt_faces[marker]
        sprite = self._flat(seat, pose, face, 6.0)
        self._prompts[seat].append(_Prompt(marker, self._put(sprite)))
        return marker

    def lay_prompt_astray(self, seat: Seat, kind: str, pose: Pose) -> int:
        """Lay a prompt card where none belongs; returns a key for ``remove``."""
        marker = self.geometry.prompt_marker(seat, self.geometry.prompt_box.index(kind))
        return self._put(self._flat(seat, pose, _prompt_face(self.geometry, marker, kind, self._plain_set), 6.0))

    def lift_prompt(self, seat: Seat) -> int | None:
        """Pick up the top prompt card; returns its marker id, or None where none lies."""
        if not self._prompts[seat]:
            return None
        top = self._prompts[seat].pop()
        self._remove(top.key)
        return top.marker

    def clear_prompts(self, seat: Seat) -> None:
        """Pick up all prompt cards of a seat."""
        while self._prompts[seat]:
            self.lift_prompt(seat)

    def prompts(self, seat: Seat) -> tuple[int, ...]:
        """The marker ids on a seat's stack, bottom first."""
        return tuple(prompt.marker for prompt in self._prompts[seat])

    # --- people -----------------------------------------------------------------------------------------------------

    def hand(self, seat: Seat, over: str | None = None) -> None:
        """Reach a hand over ``play``, ``prompt`` or, half covering a prompt card, ``thumb``; None takes it away."""
        self._lift_away(seat, "hand")
        u, v = self.geometry.prompt_centre
        if over == "play":
            tip = (self._rng.uniform(-70, 70), self._rng.uniform(205, 235))
            self._over[(seat, "hand")] = [
                self._put(hands.reach(seat, tip, self.to_frame, self._size, self._rng), _HAND_Z)
            ]
        elif over == "prompt":
            self._over[(seat, "hand")] = [
                self._put(hands.reach(seat, (u, v - 8), self.to_frame, self._size, self._rng), _HAND_Z)
            ]
        elif over == "thumb":
            self._over[(seat, "hand")] = [
                self._put(hands.thumb(seat, (u, v), self.to_frame, self._size, self._rng), _HAND_Z)
            ]
        elif over is not None:
            raise ValueError(f"a hand goes over play, prompt or thumb, not {over}")

    def sleeve_over(self, seat_area: Seat, on: bool) -> None:
        """Rest an arm across a seat's play area, or take it away."""
        self._lift_away(seat_area, "sleeve")
        if on:
            sprite = hands.rest_sleeve(seat_area, self.to_frame, self._size, self._rng)
            self._over[(seat_area, "sleeve")] = [self._put(sprite, _HAND_Z)]

    def hold(
        self, seat: Seat, cards: Sequence[str], *, face_up: bool = False, v_mm: float = 356.0, u_mm: float = 60.0
    ) -> None:
        """A player's held fan, tilted towards the player, at the frame's edge; an empty one puts it away."""
        self._lift_away(seat, "fan")
        keys = []
        for i, card in enumerate(cards):
            turn = (i - (len(cards) - 1) / 2) * 3.2
            pose = Pose(u_mm + (i - (len(cards) - 1) / 2) * 9.0, v_mm + 0.03 * turn**2, turn)
            keys.append(self._put(self._card_sprite(seat, pose, card if face_up else None), _HELD_Z + i))
        self._over[(seat, "fan")] = keys

    def _lift_away(self, seat: Seat, what: str) -> None:
        for key in self._over.pop((seat, what), []):
            self._remove(key)

    # --- rendering --------------------------------------------------------------------------------------------------

    @property
    def dirty(self) -> bool:
        """Whether anything visible changed since the last render."""
        return bool(self._dirty)

    def render(self) -> Picture:
        """The camera's next frame, BGR (frame_px); each call has fresh noise and its own memory."""
        for box in _merged(self._dirty):
            self._redraw(box)
        self._dirty.clear()
        width, height = self._size
        x, y = self._noise_at.randrange(64), self._noise_at.randrange(64)
        return np.asarray(cv2.add(self._clean, self._noise[y : y + height, x : x + width]), dtype=np.uint8)

    def _redraw(self, box: Box) -> None:
        # whole blocks of the compression: a part drawn anew then matches what stays round it
        grown = (box[0] - _MARGIN_PX, box[1] - _MARGIN_PX, box[2] + _MARGIN_PX, box[3] + _MARGIN_PX)
        outer = clip_box(
            (grown[0] // 16 * 16, grown[1] // 16 * 16, -(-grown[2] // 16) * 16, -(-grown[3] // 16) * 16), self._size
        )
        window = (slice(outer[1], outer[3]), slice(outer[0], outer[2]))
        region = self._base[window].copy()
        for _, _, sprite in sorted(
            (z, key, sprite) for key, (z, sprite) in self._sprites.items() if overlap(sprite.box, outer)
        ):
            sprite.blend(region, outer)
        done = develop(region, self._gain[window], self.look)
        inner = clip_box((box[0] - 4, box[1] - 4, box[2] + 4, box[3] + 4), self._size)
        cut = (slice(inner[1] - outer[1], inner[3] - outer[1]), slice(inner[0] - outer[0], inner[2] - outer[0]))
        self._clean[inner[1] : inner[3], inner[0] : inner[2]] = done[cut]

    def _render_base(self) -> Picture:
        flat = _shipped_mat() if self.geometry is load_geometry() else _flat_mat(self.geometry)
        half = _TABLE_MM / 2
        lay = np.array([[1 / _ART_PX_PER_MM, 0, -half], [0, 1 / _ART_PX_PER_MM, -half], [0, 0, 1]])
        base = cv2.warpPerspective(
            flat, self.to_frame @ lay, self._size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(base, dtype=np.uint8)

    def _flat(
        self, seat: Seat, pose: Pose, face_bgra: Picture, px_per_mm: float, lift_px: float = 1.5
    ) -> Sprite | None:
        x, y = seat_to_mat(seat, pose.u_mm, pose.v_mm)
        angle = np.deg2rad(seat_rotation_deg(seat) + pose.turn_deg)
        c, s, k = float(np.cos(angle)), float(np.sin(angle)), 1 / px_per_mm
        height, width = face_bgra.shape[:2]
        centre = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
        turn = np.array([[c * k, -s * k, x], [s * k, c * k, y], [0, 0, 1]])
        return flat_sprite(face_bgra, self.to_frame @ turn @ centre, self._size, lift_px=lift_px)

    def _card_sprite(self, seat: Seat, pose: Pose, card: str | None) -> Sprite | None:
        return self._flat(seat, pose, _card_face(self._deck.style.name, card), float(FACE_PX_PER_MM))

    def _put(self, sprite: Sprite | None, z: int = 0) -> int:
        key = self._next_key
        self._next_key += 1
        if sprite is not None:
            self._sprites[key] = (z, sprite)
            self._touch(sprite.box)
        return key

    def _remove(self, key: int) -> None:
        z_and_sprite = self._sprites.pop(key, None)
        if z_and_sprite is not None:
            self._touch(z_and_sprite[1].box)

    def _move(self, play: LaidPlay, new_poses: list[Pose]) -> None:
        for key, pose, card in zip(play.keys, new_poses, play.cards, strict=True):
            z = self._sprites[key][0] if key in self._sprites else 0
            self._remove(key)
            sprite = self._card_sprite(play.seat, pose, card)
            if sprite is not None:
                self._sprites[key] = (z, sprite)
                self._touch(sprite.box)
        play.poses = new_poses

    def _touch(self, box: Box) -> None:
        self._dirty.append(box)
        self.revision += 1


@lru_cache(maxsize=1)
def _shipped_mat() -> Picture:
    return _flat_mat(load_geometry())


def _flat_mat(geometry: Geometry) -> Picture:
    return np.asarray(cv2.cvtColor(mat_picture(geometry, _TABLE_MM, _ART_PX_PER_MM), cv2.COLOR_RGB2BGR), dtype=np.uint8)


@lru_cache(maxsize=256)
def _card_face(style: str, card: str | None) -> Picture:
    art = deck(style).back() if card is None else deck(style).face(card)
    # halving at the warp would alias: soften first
    return np.asarray(cv2.GaussianBlur(to_bgra(art), (0, 0), 0.8), dtype=np.uint8)


def _prompt_face(geometry: Geometry, marker: int, kind: str, plain: str | None) -> Picture:
    art = prompt_picture(geometry, marker, 6.0) if plain is None else plain_prompt_picture(geometry, kind, plain, 6.0)
    return np.asarray(cv2.GaussianBlur(to_bgra(art), (0, 0), 0.7), dtype=np.uint8)


def _merged(boxes: list[Box]) -> list[Box]:
    """Overlapping boxes joined, so that no region is drawn twice."""
    left = list(boxes)
    merged: list[Box] = []
    while left:
        box = left.pop()
        again = True
        while again:
            again = False
            for other in [*left, *merged]:
                if overlap(box, other):
                    box = (min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3]))
                    (left if other in left else merged).remove(other)
                    again = True
        merged.append(box)
    return merged


__all__ = ["LaidPlay", "Look", "Point", "Pose", "Scene"]
