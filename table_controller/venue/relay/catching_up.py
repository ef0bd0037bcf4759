"""Events that a table said and the relay did not hear: asked for at the table, while what came after them waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from table_controller.venue.relay.track import Track, said_again
from table_controller.venue.relay.tracks import Tracks
from table_controller.venue.wire import Heard, envelope_fits

FETCH_MS = 4000
"""So long a table's messages wait for events that are missing, before it goes on without."""
BEHIND_MS = 2000
"""An event that a state tells of may still be on its way for so long."""
Missed = Callable[[str, str, int], list[Any] | None]
"""Fetches from (page's address, boot, after), in a thread of its own."""


class CatchUp:
    """Belongs to the relay's thread; ``call`` brings work back to it, ``live`` takes what was heard."""

    def __init__(
        self,
        missed: Missed | None,
        call: Callable[[Callable[[], None]], None],
        live: Callable[[Heard], None],
        tracks: Tracks,
    ) -> None:
        self._missed, self._call, self._live = missed, call, live
        self._tracks, self.seen = tracks, tracks.seen
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="relay-missed")

    def stop(self) -> None:
        """Let the thread go."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def ask(self, track: Track, key: tuple[str, str], last: int, now_ms: int) -> bool:
        """Fetch what is missing from the table; False where it cannot be asked."""
        if self._missed is None or not track.http:
            return False
        track.parked_until_ms = now_ms + FETCH_MS
        track.asked += 1
        asked = track.asked
        http, missed = track.http, self._missed

        def fetch() -> None:
            try:
                found = missed(http, key[1], last)
            except Exception:
                found = None
            self._call(lambda: self._answered(track, asked, key, found or [], now_ms))

        self._pool.submit(fetch)
        return True

    def _answered(self, track: Track, asked: int, key: tuple[str, str], found: list[Any], now_ms: int) -> None:
        # Where the disk refused a batch its table begins anew from there, and asks again: this answer is of before.
        if asked == track.asked and self._tracks.all.get(key[0]) is track:
            self.fetched(track, key, found, now_ms)

    def fetched(self, track: Track, key: tuple[str, str], found: list[Any], now_ms: int) -> None:
        """Take what was missing, then what waited for it. Within one commit of the spool."""
        if not track.parked_until_ms:
            return
        track.parked_until_ms = 0
        parked, track.parked = track.parked, []
        at_ms = parked[0].at_ms if parked else now_ms
        for said in found:
            fits = isinstance(said, dict) and envelope_fits(said, key[0]) and said["boot"] == key[1]
            if fits and said["seq"] == self.seen.get(key, 0) + 1:
                self._live(said_again(key[0], said, at_ms))
        missed, self._missed = self._missed, None  # what is missing still is not asked for once more
        try:
            for heard in parked:
                self._live(heard)
        finally:
            self._missed = missed

    def told(self, track: Track, boot: str, seq: int, now_ms: int) -> None:
        """A state says that so many events were said: is one missing that nothing came after?"""
        if seq <= self.seen.get((track.lane.table, boot), seq):
            track.behind = ("", 0, 0)
        elif track.behind[0] != boot or not track.behind[2]:
            track.behind = (boot, seq, now_ms)

    def look(self, track: Track, now_ms: int) -> bool:
        """Whether something is overdue: then it is asked for, or what waited goes on without."""
        boot, seq, since_ms = track.behind
        if since_ms and not track.parked_until_ms and now_ms - since_ms > BEHIND_MS:
            key = (track.lane.table, boot)
            track.behind = ("", 0, 0)
            last = self.seen.get(key, 0)
            if last < seq:
                self.ask(track, key, last, now_ms)
        return bool(track.parked_until_ms) and now_ms > track.parked_until_ms
