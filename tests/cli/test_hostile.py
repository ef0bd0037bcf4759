"""R11: ten thousand hostile commands, by broker and page: refused, answered or ignored, never an error."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest

from table_controller.errors import TableError
from table_controller.feed.commands import Asked, CommandDesk
from table_controller.journal.record import canonical
from table_controller.sim.event_table import EventTable
from table_controller.table.codec import to_data
from table_controller.table.commands import command_names, parse_command
from table_controller.table.core import TableCore
from table_controller.table.events import Event

COUNT = int(os.environ.get("HOSTILE", "10000"))
PARTS = 4
DEEP = "[" * 5000 + "]" * 5000
VALUES: list[Any] = [
    None, True, -1, 0, 1, 10**30, float("nan"), float("inf"), 1e308, "", "E", "EE", "٣", "\x00", "\ud800", "5S",
    "x" * 20_000, [], {}, ["5S"] * 200, {"E": 1}, {"E": -1, "N": 99, "W": "a", "S": None}, [[[[]]]], "<script>",
    "5S 5D", "../../etc", "E N W S",
]  # fmt: skip
KEYS = [
    "seat", "cards", "by", "reason", "play", "number", "status", "turn", "counts", "last_seat", "last_cards", "leader",
    "incident", "penalty", "role", "kind", "minutes", "deal", "order", "names", "levels", "document", "replaces",
    "count",
]  # fmt: skip


def command(rng: random.Random) -> Any:
    """An object that looks like a command, with anything in it; now and then no object at all."""
    if rng.random() < 0.05:
        return rng.choice(VALUES)
    name = rng.choice([*command_names(), "", "exec", None, 7])
    keys = rng.sample(KEYS, rng.randrange(0, 8))
    return {"do": name, **{key: rng.choice(VALUES) for key in keys}}


@pytest.fixture(scope="module")
def core() -> TableCore:
    table = EventTable(11)
    table.open()
    table.deal()
    table.sort_and_exchange()
    for _ in range(6):
        table.act()
    return table.core


def handled(core: TableCore, event: Event) -> None:
    """What could be read is carried out, or refused without a change; the state it leads to can be written down."""
    before = core.state.digest()
    outcome = core.handle(event)
    if outcome.refusal is not None:
        assert outcome.state.digest() == before
        assert outcome.effects == ()
    assert outcome.state.digest()
    assert core.state.digest() == before


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_commands_of_the_page(part: int, core: TableCore) -> None:
    rng, read = random.Random(part), 0
    for number in range(COUNT // PARTS // 2):
        said = command(rng)
        try:
            event = parse_command(said, 1_000_000, lambda: "E")
        except (TableError, ValueError, RecursionError):
            continue
        except Exception as error:
            raise AssertionError(f"seed {part}, number {number}: {said!r:.300}") from error
        read += 1
        canonical(to_data(event))
        if read % 10 == 0:
            handled(core, event)
    assert read > 20, "some of them can be read"


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_messages_of_the_broker(part: int) -> None:
    rng = random.Random(100 + part)
    desk = CommandDesk("t1", "b1", lambda: 1_000_000, lambda: "E")
    answers = 0
    for number in range(COUNT // PARTS // 2):
        said: dict[str, Any] = {
            "v": 1, "tx": f"tx-{part}-{number}", "client": "venue", "role": "referee", "by": "Li", "boot": "b1",
            "expires_mono_ms": 1_010_000, "data": command(rng),
        }  # fmt: skip
        for key in rng.sample(sorted(said), rng.randrange(0, 3)):
            said[key] = rng.choice(VALUES)
        payload = json.dumps(said).encode(errors="surrogatepass")
        kind = rng.randrange(8)
        if kind == 0:
            payload = payload[: rng.randrange(len(payload))]
        elif kind == 1:
            place = rng.randrange(len(payload))
            payload = payload[:place] + bytes([rng.randrange(256)]) + payload[place + 1 :]
        elif kind == 2:
            payload = DEEP.encode() if rng.random() < 0.3 else rng.randbytes(200)
        verb = rng.choice([*command_names(), "", "exec", "../x"])
        try:
            found = desk.take(verb, payload)
        except Exception as error:
            raise AssertionError(f"seed {100 + part}, number {number}: {verb} {payload[:300]!r}") from error
        assert found is None or isinstance(found, Asked | tuple)
        answers += found is not None
    assert answers > 100
