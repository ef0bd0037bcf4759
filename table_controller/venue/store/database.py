"""Opens the archive's database, brings it up to date, and writes rows that may be there already."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from table_controller.errors import ConfigError, DeviceError

MIGRATIONS = Path(str(files(__package__) / "migrations"))


def open_database(url: str) -> Engine:
    """An engine; SQLite in WAL mode. Raises ConfigError for a URL that is none."""
    try:
        made = make_url(url)
        if made.get_backend_name() == "sqlite" and made.database and made.database != ":memory:":
            Path(made.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(made, pool_pre_ping=True)
    except (ArgumentError, ModuleNotFoundError, OSError) as error:
        way_out = "Leave archive.database empty for SQLite, or install the extra: table-controller[postgresql]."
        raise ConfigError(f"archive.database cannot be opened: {error}.", way_out=way_out) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _pragmas)
    return engine


def _pragmas(connection: Any, record: Any) -> None:
    for words in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {words}")


def migrate(engine: Engine) -> None:
    """Bring the tables up to date; raises DeviceError when the database cannot be reached or is newer."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    try:
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except SQLAlchemyError as error:
        words = str(error).splitlines()[0]
        raise DeviceError(
            f"The archive's database cannot be used: {words}.", way_out="Check archive.database."
        ) from error


@cache
def _insert(dialect: str, table: Table, replaces: tuple[str, ...] = ()) -> Any:
    """The statement, made once: that costs more than a row. ``replaces``: the columns that a known key's row takes."""
    made = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    if not replaces:
        return made.on_conflict_do_nothing()
    keys = [column.name for column in table.primary_key]
    return made.on_conflict_do_update(index_elements=keys, set_={name: made.excluded[name] for name in replaces})


def add_new(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows; those that are there already stay as they are."""
    if rows:
        connection.execute(_insert(connection.dialect.name, table), list(rows))


def put(connection: Connection, table: Table, row: dict[str, Any]) -> None:
    """Insert a row, or replace what it says of the one with the same primary key."""
    put_all(connection, table, [row])


def put_all(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """The same for rows with the same columns."""
    if rows:
        keys = {column.name for column in table.primary_key}
        replaces = tuple(name for name in rows[0] if name not in keys)
        connection.execute(_insert(connection.dialect.name, table, replaces), list(rows))
