"""Pictures of plays: fetched from the tables, kept by their hash, locked for the time of appeals, then let go."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, and_, func, select, update

from table_controller.table.incidents import OPEN
from table_controller.venue.store import tables as t

SHA = re.compile(r"[0-9a-f]{64}")
MOST_TRIES = 60
RETRY_MS = 5000


@dataclass
class EvidenceStore:
    """Blocking. ``appeal_ms`` is the time for appeals after the end of a game."""

    engine: Engine
    folder: Path
    appeal_ms: int
    keep_ms: int

    def path(self, digest: str) -> Path | None:
        """Where a picture lies, if it is here; None for what is no hash."""
        if not SHA.fullmatch(digest):
            return None
        path = self.folder / digest[:2] / f"{digest}.jpg"
        return path if path.is_file() else None

    def waiting(self, now_ms: int, limit: int = 20) -> list[dict[str, Any]]:
        """Pictures to fetch now."""
        wanted = select(t.evidence).where(t.evidence.c.state == "waiting", t.evidence.c.due_ms <= now_ms)
        with self.engine.begin() as connection:
            return [dict(row) for row in connection.execute(wanted.order_by(t.evidence.c.id).limit(limit)).mappings()]

    def fetched(self, row: dict[str, Any], body: bytes | int | None, now_ms: int) -> str:
        """Keep what a table answered; returns the state that the picture has now."""
        state = "waiting"
        if isinstance(body, bytes):
            state = "here" if hashlib.sha256(body).hexdigest() == row["sha256"] else "missing"
            if state == "here":
                self._write(row["sha256"], body)
        elif row["tries"] + 1 >= MOST_TRIES or body == 404:
            state = "missing"
        values = {"state": state, "tries": row["tries"] + 1, "due_ms": now_ms + RETRY_MS}
        with self.engine.begin() as connection:
            connection.execute(update(t.evidence).where(t.evidence.c.id == row["id"]).values(values))
        return state

    def _write(self, digest: str, body: bytes) -> None:
        folder = self.folder / digest[:2]
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f".{digest}.part"
        with part.open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        part.replace(folder / f"{digest}.jpg")

    def locked(self, digest: str, now_ms: int) -> bool:
        """Whether a picture must not go: game or time of appeal is not over, or an appeal or incident is open."""
        e, i, a, g = t.evidence.c, t.incident.c, t.appeal.c, t.game.c
        with self.engine.begin() as connection:
            rows = connection.execute(select(t.evidence).where(e.sha256 == digest)).mappings().all()
            for row in rows:
                same_deal = and_(i.tbl == row["tbl"], i.boot == row["boot"], i.deal == row["deal"])
                appealed = and_(i.id == a.incident_id, a.closed_at == "")
                opened = select(func.count()).select_from(t.incident).where(same_deal, i.status.in_(OPEN))
                asked = select(func.count()).select_from(t.incident.join(t.appeal, appealed)).where(same_deal)
                ended = select(func.max(g.ended_ms)).where(g.tbl == row["tbl"], g.boot == row["boot"])
                if connection.execute(opened).scalar_one() or connection.execute(asked).scalar_one():
                    return True
                last = connection.execute(ended).scalar_one()
                if last is None or now_ms < last + self.appeal_ms:
                    return True
        return False

    def purge(self, now_ms: int) -> int:
        """Let go what is past its time and not locked; returns how many."""
        old = now_ms - self.keep_ms - self.appeal_ms
        e, g = t.evidence.c, t.game.c
        ended = select(g.tbl, g.boot, func.max(g.ended_ms).label("ended")).group_by(g.tbl, g.boot).subquery()
        wanted = (
            select(e.id, e.sha256)
            .join(ended, and_(e.tbl == ended.c.tbl, e.boot == ended.c.boot))
            .where(e.state == "here", ended.c.ended < old)
            .limit(500)
        )
        with self.engine.begin() as connection:
            found = connection.execute(wanted).all()
        gone = 0
        for number, digest in found:
            if self.locked(digest, now_ms):
                continue
            path = self.path(digest)
            if path is not None:
                path.unlink()
            with self.engine.begin() as connection:
                connection.execute(update(t.evidence).where(e.id == number).values(state="gone"))
            gone += 1
        return gone
