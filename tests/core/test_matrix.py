"""R1: every event in every phase has a defined result or a typed refusal, and a refusal changes nothing."""

from __future__ import annotations

from functools import cache

import pytest

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import machine
from table_controller.table.codec import EVENT_TYPES
from table_controller.table.core import HANDLERS, TableCore

SAMPLES: dict[str, dict[str, object]] = {
    "TableOpened": {"table": "t", "venue": "v", "profile": "default"},
    "DealRequested": {"by": "x"},
    "StopRequested": {"by": "x"},
    "ReadyPressed": {"seat": "E"},
    "PassPressed": {"seat": "E"},
    "TdPressed": {"seat": "E"},
    "TimerFired": {"name": "warning"},
    "CardsSeen": {"seat": "E", "cards": ("3S",)},
    "CardsGone": {"seat": "E", "cards": ("3S",)},
    "AreaCleared": {"seat": "E"},
    "PromptLaid": {"seat": "E", "kind": "PASS"},
    "PromptLifted": {"seat": "E", "kind": "PASS"},
    "PromptTouched": {"seat": "E", "kind": "PASS"},
    "PromptCircleCleared": {"seat": "E"},
    "CameraLost": {"reason": "x"},
    "CameraBack": {},
    "DealerOnline": {"boot": 1, "firmware": "f", "protocol": 1, "kind": "avr"},
    "DealerOffline": {"message": "x"},
    "DealPlanned": {"job": 1, "pack": "A", "plan": "ENWS" * 27, "nonce": "0", "commitment": "c"},
    "DealProgress": {"job": 1, "index": 9, "counts": (3, 2, 2, 2, 0)},
    "DealDone": {"job": 1, "counts": (27, 27, 27, 27, 0)},
    "DealFailed": {"job": 1, "code": "JAM", "place": "", "message": "", "void": True},
    "DealerCleared": {},
    "DealtByHand": {"by": "x"},
    "PlayCorrected": {"play": 1, "cards": ("3S",), "by": "x"},
    "PlayEntered": {"seat": "E", "cards": ("3S",), "by": "x"},
    "PauseRequested": {"by": "x"},
    "ResumeRequested": {"by": "x"},
    "IncidentUpdated": {"incident": 1, "status": "resolved", "by": "x"},
    "Resync": {"by": "x", "turn": "E", "counts": (9, 9, 9, 9)},
    "Ruled": {"incident": 1, "penalty": "foul", "by": "x", "role": "head_referee", "seat": "E"},
    "IrregularityNoted": {"kind": "exposed_card", "seat": "E", "by": "x"},
    "PromptTold": {"incident": 1, "kind": "PASS", "by": "x"},
    "HallReminded": {"kinds": ("irregular_layout",), "by": "x"},
    "TypeNamed": {"seat": "S", "play_type": "pair"},
    "LeaderNamed": {"leader": "N", "by": "x"},
    "CardsExposed": {"seat": "E", "cards": ("3S",), "by": "x", "as_tribute": True},
    "ExchangeCorrected": {"seat": "E", "card": "3S", "by": "x", "wrong": True},
    "WildDeclared": {"play": 1, "reading": "single:3", "by": "x"},
    "PlayInserted": {"after": 0, "seat": "E", "cards": ("3S",), "by": "x"},
    "PlayRemoved": {"play": 1, "by": "x"},
    "PlayMoved": {"play": 1, "seat": "N", "by": "x"},
    "RolledBack": {"play": 1, "by": "x"},
    "ClockExtended": {"extra_ms": 5000, "by": "x"},
    "ClockSet": {"elapsed_ms": 5000, "by": "x"},
    "MatchSet": {"by": "x", "system": "计副", "deals": 4},
    "RoundLeft": {"left_ms": 60_000},
    "RoundEnded": {"by": "x"},
    "RoundExtended": {"minutes": 5, "by": "x"},
    "GameConceded": {"pair": "EW", "how": "forfeit", "by": "x", "role": "head_referee"},
    "LateArrived": {"seat": "E", "minutes": 3.0, "by": "x"},
    "LevelsSet": {"ew": "5", "ns": "3", "owner": "EW", "by": "x"},
    "MatchCarried": {"document": "{}", "by": "x"},
    "ResultEntered": {"seat": "S"},
    "ResultChecked": {"seat": "E"},
    "ResultCorrected": {
        "deal": 1,
        "order": ("E", "N", "W", "S"),
        "agreed": ("EW", "NS"),
        "by": "x",
        "role": "head_referee",
    },
    "DisputeRaised": {"seat": "E", "play": 0},
    "DisputeAgreed": {"seat": "N", "incident": 1},
}
TIMERS = ("warning", "limit", "sorting", "early", "round", "seats", "begin", "no such timer")


@cache
def tables() -> dict[str, TableCore]:
    """One core in each phase, reached by events alone."""
    found: dict[str, TableCore] = {"closed": TableCore()}

    def keep(driven: EventTable) -> None:
        found.setdefault(driven.core.state.phase, TableCore(driven.core.state))

    for seed in range(60):
        table = EventTable(seed)
        table.open()
        keep(table)
        table.send(ev.DealRequested, by="x", leader="E")
        keep(table)
        table.send(ev.DealFailed, job=1, code="JAM", place="", message="", void=True)
        keep(table)
        table.send(ev.DealerCleared)
        table.deal()
        keep(table)
        table.sort_and_exchange()
        keep(table)
        while table.core.state.phase in ("playing", "trick_over"):
            table.act()
            keep(table)
        table.deal()
        for seat in ("E", "N", "W", "S"):
            table.send(ev.ReadyPressed, seat=seat)
        keep(table)
        exchange = table.core.state.exchange
        for seat in list(exchange.owing):
            if table.core.state.phase == "tribute":
                table.send(ev.CardsSeen, seat=seat, cards=("AS",))
        keep(table)
        table.send(ev.PauseRequested, by="x")
        keep(table)
        if set(machine.PHASES) - set(found) == {"game_over"}:
            break
    table = EventTable(3)
    table.open()
    table.core.state.levels = {"EW": "A", "NS": "A"}
    table.core.state.deal_level = "A"
    for _ in range(30):
        table.play_deal()
        if table.core.state.phase == "game_over":
            break
    keep(table)
    return found


def test_every_phase_is_reached() -> None:
    assert set(tables()) == {*machine.PHASES, "closed"}


def test_samples_and_handlers_are_complete() -> None:
    assert set(SAMPLES) == set(EVENT_TYPES)
    assert {kind.__name__ for kind in HANDLERS} == set(EVENT_TYPES)


@pytest.mark.parametrize("phase", [*machine.PHASES, "closed"])
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_state_times_event(phase: str, name: str) -> None:
    core = tables()[phase]
    before = core.state.digest()
    variants = [{"name": timer} for timer in TIMERS] if name == "TimerFired" else [{}]
    for variant in variants:
        event = EVENT_TYPES[name](**{"at_ms": 10_000_000, **SAMPLES[name], **variant})
        outcome = core.handle(event)
        assert core.state.digest() == before, "handle must never change the committed state"
        if outcome.refusal is not None:
            assert outcome.state is core.state
            assert outcome.effects == ()
            assert outcome.refusal.code
            assert outcome.refusal.message
        else:
            assert outcome.state.phase in machine.PHASES


def test_every_callback_of_the_machine_resolves() -> None:
    for transition in machine.TRANSITIONS:
        for callback in (transition.get("conditions"),):
            assert callback is None or callable(callback)
        sources = transition["source"]
        for source in [sources] if isinstance(sources, str) else sources:
            assert source in machine.PHASES
        assert transition["dest"] in machine.PHASES
    used = {transition["trigger"] for transition in machine.TRANSITIONS}
    assert machine.fire("standby", "", "no such trigger") is None
    for trigger in used:
        assert any(machine.fire(p, u, trigger) for p in machine.PHASES for u in machine.PHASES), trigger
