"""Results: entered and checked by the seats, put right later; and a seat's dispute of a reading (003 L125-L126)."""

from __future__ import annotations

from table_controller.cards import PAIRS, SEATS, Pair, Seat, pair_of
from table_controller.games.guandan import scores
from table_controller.games.guandan.match import DealResult, settle
from table_controller.table.deal_end import FINISHED, end_game, game_line, refold, take_back_game
from table_controller.table.exchange import owe_anew
from table_controller.table.match_state import MINUTE_MS, MatchState
from table_controller.table.referee_events import (
    DisputeAgreed,
    DisputeRaised,
    ResultChecked,
    ResultCorrected,
    ResultEntered,
)
from table_controller.table.refusal import Refusal
from table_controller.table.seen import require_order_as_seen
from table_controller.table.told import levels_after, tell_from
from table_controller.table.turn import Draft

AGREES, AGREES_NOT = "agrees", "does not agree"


def entered(draft: Draft, event: ResultEntered) -> None:
    """S and N enter a deal's result (003 L125)."""
    line = _last_line(draft)
    if event.seat not in draft.profile.record.enters:
        raise Refusal(f"Seat {event.seat} does not enter results.", code="ENTER")
    line["entered_by"] = event.seat
    draft.publish("result_entered", deal=line["deal"], seat=event.seat)


def checked(draft: Draft, event: ResultChecked) -> None:
    """E and W check it; who does not agree calls the referee (003 L125)."""
    line = _last_line(draft)
    if event.seat not in draft.profile.record.checks:
        raise Refusal(f"Seat {event.seat} does not check results.", code="CHECK")
    if not line.get("entered_by"):
        who = " or ".join(draft.profile.record.enters)
        raise Refusal("Nobody has entered this result yet.", way_out=f"Seat {who} enters it.", code="ENTERED")
    if not event.agrees:
        _not_agreed(draft, event)
        return
    line["checked_by"] = event.seat
    for incident in list(draft.state.incidents):
        if incident.kind == "result_disputed" and incident.seat == event.seat and incident.is_open:
            draft.update(incident.number, event.at_ms, event.seat, AGREES, status="resolved")
    draft.publish("result_checked", deal=line["deal"], seat=event.seat)


def _not_agreed(draft: Draft, event: ResultChecked) -> None:
    if any(i.kind == "result_disputed" and i.seat == event.seat and i.is_open for i in draft.state.incidents):
        raise Refusal(f"Seat {event.seat} has said so already: the referee settles it.", code="CHECKED")
    draft.incident("result_disputed", event.at_ms, event.seat, detail=event.reason)
    draft.buzz("td")


def _last_line(draft: Draft) -> dict[str, object]:
    if not draft.state.results:
        raise Refusal("No deal has been played yet.", code="DEAL")
    return draft.state.results[-1]


def result_corrected(draft: Draft, event: ResultCorrected) -> None:
    """Places entered wrongly: both pairs agree, within 30 minutes of the end, by the head referee (003 L126)."""
    state = draft.state
    lines = [x for x in state.results if x["deal"] == event.deal and x["game"] == state.match.game]
    if not lines:
        raise Refusal(f"There is no deal {event.deal} in this game.", code="DEAL")
    if lines[0].get("foul") or lines[0].get("annulled"):
        annulled = bool(lines[0].get("annulled"))
        raise Refusal(
            f"Deal {event.deal} {'counts no more' if annulled else 'was lost by a foul'}: nobody took places in it.",
            way_out="The head referee sets the levels." if annulled else "The head referee overturns the foul.",
            code="RESULT",
        )
    require_agreement(draft, event.at_ms, event.agreed, event.role)
    short = len(event.order) == 2 and pair_of(event.order[0]) == pair_of(event.order[1])
    if not (short or len(event.order) == 4) or len(set(event.order)) != len(event.order):
        raise Refusal("Name the four places, or the first two of a double-down.", code="ORDER")
    line = lines[0]
    require_order_as_seen(line["order"], event.saw)
    before = levels_after(state, state.results[: state.results.index(line)])
    level, owner = str(line["level"]), pair_of(event.order[0])
    result = settle(event.order, before, level, owner, pass_a_on_own_level_only=draft.profile.pass_a_on_own_level_only)
    places = tuple([*event.order, None, None][:4])
    enter_places(draft, line, places, result, event.at_ms)


def require_agreement(draft: Draft, at_ms: int, pairs: tuple[Pair, ...], role: str) -> None:
    """Refuse a changed result unless both pairs agree, in time, and the head referee confirms it (003 L126)."""
    minutes, agreed = _minutes_after(draft.state.match, at_ms), set(pairs) == {"EW", "NS"}
    answer = scores.correctable(minutes, agreed=agreed, kind="entry_error", profile=draft.profile)
    if not answer.allowed:
        why = "both pairs must agree" if not agreed else f"{minutes:.0f} minutes have passed since the end"
        raise Refusal(f"The result can no longer be changed: {why}.", code="RESULT")
    if role != answer.needs:
        raise Refusal("A correction needs the head referee.", code="ROLE")


def _minutes_after(match: MatchState, at_ms: int) -> float:
    """Minutes since the round's appointed end (003 L126, L143: 规定的结束时间), or since its end where none was set."""
    if not match.over:
        return 0.0
    end = match.ended_ms if match.called or not match.ends_ms else match.ends_ms
    return max(0.0, (at_ms - end) / MINUTE_MS)


def enter_places(
    draft: Draft, line: dict[str, object], places: tuple[Seat | None, ...], result: DealResult, at_ms: int
) -> None:
    """A finished deal's places are others: its line, the levels since, who owes tribute, and the game follow."""
    state = draft.state
    last = state.results[-1] is line
    if result.passes_a != line["passes_a"] and not (last and state.phase in FINISHED):
        raise Refusal(
            f"This would change whether deal {line['deal']} ended the game, and another has begun since.",
            way_out="The head referee sets the levels.",
            code="RESULT",
        )
    line.update(order=places, winner=result.winner, rise=result.rise, double_down=result.double_down)
    line["passes_a"] = result.passes_a
    if not state.match.over:
        line.pop("checked_by", None)  # what was checked was another result
    refold(draft)
    if last:
        state.last_order, state.winner = list(places), result.winner
        owe_anew(draft)
    tell_from(draft, line)
    draft.publish("result_corrected", deal=line["deal"], order=places, levels=tuple(sorted(state.levels.items())))
    if state.phase in FINISHED:
        _judge_game_anew(draft, at_ms)


def _judge_game_anew(draft: Draft, at_ms: int) -> None:
    """One of its deals was corrected: the game may be over now, or no longer, or with other points."""
    state, match = draft.state, draft.state.match
    passed = next((x["winner"] for x in state.results if x["passes_a"] and not x.get("annulled")), None)
    assert passed is None or passed in PAIRS
    result = game_line(draft, passed)
    entered = bool(match.played) and match.played[-1]["game"] == match.game
    if not entered:
        if result.over:
            draft.move("time_ends")
            draft.idle()
            end_game(draft, result, at_ms, by="play")
    elif match.played[-1]["by"] in ("play", "time"):
        by, ended_ms = str(match.played[-1]["by"]), match.ended_ms
        take_back_game(draft)
        if result.over:
            end_game(draft, result, ended_ms, by=by)
        else:
            draft.move("deal_lost")


def disputed(draft: Draft, event: DisputeRaised) -> None:
    """A seat disputes what the table read: an incident that both pairs, or the referee, settle."""
    known = {action.number for action in draft.state.actions}
    if event.play and event.play not in known:
        raise Refusal(f"There is no play number {event.play} in this deal.", code="PLAY")
    mine = [i for i in draft.state.incidents if i.kind == "dispute" and i.is_open and draft.of_this_deal(i)]
    if any(i.play == (event.play or None) and (event.play or i.seat == event.seat) for i in mine):
        raise Refusal("This is disputed already.", way_out="Say there whether you agree.", code="DISPUTE")
    draft.incident("dispute", event.at_ms, event.seat, event.play or None, detail=event.reason)


def dispute_agreed(draft: Draft, event: DisputeAgreed) -> None:
    """Once a seat of each pair has agreed, the dispute is settled as it stands; else the referee settles it."""
    found = next((i for i in draft.state.incidents if i.number == event.incident and i.kind == "dispute"), None)
    if found is None or not found.is_open:
        raise Refusal(f"There is no open dispute {event.incident}.", code="INCIDENT")
    words = {by: reason for _, _, by, reason in found.history if reason in (AGREES, AGREES_NOT)}
    words[event.seat] = AGREES if event.agrees else AGREES_NOT
    both = {pair_of(seat) for seat in SEATS if words.get(seat) == AGREES} == {"EW", "NS"}
    settled = both and AGREES_NOT not in words.values()
    draft.update(
        found.number, event.at_ms, event.seat, words[event.seat], status="resolved" if settled else found.status
    )
    if not event.agrees:
        draft.buzz("td")
