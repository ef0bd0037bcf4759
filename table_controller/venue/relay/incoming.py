"""What tables say, on its way into the relay: once, in order, corrected in time where that can be, on disk."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

from table_controller.runtime import measure
from table_controller.venue.relay.catching_up import CatchUp
from table_controller.venue.relay.corrections import corrected, is_correction, withdrawn
from table_controller.venue.relay.spool import Kept
from table_controller.venue.relay.track import Track
from table_controller.venue.relay.tracks import Tracks
from table_controller.venue.wire import Heard, envelope_fits

MOST_WAITING = 200_000
"""Messages of one table at most: fifteen minutes of a busy table are about 3,000."""
THIN_AT = 64
"""Where so many of a table wait that should be on air, all states but the newest are let go."""
SOON_MS, FEW, BEHIND_MS = 5000, 8, 1000
"""What is aired sooner is kept in memory too, so many messages of a table; the rest lies on the disk alone."""


class Incoming:
    """Within one commit of the spool. ``catch_up`` asks for events that are missing; it is set by the relay."""

    catch_up: CatchUp

    def __init__(self, tracks: Tracks) -> None:
        self._tracks = tracks

    def live(self, heard: Heard) -> None:
        """Take what a table said."""
        said, track = heard.said, self._tracks.of(heard.table)
        if heard.rest == "availability":
            if said is not None and self._is_new(track, heard):
                self.keep(track, heard, str(said.get("boot", ""))[:100], 0)
            return
        if said is None or not envelope_fits(said, heard.table):
            return
        if heard.rest == "info":
            track.http = str(said["data"].get("http") or "")
            track.lane.info = heard.payload
            self._tracks.spool.keep_lane(track.lane)
        if track.parked_until_ms:
            track.parked.append(heard)
        elif heard.rest == "event":
            self.event(track, heard, said)
        elif not track.is_old(heard.rest, said["boot"], said["rev"]) and self._is_new(track, heard):
            payload: bytes | None = heard.payload
            if heard.rest == "state":
                track.level = str(said["data"].get("level") or track.level)
                payload = track.put_right(said, heard.payload)
                self.catch_up.told(track, said["boot"], said["seq"], heard.at_ms)
            if payload is not None:
                self.keep(track, heard, said["boot"], said["seq"], payload)

    def _is_new(self, track: Track, heard: Heard) -> bool:
        if heard.retained and track.newest.get(heard.rest) == heard.payload:
            return False
        track.newest[heard.rest] = heard.payload
        return True

    def event(self, track: Track, heard: Heard, said: dict[str, Any]) -> None:
        """An event: once, and not before one that is missing, where that can be had."""
        key = (heard.table, said["boot"])
        last = self._tracks.seen.get(key)
        if last is not None and said["seq"] <= last:
            return
        if last is not None and said["seq"] > last + 1 and self.catch_up.ask(track, key, last, measure.monotonic_ms()):
            track.parked.append(heard)
            return
        self._tracks.seen[key] = said["seq"]
        self._tracks.spool.see(*key, said["seq"])
        if track.lane.mode == "cut":
            return
        payload = heard.payload
        if is_correction(said) and self._correct(track, said):
            payload = withdrawn(said)
        self.keep(track, heard, said["boot"], said["seq"], payload)

    def keep(self, track: Track, heard: Heard, boot: str, seq: int, payload: bytes | None = None) -> None:
        """Put it at the end of what waits, as it came or with another text."""
        if track.lane.mode == "cut" or len(track.waiting) >= MOST_WAITING:
            return
        body = heard.payload if payload is None else payload
        kept = self._tracks.spool.add(heard.table, heard.rest, boot, seq, body, heard.at_ms)
        lane = track.lane
        soon = lane.mode == "go" and lane.delay_ms + lane.late_ms <= SOON_MS and len(track.waiting) < FEW
        self._tracks.touched[heard.table] = track
        track.waiting.append(kept if soon else replace(kept, payload=b""))
        if len(track.waiting) % THIN_AT == 0 and track.is_due(heard.at_ms - BEHIND_MS):
            self._tracks.spool.drop(track.thin())

    def _correct(self, track: Track, said: dict[str, Any]) -> bool:
        """Make a correction in what waits; whether it has nothing left to say."""
        whole = self._tracks.spool.filled(track.waiting)
        try:
            changes, done = corrected(said, whole, track.level)
        except (KeyError, TypeError, ValueError, AttributeError):
            return False  # a correction that does not fit is aired as it is
        made: deque[Kept] = deque()
        for kept in track.waiting:
            change = changes.get(kept.number, b"")
            if change is None:
                self._tracks.spool.drop([kept.number])
                continue
            if change:
                self._tracks.spool.rewrite(kept.number, change)
            made.append(replace(kept, payload=change) if change else kept)
        track.waiting = made
        if done:
            track.made.append(said)
        return done
