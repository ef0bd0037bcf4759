"""A correction that comes before air time is made in what waits: the error is never aired.

A play that was read as other cards is aired as what it was, and so are the states that show it; a play that never was
is withdrawn, and states that show it are left out. The correction itself then has nothing left to say.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from table_controller.errors import CardError
from table_controller.feed.contract.events import RELAY_KIND
from table_controller.games.guandan.hands import readings
from table_controller.venue.relay.spool import Kept

Message = dict[str, Any]
Changes = dict[int, bytes | None]
"""What becomes of messages by their number: another payload, or None: never aired."""
ASKING = ("doubtful_reading", "conservation")


def is_correction(said: Message) -> bool:
    """Whether an event may change what was said before it."""
    return said.get("schema") in ("event/correction", "event/exchange_corrected")


def corrected(said: Message, waiting: Iterable[Kept], level: str) -> tuple[Changes, bool]:
    """What to change of what waits, and whether the correction itself is then withdrawn."""
    before = [(kept, json.loads(kept.payload)) for kept in waiting if kept.boot == said["boot"] and kept.payload]
    if said["schema"] == "event/exchange_corrected":
        return _exchange(said["data"], said["deal"], before)
    data = said["data"]
    deal = data["deal"] or said["deal"]
    found = next(
        ((k, m) for k, m in before if _is_play(m, data["play"]) and m["deal"] == deal),
        None,
    )
    if found is None:
        return {}, False
    if data.get("change", "replaced") == "removed":
        return _removed(found, data["play"], before), True
    if data.get("change", "replaced") == "replaced" and data["cards"]:
        return _replaced(found, data, before, level), True
    return {}, False


def withdrawn(said: Message) -> bytes:
    """The same number in the stream, saying nothing."""
    return encoded({**said, "schema": f"event/{RELAY_KIND}", "data": {"kind": RELAY_KIND}})


def encoded(said: Message) -> bytes:
    """As the tables write it."""
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _is_play(said: Message, number: int) -> bool:
    return said.get("schema") in ("event/play", "event/pass") and said["data"].get("number") == number


def _removed(found: tuple[Kept, Message], number: int, before: list[tuple[Kept, Message]]) -> Changes:
    changes: Changes = {found[0].number: withdrawn(found[1])}
    for kept, said in before:
        if kept.rest == "state" and kept.number > found[0].number and _shows(said["data"], number):
            changes[kept.number] = None
    return changes


def _replaced(found: tuple[Kept, Message], data: Message, before: list[tuple[Kept, Message]], level: str) -> Changes:
    kept, said = found
    was, cards = data["was"], data["cards"]
    reading = _reading(cards, level)
    right = {"cards": cards, "reading": reading, "doubtful": False}
    if said["schema"] == "event/play":
        left = said["data"]["left"] + len(was) - len(cards)
        changes: Changes = {kept.number: encoded({**said, "data": {**said["data"], **right, "left": max(0, left)}})}
    else:
        changes = {}
    for later, other in before:
        if later.number <= kept.number:
            continue
        if later.rest == "state" and _shows(other["data"], data["play"]):
            new = _state(other["data"], data, right, len(was) - len(cards))
            changes[later.number] = encoded({**other, "data": new})
        elif (
            other.get("schema") == "event/play"
            and other["data"]["seat"] == data["seat"]
            and other["deal"] == said["deal"]
        ):
            left = max(0, other["data"]["left"] + len(was) - len(cards))
            changes[later.number] = encoded({**other, "data": {**other["data"], "left": left}})
    return changes


def _reading(cards: list[str], level: str) -> str:
    try:
        known = readings(tuple(cards), level)
    except (ValueError, KeyError, CardError):
        return ""
    return known[0].text() if len(known) == 1 else ""


def _shows(state: Message, number: int) -> bool:
    actions = [*state["recent"], *(seat["last"] for seat in state["seats"].values() if seat["last"])]
    return any(action["number"] == number for action in actions)


def _state(state: Message, data: Message, right: Message, more_left: int) -> Message:
    number, seat = data["play"], data["seat"]

    def put_right(action: Message | None) -> Message | None:
        if action is None or action["number"] != number:
            return action
        return {**action, **right, "pass": False, "unsure": [], "corrected": False}

    old = next((a["reading"] for a in state["recent"] if a["number"] == number), None)
    seats = {name: {**told, "last": put_right(told["last"])} for name, told in state["seats"].items()}
    if seats[seat]["left"] is not None:
        seats[seat]["left"] = max(0, seats[seat]["left"] + more_left)
    asked = (number, ASKING)
    return {
        **state,
        "seats": seats,
        "recent": [put_right(action) for action in state["recent"]],
        "to_beat": right["reading"] if old is not None and state["to_beat"] == old else state["to_beat"],
        "questions": [q for q in state["questions"] if q["number"] != number],
        "incidents": [i for i in state["incidents"] if not (i["play"] == asked[0] and i["kind"] in asked[1])],
    }


def _exchange(data: Message, deal: int, before: list[tuple[Kept, Message]]) -> tuple[Changes, bool]:
    seat, card = data["seat"], data["card"]
    shown = ("event/tribute", "event/return")
    found = [(k, m) for k, m in before if m.get("schema") in shown and m["data"]["seat"] == seat and m["deal"] == deal]
    if not found:
        return {}, False
    kept, said = found[-1]
    was = said["data"]["card"]
    changes: Changes = {kept.number: encoded({**said, "data": {**said["data"], "card": card}})}
    for later, state in before:
        if later.rest == "state" and later.number > kept.number:
            exchange = state["data"]["exchange"]
            for name in ("shown", "returned"):
                if exchange[name].get(seat) == was:
                    exchange[name][seat] = card
                    changes[later.number] = encoded(state)
    return changes, True
