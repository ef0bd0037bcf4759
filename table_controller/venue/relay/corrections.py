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
        return _exchange(said, before, level)
    data = said["data"]
    deal = data["deal"] or said["deal"]
    found = next(
        ((k, m) for k, m in before if _is_play(m, data["play"]) and m["deal"] == deal),
        None,
    )
    if found is None:
        return {}, False
    if data.get("change", "replaced") == "removed":
        return _removed(found, said, before, level), True
    if data.get("change", "replaced") == "replaced" and data["cards"]:
        return _replaced(found, said, before, level), True
    return {}, False


def withdrawn(said: Message) -> bytes:
    """The same number in the stream, saying nothing."""
    return encoded({**said, "schema": f"event/{RELAY_KIND}", "data": {"kind": RELAY_KIND}})


def encoded(said: Message | str) -> bytes:
    """As the tables write it."""
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _is_play(said: Message, number: int) -> bool:
    return said.get("schema") in ("event/play", "event/pass") and said["data"].get("number") == number


def _removed(found: tuple[Kept, Message], said: Message, before: list[tuple[Kept, Message]], level: str) -> Changes:
    return {found[0].number: withdrawn(found[1]), **_states(said, before, level)}


def _states(said: Message, before: list[tuple[Kept, Message]], level: str) -> Changes:
    """Every state of before the correction. It may have come before the event that it shows: the seq decides."""
    changes: Changes = {}
    for kept, other in before:
        if kept.rest == "state" and other["seq"] < said["seq"]:
            made = amended(said, other, level)
            if made is not other:
                changes[kept.number] = encoded(made) if made is not None else None
    return changes


def amended(said: Message, state: Message, level: str) -> Message | None:
    """A state of before a correction as if it had been right; None where it cannot be, and is left out."""
    data = said["data"]
    if said["schema"] == "event/exchange_corrected":
        return _exchanged(data, state)
    if not _shows(state["data"], data["play"]):
        return state
    if data.get("change", "replaced") == "removed":
        return None
    right = {"cards": data["cards"], "reading": _reading(data["cards"], level), "doubtful": False}
    return {**state, "data": _state(state["data"], data, right, len(data["was"]) - len(data["cards"]))}


def _replaced(found: tuple[Kept, Message], said: Message, before: list[tuple[Kept, Message]], level: str) -> Changes:
    kept, play = found
    data = said["data"]
    more = len(data["was"]) - len(data["cards"])
    changes = _states(said, before, level)
    if play["schema"] == "event/play":
        right = {"cards": data["cards"], "reading": _reading(data["cards"], level), "doubtful": False}
        left = max(0, play["data"]["left"] + more)
        changes[kept.number] = encoded({**play, "data": {**play["data"], **right, "left": left}})
    for later, other in before:
        own = other.get("schema") == "event/play" and other["data"]["seat"] == data["seat"]
        if later.number > kept.number and own and other["deal"] == play["deal"]:
            left = max(0, other["data"]["left"] + more)
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


def _exchange(said: Message, before: list[tuple[Kept, Message]], level: str) -> tuple[Changes, bool]:
    seat, deal, shown = said["data"]["seat"], said["deal"], ("event/tribute", "event/return")
    found = [(k, m) for k, m in before if m.get("schema") in shown and m["data"]["seat"] == seat and m["deal"] == deal]
    if not found:
        return {}, False
    kept, event = found[-1]
    changes = _states(said, before, level)
    changes[kept.number] = encoded({**event, "data": {**event["data"], "card": said["data"]["card"]}})
    return changes, True


def _exchanged(data: Message, state: Message) -> Message:
    seat, exchange = data["seat"], state["data"]["exchange"]
    name = next((name for name in ("shown", "returned") if seat in exchange[name]), None)
    if name is None:
        return state
    new = {**exchange, name: {**exchange[name], seat: data["card"]}}
    return {**state, "data": {**state["data"], "exchange": new}}
