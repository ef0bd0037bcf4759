"""Commands over MQTT: who may give which, for how long they are good, and that none is carried out twice.

Time is the table's own: a command names the table's boot and, in the table's monotonic milliseconds, when it ends. So
it needs no common wall clock, and one that was recorded is worth nothing after a restart or a few seconds later.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from table_controller.errors import InputError, TableError
from table_controller.feed.envelope import VERSION
from table_controller.table.commands import command_names, parse_command
from table_controller.table.events import Event
from table_controller.table.incidents import TABLE

GOOD_FOR_MS = 10_000
"""A sender's usual time: a command that is late by more is worth nothing."""
MOST_AHEAD_MS = 20_000
"""No command may claim to be good for longer: what was seen once is remembered only until it ends."""
HEAD_ONLY = frozenset({"concede", "correct_result"})
DIRECTING = frozenset(
    {"start", "stop", "pause", "resume", "clear_fault", "match", "extend_round", "end_round", "remind", "late", "carry"}
)
DIRECTOR_ONLY = frozenset({"match", "carry"})
_CLIENT = re.compile(r"[A-Za-z0-9_-]{1,64}")


def verbs_of(role: str) -> frozenset[str]:
    """The commands that a role may give; none for a role that only looks on."""
    everything = frozenset(command_names())
    return {
        "referee": everything - HEAD_ONLY - DIRECTOR_ONLY,
        "head_referee": everything - DIRECTOR_ONLY,
        "director": DIRECTING,
    }.get(role, frozenset())


@dataclass(frozen=True)
class Asked:
    """A command that may be carried out."""

    tx: str
    verb: str
    client: str
    event: Event


@dataclass
class CommandDesk:
    """Checks what arrives. ``take`` gives the event to carry out, or the answer to send at once."""

    table: str
    boot: str
    now_ms: Callable[[], int]
    draw_leader: Callable[[], str]
    _known: dict[str, tuple[int, bytes | None]] = field(default_factory=dict)

    def take(self, verb: str, payload: bytes) -> Asked | tuple[str, bytes] | None:
        """(client, reply) where it is answered at once; None where nobody can be answered, or the answer is on its way.

        A transaction that was answered before is answered the same, and not carried out again.
        """
        try:
            said = json.loads(payload)
            json.dumps(said, ensure_ascii=False).encode()
        except (ValueError, RecursionError):  # half a character too: neither journal nor answer can hold it
            return None
        if not isinstance(said, dict) or not _is_name(said.get("client")) or not _is_name(said.get("tx"), 8):
            return None
        tx, client = said["tx"], said["client"]
        self._forget()
        if tx in self._known:
            answer = self._known[tx][1]
            return None if answer is None else (client, answer)
        try:
            event = self._event(verb, said)
        except TableError as error:
            return client, self._reply(tx, verb, error)
        self._known[tx] = (said["expires_mono_ms"], None)
        return Asked(tx, verb, client, event)

    def answer(self, asked: Asked, problem: TableError | None) -> bytes:
        """The reply to a command that the table took or refused; a repeated command gets the same."""
        reply = self._reply(asked.tx, asked.verb, problem)
        until_ms = self._known.get(asked.tx, (self.now_ms() + MOST_AHEAD_MS, None))[0]
        self._known[asked.tx] = (until_ms, reply)
        return reply

    def _event(self, verb: str, said: dict[str, Any]) -> Event:
        role, by, data, until = (said.get(key) for key in ("role", "by", "data", "expires_mono_ms"))
        if said.get("v") != VERSION:
            raise InputError("This version of commands is not known.", code="COMMAND")
        if said.get("boot") != self.boot:
            raise InputError("The table has started anew since.", way_out="Look at it again.", code="EXPIRED")
        if isinstance(until, bool) or not isinstance(until, int):
            raise InputError("'expires_mono_ms' must be the table's time in ms.", code="COMMAND")
        if not self.now_ms() <= until <= self.now_ms() + MOST_AHEAD_MS:
            raise InputError("The command came too late.", way_out="Give it again.", code="EXPIRED")
        if not isinstance(role, str) or verb not in verbs_of(role):
            raise InputError(f"'{str(role)[:40]}' may not give the command '{verb[:40]}'.", code="ROLE")
        if not isinstance(by, str) or not 1 <= len(by) <= 40 or by == TABLE:
            raise InputError("'by' must name who gives the command.", code="COMMAND")
        if not isinstance(data, dict):
            raise InputError("'data' must be an object.", code="COMMAND")
        return parse_command({**data, "do": verb, "by": by, "role": role}, self.now_ms(), self.draw_leader)

    def _reply(self, tx: str, verb: str, problem: TableError | None) -> bytes:
        reply = {
            "v": VERSION,
            "tx": tx,
            "verb": verb,
            "table": self.table,
            "boot": self.boot,
            "ok": problem is None,
            "code": "" if problem is None else problem.code,
            "problem": "" if problem is None else problem.line(),
        }
        return json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()

    def _forget(self) -> None:
        now = self.now_ms()
        for tx in [tx for tx, (until, _) in self._known.items() if until < now]:
            del self._known[tx]


def _is_name(value: Any, least: int = 1) -> bool:
    return isinstance(value, str) and len(value) >= least and _CLIENT.fullmatch(value) is not None
