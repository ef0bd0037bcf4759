"""Card codes, seats, decks and conservation: the vocabulary everything else shares.

A card is two characters: rank ``23456789TJQKA`` + suit ``S H D C``; the jokers are ``BJ`` (大王, red) and ``SJ`` (小王,
black). Seats are ``E N W S``; the next in turn is E→N→W→S→E (counter-clockwise; the right-hand neighbour is 下家).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from table_controller.errors import CardError

Seat = Literal["E", "N", "W", "S"]
Pair = Literal["EW", "NS"]

SEATS: tuple[Seat, ...] = get_args(Seat)
PAIRS: tuple[Pair, ...] = get_args(Pair)
RANKS = "23456789TJQKA"
SUITS = "SHDC"
JOKERS = ("SJ", "BJ")
FACES: tuple[str, ...] = tuple(r + s for r in RANKS for s in SUITS) + JOKERS
"""The 54 faces of one deck."""
UNKNOWN = "??"
"""A card that was seen but not read."""

_FACE_SET = frozenset(FACES)


def next_seat(seat: Seat) -> Seat:
    """The seat in turn after ``seat`` (下家)."""
    return SEATS[(SEATS.index(seat) + 1) % 4]


def previous_seat(seat: Seat) -> Seat:
    """The seat in turn before ``seat`` (上家)."""
    return SEATS[(SEATS.index(seat) - 1) % 4]


def partner(seat: Seat) -> Seat:
    """The seat opposite (对家)."""
    return SEATS[(SEATS.index(seat) + 2) % 4]


def pair_of(seat: Seat) -> Pair:
    """The pair a seat belongs to."""
    return "EW" if seat in "EW" else "NS"


def other_pair(pair: Pair) -> Pair:
    """The opponents of a pair."""
    return "NS" if pair == "EW" else "EW"


def parse_seat(text: str) -> Seat:
    """``text`` as a seat; raises CardError naming it otherwise."""
    for seat in SEATS:
        if text == seat:
            return seat
    raise CardError(f"'{text}' is not a seat.", way_out="Seats are E, N, W and S.", code="SEAT")


def parse_card(text: str) -> str:
    """``text`` as a card code, forgiving case and ``10``; raises CardError naming it otherwise."""
    code = text.strip().upper()
    if code.startswith("10") and len(code) == 3:
        code = "T" + code[2]
    if code not in _FACE_SET:
        raise CardError(
            f"'{text}' is not a card.",
            way_out="A card is a rank 2-9 T J Q K A and a suit S H D C (5S, TH), or BJ / SJ for a big or small joker.",
        )
    return code


def parse_cards(texts: Iterable[str]) -> tuple[str, ...]:
    """Several card codes, in order."""
    return tuple(parse_card(text) for text in texts)


def full_pack(decks: int = 2) -> list[str]:
    """``decks`` × 54 cards, sorted."""
    return [face for face in FACES for _ in range(decks)]


def over_conserved(seen: Sequence[str], decks: int = 2) -> tuple[str, ...]:
    """The faces that occur more often in ``seen`` than the pack holds (conservation); unknown cards do not count."""
    counts = Counter(card for card in seen if card != UNKNOWN)
    return tuple(sorted(face for face, n in counts.items() if n > decks))
