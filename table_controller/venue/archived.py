"""What one event changes in the archive: incidents, results, games, pictures. Called in the order of the numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

from sqlalchemy import Connection, and_, desc, func, select, update

from table_controller.runtime import measure
from table_controller.table.incidents import OPEN
from table_controller.venue.documents import seats_of
from table_controller.venue.store import tables as t
from table_controller.venue.store.database import add_new

Message = dict[str, Any]
Roster = Callable[[], dict[str, Any]]


class Progress(Protocol):
    """What is carried from event to event of one boot."""

    round: int
    order: int


def apply_event(connection: Connection, said: Message, progress: Progress, roster: Roster) -> None:
    """Take one event; a field of a wrong type makes it an event that changes nothing."""
    data = said["data"]
    maker = _MAKERS.get(said["schema"].removeprefix("event/"))
    if maker is None:
        return
    try:
        made = maker(said, data, progress, roster)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return
    made(connection)


Act = Callable[[Connection], None]
Maker = Callable[[Message, Message, Progress, Roster], Act]


def _word(value: Any, most: int = 200) -> str:
    return ("" if value is None else str(value)).replace("\x00", "")[:most].encode("utf-8", "replace").decode()


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise ValueError("no whole number")
    return value


def _seat(value: Any) -> str | None:
    return value if value in ("E", "N", "W", "S") else None


def _key(said: Message) -> dict[str, Any]:
    return {"tbl": said["table"], "boot": said["boot"]}


def _incident(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    row = {
        **_key(said),
        "number": _whole(data["number"]),
        "deal": _whole(said["deal"]),
        "kind": _word(data["what"], 60),
        "rule": _word(data.get("rule")),
        "seat": _seat(data.get("seat")),
        "play": None if data.get("play") is None else _whole(data["play"]),
        "proposal": _word(data.get("proposal")),
        "needs": _word(data.get("needs")),
        "status": "open",
        "raised_at": _word(said["ts"], 60),
        "raised_ms": measure.epoch_ms(),
    }
    return lambda connection: add_new(connection, t.incident, [row])


_STEPS = {"acknowledged": "acknowledged", "arrived": "arrived", "resolved": "ended", "overturned": "ended"}


def _incident_updated(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    step = _STEPS[data["status"]]
    values = {
        "status": data["status"],
        f"{step}_by": _word(data["by"], 60),
        f"{step}_at": _word(said["ts"], 60),
        "reason": _word(data.get("reason"), 400),
        "penalty": _word(data.get("penalty")),
        "lapsed": _word(data.get("lapsed")),
    }
    number = _whole(data["number"])

    def act(connection: Connection) -> None:
        newest = _newest(connection, t.incident, t.incident.c.number == number, said)
        if newest is not None:
            connection.execute(update(t.incident).where(t.incident.c.id == newest).values(values))

    return act


def _newest(connection: Connection, table: Any, condition: Any, said: Message) -> int | None:
    """The row of this table that is meant: numbers go on over a restart, and begin again with a new session."""
    found = select(table.c.id).where(table.c.tbl == said["table"], condition).order_by(desc(table.c.id)).limit(1)
    return connection.execute(found).scalar_one_or_none()


def _of_session(connection: Connection, table: Any, row: int, said: Message) -> bool:
    """Whether a row was told since its table opened last, in this boot or before a restart."""
    boot = connection.execute(select(table.c.boot).where(table.c.id == row)).scalar_one()
    mine = t.event.c.tbl == said["table"]
    opened = select(func.max(t.event.c.id)).where(mine, t.event.c.kind == "opened").scalar_subquery()
    since = select(t.event.c.id).where(mine, t.event.c.boot == boot, t.event.c.id >= func.coalesce(opened, 0))
    return connection.execute(since.limit(1)).first() is not None


def _opened(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    """A new session of a table: what was open in the last one nobody can settle any more."""
    values = {"status": "resolved", "ended_by": "table", "ended_at": _word(said["ts"], 60), "reason": NEW_SESSION}
    same = (t.incident.c.tbl == said["table"], t.incident.c.status.in_(OPEN))
    progress.round = 1
    return lambda connection: _ignore(connection.execute(update(t.incident).where(*same).values(values)))


def _ignore(found: Any) -> None:
    """The number of rows says nothing here."""


def _match_set(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    progress.round = max(1, _whole(data["round"]))
    return lambda connection: None


def _match_carried(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    """A match goes on at a spare table, in the round that its table was in."""
    was = _word(data["was"], 100)

    def act(connection: Connection) -> None:
        boots = select(t.event.c.boot).where(t.event.c.tbl == was).order_by(desc(t.event.c.id)).limit(1)
        boot = connection.execute(boots).scalar_one_or_none()
        same = select(t.cursor.c.round).where(t.cursor.c.tbl == was, t.cursor.c.boot == boot)
        progress.round = connection.execute(same).scalar_one_or_none() or progress.round

    return act


def _deal_over(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    row = {
        **_key(said),
        "round": progress.round,
        "game": _whole(data["game"]),
        "deal": _whole(data["deal"]),
        "at": _word(said["ts"], 60),
        "data": json.dumps(data),
    }

    def act(connection: Connection) -> None:
        same = and_(*(getattr(t.result.c, key) == row[key] for key in ("round", "game", "deal")))
        told = _newest(connection, t.result, same, said)
        if told is None or not _of_session(connection, t.result, told, said):
            add_new(connection, t.result, [row])
        else:  # a foul after the deal, one that was overturned, a deal that went on
            connection.execute(update(t.result).where(t.result.c.id == told).values(data=row["data"]))

    return act


def _result_corrected(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    deal, change = _whole(data["deal"]), {"order": data["order"], "corrected": True}

    def act(connection: Connection) -> None:
        newest = _newest(connection, t.result, t.result.c.deal == deal, said)
        if newest is not None:
            was = json.loads(connection.execute(select(t.result.c.data).where(t.result.c.id == newest)).scalar_one())
            values = {"data": json.dumps({**was, **change})}
            connection.execute(update(t.result).where(t.result.c.id == newest).values(values))

    return act


def _signed(column: str) -> Maker:
    def maker(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
        deal, values = _whole(data["deal"]), {column: _word(data["seat"], 10)}

        def act(connection: Connection) -> None:
            newest = _newest(connection, t.result, t.result.c.deal == deal, said)
            if newest is not None:
                connection.execute(update(t.result).where(t.result.c.id == newest).values(values))

        return act

    return maker


def _game_over(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    seats = seats_of(roster(), progress.round, said["table"])
    row = {
        **_key(said),
        "round": progress.round,
        "game": _whole(data["game"]),
        "at": _word(said["ts"], 60),
        "ended_ms": measure.epoch_ms(),
        "ew": _word(seats.get("EW") or f"{said['table']} EW", 100),
        "ns": _word(seats.get("NS") or f"{said['table']} NS", 100),
        "data": json.dumps(data),
    }

    def act(connection: Connection) -> None:
        same = and_(t.game.c.round == row["round"], t.game.c.game == row["game"])
        newest = _newest(connection, t.game, same, said)
        if newest is not None and _by(connection, newest) == TAKEN_BACK:  # under the names that it was told with
            connection.execute(update(t.game).where(t.game.c.id == newest).values(data=row["data"]))
        else:
            add_new(connection, t.game, [row])

    return act


TAKEN_BACK = "taken back"
"""How a game ended that counts no more, until it ends again."""


def _by(connection: Connection, number: int) -> str:
    text = connection.execute(select(t.game.c.data).where(t.game.c.id == number)).scalar_one()
    return str(json.loads(text).get("by"))


def _game_taken_back(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    game, round_ = _whole(data["game"]), progress.round

    def act(connection: Connection) -> None:
        newest = _newest(connection, t.game, and_(t.game.c.round == round_, t.game.c.game == game), said)
        if newest is not None:
            values = {"data": json.dumps({"game": game, "winner": None, "by": TAKEN_BACK})}
            connection.execute(update(t.game).where(t.game.c.id == newest).values(values))

    return act


def _play(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    name, digest = _word(data.get("evidence")), _word(data.get("evidence_sha256"), 64)
    row = {
        **_key(said),
        "deal": _whole(said["deal"]),
        "play": _whole(data["number"]),
        "name": name,
        "sha256": digest if len(digest) == 64 else "",
        "state": "waiting" if name and len(digest) == 64 else "none",
    }
    return (lambda connection: add_new(connection, t.evidence, [row])) if name else (lambda connection: None)


def _nothing(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
    return lambda connection: None


def _with_circle(maker: Maker) -> Maker:
    """Also the picture of the seat's prompt circle, where the event names one."""

    def both(said: Message, data: Message, progress: Progress, roster: Roster) -> Act:
        act = maker(said, data, progress, roster)
        name, digest = _word(data.get("prompt_evidence")), _word(data.get("prompt_sha256"), 64)
        if not name or len(digest) != 64:
            return act
        row = {**_key(said), "deal": _whole(said["deal"]), "play": 0, "area": "prompt", "name": name}
        row |= {"sha256": digest, "state": "waiting"}

        def acts(connection: Connection) -> None:
            act(connection)
            add_new(connection, t.evidence, [row])

        return acts

    return both


NEW_SESSION = "the table began a new session / 本桌重新开始"
_MAKERS: dict[str, Maker] = {
    "opened": _opened,
    "incident": _with_circle(_incident),
    "incident_updated": _incident_updated,
    "match_set": _match_set,
    "match_carried": _match_carried,
    "deal_over": _deal_over,
    "result_corrected": _result_corrected,
    "result_entered": _signed("entered_by"),
    "result_checked": _signed("checked_by"),
    "game_over": _game_over,
    "game_taken_back": _game_taken_back,
    "play": _with_circle(_play),
    "pass": _with_circle(_nothing),
    "report": _with_circle(_nothing),
}
