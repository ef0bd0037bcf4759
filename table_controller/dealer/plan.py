"""Deal plans: which exit each fed card goes to, and the commitment that proves the plan was not changed.

A fed card goes to exit s with probability quota_left[s] / cards_left. That makes every partition of the cards equally
likely, whatever order they are fed in: it is the shuffle. The randomness must come from the operating system in a real
run; it is passed in so that a simulated run can be seeded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from table_controller.dealer.messages import EXIT_LETTERS, MAX_CARDS

RandomBytes = Callable[[int], bytes]
NONCE_BYTES = 32


HANDS: dict[str, tuple[int, ...]] = {
    "27": (27, 27, 27, 27, 0),
    **{
        f"{cards}+{rest}": (cards, cards, cards, cards, rest)
        for cards, rest in ((12, 6), (25, 8), (39, 6), (13, 2), (26, 4), (38, 10))
    },
}
"""The deals of the games: cards a hand, and cards to the bottom exit, for one, two and three packs.

Two packs to four hands (27); the bottom holds 6, 8, 6, or 2, 4, 6, or 6, 8, 10 cards with one, two and three packs."""


def check_plan(plan: str, quotas: Sequence[int] | None = None) -> str:
    """Why a plan cannot be dealt, in words; empty when it can. ``quotas``: the cards each exit must get, if known."""
    strange = sorted(set(plan) - set(EXIT_LETTERS))
    if strange:
        return f"The plan names exits that the machine has not: {' '.join(strange)}."
    if not 0 < len(plan) <= MAX_CARDS:
        return f"The plan has {len(plan)} cards; the machine deals 1 to {MAX_CARDS}."
    counts = counts_of(plan)
    wanted = counts if quotas is None else (*quotas, *[0] * (len(counts) - len(quotas)))
    if counts != wanted:
        return f"The plan sends {counts} cards to the exits, not {tuple(wanted)}."
    return ""


def below(bound: int, random_bytes: RandomBytes) -> int:
    """A uniform number in 0..bound-1 (bound 1-256) by rejection: no remainder is ever folded in."""
    limit = 256 - 256 % bound
    while True:
        value = random_bytes(1)[0]
        if value < limit:
            return value % bound


def draw(quotas: Sequence[int], random_bytes: RandomBytes) -> str:
    """A plan for ``quotas`` cards to the exits E N W S B: their letters in feed order."""
    left = list(quotas)
    if len(left) > len(EXIT_LETTERS) or min(left, default=0) < 0 or not 0 < sum(left) <= MAX_CARDS:
        raise ValueError(f"quotas {tuple(quotas)} are not 1-{MAX_CARDS} cards for at most {len(EXIT_LETTERS)} exits")
    plan = []
    for cards_left in range(sum(left), 0, -1):
        ticket = below(cards_left, random_bytes)
        for exit_index, quota in enumerate(left):
            if ticket < quota:
                left[exit_index] -= 1
                plan.append(EXIT_LETTERS[exit_index])
                break
            ticket -= quota
    return "".join(plan)


@dataclass(frozen=True)
class SealedPlan:
    """A plan, its nonce and its commitment, both hex: the commitment is public before the deal, the rest after it."""

    plan: str
    nonce: str
    commitment: str


def commitment_of(plan: str, nonce: str) -> str:
    """sha256(nonce bytes + plan in ASCII), hex."""
    return hashlib.sha256(bytes.fromhex(nonce) + plan.encode("ascii")).hexdigest()


def seal(plan: str, random_bytes: RandomBytes) -> SealedPlan:
    """``plan`` with a fresh nonce and its commitment."""
    nonce = random_bytes(NONCE_BYTES).hex()
    return SealedPlan(plan, nonce, commitment_of(plan, nonce))


def verify(sealed: SealedPlan) -> bool:
    """Whether plan and nonce are those that were committed to. Anybody can check this after a deal."""
    try:
        return commitment_of(sealed.plan, sealed.nonce) == sealed.commitment
    except (ValueError, UnicodeEncodeError):
        return False


def counts_of(plan: str) -> tuple[int, ...]:
    """Cards per exit E N W S B in a plan."""
    return tuple(plan.count(letter) for letter in EXIT_LETTERS)
