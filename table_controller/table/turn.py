"""The working copy of one event: the draft state, the effects so far, and the small steps that handlers share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from table_controller.cards import SEATS, Seat
from table_controller.games.guandan.penalties import proposed
from table_controller.games.guandan.profile import Profile, rules_of
from table_controller.table import machine
from table_controller.table.effects import Buzzer, CancelTimer, Effect, Lamp, Publish, SetTimer, WatchMode
from table_controller.table.incidents import KINDS, TABLE, Incident
from table_controller.table.refusal import Refusal
from table_controller.table.state import ClockState, TableState

SETTLE_MS = 1200
"""How long after a limit a play stamped in time may still arrive from the camera (several frames and their reading)."""
EARLY_HOLD_MS = 4000
"""How long an action seen before its turn waits for the seats before it (a sleeve may hide an area for seconds)."""


@dataclass
class Draft:
    """One event at work: ``state`` may be changed freely, it is thrown away on a refusal."""

    state: TableState
    effects: list[Effect] = field(default_factory=list)

    @property
    def profile(self) -> Profile:
        """The rule set of this table."""
        return rules_of(self.state.profile, self.state.rules)

    def emit(self, effect: Effect) -> None:
        """Add an effect, to be released once the event is durable."""
        self.effects.append(effect)

    def publish(self, kind: str, /, **data: object) -> None:
        """Add a public event."""
        self.emit(Publish(kind, tuple(sorted(data.items()))))

    def move(self, trigger: str) -> None:
        """Fire a trigger of the machine; refused where it has no such transition."""
        phase = machine.fire(self.state.phase, self.state.under, trigger)
        if phase is None:
            raise Refusal(f"'{trigger}' is not possible while the table is in '{self.state.phase}'.", code="PHASE")
        if phase in ("paused", "fault"):
            self.state.under = self.state.phase
        self.state.phase = phase

    def require(self, *phases: str) -> None:
        """Refuse unless the table is in one of these phases."""
        if self.state.phase not in phases:
            raise Refusal(f"Not now: the table is in '{self.state.phase}'.", code="PHASE")

    def lamp(self, seat: Seat | None, mode: str) -> None:
        """Switch a turn lamp, or the table lamp (None)."""
        key = seat or "table"
        if self.state.lamps.get(key, "off") != mode:
            self.state.lamps[key] = mode
            self.emit(Lamp(seat, mode))

    def only_lamp(self, seat: Seat | None, mode: str = "on") -> None:
        """Light one seat's lamp and put out the others."""
        for other in SEATS:
            self.lamp(other, mode if other == seat else "off")

    def incident(
        self,
        kind: str,
        at_ms: int,
        seat: Seat | None = None,
        play: int | None = None,
        detail: str = "",
        shown_type: str = "",
        evidence: str = "",
        what: str = "",
        deal: int = 0,
    ) -> Incident:
        """Open an incident with what the rules propose for it, and publish it.

        ``what`` names the irregularity to ``penalties.proposed`` where the kind alone does not tell; ``deal`` an
        earlier deal that it belongs to.
        """
        state = self.state
        trick = state.deal.trick_number if state.deal else 0
        number = state.incidents[-1].number + 1 if state.incidents else 1
        deal = deal or state.deal_number
        incident = Incident(number, kind, at_ms, deal, seat, play, detail, trick=trick)
        told = {"session_game": state.match.session_game, "rule": KINDS[kind].rule}
        incident = replace(incident, type=shown_type, evidence=evidence, **told)  # type: ignore[arg-type]
        incident = self._with_proposal(incident, what or kind)
        state.incidents.append(incident)
        self.publish(
            "incident",
            number=incident.number,
            kind=kind,
            seat=seat,
            play=play,
            rule=incident.rule,
            proposal=incident.proposal,
            needs=incident.needs,
        )
        return incident

    def of_this_deal(self, incident: Incident) -> bool:
        """Whether an incident belongs to the deal under way, or to the last one."""
        return self.of_deal(incident, self.state.deal_number)

    def of_deal(self, incident: Incident, number: int) -> bool:
        """Whether an incident belongs to a deal of this game."""
        return (incident.deal, incident.session_game) == (number, self.state.match.session_game)

    def _with_proposal(self, incident: Incident, what: str) -> Incident:
        state = self.state
        if incident.seat is None:
            return incident
        match = state.match
        found = proposed(
            what,
            incident.seat,
            state.given,
            self.profile,
            game=match.game,
            round_=match.round,
            reminded=incident.kind in state.reminded,
        )
        if found is None:
            return incident
        return replace(incident, proposal=found.penalty, needs=found.needs, count=found.count, rule=found.rule)

    def update(self, number: int, at_ms: int, by: str, reason: str = "", **changes: str) -> Incident:
        """Change an incident, with a line in its history, and publish it."""
        incidents = self.state.incidents
        place = next(i for i, incident in enumerate(incidents) if incident.number == number)
        old = incidents[place]
        status = changes.get("status", old.status)
        history = (*old.history, (status, at_ms, by, reason))
        incidents[place] = replace(old, by=by, reason=reason, history=history, **changes)  # type: ignore[arg-type]
        new = incidents[place]
        self.publish(
            "incident_updated",
            number=number,
            status=status,
            by=by,
            reason=reason,
            penalty=new.penalty,
            lapsed=new.lapsed,
        )
        return new

    def withdraw(self, number: int, at_ms: int, reason: str) -> None:
        """The table takes back an incident that no longer holds."""
        self.update(number, at_ms, TABLE, reason, status="overturned")

    def start_clock(self, kind: str, seat: Seat | None, at_ms: int, warning_ms: int, grace_ms: int) -> None:
        """Run the clock for a seat from ``at_ms``; a warning of 0 means no clock of this kind."""
        self.stop_clock()
        if warning_ms == 0:
            return
        limit_ms = warning_ms + grace_ms
        self.state.clock = ClockState(kind, seat, at_ms, 0, True, warning_ms, limit_ms)
        self._arm()

    def _arm(self) -> None:
        clock = self.state.clock
        start = clock.anchor_ms - clock.elapsed_ms
        if not clock.warned:
            self.emit(SetTimer("warning", start + clock.warning_ms))
        if clock.kind != "play" and not clock.late:
            self.emit(SetTimer("late", start + clock.warning_ms + SETTLE_MS))
        if clock.limit_ms > clock.warning_ms:
            self.emit(SetTimer("limit", start + clock.limit_ms + SETTLE_MS))

    def stop_clock(self) -> None:
        """No clock runs."""
        if self.state.clock.kind != "none":
            self._disarm()
        self.state.clock = ClockState()

    def pause(self, at_ms: int, reason: str) -> None:
        """Stop play and clock, keeping the time used."""
        self.move("pause")
        self.state.pause_reason = reason
        self.think(at_ms)
        self._hold_sorting(at_ms)
        self.state.clock.elapsed_ms = self.state.clock.elapsed(at_ms)
        self.hold_clock()
        self.lamp(None, "blink")
        self.publish("paused", reason=reason)

    def _hold_sorting(self, at_ms: int) -> None:
        """What is left of the sorting allowance, kept as a length while play stands."""
        if self.state.under == "sorting":
            self.state.sorting_ends_ms = max(0, self.state.sorting_ends_ms - at_ms)
            self.emit(CancelTimer("sorting"))

    def _let_sort(self, at_ms: int) -> None:
        if self.state.phase == "sorting":
            self.state.sorting_ends_ms += at_ms
            self.emit(SetTimer("sorting", self.state.sorting_ends_ms))

    def extend_sorting(self, extra_ms: int) -> bool:
        """The sorting allowance ends so much later, also while it waits with a pause; False when nobody sorts."""
        state = self.state
        if extra_ms <= 0 or "sorting" not in (state.phase, state.under if state.phase == "paused" else ""):
            return False
        state.sorting_ends_ms += extra_ms
        if state.phase == "sorting":
            self.emit(SetTimer("sorting", state.sorting_ends_ms))
        return True

    def hold_clock(self) -> None:
        """The clock stands still with the time it has used."""
        self.state.clock.running = False
        self._disarm()

    def _disarm(self) -> None:
        for name in ("warning", "limit", *(("late",) if self.state.clock.kind != "play" else ())):
            self.emit(CancelTimer(name))

    def rearm(self, at_ms: int) -> None:
        """The running clock's limits or its time were changed."""
        clock = self.state.clock
        if not clock.running:
            return
        clock.elapsed_ms, clock.anchor_ms = clock.elapsed(at_ms), at_ms
        self._disarm()
        self._arm()

    def resume(self, at_ms: int) -> None:
        """Let play and clock go on from the time used."""
        self.move("resume")
        self.state.pause_reason = ""
        self._let_sort(at_ms)
        clock = self.state.clock
        if clock.kind != "none":
            clock.anchor_ms, clock.running = at_ms, True
            self._arm()
        if self.state.deal is not None and self.state.phase == "playing":
            self.state.thinking.since_ms = at_ms
        self.lamp(None, "on")
        self.publish("resumed")

    def think(self, at_ms: int, seat: Seat | None = None) -> None:
        """Charge the time since the turn began to ``seat``, or to the seat in turn; nothing runs from now."""
        thinking, deal = self.state.thinking, self.state.deal
        who = seat or (deal.turn if deal is not None else None)
        if thinking.since_ms is not None and who is not None:
            thinking.used[who] += max(0, at_ms - thinking.since_ms)
        thinking.since_ms = None

    def idle(self) -> None:
        """Between deals: no lamp, no clock, no pause, pictures allowed."""
        self.state.pause_reason = ""
        self.stop_clock()
        self.only_lamp(None)
        self.emit(WatchMode("idle"))

    def buzz(self, pattern: str) -> None:
        """Sound the buzzer."""
        self.emit(Buzzer(pattern))
