"""The match at this table: what is played, the round's time, and games given up."""

from __future__ import annotations

from dataclasses import replace

from table_controller.cards import SEATS, Pair, other_pair, pair_of
from table_controller.games.guandan import scores
from table_controller.games.guandan.penalties import Given, may_give
from table_controller.games.guandan.round_time import play_out, round_limit_minutes
from table_controller.table.bygone import forget_bygone
from table_controller.table.deal_end import (
    end_game,
    end_match,
    game_line,
    take_back_game,
)
from table_controller.table.effects import CancelTimer, SetTimer
from table_controller.table.match_state import MINUTE_MS, MatchState
from table_controller.table.referee_events import (
    GameConceded,
    MatchSet,
    RoundEnded,
    RoundExtended,
    RoundLeft,
)
from table_controller.table.refusal import Refusal
from table_controller.table.state import TableState
from table_controller.table.turn import Draft

BETWEEN = ("standby", "deal_over", "game_over")


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
    kept = [g for g in state.given if g.round == event.round or _lost_before(state, g, event.names)]
    state.given = [replace(g, game=0) for g in kept]  # what counted in a game counts in none of the games to come
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
    if state.phase == "game_over":
        by_play = [dict(one) for one in state.match.played[-1:] if one["by"] in ("play", "time")]
        state.match.set_aside += [one for one in by_play if one["game"] == state.match.game]
        take_back_game(draft)  # the game that has just ended has another result
    else:
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
