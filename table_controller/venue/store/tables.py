"""The tables of the archive, for SQLite and PostgreSQL alike. A change of these is a migration."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()
BIG = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts up by itself only in a column of its own integer type."""


def _words(name: str, length: int = 200, *, key: bool = False) -> Column[str]:
    return Column(name, String(length), nullable=False, primary_key=key, server_default=None if key else "")


event = Table(
    "event",
    metadata,
    Column("id", BIG, primary_key=True, autoincrement=True),
    _words("tbl", 100),
    _words("boot", 100),
    Column("seq", BIG, nullable=False),
    _words("kind", 100),
    Column("deal", Integer, nullable=False),
    _words("at", 60),
    Column("received_ms", BIG, nullable=False),
    Column("payload", Text, nullable=False),
    UniqueConstraint("tbl", "boot", "seq", name="one_event"),
    Index("event_by_table", "tbl", "id"),
)
"""Every event as it was published; ``received_ms`` since 1970."""

cursor = Table(
    "cursor",
    metadata,
    _words("tbl", 100, key=True),
    _words("boot", 100, key=True),
    Column("seq", BIG, nullable=False),
    Column("lost", Integer, nullable=False, server_default="0"),
    Column("round", Integer, nullable=False, server_default="1"),
    Column("order_", BIG, nullable=False, server_default="0"),
)
"""How far a boot's events were taken in order, and how many nobody could give any more."""

incident = Table(
    "incident",
    metadata,
    Column("id", BIG, primary_key=True, autoincrement=True),
    _words("tbl", 100),
    _words("boot", 100),
    Column("number", Integer, nullable=False),
    Column("deal", Integer, nullable=False),
    _words("kind", 60),
    _words("rule"),
    Column("seat", String(1)),
    Column("play", Integer),
    _words("proposal"),
    _words("needs"),
    _words("status", 20),
    _words("raised_at", 60),
    Column("raised_ms", BIG, nullable=False),
    _words("acknowledged_by", 60),
    _words("acknowledged_at", 60),
    _words("arrived_by", 60),
    _words("arrived_at", 60),
    _words("ended_by", 60),
    _words("ended_at", 60),
    _words("reason", 400),
    _words("penalty"),
    _words("lapsed"),
    UniqueConstraint("tbl", "boot", "number", name="one_incident"),
    Index("incident_by_status", "status"),
)

result = Table(
    "result",
    metadata,
    Column("id", BIG, primary_key=True, autoincrement=True),
    _words("tbl", 100),
    _words("boot", 100),
    Column("round", Integer, nullable=False),
    Column("game", Integer, nullable=False),
    Column("deal", Integer, nullable=False),
    _words("at", 60),
    _words("entered_by", 10),
    _words("checked_by", 10),
    Column("data", Text, nullable=False),
    UniqueConstraint("tbl", "boot", "round", "game", "deal", name="one_result"),
)
"""A deal's result; ``data`` is the event's."""

game = Table(
    "game",
    metadata,
    Column("id", BIG, primary_key=True, autoincrement=True),
    _words("tbl", 100),
    _words("boot", 100),
    Column("round", Integer, nullable=False),
    Column("game", Integer, nullable=False),
    _words("at", 60),
    Column("ended_ms", BIG, nullable=False),
    _words("ew", 100),
    _words("ns", 100),
    Column("data", Text, nullable=False),
    UniqueConstraint("tbl", "boot", "round", "game", name="one_game"),
)
"""A finished game with the teams that the roster named then."""

seal = Table(
    "seal",
    metadata,
    Column("id", BIG, primary_key=True, autoincrement=True),
    _words("tbl", 100),
    _words("boot", 100),
    Column("rev", BIG, nullable=False),
    _words("stage", 20),
    _words("at", 60),
    Column("payload", Text, nullable=False),
    UniqueConstraint("tbl", "boot", "stage", "rev", name="one_seal"),
)

evidence = Table(
    "evidence",
    metadata,
    Column("id", BIG, primary_key=True, autoincrement=True),
    _words("tbl", 100),
    _words("boot", 100),
    Column("deal", Integer, nullable=False),
    Column("play", Integer, nullable=False),
    _words("name"),
    _words("sha256", 64),
    _words("state", 20),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("due_ms", BIG, nullable=False, server_default="0"),
    Column("locked_until_ms", BIG, nullable=False, server_default="0"),
    Column("area", String(20), nullable=False, server_default="play"),
    UniqueConstraint("tbl", "boot", "deal", "area", "play", "name", name="one_picture"),
    Index("evidence_by_hash", "sha256"),
)
"""A picture: ``waiting``, ``here``, ``missing``, ``none`` or ``gone``. ``area``: ``play``, a play's by its number, or
``prompt``, a prompt circle's, named by any number of acts (its ``play`` is 0)."""

appeal = Table(
    "appeal",
    metadata,
    Column("incident_id", BIG, primary_key=True, autoincrement=False),
    _words("note", 2000),
    _words("by", 60),
    _words("at", 60),
    _words("outcome", 2000),
    _words("closed_by", 60),
    _words("closed_at", 60),
)

person = Table(
    "person",
    metadata,
    _words("name", 40, key=True),
    _words("role", 20),
    _words("hash", 300),
    Column("active", Boolean, nullable=False),
    Column("is_key", Boolean, nullable=False),
)
"""People with a password's argon2 hash, and keys of pages with the sha256 of the key."""

session = Table(
    "session",
    metadata,
    _words("token_hash", 64, key=True),
    _words("name", 40),
    Column("expires_ms", BIG, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("id", BIG, primary_key=True, autoincrement=True),
    _words("at", 60),
    _words("who", 60),
    _words("role", 20),
    _words("origin", 100),
    _words("act", 60),
    _words("tbl", 100),
    _words("detail", 2000),
    _words("outcome", 400),
)

document = Table("document", metadata, _words("name", 40, key=True), Column("payload", LargeBinary, nullable=False))
"""Schedule, roster and announcement."""
