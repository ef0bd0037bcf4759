"""Who may do what: people with passwords (argon2), keys of pages, sessions, and the audit of what was done."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Engine, delete, desc, insert, select, update

from table_controller.errors import InputError
from table_controller.table.incidents import TABLE
from table_controller.venue.store import tables as t
from table_controller.venue.store.database import put

ROLES = ("viewer", "scoreboard", "overlay", "referee", "head_referee", "director")
SHORTEST_PASSWORD = 8
MOST_FAILURES = 5
FAILURES_WITHIN_MS = 60_000
_NAME = re.compile(r"[^\x00-\x1f<>\"'/\\]{1,40}")
_NOBODY = PasswordHasher().hash("nobody")
"""Verified where a name is not known, so that an answer takes as long."""


@dataclass(frozen=True)
class Person:
    """Who asks."""

    name: str
    role: str


class TooMany(InputError):
    """Too many failed log-ins: wait a minute."""

    code = "TOO_MANY"


@dataclass
class People:
    """Blocking: call it in a thread. ``now_ms`` is the wall clock since 1970."""

    engine: Engine
    now_ms: Callable[[], int]
    hasher: PasswordHasher = field(default_factory=PasswordHasher)
    _failures: dict[str, deque[int]] = field(default_factory=dict)

    def set_person(self, name: str, role: str, password: str) -> None:
        """Add somebody, or set role and password anew; raises InputError for what is not allowed."""
        _check_name(name, role)
        if not SHORTEST_PASSWORD <= len(password) <= 200:
            raise InputError(f"A password has {SHORTEST_PASSWORD} to 200 characters.", code="INPUT")
        row = {"name": name, "role": role, "hash": self.hasher.hash(password), "active": True, "is_key": False}
        with self.engine.begin() as connection:
            put(connection, t.person, row)
            connection.execute(delete(t.session).where(t.session.c.name == name))

    def add_key(self, name: str, role: str) -> str:
        """A key for a page that cannot log in, shown once; its hash is kept, and an older one of this name is void."""
        _check_name(name, role)
        key = secrets.token_urlsafe(24)
        of_somebody = select(t.person.c.name).where(t.person.c.name == name, t.person.c.active, ~t.person.c.is_key)
        with self.engine.begin() as connection:
            if connection.execute(of_somebody).first() is not None:
                raise InputError(f"'{name}' is a person who logs in.", way_out="Name the key otherwise.", code="INPUT")
            put(connection, t.person, {"name": name, "role": role, "hash": _sha(key), "active": True, "is_key": True})
        return key

    def remove(self, name: str) -> bool:
        """No longer; the name stays in the audit."""
        with self.engine.begin() as connection:
            connection.execute(delete(t.session).where(t.session.c.name == name))
            return bool(
                connection.execute(update(t.person).where(t.person.c.name == name).values(active=False)).rowcount
            )

    def everybody(self) -> list[dict[str, Any]]:
        """Names, roles, and whether they still may."""
        with self.engine.begin() as connection:
            rows = connection.execute(select(t.person).order_by(t.person.c.name)).mappings().all()
        return [{key: row[key] for key in ("name", "role", "active", "is_key")} for row in rows]

    def log_in(self, name: str, password: str, origin: str, hours: int) -> tuple[Person, str] | None:
        """(who, token), or None for a wrong name or password; raises TooMany after many failures."""
        for key in (f"name {name}", f"from {origin}"):
            if self._failed_lately(key) >= MOST_FAILURES * (1 if key.startswith("name") else 10):
                raise TooMany("Too many failed log-ins.", way_out="Wait a minute.")
        with self.engine.begin() as connection:
            found = connection.execute(select(t.person).where(t.person.c.name == name)).mappings().one_or_none()
        known = found is not None and found["active"] and not found["is_key"]
        try:
            right: bool = self.hasher.verify(found["hash"] if known and found is not None else _NOBODY, password)
        except (VerificationError, InvalidHashError):
            right = False
        if not (right and known) or found is None:
            for key in (f"name {name}", f"from {origin}"):
                self._failures.setdefault(key, deque(maxlen=100)).append(self.now_ms())
            return None
        token = secrets.token_urlsafe(32)
        row = {"token_hash": _sha(token), "name": name, "expires_ms": self.now_ms() + hours * 3_600_000}
        with self.engine.begin() as connection:
            connection.execute(delete(t.session).where(t.session.c.expires_ms < self.now_ms()))
            connection.execute(insert(t.session).values(row))
        return Person(name, found["role"]), token

    def _failed_lately(self, key: str) -> int:
        if len(self._failures) > 10_000:
            self._failures.clear()
        return sum(at > self.now_ms() - FAILURES_WITHIN_MS for at in self._failures.get(key, ()))

    def who(self, token: str) -> Person | None:
        """Whose session or key this is."""
        digest = _sha(token)
        with self.engine.begin() as connection:
            by_session = (
                select(t.person.c.name, t.person.c.role)
                .join(t.session, t.session.c.name == t.person.c.name)
                .where(t.session.c.token_hash == digest, t.session.c.expires_ms > self.now_ms(), t.person.c.active)
            )
            by_key = select(t.person.c.name, t.person.c.role).where(
                t.person.c.hash == digest, t.person.c.is_key, t.person.c.active
            )
            row = connection.execute(by_session).one_or_none() or connection.execute(by_key).first()
        return Person(row[0], row[1]) if row is not None else None

    def log_out(self, token: str) -> None:
        """End a session."""
        with self.engine.begin() as connection:
            connection.execute(delete(t.session).where(t.session.c.token_hash == _sha(token)))

    def note(self, at: str, who: Person | None, origin: str, act: str, table: str, detail: str, outcome: str) -> None:
        """One line of the audit."""
        row = {
            "at": at,
            "who": _clean(who.name if who else "", 60),
            "role": who.role if who else "",
            "origin": _clean(origin, 100),
            "act": _clean(act, 60),
            "tbl": _clean(table, 100),
            "detail": _clean(detail, 2000),
            "outcome": _clean(outcome, 400),
        }
        with self.engine.begin() as connection:
            connection.execute(insert(t.audit).values(row))

    def audit(self, limit: int, before: int) -> list[dict[str, Any]]:
        """What was done, newest first."""
        wanted = select(t.audit).order_by(desc(t.audit.c.id)).limit(limit)
        if before:
            wanted = wanted.where(t.audit.c.id < before)
        with self.engine.begin() as connection:
            rows = connection.execute(wanted).mappings().all()
        renamed = {"origin": "from", "tbl": "table"}
        return [{renamed.get(key, key): value for key, value in row.items()} for row in rows]


def _check_name(name: str, role: str) -> None:
    if not _NAME.fullmatch(name) or name == TABLE or name != name.strip():
        raise InputError("A name has 1 to 40 characters, no quotes or slashes.", code="INPUT")
    if role not in ROLES:
        raise InputError(f"'{role[:40]}' is no role.", way_out=f"Roles: {', '.join(ROLES)}.", code="INPUT")


def _sha(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _clean(text: str, most: int) -> str:
    return text.replace("\x00", "")[:most].encode("utf-8", "replace").decode()
