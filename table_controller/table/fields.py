"""The fields of a command, each read with its own complaint: InputError or CardError naming the field."""

from __future__ import annotations

from typing import Any

from table_controller.cards import PAIRS, SEATS, UNKNOWN, Pair, Seat, over_conserved, parse_cards, parse_seat
from table_controller.errors import InputError
from table_controller.games.guandan.deal import HAND_SIZE
from table_controller.games.guandan.hands import MAX_PLAY
from table_controller.table.seen import NOT_SAID

Data = dict[str, Any]
LONGEST_WORDS = 200
MOST = 10**9
MOST_MINUTES = 10_000


def by(data: Data) -> str:
    """Who says it."""
    return str(data.get("by") or "page")[:40]


def reason(data: Data) -> str:
    """Why, in free words."""
    return str(data.get("reason") or "")[:LONGEST_WORDS]


def word(data: Data, key: str, default: str = "") -> str:
    """A short word."""
    value = data.get(key, default)
    if not isinstance(value, str) or len(value) > LONGEST_WORDS:
        raise InputError(f"'{key}' must be a word of at most {LONGEST_WORDS} letters.", code="COMMAND")
    return value


def one_of(data: Data, key: str, allowed: tuple[str, ...]) -> str:
    """One of some words; the first of them where none is named."""
    value = data.get(key, allowed[0])
    if value not in allowed:
        raise InputError(f"'{key}' must be one of {', '.join(filter(None, allowed))}.", code="COMMAND")
    return str(value)


def number(data: Data, key: str, default: int | None = None) -> int:
    """A whole number from 0 to a billion."""
    value = data.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"'{key}' must be a whole number from 0 to {MOST}.", code="COMMAND")
    if not 0 <= value <= MOST:
        raise InputError(f"'{key}' must be from 0 to {MOST}, not {shortened(value)}.", code="COMMAND")
    return value


def shortened(value: float) -> str:
    """A number in words of a message: one of hundreds of digits is not written out."""
    return str(value) if abs(value) < 10**15 else "so much"


def minutes(data: Data, key: str = "minutes") -> float:
    """Minutes, perhaps with a fraction."""
    value = data.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= MOST_MINUTES:
        raise InputError(f"'{key}' must be minutes, a number from 0 to {MOST_MINUTES}.", code="COMMAND")
    return float(value)


def flag(data: Data, key: str, *, default: bool) -> bool:
    """Yes or no."""
    value = data.get(key, default)
    if not isinstance(value, bool):
        raise InputError(f"'{key}' must be true or false.", code="COMMAND")
    return value


def seat(data: Data, key: str = "seat") -> Seat:
    """A seat."""
    return parse_seat(str(data.get(key, "")))


def seat_or_none(data: Data, key: str = "seat") -> Seat | None:
    """A seat, or none named."""
    return seat(data, key) if data.get(key) else None


def pair(data: Data, key: str = "pair") -> Pair:
    """A pair."""
    for name in PAIRS:
        if data.get(key) == name:
            return name
    raise InputError(f"'{key}' must be EW or NS.", code="COMMAND")


def pairs(data: Data, key: str) -> tuple[Pair, ...]:
    """Some pairs."""
    value = data.get(key)
    if not isinstance(value, list) or len(value) > len(PAIRS):
        raise InputError(f"'{key}' must be a list of EW and NS.", code="COMMAND")
    return tuple(pair({"pair": item}) for item in value)


def agreed(data: Data) -> tuple[Pair, ...]:
    """The pairs that agree with a correction, if it says so."""
    return pairs(data, "agreed") if "agreed" in data else ()


def role(data: Data) -> str:
    """As what somebody says it."""
    return word(data, "role", "referee")


def saw(data: Data) -> str:
    """What the page showed when somebody said it, if it says so."""
    return word(data, "saw")


def before(data: Data) -> int:
    """Which play the page showed next, if it says so."""
    return number(data, "before") if "before" in data else NOT_SAID


def seats(data: Data, key: str) -> tuple[Seat, ...]:
    """Some seats, in order."""
    value = data.get(key)
    items = value.split() if isinstance(value, str) else value
    if not isinstance(items, list) or not 1 <= len(items) <= len(SEATS):
        raise InputError(f"'{key}' must be a list of seats.", code="COMMAND")
    return tuple(parse_seat(str(item)) for item in items)


def words(data: Data, key: str, most: int = 60) -> tuple[str, ...]:
    """Some words."""
    value = data.get(key, [])
    if not isinstance(value, list) or len(value) > most or not all(isinstance(item, str) for item in value):
        raise InputError(f"'{key}' must be a list of words.", code="COMMAND")
    return tuple(item[:LONGEST_WORDS] for item in value)


def cards(data: Data, key: str = "cards", *, most: int = MAX_PLAY, none_allowed: bool = False) -> tuple[str, ...]:
    """Cards of two packs."""
    value = data.get(key, [] if none_allowed else None)
    items = value.split() if isinstance(value, str) else value
    least = 0 if none_allowed else 1
    if not isinstance(items, list) or not least <= len(items) <= most:
        raise InputError(f"'{key}' must be {least} to {most} cards, such as 5S 5D.", code="COMMAND")
    codes = parse_cards(str(card) for card in items)
    surplus = over_conserved(codes)
    if surplus:
        raise InputError(f"Two packs hold only two {' '.join(surplus)}.", code="COMMAND")
    return codes


def cards_or_count(data: Data) -> tuple[str, ...]:
    """``cards``, or ``count`` cards whose faces nobody knows."""
    if data.get("cards") or "count" not in data:
        return cards(data)
    count = number(data, "count")
    if not 1 <= count <= MAX_PLAY:
        raise InputError(f"'count' must be 1 to {MAX_PLAY} cards.", code="COMMAND")
    return (UNKNOWN,) * count


def counts(data: Data) -> tuple[int, int, int, int]:
    """Cards left of E, N, W and S."""
    value = data.get("counts")
    if not isinstance(value, dict):
        raise InputError("'counts' must name the cards left of E, N, W and S.", code="COMMAND")
    e, n, w, s = (number(value, name) for name in SEATS)
    if max(e, n, w, s) > HAND_SIZE:
        raise InputError(f"'counts' must be from 0 to {HAND_SIZE} each: a hand holds no more cards.", code="COMMAND")
    return (e, n, w, s)
