"""The match at this table: what is played, the round's time, games given up, lateness, levels set, results checked."""

from __future__ import annotations

from table_controller.cards import PAIRS, SEATS, Pair, Seat, other_pair, pair_of
from table_controller.games.guandan import scores
from table_controller.games.guandan.match import DealResult, settle
from table_controller.games.guandan.penalties import Given, may_give
from table_controller.games.guandan.round_time import play_out, round_limit_minutes
from table_controller.table.bygone import forget_bygone
from table_controller.table.deal_end import (
    FINISHED,
    end_game,
    end_match,
    game_line,
    refold,
    take_back_game,
)
from table_controller.table.effects import CancelTimer, SetTimer
from table_controller.table.exchange import owe_anew
from table_controller.table.match_state import MatchState
from table_controller.table.referee_events import (
    DisputeAgreed,
    DisputeRaised,
    GameConceded,
    MatchSet,
    ResultChecked,
    ResultCorrected,
    ResultEntered,
    RoundEnded,
    RoundExtended,
    RoundLeft,
)
from table_controller.table.refusal import Refusal
from table_controller.table.state import TableState
from table_controller.table.told import levels_after, tell_from
from table_controller.table.turn import Draft

BETWEEN = ("standby", "deal_over", "game_over")
MINUTE_MS = 60_000
AGREES, AGREES_NOT = "agrees", "does not agree"


def match_set(draft: Draft, event: MatchSet) -> None:
    """A new match: levels, counters of the game and the clock of the round begin anew."""
    draft.require(*BETWEEN)
    if event.system not in scores.SYSTEMS or event.format not in scores.FORMATS:
        raise Refusal(
            f"'{event.system}', '{event.format}' is no way to play.",
            way_out=f"Systems: {' '.join(scores.SYSTEMS)}; formats: {' '.join(scores.FORMATS)}.",
            code="MATCH",
        )
    minutes = event.minutes or _minutes(draft, event)
    if event.system in ("计副", "计时计副") and event.deals < 1:
        raise Refusal(f"'{event.system}' needs a number of deals.", way_out="Name 'deals'.", code="MATCH")
    if event.system == "计时计副" and minutes < 1:
        raise Refusal("'计时计副' needs minutes.", way_out="Name 'minutes'.", code="MATCH")
    if event.names and len(event.names) != len(SEATS):
        raise Refusal("Name the four players at E N W S, or none.", code="MATCH")
    fresh(draft, event.at_ms)
    state = draft.state
    state.given = [g for g in state.given if g.round == event.round or _lost_before(state, g, event.names)]
    begins = event.at_ms + event.starts_in_minutes * MINUTE_MS
    ends = begins + minutes * MINUTE_MS if minutes else 0
    state.match = MatchState(
        event.system,
        event.deals,
        minutes,
        max(1, event.games),
        event.format,
        event.round,
        event.names,
        1,
        begins,
        ends,
        session_game=state.match.session_game + 1,
    )
    draft.move("match_set")
    await_start(draft, event.at_ms)
    draft.emit(SetTimer("round", ends) if ends else CancelTimer("round"))
    draft.publish(
        "match_set",
        system=event.system,
        deals=event.deals,
        minutes=minutes,
        games=state.match.games,
        round=event.round,
        names=event.names,
        by=event.by,
    )


def _minutes(draft: Draft, event: MatchSet) -> int:
    """A timed match without minutes of its own: by its deals (003 L99-L100), else a game's hour (000 L193)."""
    if event.system not in ("计时", "计时计副"):
        return 0
    limit = round_limit_minutes(event.deals, draft.profile, screens=event.screens, copied_decks=event.copied_decks)
    return limit if event.deals else draft.profile.round.game_minutes


def await_start(draft: Draft, at_ms: int) -> None:
    """Call the players to their seats and begin the round when its time has come (003 L19, L102)."""
    begins_ms = draft.state.match.begun_ms
    for name, due_ms in (
        ("seats", begins_ms - draft.profile.before.seated_before_minutes * MINUTE_MS),
        ("begin", begins_ms),
    ):
        draft.emit(SetTimer(name, due_ms) if due_ms > at_ms else CancelTimer(name))


def _lost_before(state: TableState, given: Given, names: tuple[str, ...]) -> bool:
    """A game lost by penalty follows its pair to the next round, where the names say that it is the same (000 L233)."""
    before, pair = state.match.names, pair_of(given.seat)
    if given.penalty != "game_lost" or not names or not before:
        return False
    players = [{who[i] for i, seat in enumerate(SEATS) if pair_of(seat) == pair} for who in (before, names)]
    return players[0] == players[1]


def fresh(draft: Draft, at_ms: int) -> None:
    """Both pairs begin at 2 again (seed 000 L43; 003 L12)."""
    state = draft.state
    forget_bygone(draft, at_ms)
    state.start_levels, state.start_owner = {"EW": "2", "NS": "2"}, None
    state.levels, state.deal_level, state.owner, state.winner = dict(state.start_levels), "2", None, None
    state.deal_number, state.last_order, state.results, state.past = 0, [], [], []
    state.a_failures = {"EW": 0, "NS": 0}
    state.no_tribute, state.namer, state.named_leader, state.undo = False, None, None, {}
    state.exposed, state.late = [], []


def new_game(draft: Draft, at_ms: int) -> None:
    """The next game of the match; after its last one a new match of the same kind begins."""
    match = draft.state.match
    if match.over:
        # Warnings, violations and fouls were those of its games and its round; a lost game still counts (000 L233).
        draft.state.given = [given for given in draft.state.given if given.penalty == "game_lost"]
        draft.state.match = MatchState(
            match.system, match.deals, match.minutes, match.games, match.format, match.round, match.names
        )
    else:
        match.game += 1
        match.time_up = False
    draft.state.match.session_game = match.session_game + 1
    fresh(draft, at_ms)


def round_over(draft: Draft, at_ms: int) -> None:
    """The round's time is up: deals not begun are cancelled, a begun one is played out (003 L106; 000 L193)."""
    match = draft.state.match
    if not match.ends_ms or at_ms < match.ends_ms or match.time_up or match.over:
        raise Refusal("No round's end is waited for.", code="TIMER")
    match.time_up = True
    draft.publish("time_up", round=match.round)
    cut_off(draft, at_ms)


def round_ended(draft: Draft, event: RoundEnded) -> None:
    """A person ends the round, timed or not, as if its time were up; the game ends whatever its system."""
    match = draft.state.match
    if match.over or match.called:
        raise Refusal("This round is over, or ends with the deal under way.", code="MATCH")
    if draft.state.phase in ("standby", "fault") and not draft.state.results and not match.played:
        raise Refusal("Nothing has been played in this round.", code="MATCH")
    match.called, match.time_up = True, True
    draft.emit(CancelTimer("round"))
    plays_on = play_out(_begun(draft), draft.profile)
    draft.publish("round_ended", round=match.round, plays_on=plays_on, by=event.by, reason=event.reason)
    cut_off(draft, event.at_ms)


def _begun(draft: Draft) -> str:
    phase = draft.state.phase
    if phase == "fault":  # a deal that failed goes on once cleared, unless it is void
        return "drawing_started" if draft.state.dealer.plan and not draft.state.dealer.void else "not_started"
    return "not_started" if phase in BETWEEN else "drawing_started" if phase == "dealing" else "in_play"


def cut_off(draft: Draft, at_ms: int) -> None:
    """The time is up: the game ends now, or with the deal under way. A machine that deals is let finish first."""
    if draft.state.phase in ("dealing", "fault") or not draft.state.match.time_up:
        return
    if not play_out(_begun(draft), draft.profile):
        close_by_time(draft, at_ms)


def close_by_time(draft: Draft, at_ms: int) -> None:
    """The game ends as it stands; a deal under way is cancelled where the setting says so."""
    state = draft.state
    if state.phase == "game_over":  # between two games of the match
        end_match(draft, at_ms)
        return
    result = game_line(draft, None)
    if not result.over:
        return
    draft.move("time_ends" if state.phase in BETWEEN else "game_lost")
    draft.idle()
    end_game(draft, result, at_ms, by="time")


def round_left(draft: Draft, event: RoundLeft) -> None:
    """The controller was restarted: the round ends as much later as is left of it."""
    match = draft.state.match
    if match.over or match.time_up or not (match.ends_ms or event.begins_in_ms):
        raise Refusal("No round is timed here.", code="MATCH")
    if match.ends_ms:
        match.begun_ms += event.at_ms + event.left_ms - match.ends_ms
        match.ends_ms = event.at_ms + event.left_ms
        draft.emit(SetTimer("round", match.ends_ms))
    else:
        match.begun_ms = event.at_ms + event.begins_in_ms
    await_start(draft, event.at_ms)


def round_extended(draft: Draft, event: RoundExtended) -> None:
    """The referee moves the end of the round (003 L105-L106)."""
    match = draft.state.match
    if not match.ends_ms or match.over or match.time_up:
        raise Refusal("No round is timed here.", code="MATCH")
    match.ends_ms += event.minutes * MINUTE_MS
    match.minutes += event.minutes
    draft.emit(SetTimer("round", match.ends_ms))
    draft.publish("round_extended", minutes=event.minutes, by=event.by, reason=event.reason)


def lose_game(draft: Draft, loser: Pair, at_ms: int, *, by: str) -> None:
    """A game lost by penalty, forfeit or withdrawal: 2:0 and 18:0 or more, 17 for a withdrawal (000 L231; 003 L115)."""
    state, rules = draft.state, draft.profile.scores
    winner = other_pair(loser)
    steps = scores.level_steps(state.levels[winner]) - scores.level_steps(state.levels[loser])
    earned = scores.level_points_of(winner, max(0, steps), draft.profile)[winner]
    points, least = rules.withdrawal if by == "withdrawal" else rules.lost_by_penalty
    level_points = least if by == "withdrawal" else max(least, earned)
    if state.phase != "game_over":
        draft.move("game_lost")
    draft.idle()
    result = scores.GameResult(
        True, winner, max(0, steps), {winner: points, loser: 0.0}, {winner: level_points, loser: 0.0}
    )
    end_game(draft, result, at_ms, by=by)


def conceded(draft: Draft, event: GameConceded) -> None:
    """A pair gives up; a lost game needs the head referee (seed 000 L215, L231)."""
    if event.how not in ("forfeit", "withdrawal"):
        raise Refusal(f"'{event.how}' is no way to give up.", way_out="forfeit or withdrawal", code="MATCH")
    if not may_give(event.role, "game_lost"):
        raise Refusal("A lost game needs the head referee.", code="ROLE")
    if draft.state.phase in ("dealing", "fault", "game_over"):
        raise Refusal(f"Not now: the table is in '{draft.state.phase}'.", code="PHASE")
    lose_game(draft, event.pair, event.at_ms, by=event.how)


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
    require_agreement(draft, event.at_ms, event.agreed, event.role)
    short = len(event.order) == 2 and pair_of(event.order[0]) == pair_of(event.order[1])
    if not (short or len(event.order) == 4) or len(set(event.order)) != len(event.order):
        raise Refusal("Name the four places, or the first two of a double-down.", code="ORDER")
    line = lines[0]
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
