"""What somebody looked at when he put a record right: two people at two pages must not overrule each other unawares.

A correction may say what its page showed (``saw``, and for a place in the record the play that came next). Where the
record shows something else by now, it is refused. A client that says nothing goes on as ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_controller.cards import Seat
from table_controller.games.guandan.deal import Action
from table_controller.table.refusal import Refusal

LOOK_AGAIN = "Look at it as it stands now, and say it again if it is still wrong."
NOT_SAID = -1
"""A correction that does not say which play it saw come next."""


def as_shown(action: Action) -> str:
    """A play as pages show it: its seat and its cards, each doubtful one with ``?``; a pass is its seat alone."""
    unsure = action.unsure
    return " ".join([action.seat, *(f"{card}?" if i in unsure else card for i, card in enumerate(action.cards))])


def require_as_seen(actions: Sequence[Action], number: int, saw: str, before: int = NOT_SAID) -> None:
    """Refuse where play ``number`` (0: the beginning) is not what was seen, or another play follows it by now."""
    place = next((i for i, action in enumerate(actions) if action.number == number), None)
    if place is None and number:
        if saw:
            raise Refusal(
                f"Play number {number} has been taken out since you looked.", way_out=LOOK_AGAIN, code="CHANGED"
            )
        return
    if saw and place is not None and saw.split() != as_shown(actions[place]).split():
        raise Refusal(
            f"Play number {number} has been changed since you looked: it is {as_shown(actions[place])} now.",
            way_out=LOOK_AGAIN,
            code="CHANGED",
        )
    following = actions[place + 1 if place is not None else 0 :]
    now = following[0].number if following else 0
    if before not in (NOT_SAID, now):
        what = f"number {now} comes after it now" if now else "nothing comes after it now"
        raise Refusal(
            f"The record after number {number} has changed since you looked: {what}.",
            way_out=LOOK_AGAIN,
            code="CHANGED",
        )


def require_reading_as_seen(action: Action, saw: str) -> None:
    """Refuse a word on a wild where the play is read another way than was seen."""
    if saw and saw != action.reading:
        raise Refusal(
            f"Play number {action.number} is read as {action.reading or 'nothing'} since you looked.",
            way_out=LOOK_AGAIN,
            code="CHANGED",
        )


def require_order_as_seen(order: object, saw: tuple[Seat, ...]) -> None:
    """Refuse a corrected result where its places are not those that were seen."""
    assert isinstance(order, tuple)
    places = tuple(seat for seat in order if seat)
    if saw and saw != places:
        raise Refusal(
            f"The places have been changed since you looked: they are {' '.join(places)} now.",
            way_out=LOOK_AGAIN,
            code="CHANGED",
        )
