"""What an operator is asked to lay at the table so that it learns a deck: which cards where, and in what words."""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.cards import RANKS, SEATS, Seat, next_seat

SUIT_ZH = {"S": "黑桃", "H": "红桃", "C": "梅花", "D": "方块"}
SUIT_EN = {"S": "spades", "H": "hearts", "C": "clubs", "D": "diamonds"}
SEAT_ZH: dict[Seat, str] = {"E": "东", "N": "北", "W": "西", "S": "南"}
JOKER_ZH = {"S": "、小王", "H": "、大王"}
JOKER_EN = {"S": " and the black joker", "H": " and the red joker"}
HOME: dict[Seat, str] = {"E": "S", "N": "H", "W": "C", "S": "D"}
"""The suit that each seat's area takes at first."""


@dataclass(frozen=True)
class Words:
    """One thing said to the operator, in both languages."""

    zh: str
    en: str

    def line(self) -> str:
        """Both, for a terminal."""
        return f"{self.zh}\n{self.en}"


@dataclass(frozen=True)
class Stage:
    """One picture to take. ``rows``: the cards in each seat's play area, left to right as its player sees them.
    ``prompts``: the kind of prompt card in each seat's circle."""

    words: Words
    rows: dict[Seat, tuple[str, ...]] = field(default_factory=dict)
    prompts: dict[Seat, str] = field(default_factory=dict)


def _row(suit: str, *, falling: bool) -> tuple[str, ...]:
    ranks = RANKS[::-1] if falling else RANKS
    joker = {"S": ("SJ",), "H": ("BJ",)}.get(suit, ())
    return tuple(rank + suit for rank in ranks) + joker


def _suits_stage(suits: dict[Seat, str], *, falling: bool) -> Stage:
    order_zh, order_en = ("从 A 到 2", "from A down to 2") if falling else ("从 2 到 A", "from 2 up to A")
    seats_zh = "；".join(f"{SEAT_ZH[seat]}家 {SUIT_ZH[suit]}{JOKER_ZH.get(suit, '')}" for seat, suit in suits.items())
    seats_en = "; ".join(f"{seat}: {SUIT_EN[suit]}{JOKER_EN.get(suit, '')}" for seat, suit in suits.items())
    words = Words(
        f"请在每家出牌区从左到右摆一排，{order_zh}，王放最右，右牌压左牌，角标全部露出。{seats_zh}。",
        f"In each play area lay one row from left to right, {order_en}, the joker last, each card on the one to its "
        f"left, every corner index free. {seats_en}.",
    )
    return Stage(words, {seat: _row(suit, falling=falling) for seat, suit in suits.items()})


def _prompt_stage(kinds: tuple[str, ...]) -> Stage:
    placed = dict(zip(SEATS, kinds, strict=False))
    where_zh = "；".join(f"{SEAT_ZH[seat]}家 {kind}" for seat, kind in placed.items())
    where_en = "; ".join(f"{seat}: {kind}" for seat, kind in placed.items())
    words = Words(
        f"请在提示牌圆圈里各放一张提示牌：{where_zh}。其余圆圈留空。",
        f"Lay one prompt card into each of these circles: {where_en}. Leave the others empty.",
    )
    return Stage(words, prompts=placed)


def stages(prompt_kinds: tuple[str, ...] = ()) -> list[Stage]:
    """The pictures in order: all cards by suits, the suits one seat on and falling, the prompt cards by four."""
    onward = {next_seat(seat): suit for seat, suit in HOME.items()}
    plan = [_suits_stage(HOME, falling=False), _suits_stage({seat: onward[seat] for seat in SEATS}, falling=True)]
    return plan + [_prompt_stage(prompt_kinds[i : i + len(SEATS)]) for i in range(0, len(prompt_kinds), len(SEATS))]


CHECK_CARDS = ("AS", "KH", "QC", "JD", "TS", "7C", "4H", "2D", "SJ", "BJ")
"""A handful that holds every suit, a few alike, and the jokers."""


def check_stage(cards: tuple[str, ...] = CHECK_CARDS) -> Stage:
    """One picture of a few cards in seat S's play area, to see whether a deck from another table is read here."""
    words = Words(
        f"请在南家出牌区从左到右摆一排，右牌压左牌：{' '.join(cards)}。",
        f"In seat S's play area lay one row from left to right, each card on the one to its left: {' '.join(cards)}.",
    )
    return Stage(words, {"S": cards})
