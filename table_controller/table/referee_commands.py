"""A referee's commands, and those of players at the seat page, as events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table_controller.cards import SEATS, parse_card
from table_controller.errors import InputError
from table_controller.games.guandan.hands import TYPES
from table_controller.table import fields as f
from table_controller.table import referee_events as rv
from table_controller.table.events import Event

Data = dict[str, Any]
MOST_SHOWN = 27


def _rule(at: int, d: Data) -> Event:
    return rv.Ruled(
        at,
        f.number(d, "number"),
        f.word(d, "penalty"),
        f.by(d),
        f.role(d),
        f.reason(d),
        f.word(d, "lapsed"),
        f.flag(d, "apply", default=True),
        f.seat_or_none(d),
    )


def _named_type(data: Data) -> str:
    name = f.word(data, "type")
    if name not in TYPES:
        raise InputError(f"'{name}' is no type of play.", way_out=f"Types: {', '.join(TYPES)}.", code="COMMAND")
    return name


def _inserted(at: int, d: Data) -> Event:
    cards = f.cards_or_count(d) if d.get("count") else f.cards(d, none_allowed=True)
    after, deal = f.number(d, "after"), f.number(d, "deal", 0)
    words = f.by(d), f.reason(d), deal, f.agreed(d), f.role(d), f.saw(d), f.before(d)
    return rv.PlayInserted(at, after, f.seat(d), cards, *words)


def _match(at: int, d: Data) -> Event:
    names = f.words(d, "names", len(SEATS))
    return rv.MatchSet(
        at,
        f.by(d),
        f.word(d, "system", "计局"),
        f.number(d, "deals", 0),
        f.number(d, "minutes", 0),
        f.number(d, "games", 1),
        f.word(d, "format", "swiss"),
        f.number(d, "round", 1),
        names,
        f.number(d, "starts_in_minutes", 0),
        f.flag(d, "screens", default=False),
        f.number(d, "copied_decks", 0),
    )


def _result(at: int, d: Data) -> Event:
    order, agreed = f.seats(d, "order"), f.pairs(d, "agreed")
    saw = f.seats(d, "saw") if d.get("saw") else ()
    return rv.ResultCorrected(at, f.number(d, "deal"), order, agreed, f.by(d), f.role(d), f.reason(d), saw)


def _exchange(at: int, d: Data) -> Event:
    first, *more = f.word(d, "card").split() or [""]
    if len(more) > 1:
        raise InputError("'card' must be one card, or the two big jokers BJ BJ.", code="COMMAND")
    card, wrong = parse_card(first), f.flag(d, "wrong", default=False)
    second = parse_card(more[0]) if more else ""
    return rv.ExchangeCorrected(at, f.seat(d), card, f.by(d), f.reason(d), wrong, second, f.number(d, "number", 0))


def _exposed(at: int, d: Data) -> Event:
    cards, shown = f.cards(d, most=MOST_SHOWN), f.flag(d, "as_tribute", default=False)
    return rv.CardsExposed(at, f.seat(d), cards, f.by(d), shown)


def _removed(at: int, d: Data) -> Event:
    play, deal = f.number(d, "play"), f.number(d, "deal", 0)
    return rv.PlayRemoved(at, play, f.by(d), f.reason(d), deal, f.agreed(d), f.role(d), f.saw(d))


def _moved(at: int, d: Data) -> Event:
    play, deal = f.number(d, "play"), f.number(d, "deal", 0)
    return rv.PlayMoved(at, play, f.seat(d), f.by(d), f.reason(d), deal, f.agreed(d), f.role(d), f.saw(d))


def _declared(at: int, d: Data) -> Event:
    play, deal = f.number(d, "play"), f.number(d, "deal", 0)
    return rv.WildDeclared(at, play, f.word(d, "reading"), f.by(d), deal, f.agreed(d), f.role(d), f.saw(d))


def _levels(at: int, d: Data) -> Event:
    return rv.LevelsSet(at, f.word(d, "ew"), f.word(d, "ns"), f.pair(d, "owner"), f.by(d), f.reason(d))


REFEREE: dict[str, Callable[[int, Data], Event]] = {
    "rule": _rule,
    "note": lambda at, d: rv.IrregularityNoted(at, f.word(d, "kind"), f.seat_or_none(d), f.by(d), f.reason(d)),
    "prompt": lambda at, d: rv.PromptTold(at, f.number(d, "number"), f.word(d, "kind"), f.by(d)),
    "remind": lambda at, d: rv.HallReminded(at, f.words(d, "kinds"), f.by(d)),
    "name_type": lambda at, d: rv.TypeNamed(at, f.seat(d), _named_type(d)),
    "name_leader": lambda at, d: rv.LeaderNamed(at, f.seat(d, "leader"), f.by(d)),
    "exposed": _exposed,
    "correct_exchange": _exchange,
    "declare": _declared,
    "insert": _inserted,
    "remove": _removed,
    "move": _moved,
    "roll_back": lambda at, d: rv.RolledBack(at, f.number(d, "play"), f.by(d), f.reason(d), f.saw(d), f.before(d)),
    "extend_clock": lambda at, d: rv.ClockExtended(at, f.number(d, "extra_ms"), f.by(d), f.reason(d)),
    "set_clock": lambda at, d: rv.ClockSet(at, f.number(d, "elapsed_ms"), f.by(d), f.reason(d)),
    "match": _match,
    "extend_round": lambda at, d: rv.RoundExtended(at, f.number(d, "minutes"), f.by(d), f.reason(d)),
    "end_round": lambda at, d: rv.RoundEnded(at, f.by(d), f.reason(d)),
    "concede": lambda at, d: rv.GameConceded(at, f.pair(d), f.word(d, "how"), f.by(d), f.role(d)),
    "late": lambda at, d: rv.LateArrived(at, f.seat(d), f.minutes(d), f.by(d)),
    "set_levels": _levels,
    "carry": lambda at, d: rv.MatchCarried(at, str(d.get("document", "")), f.by(d), f.number(d, "away_ms", 0)),
    "enter_result": lambda at, d: rv.ResultEntered(at, f.seat(d)),
    "check_result": lambda at, d: rv.ResultChecked(at, f.seat(d), f.flag(d, "agrees", default=True), f.reason(d)),
    "correct_result": _result,
    "dispute": lambda at, d: rv.DisputeRaised(at, f.seat(d), f.number(d, "play", 0), f.reason(d)),
    "agree": lambda at, d: rv.DisputeAgreed(at, f.seat(d), f.number(d, "number"), f.flag(d, "agrees", default=True)),
}
