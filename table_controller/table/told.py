"""What is told of deals and games that are over, and told again once a ruling or a correction makes it another."""

from __future__ import annotations

from table_controller.cards import PAIRS, RANKS, Pair, other_pair
from table_controller.table.state import TableState
from table_controller.table.turn import Draft


def levels_after(state: TableState, results: list[dict[str, object]]) -> dict[Pair, str]:
    """The levels that these deals of the game lead to, from where it began."""
    levels = dict(state.start_levels)
    for line in results:
        if not counts(line, state):
            continue
        winner, rise, demoted = line["winner"], line["rise"], line.get("demoted")
        assert winner in PAIRS
        assert isinstance(rise, int)
        levels[winner] = RANKS[min(RANKS.index(levels[winner]) + rise, len(RANKS) - 1)]
        if demoted in PAIRS:
            levels[demoted] = "2"
    return levels


def counts(line: dict[str, object], state: TableState) -> bool:
    """Whether a deal's result adds to the levels: not once it was annulled, or the levels were set after it."""
    return line["game"] == state.match.game and not line.get("annulled") and not line.get("levels_set")


def tell_deal(draft: Draft, line: dict[str, object], *, again: bool) -> None:
    """A deal's result, with the levels it leads to; ``again`` once it is another than was told."""
    state, winner = draft.state, line["winner"]
    assert winner in PAIRS
    levels = levels_after(state, state.results[: state.results.index(line) + 1])
    told = {key: value for key, value in line.items() if key not in ("ended_ms", "foul_incident", "levels_set")}
    told |= {"foul": line.get("foul"), "levels": tuple(sorted(levels.items()))}
    draft.publish("deal_over", **told, loser=other_pair(winner), **({"again": True} if again else {}))


def tell_from(draft: Draft, line: dict[str, object]) -> None:
    """A deal that was put right, and those since, whose levels follow from it."""
    results = draft.state.results
    for later in results[results.index(line) :]:
        if later["game"] == line["game"]:
            tell_deal(draft, later, again=True)


def tell_games(draft: Draft, was: list[dict[str, object]]) -> None:
    """What is no longer so of the games that were told, and what is again."""
    now = draft.state.match.played
    for game in [game for game in was if game not in now]:
        draft.publish("game_taken_back", game=game["game"])
    for game in [game for game in now if game not in was]:
        draft.publish("game_over", **game)
