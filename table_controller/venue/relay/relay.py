"""The relay ``live`` → ``air``: each table with its own delay, held or cut at once.

An event counts as aired when its echo comes back: the relay subscribes to what it airs, in a session that the broker
keeps. After a restart it first waits for a marker of its own behind all echoes; only what has not come back by then is
aired again. So a killed relay neither skips nor repeats.
"""

from __future__ import annotations

import logging
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from table_controller.feed.client import Broker
from table_controller.feed.topics import ROOT, plane_topics, relay_topic, venue_topic
from table_controller.runtime import measure
from table_controller.venue.relay.catching_up import CatchUp, Missed
from table_controller.venue.relay.corrections import corrected, encoded, is_correction, withdrawn
from table_controller.venue.relay.spool import Kept, Lane, Spool
from table_controller.venue.relay.track import Track, without_replaced
from table_controller.venue.settings import LONGEST_DELAY_S
from table_controller.venue.wire import Batch, Heard, Wire, envelope_fits

log = logging.getLogger(__name__)
AIRED = ("availability", "info", "state", "event")
MARKER_TABLE = "_relay"
STATUS_MS = 2000
MOST_WAITING = 200_000
"""Messages of one table at most: fifteen minutes of a busy table are about 3,000."""
MOST_OUT, MOST_UNSEEN = 4000, 50_000
"""So many the broker has not taken yet, and so many have not come back: where it is behind, the rest waits on disk."""
THIN_AT = 64
"""Where so many of a table wait that should be on air, all states but the newest are let go."""
LEAST_A_TURN = 4
SOON_MS, FEW, BEHIND_MS = 5000, 8, 1000
"""What is aired sooner is kept in memory too, so many messages of a table; the rest lies on the disk alone."""
GATHER_S, LOOK_MS = 0.004, 50
"""How often every table is looked at; one that something came from at once."""
GRACE_MS = 2000
"""A broker that forgot its sessions gets this time, so that viewers are back before anything is aired."""
AIRED_KEPT_MS = 120_000
"""So long it is kept what was aired, for a reader that missed some because the broker was killed."""
PURGE_MS = 1000
MOST_AGAIN = 200


class Relay:
    """Everything happens on the wire's own thread."""

    def __init__(self, broker: Broker, venue: str, folder: Path | None, delay_s: float, missed: Missed | None) -> None:
        self.venue, self._delay_ms = venue, round(delay_s * 1000)
        path = folder / "relay.sqlite" if folder is not None else None
        self.spool = Spool(
            path, machine=measure.machine_boot(), now_ms=measure.monotonic_ms(), wall_ms=measure.epoch_ms()
        )
        self._tracks = {name: Track(lane) for name, lane in self.spool.lanes().items()}
        self._seen = self.spool.seen()
        self._came: list[tuple[int, int]] = []
        """Events of this batch that are on air now."""
        self._touched: dict[str, Track] = {}
        self._under_way = self._look_at_ms = 0
        self._documents: dict[int, tuple[str, int]] = {}
        self._sent: set[int] = set()
        self._marker, self._clear = "", False
        self._status_ms = self._air_from_ms = self._purge_at_ms = 0
        self.aired = 0
        self._catch_up = CatchUp(missed, self._safely, self._live, self._seen)
        self._load(set(), everything=True)
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

    def _track(self, table: str) -> Track:
        if table not in self._tracks:
            self._tracks[table] = Track(Lane(table, delay_ms=self._delay_ms))
        return self._tracks[table]

    def _connected(self) -> None:
        """What was handed over and has not come back is in doubt until the marker has come."""
        self._documents.clear()
        self._sent.clear()
        self.wire.acknowledged.clear()
        self._clear, self._marker = False, secrets.token_hex(8)
        now = measure.monotonic_ms()
        self._air_from_ms = 0 if self.wire.session_kept else now + GRACE_MS
        self._purge_at_ms = now + AIRED_KEPT_MS
        self.wire.publish(relay_topic(self.venue, MARKER_TABLE, "marker"), self._marker.encode())

    # --- what comes in ------------------------------------------------------------------------------------------------

    def _work(self, batch: Batch) -> None:
        try:
            with self.spool.commit():
                for heard in batch:
                    self._take(heard)
                self.spool.keep_aired(self._came)
        except Exception:
            self._load({heard.table for heard in batch})
            raise
        finally:
            self._came.clear()

    def _safely(self, act: Callable[[], None]) -> None:
        """Work that another thread brings: on the wire's, and kept as a whole."""

        def work() -> None:
            with self.spool.commit():
                act()

        self.wire.call(work)

    def _load(self, tables: set[str], *, everything: bool = False) -> None:
        """Take what is on the disk for what is: at the start, and for tables whose batch the disk did not take."""
        self._touched.clear()
        self._seen, lanes = self.spool.seen(), self.spool.lanes()
        self._catch_up.seen = self._seen
        for name in tables:
            lane = lanes.get(name, Lane(name, delay_ms=self._delay_ms))
            self._tracks[name] = Track(lane, http=self._track(name).http)
        for kept in self.spool.everything():
            if everything or kept.table in tables:
                track = self._track(kept.table)
                if kept.handed:
                    track.out[kept.token] = kept
                else:
                    track.waiting.append(kept)

    def _take(self, heard: Heard) -> None:
        if heard.plane == "relay":
            self._told(heard)
        elif heard.plane == "air" and heard.said is not None:
            self._came_back(heard)
        elif heard.plane == "venue":
            # Names are no secret and have no delay: an overlay may read the air alone.
            self.wire.publish(f"{ROOT}/{self.venue}/air/{heard.table}/{heard.rest}", heard.payload, retain=True)
        elif heard.plane == "live" and heard.rest in AIRED:
            self._live(heard)

    def _live(self, heard: Heard) -> None:
        said, track = heard.said, self._track(heard.table)
        if heard.rest == "availability":
            if said is not None and self._is_new(track, heard):
                self._keep(track, heard, str(said.get("boot", ""))[:100], 0)
            return
        if said is None or not envelope_fits(said, heard.table):
            return
        if heard.rest == "info":
            track.http = str(said["data"].get("http") or "")
            track.lane.info = heard.payload
            self.spool.keep_lane(track.lane)
        if track.parked_until_ms:
            track.parked.append(heard)
        elif heard.rest == "event":
            self._event(track, heard, said)
        elif not track.is_old(heard.rest, said["boot"], said["rev"]) and self._is_new(track, heard):
            payload: bytes | None = heard.payload
            if heard.rest == "state":
                track.level = str(said["data"].get("level") or track.level)
                payload = track.put_right(said, heard.payload)
                self._catch_up.told(track, said["boot"], said["seq"], heard.at_ms)
            if payload is not None:
                self._keep(track, heard, said["boot"], said["seq"], payload)

    def _is_new(self, track: Track, heard: Heard) -> bool:
        if heard.retained and track.newest.get(heard.rest) == heard.payload:
            return False
        track.newest[heard.rest] = heard.payload
        return True

    def _event(self, track: Track, heard: Heard, said: dict[str, Any]) -> None:
        key = (heard.table, said["boot"])
        last = self._seen.get(key)
        if last is not None and said["seq"] <= last:
            return
        if last is not None and said["seq"] > last + 1 and self._catch_up.ask(track, key, last, measure.monotonic_ms()):
            track.parked.append(heard)
            return
        self._seen[key] = said["seq"]
        self.spool.see(*key, said["seq"])
        if track.lane.mode == "cut":
            return
        payload = heard.payload
        if is_correction(said) and self._correct(track, said):
            payload = withdrawn(said)
        self._keep(track, heard, said["boot"], said["seq"], payload)

    def _keep(self, track: Track, heard: Heard, boot: str, seq: int, payload: bytes | None = None) -> None:
        if track.lane.mode == "cut" or len(track.waiting) >= MOST_WAITING:
            return
        body = heard.payload if payload is None else payload
        kept = self.spool.add(heard.table, heard.rest, boot, seq, body, heard.at_ms)
        lane = track.lane
        soon = lane.mode == "go" and lane.delay_ms + lane.late_ms <= SOON_MS and len(track.waiting) < FEW
        self._touched[heard.table] = track
        track.waiting.append(kept if soon else replace(kept, payload=b""))
        if len(track.waiting) % THIN_AT == 0 and track.is_due(heard.at_ms - BEHIND_MS):
            self.spool.drop(track.thin())

    def _correct(self, track: Track, said: dict[str, Any]) -> bool:
        """Make a correction in what waits; whether it has nothing left to say."""
        whole = self.spool.filled(track.waiting)
        try:
            changes, done = corrected(said, whole, track.level)
        except (KeyError, TypeError, ValueError, AttributeError):
            return False  # a correction that does not fit is aired as it is
        made: deque[Kept] = deque()
        for kept in track.waiting:
            change = changes.get(kept.number, b"")
            if change is None:
                self.spool.drop([kept.number])
                continue
            if change:
                self.spool.rewrite(kept.number, change)
            made.append(replace(kept, payload=change) if change else kept)
        track.waiting = made
        if done:
            track.made.append(said)
        return done

    # --- what goes out ------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        now = measure.monotonic_ms()
        self._documents_done()
        every = now >= self._look_at_ms
        if every:
            self._look_at_ms = now + LOOK_MS
            self._under_way = sum(len(track.out) for track in self._tracks.values())
            for track in self._tracks.values():
                if self._catch_up.look(track, now):
                    with self.spool.commit():
                        self._catch_up.fetched(track, (track.lane.table, ""), [], now)
        if self.wire.online and self._clear:
            if now >= self._air_from_ms:
                self._air(now, list((self._tracks if every else self._touched).values()))
                self._touched.clear()
            if now >= self._status_ms:
                self._status_ms = now + STATUS_MS
                for track in self._tracks.values():
                    self._say_status(track, now)
            if now >= self._purge_at_ms:
                with self.spool.commit():
                    more = self.spool.forget_aired(now - AIRED_KEPT_MS)
                self._purge_at_ms = now + (LOOK_MS if more else PURGE_MS)

    def _air(self, now: int, tracks: list[Track]) -> None:
        room = min(MOST_OUT - len(self._sent), MOST_UNSEEN - self._under_way)
        turn = max(LEAST_A_TURN, room // max(1, len(self._tracks)))
        taken: list[tuple[Track, list[Kept]]] = []
        for track in tracks:
            if room > 0 and (found := track.take_due(now, min(turn, room))):
                taken.append((track, found))
                room -= len(found)
        if not taken:
            return
        try:
            due = self._hand(taken)
        except Exception:
            for track, found in taken:
                track.put_back(found)
            raise
        self._under_way += len(due)
        for kept in due:
            if not kept.payload:
                continue  # an empty document would take what is shown off the air
            retain = kept.rest != "event"
            topic = f"{ROOT}/{self.venue}/air/{kept.table}/{kept.rest}"
            info = self.wire.publish(topic, kept.payload, retain=retain)
            self._sent.add(info.mid)
            if retain:
                self._documents[info.mid] = (kept.table, kept.number)
            self.aired += 1

    def _hand(self, taken: list[tuple[Track, list[Kept]]]) -> list[Kept]:
        """Note on the disk what the broker is given; returns it with its payloads."""
        going = [(track, without_replaced(found)) for track, found in taken]
        due = [kept for _, found in going for kept in found]
        numbers = {kept.number for kept in due}
        whole = self.spool.filled(due)
        with self.spool.commit():
            self.spool.drop([kept.number for _, found in taken for kept in found if kept.number not in numbers])
            self.spool.hand([kept.number for kept in due])
        for track, found in going:
            track.out.update((kept.token, kept) for kept in found)
        return whole

    def _came_back(self, heard: Heard) -> None:
        said = heard.said
        assert said is not None
        boot, seq = said.get("boot"), said.get("seq")
        if isinstance(boot, str) and isinstance(seq, int):
            kept = self._track(heard.table).out.pop((boot, seq), None)
            if kept is not None:
                self._came.append((heard.at_ms, kept.number))

    def _documents_done(self) -> None:
        """The broker has these documents."""
        acknowledged = self.wire.acknowledged
        if not acknowledged:
            return
        with self.spool.commit():
            while acknowledged:
                mid = acknowledged.popleft()
                self._sent.discard(mid)
                table, number = self._documents.pop(mid, ("", 0))
                if table and self._track(table).out.pop(number, None) is not None:
                    self.spool.drop([number])

    def _told(self, heard: Heard) -> None:
        if heard.table == MARKER_TABLE:
            if heard.payload.decode("ascii", "replace") == self._marker:
                self._sure()
        elif heard.rest == "control" and heard.said is not None and not heard.retained:
            if heard.said.get("do") == "again":
                self._again(heard.table, heard.said)
            else:
                self._control(self._track(heard.table), heard.said)

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
                self._keep(track, info, "", 0)
        elif what == "cut":
            self._cut(track)
        elif what == "delay":
            delay_ms = said.get("delay_ms")
            if isinstance(delay_ms, int) and not isinstance(delay_ms, bool) and 0 <= delay_ms <= LONGEST_DELAY_S * 1000:
                lane.delay_ms, lane.late_ms = delay_ms, 0
        self.spool.keep_lane(lane)
        self._say_status(track, now)

    def _cut(self, track: Track) -> None:
        """Off air at once: nothing that waits is ever aired, and what readers were shown is taken from them."""
        self.spool.drop([kept.number for kept in (*track.waiting, *track.out.values())])
        track.waiting.clear()
        track.out.clear()
        track.lane.mode, track.lane.late_ms = "cut", 0
        for rest in ("state", "info", "availability"):
            self.wire.publish(f"{ROOT}/{self.venue}/air/{track.lane.table}/{rest}", b"", retain=True)

    def _say_status(self, track: Track, now: int) -> None:
        row = track.news(now)
        if row is not None:
            self.wire.publish(relay_topic(self.venue, track.lane.table, "status"), encoded(row), retain=True)
