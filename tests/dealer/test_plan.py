"""Plans: the quota rule, its randomness, and the commitment."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_controller.dealer.plan import (
    HANDS,
    SealedPlan,
    below,
    check_plan,
    commitment_of,
    counts_of,
    draw,
    seal,
    verify,
)


@given(st.tuples(*[st.integers(0, 36)] * 5).filter(lambda quotas: sum(quotas) > 0))
def test_quotas_are_kept(quotas):
    plan = draw(quotas, os.urandom)
    assert counts_of(plan) == quotas


@pytest.mark.parametrize("quotas", [(0, 0, 0, 0, 0), (-1, 2, 0, 0, 0), (60, 60, 60, 60, 0), (1, 1, 1, 1, 1, 1), ()])
def test_impossible_quotas(quotas):
    with pytest.raises(ValueError, match="quotas"):
        draw(quotas, os.urandom)


def chi_squared(counts: Counter, cells: int, total: int) -> float:
    expected = total / cells
    return sum((counts[key] - expected) ** 2 for key in counts) / expected + (cells - len(counts)) * expected


def test_every_partition_is_equally_likely():
    """4 cards, 2 a seat: the 6 plans; 3 cards to 3 seats: the 6 orders. 99.99 % bound for 5 degrees of freedom."""
    source = random.Random(11).randbytes
    for quotas in ((2, 2, 0, 0, 0), (1, 1, 1, 0, 0)):
        counts = Counter(draw(quotas, source) for _ in range(6000))
        assert len(counts) == 6
        assert chi_squared(counts, 6, 6000) < 25.7


def test_first_and_last_cards_are_uniform():
    """The broken rule 'any exit that is not full' gives a full deal's last cards to the same exit too often."""
    source = random.Random(12).randbytes
    last, same = Counter(), 0
    for _ in range(2000):
        plan = draw((27, 27, 27, 27, 0), source)
        last[plan[-1]] += 1
        same += len(set(plan[-4:])) == 1
    assert chi_squared(last, 4, 2000) < 21.1
    # hypergeometric: 27*26*25*24 * 4 / (108*107*106*105) = 0.0131; four standard deviations either side
    assert 2000 * 0.0131 - 21 < same < 2000 * 0.0131 + 21


def test_below_rejects_instead_of_folding():
    given_bytes = iter([216, 255, 215])
    assert below(108, lambda size: bytes([next(given_bytes)])) == 107


def test_below_is_exactly_uniform_over_all_bytes():
    for bound in (1, 2, 3, 52, 108, 180, 256):
        accepted = []
        for value in range(256):
            answers = itertools.chain([value], itertools.repeat(0))
            taken = []

            def source(size: int, answers=answers, taken=taken) -> bytes:
                taken.append(next(answers))
                return bytes([taken[-1]])

            result = below(bound, source)
            if len(taken) == 1:
                accepted.append(result)
        counts = Counter(accepted)
        assert len(counts) == bound
        assert len(set(counts.values())) == 1


def test_commitment():
    sealed = seal("ENWS", os.urandom)
    assert verify(sealed)
    assert commitment_of("ENWS", "00") == hashlib.sha256(b"\0ENWS").hexdigest()
    assert not verify(SealedPlan("NEWS", sealed.nonce, sealed.commitment))
    assert not verify(SealedPlan("ENWS", "ff" * 32, sealed.commitment))
    assert not verify(SealedPlan("ENWS", "zz", sealed.commitment))
    assert not verify(SealedPlan("东", sealed.nonce, sealed.commitment))


def test_nonces_differ():
    assert len({seal("E", os.urandom).nonce for _ in range(50)}) == 50


def test_the_hands_of_every_game():
    """27 x 4; 12/25/39 with 6/8/6, 13/26/39 with 2/4/6, 12/25/38 with 6/8/10: one, two and three packs."""
    assert set(HANDS) == {"27", "12+6", "25+8", "39+6", "13+2", "26+4", "38+10"}
    assert {sum(quotas) for quotas in HANDS.values()} == {54, 108, 162}


@pytest.mark.parametrize(
    ("plan", "quotas", "words"),
    [
        ("", None, "0 cards"),
        ("ENWSX", None, "X"),
        ("E" * 181, None, "181"),
        ("EENW", (1, 1, 1, 1), "(2, 1, 1, 0, 0)"),
        ("ENWS", (1, 1, 1, 1, 1), "not (1, 1, 1, 1, 1)"),
    ],
)
def test_a_plan_that_cannot_be_dealt_is_told(plan, quotas, words):
    assert words in check_plan(plan, quotas)


def test_a_plan_that_can_be_dealt():
    assert check_plan("ENWS", (1, 1, 1, 1)) == ""
    assert check_plan("B" * 180) == ""
