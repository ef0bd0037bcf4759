"""The end of a deal and of a game: places, levels, points (seed 000 L43-L49, L177-L195, L227; 003 L35)."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import asdict
from typing import Any

from table_controller.cards import PAIRS, SEATS, Pair, Seat, other_pair
from table_controller.games.guandan import scores
from table_controller.games.guandan.deal import Action, Deal
from table_controller.games.guandan.match import DealResult, foul_result, settle
from table_controller.games.guandan.proof import Exchanged
from table_controller.games.guandan.round_time import too_fast
from table_controller.table.effects import CancelTimer, SetTimer, WatchMode
from table_controller.table.match_state import MatchState, PastDeal
from table_controller.table.refusal import Refusal
from table_controller.table.state import TableState
from table_controller.table.stops import forget
from table_controller.table.told import counts, levels_after, tell_deal, tell_games
from table_controller.table.turn import Draft

FINISHED = ("deal_over", "game_over")


def end_deal(draft: Draft, at_ms: int) -> None:
    """Places, levels, and the next deal's level (seed 000 L43-L49, L189)."""
    state, deal = draft.state, draft.state.deal
    assert deal is not None, "a deal that ends was played"
    draft.think(at_ms)
    result = settle(
        deal.order,
        state.levels,
        state.deal_level,
        state.owner,
        pass_a_on_own_level_only=draft.profile.pass_a_on_own_level_only,
    )
    line = _line(state, result, tuple(deal.order), at_ms)
    keep(state, deal)
    state.no_tribute, state.namer = False, None
    _close(draft, result, line, at_ms, trigger="deal_ends")


def lose_deal(draft: Draft, offenders: Pair, at_ms: int, incident: int = 0) -> None:
    """A foul: the deal is lost as a double-down, the next has no tribute and the others name its leader (000 L227)."""
    state = draft.state
    if state.phase in FINISHED:
        _take_back_last(draft)
    else:
        draft.think(at_ms)
    result = foul_result(
        offenders,
        state.levels,
        state.deal_level,
        state.owner,
        foul_passes_a=draft.profile.foul_passes_a,
        pass_a_on_own_level_only=draft.profile.pass_a_on_own_level_only,
    )
    line = _line(state, result, (), at_ms) | {"foul": offenders, "foul_incident": incident}
    if state.deal is not None:
        keep(state, state.deal)
    state.no_tribute, state.namer = True, result.winner
    _close(draft, result, line, at_ms, trigger="deal_lost")


def void_finished(draft: Draft, offender: Seat, at_ms: int) -> None:
    """A wrong tribute ruled on after the deal's last play: the offender is 下游, who was behind moves up (000 L291).

    After a double-down by the offender's pair nobody knows how the others would have finished, and nothing hangs on
    it: who holds fewer cards stands before.
    """
    state, deal = draft.state, draft.state.deal
    assert deal is not None, "a finished deal was played"
    _take_back_last(draft)
    deal.declare_void(offender, max((action.number for action in state.actions), default=0))
    open_seats = sorted((s for s in SEATS if s not in deal.out), key=lambda s: deal.counts[s])
    order = deal.order if deal.over else [*(s for s in deal.out if s != offender), *open_seats, offender]
    only_own = draft.profile.pass_a_on_own_level_only
    result = settle(order, state.levels, state.deal_level, state.owner, pass_a_on_own_level_only=only_own)
    line = _line(state, result, tuple(order), at_ms)
    keep(state, deal)
    state.no_tribute, state.namer = False, None
    _close(draft, result, line, at_ms, trigger="deal_lost")


def _line(state: TableState, result: DealResult, order: tuple[Seat | None, ...], at_ms: int) -> dict[str, object]:
    return {
        "deal": state.deal_number,
        "game": state.match.game,
        "level": state.deal_level,
        "order": order,
        "winner": result.winner,
        "rise": result.rise,
        "double_down": result.double_down,
        "levels": tuple(sorted(result.levels.items())),
        "passes_a": result.passes_a,
        "ended_ms": at_ms,
    }


def _close(draft: Draft, result: DealResult, line: dict[str, object], at_ms: int, *, trigger: str) -> None:
    state = draft.state
    state.last_order, state.winner, again = list(_order(line)), result.winner, state.phase in FINISHED
    state.results.append(line)
    _judge_failures(draft)
    _fold(state, state.results, between=True)
    state.early, state.early_reports, state.rejected, state.unapplied, state.lifted = [], {}, None, [], None
    state.must_lead, state.names_type, state.nameable, state.shown_cards = None, None, [], []
    forget(draft)
    draft.emit(CancelTimer("early"))
    state.thinking.since_ms = at_ms
    over = game_line(draft, result.winner if result.passes_a else None)
    if state.phase not in FINISHED:
        draft.move({"deal_ends": "game_ends", "deal_lost": "game_lost"}[trigger] if over.over else trigger)
    elif over.over and state.phase == "deal_over":
        draft.move("time_ends")
    elif state.phase == "game_over" and not over.over:
        draft.move("deal_lost")
    draft.idle()
    tell_deal(draft, line, again=again)
    if over.over:
        end_game(draft, over, at_ms, by="play")


def _order(line: dict[str, object]) -> tuple[Seat | None, ...]:
    order = line["order"]
    assert isinstance(order, tuple)
    return order


def _take_back_last(draft: Draft) -> None:
    """The deal that has just ended is judged another way: its line and its game go."""
    state = draft.state
    line = state.results[-1] if state.results else {}
    by = state.match.played[-1]["by"] if state.phase == "game_over" and state.match.played else "play"
    if (line.get("deal"), line.get("game")) != (state.deal_number, state.match.game) or by not in ("play", "time"):
        raise Refusal("The last deal was not played to its end.", way_out="Rule on the game.", code="DEAL")
    state.results.pop()
    if state.past and state.past[-1].number == state.deal_number:
        state.past.pop()
    take_back_game(draft)
    _judge_failures(draft)
    _fold(state, state.results, between=True)


def take_back_game(draft: Draft) -> None:
    """The game is not over, and so neither is the match: a round that is timed runs on."""
    match = draft.state.match
    if match.played and match.played[-1]["game"] == match.game:
        draft.publish("game_taken_back", game=match.played.pop()["game"])
        match.winner, match.over = None, False
        _let_round_run(draft)


def _let_round_run(draft: Draft) -> None:
    match = draft.state.match
    if match.ends_ms and not match.over and not match.time_up:
        draft.emit(SetTimer("round", match.ends_ms))


def reopen(draft: Draft, deal: Deal, actions: list[Action], at_ms: int) -> None:
    """The record put right says that the last deal is not over: it goes on where it stood, paused."""
    state = draft.state
    _take_back_last(draft)
    state.deal, state.actions = deal, actions
    draft.move("deal_restored")
    state.under, state.pause_reason = "playing", "the record was put right: the deal is not over"
    draft.emit(WatchMode("play"))
    profile = draft.profile
    draft.start_clock("play", deal.turn, at_ms, profile.play_warning_ms, profile.play_grace_ms)
    draft.hold_clock()
    draft.only_lamp(deal.turn)
    state.thinking.since_ms = None
    draft.lamp(None, "blink")
    draft.publish("paused", reason=state.pause_reason)


def keep(state: TableState, deal: Deal) -> None:
    """Keep a finished deal's record, for corrections at any later time."""
    told = state.exchange
    rest = json.dumps([asdict(a) | {"evidence": ""} for a in state.actions], sort_keys=True)
    state.past.append(
        PastDeal(
            number=state.deal_number,
            level=state.deal_level,
            owner=state.owner,
            leader=state.leader or deal.leader,
            actions=tuple(state.actions),
            start=copy.deepcopy(state.resynced),
            judged_from=state.judged_from,
            digest=hashlib.sha256(rest.encode()).hexdigest()[:16],
            void=(deal.void, deal.void_after) if deal.void else None,
            exchange=Exchanged(dict(told.pays), dict(told.shown), dict(told.returned)),
        )
    )


def _fold(state: TableState, results: list[dict[str, object]], *, between: bool) -> None:
    """Levels, and between deals the next deal's level, from the deals that stand."""
    stand = [line for line in results if counts(line, state)]
    state.levels = levels_after(state, results)
    if between:
        owner = stand[-1]["winner"] if stand else state.start_owner
        assert owner is None or owner in PAIRS
        state.owner = owner
        state.deal_level = state.levels[owner] if owner else state.start_level()


def refold(draft: Draft) -> None:
    """Levels anew from the deals of this game that stand; a deal under way keeps the level it is played at."""
    _judge_failures(draft)
    between = draft.state.phase in ("standby", "dealing", "deal_over", "game_over", "fault")
    _fold(draft.state, draft.state.results, between=between)


def _judge_failures(draft: Draft) -> None:
    """Failed attempts at A, and by the setting the fall to 2 after so many; neither text has it.

    Counted from the deals that stand, so that one judged another way counts as it is judged now.
    """
    state, allowed = draft.state, draft.profile.pass_a_failures
    failures, owner = dict.fromkeys(PAIRS, 0), state.start_owner
    for line in state.results:
        line.pop("demoted", None)
        if not counts(line, state):
            continue
        tried = owner is not None and line.get("foul") != other_pair(
            owner
        )  # no try where the others' foul broke it off
        if line["level"] == "A" and owner is not None and tried and not line["passes_a"]:
            failures[owner] += 1
            if 0 < allowed <= failures[owner]:
                line["demoted"], failures[owner] = owner, 0
        winner = line["winner"]
        assert winner in PAIRS
        owner = winner
    state.a_failures = failures


def game_line(draft: Draft, passed_a: Pair | None) -> scores.GameResult:
    """Whether the game is over by its system, and its points."""
    state, match = draft.state, draft.state.match
    deals = sum(line["game"] == match.game and not line.get("annulled") for line in state.results)
    game = scores.GameState(
        match.system, state.levels, deals, match.deals, match.time_up, passed_a, match.format, match.called
    )
    return scores.game_result(game, draft.profile)


def end_game(draft: Draft, result: scores.GameResult, at_ms: int, *, by: str) -> None:
    """Enter a game in the match; the match is over when one pair has won enough games."""
    state, match = draft.state, draft.state.match
    match.played.append(
        {
            "game": match.game,
            "winner": result.winner,
            "levels": tuple(sorted(state.levels.items())),
            "difference": result.level_difference,
            "points": tuple(sorted(result.points.items())),
            "level_points": tuple(sorted(result.level_points.items())),
            "by": by,
        }
    )
    _decide_match(match)
    match.ended_ms = at_ms
    draft.publish("game_over", **match.played[-1])
    if match.over:
        end_match(draft, at_ms)


def annul_game(draft: Draft, incident: int) -> None:
    """A game lost by a penalty, overturned when another is on: as it was played, else without winner and points."""
    state, match = draft.state, draft.state.match
    lost = next((given for given in state.given if given.incident == incident), None)
    game = next((one for one in match.played if lost and one["game"] == lost.game and one["by"] == lost.penalty), None)
    if game is None:
        return
    as_played = next((one for one in match.set_aside if one["game"] == game["game"]), None)
    nothing = tuple((pair, 0.0) for pair in sorted(PAIRS))
    draft.publish("game_taken_back", game=game["game"])
    game.update(
        as_played or {"winner": None, "by": "annulled", "difference": 0, "points": nothing, "level_points": nothing}
    )
    _decide_match(match)
    if as_played is not None:
        draft.publish("game_over", **game)


def _decide_match(match: MatchState) -> None:
    """Who has won the match by the games that stand, and whether it is over."""
    stand = [game for game in match.played if game["by"] != "annulled"]
    won = {pair: sum(game["winner"] == pair for game in stand) for pair in PAIRS}
    single = stand[-1]["winner"] if stand else None
    assert single is None or single in PAIRS
    if stand and stand[-1]["by"] in ("out", "withdrawal"):  # who is out, or gone, plays no further game
        match.winner, match.over = single, True
        return
    match.winner = scores.best_of(won, match.games) if match.games > 1 else single
    match.over = match.winner is not None or match.called or len(stand) >= match.games


def end_match(draft: Draft, at_ms: int) -> None:
    """No further game is played: who is ahead has won, if nobody has by then."""
    match = draft.state.match
    if match.games > 1 and match.winner is None:
        match.winner = scores.ahead(match.played)
    match.over, match.ended_ms = True, at_ms
    draft.emit(CancelTimer("round"))
    _judge_pace(draft, at_ms)
    draft.publish("match_over", winner=match.winner, games=len(match.played))


def _judge_pace(draft: Draft, at_ms: int) -> None:
    """A round that used less than two thirds of its time (003 L101); 过A ends early and is no haste."""
    match = draft.state.match
    if not match.begun_ms or not match.minutes or any(line["passes_a"] for line in draft.state.results):
        return
    told = any(i.kind == "too_fast" and i.session_game == match.session_game for i in draft.state.incidents)
    used = (at_ms - match.begun_ms) / 60_000
    if not told and match.played[-1]["by"] == "play" and too_fast(match.minutes, used, draft.profile):
        draft.incident("too_fast", at_ms, detail=f"{used:.0f} of {match.minutes} minutes")


def saved(state: TableState, at_ms: int) -> dict[str, Any]:
    """What a foul changes: kept so that overturning it is as if it never had been."""
    names = (
        "phase under pause_reason deal actions deal_number levels deal_level owner winner last_order results clock"
        " early early_reports exchange leader lamps no_tribute namer named_leader stops bans must_lead names_type"
        " nameable"
        " shown_cards rejected unapplied lifted past match a_failures judged_from resynced next_action"
    )
    return {name: copy.deepcopy(getattr(state, name)) for name in names.split()} | {"at_ms": at_ms}


def _keep_since(state: TableState, before: dict[str, Any]) -> None:
    """What was put right or overturned since in earlier deals and games, and the round's time, stay as they are now."""
    match, then = state.match, before["match"]
    lines = {(line["game"], line["deal"]): line for line in state.results}
    own = (then.game, before["deal_number"])
    was = [((line["game"], line["deal"]), line) for line in before["results"]]
    before["results"] = [line if key == own else lines.get(key, line) for key, line in was]
    past = {deal.number: deal for deal in state.past if deal.number != before["deal_number"]}
    before["past"] = [past.get(deal.number, deal) for deal in before["past"]]
    games = {game["game"]: game for game in match.played if game["game"] != then.game}
    then.played = [games.get(game["game"], game) for game in then.played]
    then.minutes, then.begun_ms, then.ends_ms = match.minutes, match.begun_ms, match.ends_ms
    if match.called:  # a person ended the round since
        then.called = then.time_up = True
    gone = {incident.number for incident in state.incidents if incident.status == "overturned"}
    for name in ("stops", "bans"):
        before[name] = [one for one in before[name] if one.incident not in gone]
    if before["must_lead"] is not None and before["must_lead"].incident in gone:
        before["must_lead"] = None


def restore(draft: Draft, before: dict[str, Any], at_ms: int) -> None:
    """The deal goes on where the foul broke it off, paused."""
    state, then_ms = draft.state, before.pop("at_ms")
    phase, played = before["phase"], list(state.match.played)
    _keep_since(state, before)
    if phase in FINISHED:
        for name, value in before.items():
            setattr(state, name, value)
        refold(draft)
        _let_round_run(draft)
        if state.results:
            tell_deal(draft, state.results[-1], again=True)
        tell_games(draft, played)
        return
    draft.move("deal_restored")
    draft.emit(WatchMode("play"))
    for name, value in before.items():
        if name != "lamps":
            setattr(state, name, value)
    _judge_failures(draft)
    _fold(state, state.results, between=False)
    if phase != "paused":
        state.phase, state.under, state.pause_reason = "paused", phase, "a foul was overturned"
        state.clock.elapsed_ms = state.clock.elapsed(then_ms)
    state.clock.running, state.thinking.since_ms = False, None
    _let_round_run(draft)
    draft.lamp(None, "blink")
    tell_games(draft, played)
    draft.publish("paused", reason="a foul was overturned")
