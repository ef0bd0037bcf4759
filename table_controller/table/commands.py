"""Commands of people (pages, consoles, the venue) as events; what is wrong with one is said in words.

A command is an object ``{"do": NAME, …}``. ``docs/commands.md`` lists them all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from table_controller.errors import InputError
from table_controller.table import events as ev
from table_controller.table import fields as f
from table_controller.table.referee_commands import REFEREE

Maker = Callable[[int, dict[str, Any]], ev.Event]


def _resync(at_ms: int, data: dict[str, Any]) -> ev.Event:
    last = f.seat(data, "last_seat") if data.get("last_seat") else None
    cards = f.cards({"cards": data["last_cards"]}) if data.get("last_cards") else ()
    return ev.Resync(at_ms, f.by(data), f.seat(data, "turn"), f.counts(data), last, cards)


def _play(at_ms: int, data: dict[str, Any]) -> ev.Event:
    """``cards``, or ``count`` for so many cards whose faces nobody knows."""
    return ev.PlayEntered(at_ms, f.seat(data), f.cards_or_count(data), f.by(data), f.number(data, "replaces", 0))


def _corrected(at_ms: int, data: dict[str, Any]) -> ev.Event:
    deal = f.number(data, "deal", 0)
    play, cards = f.number(data, "play"), f.cards(data)
    words = f.by(data), f.reason(data), deal, f.agreed(data), f.role(data), f.saw(data)
    return ev.PlayCorrected(at_ms, play, cards, *words)


def _incident(at_ms: int, data: dict[str, Any]) -> ev.Event:
    return ev.IncidentUpdated(at_ms, f.number(data, "number"), str(data.get("status")), f.by(data), f.reason(data))


OPERATOR: dict[str, Maker] = {
    "stop": lambda at, d: ev.StopRequested(at, f.by(d)),
    "clear_fault": lambda at, d: ev.DealerCleared(at),
    "dealt_by_hand": lambda at, d: ev.DealtByHand(at, f.by(d), f.seat(d, "leader") if d.get("leader") else None),
    "pause": lambda at, d: ev.PauseRequested(at, f.by(d), f.reason(d)),
    "resume": lambda at, d: ev.ResumeRequested(at, f.by(d)),
    "ready": lambda at, d: ev.ReadyPressed(at, f.seat(d)),
    "pass": lambda at, d: ev.PassPressed(at, f.seat(d), f.one_of(d, "how", ("", "card", "word", "knock"))),
    "report": lambda at, d: ev.PromptLaid(at, f.seat(d), str(f.number(d, "number"))),
    "td": lambda at, d: ev.TdPressed(at, f.seat(d)),
    "play": _play,
    "correct": _corrected,
    "incident": _incident,
    "cleared": lambda at, d: ev.AreaCleared(at, f.seat(d)),
    "prompts_cleared": lambda at, d: ev.PromptCircleCleared(at, f.seat(d)),
    "resync": _resync,
}


def command_names() -> list[str]:
    """Every command there is."""
    return ["start", *OPERATOR, *REFEREE]


def parse_command(data: Any, at_ms: int, draw_leader: Callable[[], str]) -> ev.Event:
    """The event of ``{"do": …, …}``; raises InputError or CardError naming what is wrong."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:  # half a character, which no journal can hold
        raise InputError("The command holds what cannot be written down.", code="COMMAND") from error
    if not isinstance(data, dict):
        raise InputError('A command is an object such as {"do": "start"}.', code="COMMAND")
    name = str(data.get("do"))
    if name == "start":
        return ev.DealRequested(at_ms, f.by(data), f.seat({"seat": draw_leader()}))
    maker = OPERATOR.get(name) or REFEREE.get(name)
    if maker is None:
        raise InputError(f"There is no command {data.get('do')!r}.", way_out=f"Commands: {', '.join(command_names())}.")
    return maker(at_ms, data)
