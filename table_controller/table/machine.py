"""The one state machine of a table (``transitions``): phases, triggers, and the diagram in the docs.

Paused and fault lie over any other phase; ``under`` remembers which. One Machine serves all tables: each event uses a
throw-away model, so that a refused event leaves nothing behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from transitions import EventData, Machine, MachineError

PHASES = (
    "standby",
    "dealing",
    "sorting",
    "tribute",
    "returning",
    "playing",
    "trick_over",
    "deal_over",
    "game_over",
    "paused",
    "fault",
)
UNDER_PAUSE = ("sorting", "tribute", "returning", "playing", "trick_over")
UNDER_FAULT = ("standby", "deal_over")


@dataclass
class Phase:
    """The throw-away model: the phase, and what lies under a pause or a fault."""

    state: str
    under: str = ""


def _was(phase: str) -> Any:
    def condition(event: EventData) -> bool:
        return bool(getattr(event.model, "under", "") == phase)

    condition.__name__ = f"was_{phase}"
    return condition


TRANSITIONS: list[dict[str, Any]] = [
    {"trigger": "deal_requested", "source": ["standby", "deal_over", "game_over"], "dest": "dealing"},
    {"trigger": "dealt", "source": "dealing", "dest": "sorting"},
    {"trigger": "dealt_by_hand", "source": ["standby", "deal_over", "game_over"], "dest": "sorting"},
    {"trigger": "deal_failed", "source": "dealing", "dest": "fault"},
    {"trigger": "deal_resumes", "source": "fault", "dest": "dealing"},
    {"trigger": "fault", "source": list(UNDER_FAULT), "dest": "fault"},
    {"trigger": "tribute_begins", "source": "sorting", "dest": "tribute"},
    {"trigger": "tribute_shown", "source": "tribute", "dest": "returning"},
    {"trigger": "play_begins", "source": ["sorting", "tribute", "returning"], "dest": "playing"},
    {"trigger": "trick_ends", "source": "playing", "dest": "trick_over"},
    {"trigger": "trick_begins", "source": "trick_over", "dest": "playing"},
    {"trigger": "deal_ends", "source": "playing", "dest": "deal_over"},
    {"trigger": "game_ends", "source": "playing", "dest": "game_over"},
    {"trigger": "deal_lost", "source": [*UNDER_PAUSE, "paused", "game_over"], "dest": "deal_over"},
    {"trigger": "game_lost", "source": [*UNDER_PAUSE, "paused", "standby", "deal_over"], "dest": "game_over"},
    {"trigger": "time_ends", "source": ["standby", "deal_over"], "dest": "game_over"},
    {"trigger": "deal_restored", "source": ["deal_over", "game_over"], "dest": "paused"},
    {"trigger": "match_set", "source": ["standby", "deal_over", "game_over"], "dest": "standby"},
    {"trigger": "carried", "source": "standby", "dest": "paused"},
    {"trigger": "carried_between", "source": "standby", "dest": "deal_over"},
    {"trigger": "carried_over", "source": "standby", "dest": "game_over"},
    {"trigger": "resync", "source": ["playing", "trick_over", "paused"], "dest": "playing"},
    {"trigger": "pause", "source": list(UNDER_PAUSE), "dest": "paused"},
    *[{"trigger": "resume", "source": "paused", "dest": p, "conditions": _was(p)} for p in UNDER_PAUSE],
    *[{"trigger": "cleared", "source": "fault", "dest": p, "conditions": _was(p)} for p in UNDER_FAULT],
]

MACHINE = Machine(
    model=None,
    states=list(PHASES),
    transitions=TRANSITIONS,
    initial="standby",
    auto_transitions=False,
    send_event=True,
    model_override=False,
)


def fire(state: str, under: str, trigger: str) -> str | None:
    """The phase after ``trigger``, or None when the machine has no such transition from here."""
    model = Phase(state, under)
    MACHINE.add_model(model, initial=state)
    try:
        moved = model.trigger(trigger)  # type: ignore[attr-defined]
    except (MachineError, AttributeError):
        return None
    finally:
        MACHINE.remove_model(model)
    return model.state if moved else None


def diagram() -> str:
    """The machine as a Mermaid state diagram, as it stands in ``docs/architecture.md``."""
    lines = ["stateDiagram-v2", "    [*] --> standby"]
    for transition in TRANSITIONS:
        sources = transition["source"]
        for source in [sources] if isinstance(sources, str) else sources:
            lines.append(f"    {source} --> {transition['dest']}: {transition['trigger']}")
    return "\n".join(lines)
