"""Commands of the control page as events; what is wrong with one is said in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table_controller.cards import SEATS, Seat, over_conserved, parse_cards, parse_seat
from table_controller.errors import InputError
from table_controller.table import events as ev


def _number(data: dict[str, Any], key: str) -> int:
    value = data.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"'{key}' must be a whole number.", code="COMMAND")
    return value


def _seat(data: dict[str, Any], key: str = "seat") -> Seat:
    return parse_seat(str(data.get(key, "")))


def _cards(data: dict[str, Any]) -> tuple[str, ...]:
    cards = data.get("cards")
    if isinstance(cards, str):
        cards = cards.split()
    if not isinstance(cards, list) or not 1 <= len(cards) <= 10:
        raise InputError("'cards' must be 1 to 10 cards, such as 5S 5D.", code="COMMAND")
    codes = parse_cards(str(card) for card in cards)
    surplus = over_conserved(codes)
    if surplus:
        raise InputError(f"Two packs hold only two {' '.join(surplus)}.", code="COMMAND")
    return codes


def _counts(data: dict[str, Any]) -> tuple[int, int, int, int]:
    counts = data.get("counts")
    if not isinstance(counts, dict):
        raise InputError("'counts' must name the cards left of E, N, W and S.", code="COMMAND")
    e, n, w, s = (_number(counts, seat) for seat in SEATS)
    return (e, n, w, s)


def _resync(at_ms: int, data: dict[str, Any], by: str) -> ev.Event:
    last = _seat(data, "last_seat") if data.get("last_seat") else None
    cards = _cards({"cards": data["last_cards"]}) if data.get("last_cards") else ()
    return ev.Resync(at_ms, by, _seat(data, "turn"), _counts(data), last, cards)


def parse_command(data: Any, at_ms: int, draw_leader: Callable[[], str]) -> ev.Event:
    """The event of ``{"do": …, …}``; raises InputError or CardError naming what is wrong."""
    if not isinstance(data, dict):
        raise InputError('A command is an object such as {"do": "start"}.', code="COMMAND")
    by = str(data.get("by") or "page")[:40]
    reason = str(data.get("reason") or "")[:200]
    makers: dict[str, Callable[[], ev.Event]] = {
        "start": lambda: ev.DealRequested(at_ms, by, parse_seat(draw_leader())),
        "stop": lambda: ev.StopRequested(at_ms, by),
        "clear_fault": lambda: ev.DealerCleared(at_ms),
        "pause": lambda: ev.PauseRequested(at_ms, by, reason),
        "resume": lambda: ev.ResumeRequested(at_ms, by),
        "ready": lambda: ev.ReadyPressed(at_ms, _seat(data)),
        "pass": lambda: ev.PassPressed(at_ms, _seat(data)),
        "td": lambda: ev.TdPressed(at_ms, _seat(data)),
        "play": lambda: ev.PlayEntered(at_ms, _seat(data), _cards(data), by),
        "correct": lambda: ev.PlayCorrected(at_ms, _number(data, "play"), _cards(data), by, reason),
        "incident": lambda: ev.IncidentUpdated(at_ms, _number(data, "number"), str(data.get("status")), by, reason),
        "cleared": lambda: ev.AreaCleared(at_ms, _seat(data)),
        "prompts_cleared": lambda: ev.PromptCircleCleared(at_ms, _seat(data)),
        "resync": lambda: _resync(at_ms, data, by),
    }
    maker = makers.get(str(data.get("do")))
    if maker is None:
        raise InputError(f"There is no command {data.get('do')!r}.", way_out=f"Commands: {', '.join(makers)}.")
    return maker()
