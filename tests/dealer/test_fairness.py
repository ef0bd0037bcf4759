"""The battery: five broken designs are rejected, the quota rule and what the machine really delivered are not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from table_controller.dealer.emulator import Emulator
from table_controller.dealer.fairness import bombs_expected, chi_squared_tail, examine, fair, row_of, rows
from table_controller.dealer.plan import HANDS, draw

QUOTAS = HANDS["27"][:4]
DEALS = 4000


def any_exit_not_full(rng: random.Random) -> str:
    left, plan = list(QUOTAS), ""
    while len(plan) < 108:
        at = rng.choice([index for index in range(4) if left[index]])
        left[at] -= 1
        plan += "ENWS"[at]
    return plan


def slot_taken_next_free(rng: random.Random) -> str:
    """Each card wants a slot of 108 at random; a taken one sends it to the next that is free."""
    slots = [False] * 108
    plan = ""
    for _ in range(108):
        at = rng.randrange(108)
        while slots[at]:
            at = (at + 1) % 108
        slots[at] = True
        plan += "ENWS"[at // 27]
    return plan


def byte_modulo(rng: random.Random) -> str:
    left, plan = list(QUOTAS), ""
    for cards_left in range(108, 0, -1):
        ticket = rng.randbytes(1)[0] % cards_left
        at = 0
        while ticket >= left[at]:
            ticket -= left[at]
            at += 1
        left[at] -= 1
        plan += "ENWS"[at]
    return plan


def low_bits_of_an_lcg(rng: random.Random) -> str:
    """A fresh 32-bit seed a deal; the exit is the low bits of the state, the next number where that exit is full."""
    left, plan, state = list(QUOTAS), "", rng.getrandbits(32)
    while len(plan) < 108:
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        at = state & 3
        if left[at]:
            left[at] -= 1
            plan += "ENWS"[at]
        elif (state >> 2) % 7 == 0:  # it would go on for ever: the low bits have a period of four
            at = max(range(4), key=left.__getitem__)
            left[at] -= 1
            plan += "ENWS"[at]
    return plan


def riffle(rng: random.Random) -> str:
    """Six riffles of the sorted pack, then cards in turn to the four hands. (Eight would pass 4,000 deals unseen.)"""
    pack = list(range(108))
    for _ in range(6):
        cut = sum(rng.getrandbits(1) for _ in range(108))
        one, other, mixed = pack[:cut], pack[cut:], []
        while one or other:
            half = one if rng.randrange(len(one) + len(other)) < len(one) else other
            mixed.append(half.pop(0))
        pack = mixed
    plan = [""] * 108
    for place, card in enumerate(pack):
        plan[card] = "ENWS"[place % 4]
    return "".join(plan)


def small_seed(rng: random.Random) -> str:
    return draw(QUOTAS, random.Random(rng.getrandbits(16)).randbytes)


BROKEN = [any_exit_not_full, slot_taken_next_free, byte_modulo, low_bits_of_an_lcg, riffle, small_seed]


@pytest.mark.parametrize("design", BROKEN, ids=lambda design: design.__name__)
def test_broken_designs_are_rejected(design):
    rng = random.Random(7)
    findings = examine(rows(design(rng) for _ in range(DEALS)))
    assert not fair(findings), findings


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_quota_rule_passes(seed):
    source = random.Random(seed).randbytes
    findings = examine(rows(draw(QUOTAS, source) for _ in range(DEALS)))
    assert fair(findings), findings


def test_what_the_machine_delivered_passes(new_dealing):
    """As many deals as a test may take, on the emulator; the soak has more, and the real firmware."""
    machine = Emulator()
    source = new_dealing(machine, seed=9)
    found = []
    for job in range(1, 31):
        plan, end = source.deal(job=job)
        source.assert_exact(plan, end)
        found.append(row_of(machine.delivered()))
    findings = examine(np.array(found, dtype=np.int8))
    assert fair(findings), findings


def test_a_fair_source_is_seldom_called_unfair():
    """The probabilities are what they say: of many small batches about one in twenty falls below 5 %, in each test."""
    rng = np.random.default_rng(5)
    pack = np.repeat(np.arange(4, dtype=np.int8), 27)
    batches = [examine(rng.permuted(np.tile(pack, (120, 1)), axis=1)) for _ in range(150)]
    for number, finding in enumerate(batches[0]):
        if finding.test != "repeated":
            low = sum(batch[number].probability < 0.05 for batch in batches)
            assert low <= 19, finding.test  # 7.5 expected, 19 is four standard deviations more
    assert sum(not fair(batch) for batch in batches) <= 2


def test_bombs_of_an_even_deal():
    assert bombs_expected() == pytest.approx(5.49, abs=0.01)


def test_the_tail_of_chi_squared():
    """From tables: 5 % at 18.307 with 10 degrees of freedom, 1 % at 135.807 with 100."""
    assert chi_squared_tail(18.307, 10) == pytest.approx(0.05, rel=0.03)
    assert chi_squared_tail(135.807, 100) == pytest.approx(0.01, rel=0.03)


@pytest.mark.parametrize(
    "wrong", [np.zeros((5, 108), np.int8), np.zeros((40, 107), np.int8), np.zeros((40, 108), np.int8)]
)
def test_what_is_no_such_deal_is_refused(wrong):
    with pytest.raises(ValueError, match=r"deal"):
        examine(wrong)
