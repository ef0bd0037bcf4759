"""Whether many deals look as deals drawn evenly from all that are possible: a battery of tests, judged together.

A deal is a row of exit numbers in feed order, 108 cards, 27 to each of four exits: from plans, or from where a
machine's cards really fell. No test proves that a source is random; each rejects a kind of fault that designs have:

* ``origin``: each card of the hopper comes to each exit equally often (chi-squared over card and exit);
* ``lag 1`` to ``lag 12``: two cards so far apart in the hopper come to the same exit as often as they must;
* ``turn``: the next card comes to the next seat as often as to the one before, which an unmixed pack dealt in turn
  betrays;
* ``last eight``: the last cards of a deal are spread as the first are;
* ``bombs``: fed from a pack sorted by rank, hands get as many bombs (four or more of a rank) as they must: 5.49 a deal;
* ``next deal``: a card's exit says nothing about its exit in the next deal;
* ``repeated``: no deal comes twice, as deals from a small seed do.

The smallest probabilities are judged by Holm's method, so that many tests together err no more often than one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from table_controller.dealer.messages import EXIT_LETTERS

CARDS, HANDS, HAND, COPIES = 108, 4, 27, 8
LAGS = range(1, 13)
LAST = 8
LEVEL = 0.001
"""So often a fair source is called unfair."""
SAME = (HAND - 1) / (CARDS - 1)
"""The chance that two given cards lie in the same hand."""

Deals = NDArray[np.int8]


@dataclass(frozen=True)
class Finding:
    """One test: how probable a result at least so far from the even one is, and whether it is rejected (Holm)."""

    test: str
    probability: float
    rejected: bool


def rows(plans: Iterable[str]) -> Deals:
    """Deals from plans (exit letters in feed order)."""
    return np.array([[EXIT_LETTERS.index(letter) for letter in plan] for plan in plans], dtype=np.int8)


def row_of(delivered: dict[str, list[int]]) -> list[int]:
    """A deal from where the cards fell: exit letter -> the feed indices that lie there."""
    found = [-1] * sum(map(len, delivered.values()))
    for letter, cards in delivered.items():
        for card in cards:
            found[card] = EXIT_LETTERS.index(letter)
    return found


def examine(deals: Deals, level: float = LEVEL) -> tuple[Finding, ...]:
    """The battery on deals of shape (n, 108), at least 30 of them; ValueError when they are no such deals."""
    if deals.ndim != 2 or deals.shape[0] < 30 or deals.shape[1] != CARDS:
        raise ValueError("At least 30 deals of 108 cards are needed.")
    if any((np.count_nonzero(deals == hand, axis=1) != HAND).any() for hand in range(HANDS)):
        raise ValueError("A deal does not give 27 cards to each of four exits.")
    found = {"origin": _origin(deals), **{f"lag {lag}": _lag(deals, lag) for lag in LAGS}}
    found |= {
        "turn": _turn(deals),
        "last eight": _last(deals),
        "bombs": _bombs(deals),
        "next deal": _next(deals),
        "repeated": _repeated(deals),
    }
    return _holm(found, level)


def fair(findings: Sequence[Finding]) -> bool:
    """Whether no test rejects."""
    return not any(finding.rejected for finding in findings)


def bombs_expected() -> float:
    """Bombs a deal of an evenly dealt sorted pack: for each rank and hand the chance of four or more of its eight."""
    ways = math.comb(CARDS, HAND)
    four = sum(math.comb(COPIES, k) * math.comb(CARDS - COPIES, HAND - k) for k in range(4, COPIES + 1))
    return 13 * HANDS * four / ways


# --- the tests: each returns a probability --------------------------------------------------------------------------


def _origin(deals: Deals) -> float:
    counts = np.stack([np.count_nonzero(deals == hand, axis=0) for hand in range(HANDS)])
    even = len(deals) / HANDS
    # the hands' sizes are fixed, which takes one card's freedom away and spreads the rest by N/(N-1)
    value = float(((counts - even) ** 2 / even).sum()) * (CARDS - 1) / CARDS
    return chi_squared_tail(value, (CARDS - 1) * (HANDS - 1))


def _lag(deals: Deals, lag: int) -> float:
    same = np.count_nonzero(deals[:, lag:] == deals[:, :-lag], axis=1)
    return _mean_test(same, (CARDS - lag) * SAME)


def _turn(deals: Deals) -> float:
    steps = (deals[:, 1:] - deals[:, :-1]) % HANDS
    forward, back = (np.count_nonzero(steps == step, axis=1) for step in (1, HANDS - 1))
    return _mean_test(forward - back, 0)


def _last(deals: Deals) -> float:
    pairs = np.zeros(len(deals), dtype=np.int64)
    for hand in range(HANDS):
        held = np.count_nonzero(deals[:, -LAST:] == hand, axis=1)
        pairs += held * (held - 1) // 2
    return _mean_test(pairs, math.comb(LAST, 2) * SAME)


def _bombs(deals: Deals) -> float:
    ranks = deals[:, : 13 * COPIES].reshape(len(deals), 13, COPIES)
    bombs = sum(np.count_nonzero((ranks == hand).sum(axis=2) >= 4, axis=1) for hand in range(HANDS))
    return _mean_test(np.asarray(bombs), bombs_expected())


def _next(deals: Deals) -> float:
    return _mean_test(np.count_nonzero(deals[1:] == deals[:-1], axis=1), CARDS / HANDS)


def _repeated(deals: Deals) -> float:
    """Two even deals are alike once in 10^62: one pair that is alike is beyond any chance."""
    return 0.0 if len(np.unique(deals, axis=0)) < len(deals) else 1.0


# --- probabilities ----------------------------------------------------------------------------------------------------


def _mean_test(values: NDArray[np.int64], expected: float) -> float:
    spread = float(values.std(ddof=1)) / math.sqrt(len(values))
    off = abs(float(values.mean()) - expected)
    if spread == 0:
        return 1.0 if off == 0 else 0.0
    return math.erfc(off / spread / math.sqrt(2))


def chi_squared_tail(value: float, freedom: int) -> float:
    """The chance of at least ``value``, by Wilson and Hilferty's cube root (good to a few percent from 10 on)."""
    spread = 2 / (9 * freedom)
    z = ((value / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
    return math.erfc(z / math.sqrt(2)) / 2


def _holm(found: dict[str, float], level: float) -> tuple[Finding, ...]:
    ordered = sorted(found, key=found.__getitem__)
    rejected: set[str] = set()
    for place, test in enumerate(ordered):
        if found[test] > level / (len(found) - place):
            break
        rejected.add(test)
    return tuple(Finding(test, probability, test in rejected) for test, probability in found.items())
