"""What goes on air: noted on the disk first, given to the broker in order, and on air once it has come back."""

from __future__ import annotations

from collections.abc import Callable

from table_controller.feed.topics import ROOT
from table_controller.venue.relay.spool import Kept
from table_controller.venue.relay.track import Track, without_replaced
from table_controller.venue.relay.tracks import Tracks
from table_controller.venue.wire import Heard, Wire

MOST_OUT, MOST_UNSEEN = 4000, 50_000
"""So many the broker has not taken yet, and so many have not come back: where it is behind, the rest waits on disk."""
LEAST_A_TURN = 4


class Airing:
    """Belongs to the wire's thread. ``wire`` gives the wire of now."""

    def __init__(self, tracks: Tracks, venue: str, wire: Callable[[], Wire]) -> None:
        self._tracks, self._venue, self._wire = tracks, venue, wire
        self.came: list[tuple[int, int]] = []
        """Events of this batch that are on air now: when, and their numbers."""
        self.sent: set[int] = set()
        """What the broker has not taken yet, by the client's numbers."""
        self._documents: dict[int, tuple[str, int]] = {}
        self.under_way = 0
        """How many have not come back, as of the last count."""
        self.aired = 0

    def forget_link(self) -> None:
        """A new connection: what the old one was given is in doubt."""
        self._documents.clear()
        self.sent.clear()
        self._wire().acknowledged.clear()

    def count(self) -> None:
        """Count anew what has not come back."""
        self.under_way = sum(len(track.out) for track in self._tracks.all.values())

    def air(self, now: int, tracks: list[Track]) -> None:
        """Give the broker what is due, as far as there is room."""
        room = min(MOST_OUT - len(self.sent), MOST_UNSEEN - self.under_way)
        turn = max(LEAST_A_TURN, room // max(1, len(self._tracks.all)))
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
        self.under_way += len(due)
        for kept in due:
            if not kept.payload:
                continue  # an empty document would take what is shown off the air
            retain = kept.rest != "event"
            topic = f"{ROOT}/{self._venue}/air/{kept.table}/{kept.rest}"
            info = self._wire().publish(topic, kept.payload, retain=retain)
            self.sent.add(info.mid)
            if retain:
                self._documents[info.mid] = (kept.table, kept.number)
            self.aired += 1

    def _hand(self, taken: list[tuple[Track, list[Kept]]]) -> list[Kept]:
        """Note on the disk what the broker is given; returns it with its payloads."""
        going = [(track, without_replaced(found)) for track, found in taken]
        due = [kept for _, found in going for kept in found]
        numbers = {kept.number for kept in due}
        whole = self._tracks.spool.filled(due)
        with self._tracks.spool.commit():
            self._tracks.spool.drop([kept.number for _, found in taken for kept in found if kept.number not in numbers])
            self._tracks.spool.hand([kept.number for kept in due])
        for track, found in going:
            track.out.update((kept.token, kept) for kept in found)
        return whole

    def came_back(self, heard: Heard) -> None:
        """An echo: this event is on air."""
        said = heard.said
        assert said is not None
        boot, seq = said.get("boot"), said.get("seq")
        if isinstance(boot, str) and isinstance(seq, int):
            kept = self._tracks.of(heard.table).out.pop((boot, seq), None)
            if kept is not None:
                self.came.append((heard.at_ms, kept.number))

    def documents_done(self) -> None:
        """The broker has these documents: noted in memory only once the disk has let go of them."""
        acknowledged = self._wire().acknowledged
        if not acknowledged:
            return
        done = [acknowledged[place] for place in range(len(acknowledged))]
        told = [(mid, *self._documents.get(mid, ("", 0))) for mid in done]
        gone = [number for _, table, number in told if table and number in self._tracks.of(table).out]
        with self._tracks.spool.commit():
            self._tracks.spool.drop(gone)
        for mid, table, number in told:
            acknowledged.popleft()
            self.sent.discard(mid)
            self._documents.pop(mid, None)
            if table:
                self._tracks.of(table).out.pop(number, None)
