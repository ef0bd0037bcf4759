"""The relay ``live`` → ``air``: each table with its own delay, held or cut at once.

An event counts as aired when its echo comes back: the relay subscribes to what it airs, in a session that the broker
keeps. After a restart it first waits for a marker of its own behind all echoes; only what has not come back by then is
aired again. So a killed relay neither skips nor repeats.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from table_controller.feed.client import Broker
from table_controller.feed.topics import ROOT, plane_topics, relay_topic, venue_topic
from table_controller.runtime import measure
from table_controller.venue.relay.airing import Airing
from table_controller.venue.relay.catching_up import CatchUp, Missed
from table_controller.venue.relay.corrections import encoded
from table_controller.venue.relay.incoming import Incoming
from table_controller.venue.relay.spool import Spool
from table_controller.venue.relay.track import Track
from table_controller.venue.relay.tracks import Tracks
from table_controller.venue.settings import LONGEST_DELAY_S
from table_controller.venue.wire import Batch, Heard, Wire

log = logging.getLogger(__name__)
AIRED = ("availability", "info", "state", "event")
MARKER_TABLE = "_relay"
STATUS_MS = 2000
GATHER_S, LOOK_MS = 0.004, 50
"""How often every table is looked at; one that something came from at once."""
GRACE_MS = 2000
"""A broker that forgot its sessions gets this time, so that viewers are back before anything is aired."""
AIRED_KEPT_MS = 120_000
"""So long it is kept what was aired, for a reader that missed some because the broker was killed."""
PURGE_MS = 1000
MOST_AGAIN = 200


class Relay:
    """Everything happens on the wire's own thread. What comes in: incoming.py; what goes out: airing.py."""

    def __init__(self, broker: Broker, venue: str, folder: Path | None, delay_s: float, missed: Missed | None) -> None:
        self.venue = venue
        self.wire: Wire
        path = folder / "relay.sqlite" if folder is not None else None
        self.spool = Spool(
            path, machine=measure.machine_boot(), now_ms=measure.monotonic_ms(), wall_ms=measure.epoch_ms()
        )
        self._lanes = Tracks(self.spool, round(delay_s * 1000))
        self._tracks = self._lanes.all
        self._airing = Airing(self._lanes, venue, lambda: self.wire)
        self._incoming = Incoming(self._lanes)
        self._look_at_ms = 0
        self._marker, self._clear = "", False
        self._status_ms = self._air_from_ms = self._purge_at_ms = 0
        self._catch_up = CatchUp(missed, self._safely, self._incoming.live, self._lanes)
        self._incoming.catch_up = self._catch_up
        topics = (
            (plane_topics(venue, "live"), 1),
            (f"{ROOT}/{venue}/air/+/event", 1),
            (relay_topic(venue, "+", "control"), 1),
            (relay_topic(venue, MARKER_TABLE, "marker"), 1),
            (venue_topic(venue, "roster"), 1),
        )
        self.wire = Wire(
            broker,
            f"relay-{venue}",
            topics,
            measure.monotonic_ms,
            self._work,
            self._tick,
            self._connected,
            fresh=True,
            gather_s=GATHER_S,
        )

    def start(self) -> None:
        """Connect in the background."""
        self.wire.start()

    def stop(self) -> None:
        """Stop; what waits stays on disk."""
        self.wire.stop()
        self._catch_up.stop()
        self.spool.close()

    def _connected(self) -> None:
        """What was handed over and has not come back is in doubt until the marker has come."""
        self._airing.forget_link()
        self._clear, self._marker = False, secrets.token_hex(8)
        now = measure.monotonic_ms()
        self._air_from_ms = 0 if self.wire.session_kept else now + GRACE_MS
        self._purge_at_ms = now + AIRED_KEPT_MS
        self.wire.publish(relay_topic(self.venue, MARKER_TABLE, "marker"), self._marker.encode())
        for track in self._tracks.values():
            if track.lane.mode == "cut":
                self._clear_air(track)  # the link may have been lost before the old one had told

    # --- what comes in ------------------------------------------------------------------------------------------------

    def _work(self, batch: Batch) -> None:
        try:
            with self.spool.commit():
                for heard in batch:
                    self._take(heard)
                self.spool.keep_aired(self._airing.came)
        except Exception:
            self._lanes.load({heard.table for heard in batch})
            raise
        finally:
            self._airing.came.clear()

    def _safely(self, act: Callable[[], None]) -> None:
        """Work that another thread brings: on the wire's, and kept as a whole."""
        self.wire.call(lambda: self._whole(act))

    def _whole(self, act: Callable[[], None]) -> None:
        """All of it on the disk, or memory as before: what was fetched and could not be kept is missed once more."""
        try:
            with self.spool.commit():
                act()
        except Exception:
            self._lanes.load(set(self._tracks))
            raise

    def _take(self, heard: Heard) -> None:
        if heard.plane == "relay":
            self._told(heard)
        elif heard.plane == "air" and heard.said is not None:
            self._airing.came_back(heard)
        elif heard.plane == "venue":
            # Names are no secret and have no delay: an overlay may read the air alone.
            self.wire.publish(f"{ROOT}/{self.venue}/air/{heard.table}/{heard.rest}", heard.payload, retain=True)
        elif heard.plane == "live" and heard.rest in AIRED:
            self._incoming.live(heard)

    # --- what goes out ------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        now = measure.monotonic_ms()
        self._airing.documents_done()
        every = now >= self._look_at_ms
        if every:
            self._look_at_ms = now + LOOK_MS
            self._airing.count()
            for track in list(self._tracks.values()):
                if self._catch_up.look(track, now):
                    self._whole(partial(self._catch_up.fetched, track, (track.lane.table, ""), [], now))
        if self.wire.online and self._clear:
            if now >= self._air_from_ms:
                self._airing.air(now, list((self._tracks if every else self._lanes.touched).values()))
                self._lanes.touched.clear()
            if now >= self._status_ms:
                self._status_ms = now + STATUS_MS
                for track in self._tracks.values():
                    self._say_status(track, now)
            if now >= self._purge_at_ms:
                with self.spool.commit():
                    more = self.spool.forget_aired(now - AIRED_KEPT_MS)
                self._purge_at_ms = now + (LOOK_MS if more else PURGE_MS)

    def _told(self, heard: Heard) -> None:
        if heard.table == MARKER_TABLE:
            if heard.payload.decode("ascii", "replace") == self._marker:
                self._sure()
        elif heard.rest == "control" and heard.said is not None and not heard.retained:
            if heard.said.get("do") == "again":
                self._again(heard.table, heard.said)
            else:
                self._control(self._lanes.of(heard.table), heard.said)

    def _again(self, table: str, said: dict[str, Any]) -> None:
        """Tell the service what was aired after a number: it missed some."""
        boot, after = said.get("boot"), said.get("after")
        if isinstance(boot, str) and isinstance(after, int) and 0 <= after < 2**53:
            events = self.spool.aired(table, boot, after, MOST_AGAIN)
            told = b'{"boot":%s,"after":%d,"events":[%s]}' % (encoded(boot), after, b",".join(events))
            self.wire.publish(relay_topic(self.venue, table, "again"), told)

    def _sure(self) -> None:
        """All echoes are here: what was handed over and has not come back is not on air."""
        self._clear = True
        for track in self._tracks.values():
            track.waiting.extendleft(sorted(track.out.values(), key=lambda kept: -kept.number))
            track.out.clear()

    # --- what a director says -----------------------------------------------------------------------------------------

    def _control(self, track: Track, said: dict[str, Any]) -> None:
        lane, now, what = track.lane, measure.monotonic_ms(), said.get("do")
        if what == "hold" and lane.mode == "go":
            lane.mode, lane.held_ms = "hold", now
        elif what == "go" and lane.mode == "hold":
            lane.mode, lane.late_ms = "go", lane.late_ms + now - lane.held_ms
        elif what == "go" and lane.mode == "cut":
            lane.mode, lane.late_ms = "go", 0
            if lane.info:
                info = Heard("", "live", lane.table, "info", lane.info, False, now, {})
                self._incoming.keep(track, info, "", 0)
        elif what == "cut":
            self._cut(track)
        elif what == "delay":
            delay_ms = said.get("delay_ms")
            if isinstance(delay_ms, int) and not isinstance(delay_ms, bool) and 0 <= delay_ms <= LONGEST_DELAY_S * 1000:
                lane.delay_ms, lane.late_ms = delay_ms, 0
        self.spool.keep_lane(lane)
        track.status = ()  # whoever gave this waits for an answer, though nothing may have changed
        self._say_status(track, now)

    def _cut(self, track: Track) -> None:
        """Off air at once: nothing that waits is ever aired, and what readers were shown is taken from them."""
        self.spool.drop([kept.number for kept in (*track.waiting, *track.out.values())])
        track.waiting.clear()
        track.out.clear()
        track.lane.mode, track.lane.late_ms = "cut", 0
        self._clear_air(track)

    def _clear_air(self, track: Track) -> None:
        for rest in ("state", "info", "availability"):
            self.wire.publish(f"{ROOT}/{self.venue}/air/{track.lane.table}/{rest}", b"", retain=True)

    def _say_status(self, track: Track, now: int) -> None:
        row = track.news(now)
        if row is not None:
            self.wire.publish(relay_topic(self.venue, track.lane.table, "status"), encoded(row), retain=True)
