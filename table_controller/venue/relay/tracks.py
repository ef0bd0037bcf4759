"""Every table of the relay in memory, over the spool that they are kept in."""

from __future__ import annotations

from table_controller.venue.relay.spool import Lane, Spool
from table_controller.venue.relay.track import Track


class Tracks:
    """Belongs to the wire's thread. ``delay_ms`` is that of a table never heard of before."""

    def __init__(self, spool: Spool, delay_ms: int) -> None:
        self.spool, self._delay_ms = spool, delay_ms
        self.all = {name: Track(lane) for name, lane in spool.lanes().items()}
        self.touched: dict[str, Track] = {}
        """Those that something came from since they were last looked at."""
        self.seen: dict[tuple[str, str], int] = {}
        """The last event of each table's boots that was taken."""
        self.load(set(), everything=True)

    def of(self, table: str) -> Track:
        """A table's, made where it is new."""
        if table not in self.all:
            self.all[table] = Track(Lane(table, delay_ms=self._delay_ms))
        return self.all[table]

    def load(self, tables: set[str], *, everything: bool = False) -> None:
        """Take what is on the disk for what is: at the start, and for tables whose batch the disk did not take."""
        self.touched.clear()
        lanes = self.spool.lanes()
        self.seen.clear()
        self.seen.update(self.spool.seen())
        for name in tables:
            lane = lanes.get(name, Lane(name, delay_ms=self._delay_ms))
            self.all[name] = Track(lane, http=self.of(name).http)
        for kept in self.spool.everything():
            if everything or kept.table in tables:
                track = self.of(kept.table)
                if kept.handed:
                    track.out[kept.token] = kept
                else:
                    track.waiting.append(kept)
