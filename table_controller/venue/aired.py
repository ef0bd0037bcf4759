"""What the relay let out, for overlays that read over HTTP: the newest state, and the last events of each table.

A killed broker may lose what it had taken: a missing number is asked for at the relay, which keeps what it aired.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from table_controller.venue.wire import envelope_fits

Message = dict[str, Any]
KEPT = 128
"""Events of one table, some minutes of it."""
TRIES = 3


CUT = 2**53


@dataclass
class Lane:
    """One table: the newest boot's events by number, and how far its state goes."""

    boot: str
    whole_to: int
    """Up to this number nothing is missing, or nothing more is asked for."""
    events: list[tuple[int, bytes]] = field(default_factory=list)
    told: int = 0
    """The number of the last event that the newest state knows of."""
    tries: int = 0

    def advance(self) -> None:
        """Take in what now follows without a gap."""
        for seq, _ in self.events[bisect_left(self.events, (self.whole_to + 1, b"")) :]:
            if seq > self.whole_to + 1:
                break
            self.whole_to, self.tries = seq, 0

    def give_up(self) -> None:
        """Go on behind the gap: it was cut, or nobody has what is missing."""
        later = self.events[bisect_left(self.events, (self.whole_to + 1, b"")) :]
        self.whole_to, self.tries = (later[0][0] - 1 if later else self.told), 0
        self.advance()

    @property
    def last(self) -> int:
        """The highest number that was heard of."""
        return max(self.told, self.events[-1][0] if self.events else 0)


class Aired:
    """Belongs to the loop's thread."""

    def __init__(self) -> None:
        self.states: dict[str, Message] = {}
        self._lanes: dict[str, Lane] = {}

    def _lane(self, table: str, boot: str, whole_to: int) -> Lane:
        lane = self._lanes.get(table)
        if lane is None or lane.boot != boot:
            lane = self._lanes[table] = Lane(boot, whole_to)
        if lane.whole_to == CUT:
            lane.whole_to = whole_to
        return lane

    def state(self, table: str, said: Message | None) -> None:
        """A state came on air; None: the table was cut off."""
        if said is None:
            self.states.pop(table, None)
            if (lane := self._lanes.get(table)) is not None:
                lane.events.clear()
                lane.told, lane.whole_to = 0, CUT
        elif envelope_fits(said, table):
            self.states[table] = said
            lane = self._lane(table, said["boot"], said["seq"])
            lane.told = max(lane.told, said["seq"])

    def event(self, table: str, said: Message, payload: bytes) -> None:
        """An event came on air, or was fetched."""
        if not envelope_fits(said, table):
            return
        seq = said["seq"]
        lane = self._lane(table, said["boot"], seq - 1)
        place = bisect_left(lane.events, (seq, b""))
        if place < len(lane.events) and lane.events[place][0] == seq:
            return
        lane.events.insert(place, (seq, payload))
        del lane.events[:-KEPT]
        lane.advance()

    def gaps(self) -> list[tuple[str, str, int]]:
        """(table, boot, number after which one is missing), for those that are worth asking for."""
        found = []
        for table, lane in self._lanes.items():
            if lane.last <= lane.whole_to:
                continue
            lane.tries += 1
            if lane.tries <= TRIES:
                found.append((table, lane.boot, lane.whole_to))
            else:
                lane.give_up()
        return found

    def fill(self, table: str, told: Message) -> None:
        """What the relay says that it aired."""
        events, lane = told.get("events"), self._lanes.get(table)
        if lane is None or not isinstance(events, list) or told.get("boot") != lane.boot:
            return
        for said in events:
            if isinstance(said, dict) and said.get("boot") == lane.boot:
                self.event(table, said, json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode())

    def after(self, table: str, boot: str, seq: int, most: int) -> tuple[list[bytes], bool]:
        """Events of a boot after a number, and whether none is missing among them and none follows."""
        lane = self._lanes.get(table)
        if lane is None or lane.boot != boot:
            return [], False
        found = lane.events[bisect_left(lane.events, (seq + 1, b"")) :]
        whole = [number for number, _ in found] == list(range(seq + 1, seq + 1 + len(found)))
        reached = found[-1][0] if found else seq
        return [payload for _, payload in found[:most]], whole and len(found) <= most and reached >= lane.told
