"""Laying a play out: small to large from the left, the wild in its place (seed 000 L159-L161; 003 L18, L29)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_controller.games.guandan.hands import DEFAULT_POLICY, HandPolicy, Reading, readings, wild_of, windows
from table_controller.games.guandan.order import rank_strength


@dataclass(frozen=True)
class Placement:
    """Whether a layout is regular, and the readings whose places it fits."""

    ok: bool
    fitting: tuple[Reading, ...]
    possible: tuple[Reading, ...]


def _ranks(cards: Sequence[str], level: str) -> list[str]:
    """The rank of each card; ``*`` for a wild, the code itself for a joker."""
    wild = wild_of(level)
    return ["*" if card == wild else card if card[1] == "J" else card[0] for card in cards]


def _matches(ranks: Sequence[str], slots: Sequence[str]) -> bool:
    return len(ranks) == len(slots) and all(rank in ("*", slot) for rank, slot in zip(ranks, slots, strict=True))


def _run_fits(ranks: Sequence[str], reading: Reading) -> bool:
    length, each = {"straight": (5, 1), "sf": (5, 1), "tube": (3, 2), "plate": (2, 3)}[reading.type]
    window = next(run for run in reversed(windows(length)) if run[-1] == reading.key)
    return _matches(ranks, [rank for rank in window for _ in range(each)])


def _full_house_fits(ranks: Sequence[str], reading: Reading, level: str, triple_left: bool) -> bool:
    others = [rank for rank in ranks if rank not in ("*", reading.key)]
    pair = others[0] if others else level
    triple_first = triple_left or rank_strength(reading.key, level) < rank_strength(pair, level)
    slots = [reading.key] * 3 + [pair] * 2 if triple_first else [pair] * 2 + [reading.key] * 3
    return _matches(ranks, slots)


def fits(cards: Sequence[str], reading: Reading, level: str, *, triple_left: bool) -> bool:
    """Whether cards laid left to right stand where this reading wants them. Equal-rank types have no order."""
    ranks = _ranks(cards, level)
    if reading.type in ("straight", "sf", "tube", "plate"):
        return _run_fits(ranks, reading)
    if reading.type == "fullhouse":
        return _full_house_fits(ranks, reading, level, triple_left)
    return True


def placement(
    cards: Sequence[str], level: str, *, triple_left: bool = True, policy: HandPolicy = DEFAULT_POLICY
) -> Placement:
    """How a layout may be read; ``triple_left`` is the full house's order (003 L29), else small to large (000 L159)."""
    possible = readings(cards, level, policy)
    fitting = tuple(reading for reading in possible if fits(cards, reading, level, triple_left=triple_left))
    return Placement(ok=bool(fitting), fitting=fitting, possible=possible)
