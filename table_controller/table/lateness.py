"""Where a game begins: at 2, higher after a late arrival, or as the referee sets it (003 L102-L104)."""

from __future__ import annotations

from table_controller.cards import PAIRS, RANKS, Pair, other_pair, pair_of
from table_controller.games.guandan.before import late_arrival, late_draw
from table_controller.games.guandan.penalties import TOO_LATE
from table_controller.table.contest import BETWEEN, new_game
from table_controller.table.deal_end import refold
from table_controller.table.referee_events import LateArrived, LevelsSet
from table_controller.table.refusal import Refusal
from table_controller.table.turn import Draft


def late(draft: Draft, event: LateArrived) -> None:
    """The other pair begins higher, and the offender's 上家 leads (003 L102-L104).

    Beyond ``forfeit_after_minutes``, where the regulations name it, the loss of the game is proposed.
    """
    state = draft.state
    draft.require(*BETWEEN)
    if state.results and state.phase != "game_over":
        raise Refusal("A pair can be late only before the first deal.", code="LATE")
    if state.phase == "game_over":
        _begin_next(draft, event.at_ms)
    found = late_arrival(event.minutes, draft.profile)
    limit = draft.profile.before.forfeit_after_minutes
    what = TOO_LATE if 0 < limit < event.minutes else ""
    detail = f"{event.minutes:g} minutes"
    incident = draft.incident("late_arrival", event.at_ms, event.seat, detail=detail, what=what)
    before = [one for one in state.late if pair_of(one[1]) == pair_of(event.seat)]
    for one in before:  # a pair is late once: the last word on it counts
        draft.withdraw(one[0], event.at_ms, "told anew")
        state.late.remove(one)
    rise = (found.rise or None) if found.late else None
    if rise:
        state.late.append((incident.number, event.seat, event.minutes))
    if rise or before:
        _begin_late(draft)
    draft.publish("late", seat=event.seat, minutes=event.minutes, rise=rise, incident=incident.number)


def not_late(draft: Draft, incident: int) -> None:
    """Its incident was overturned: the levels and the lead are as if nobody had been late."""
    state = draft.state
    if any(number == incident for number, _, _ in state.late):
        state.late = [one for one in state.late if one[0] != incident]
        _begin_late(draft)


def _begin_late(draft: Draft) -> None:
    """Where the game begins by who was late (003 L103-L104); with both pairs late the lead is drawn as ever."""
    state, gained = draft.state, dict[Pair, str]()
    for _, seat, minutes in state.late:
        level = late_arrival(minutes, draft.profile).level
        assert level is not None, "only who was late by a step of the text is kept"
        gained[other_pair(pair_of(seat))] = level
    levels: dict[Pair, str] = {pair: gained.get(pair, "2") for pair in PAIRS}
    _begin_at(draft, levels, _highest(gained))
    if state.deal_number == 0:
        leads = [late_draw(seat).leads for _, seat, _ in state.late]
        state.named_leader = leads[0] if len(leads) == 1 else None


def _highest(levels: dict[Pair, str]) -> Pair | None:
    """The pair whose level is played: the one that gained more, the first told where both gained alike."""
    best = max((RANKS.index(level) for level in levels.values()), default=None)
    return next((pair for pair, level in levels.items() if RANKS.index(level) == best), None)


def _begin_next(draft: Draft, at_ms: int) -> None:
    """What is said after a game is over is about the next one."""
    new_game(draft, at_ms)
    draft.move("match_set")


def _begin_at(draft: Draft, levels: dict[Pair, str], owner: Pair | None) -> None:
    state = draft.state
    state.start_levels, state.start_owner = levels, owner
    refold(draft)


def levels_set(draft: Draft, event: LevelsSet) -> None:
    """The referee sets where the pairs stand; deals played so far in this game no longer add to it."""
    draft.require("standby", "deal_over", "game_over", "fault")
    if event.ew not in RANKS or event.ns not in RANKS:
        raise Refusal(f"'{event.ew}', '{event.ns}' are no levels.", way_out=f"Levels: {' '.join(RANKS)}.", code="LEVEL")
    if draft.state.phase == "game_over":
        _begin_next(draft, event.at_ms)
    for line in draft.state.results:
        line["levels_set"] = True
    draft.state.late = []
    _begin_at(draft, {"EW": event.ew, "NS": event.ns}, event.owner)
    draft.publish("levels_set", levels=(("EW", event.ew), ("NS", event.ns)), owner=event.owner, by=event.by)
