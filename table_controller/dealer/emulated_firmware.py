"""The firmware's behaviour in Python: the same messages, states and faults as the C firmware, card by card.

It is the stand-in where the AVR tools are missing; the contract tests hold both to the same outcomes.
"""

from __future__ import annotations

import struct

from table_controller.dealer import messages as m
from table_controller.dealer.emulated_parts import DEFAULTS, Mechanics, Settings
from table_controller.dealer.framing import Decoder, Frame, crc16, encode

_RING = 32
_TURN_MS = round(m.PITCH_STEPS * 1000 / m.FEED_MAX_SPS)
_CHUTE_STEP_MS = 1000 / m.CHUTE_START_SPS
_MOVING = (m.State.TESTING, m.State.DEALING, m.State.STOPPING, m.State.RELEASING)
_LOADABLE = (m.State.IDLE, m.State.PLANNED, m.State.STOPPED, m.State.COUNTED, m.State.RELEASED)
_SHOWN = m.Input.HOPPER | m.Input.UNSAFE | m.Input.DRIVER_FAULT | m.Input(0x1F << m.Input.TRAY_E.bit_length() - 1)


class EmulatedFirmware:
    """``receive`` and ``run`` return nothing; what is sent collects in ``take_output``."""

    def __init__(
        self, mechanics: Mechanics, boot: int, cause: int = m.Cause.POWER_ON, settings: Settings = DEFAULTS
    ) -> None:
        self.mechanics = mechanics
        self.settings = settings
        self._pack = b""
        self.boot = boot
        self.cause = cause
        self.now_ms = 0
        self._decoder = Decoder()
        self._out = bytearray()
        self._session = 0
        self._matched = False
        self._last: tuple[int, bytes] | None = None
        self._heard_ms = 0
        self.state = m.State.IDLE
        self._reason = m.Reason.NONE
        self._job = 0
        self._loading = 0
        self._exits = b""
        self._quotas = bytes(m.EXITS)
        self._index = 0
        self._counts = bytearray(m.EXITS)
        self._fault = (0, 0, 0)
        self._phase = ""
        self._until_ms = 0
        self._after_test = m.State.IDLE
        self._chute = 0
        self._tries = 0
        self._stop_asked = m.Reason.NONE
        self._zeros = 0
        self._next_event = 1
        self._ring: list[bytes] = []
        self._shown = m.Input(0)

    # --- the line -------------------------------------------------------------------------------------------------

    def take_output(self) -> bytes:
        """What was sent since the last call."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def receive(self, data: bytes) -> None:
        """Bytes from the host."""
        for byte in data:
            self._zeros = self._zeros + 1 if byte == 0 else 0
            if self._zeros == m.STOP_ZEROS:
                self._stop(m.Reason.HOST_STOP)
        for frame in self._decoder.feed(data):
            self._command(frame)

    def _command(self, frame: Frame) -> None:
        kind = m.COMMANDS.get(frame.type)
        try:
            command = kind.unpack(frame.payload) if kind else None
        except struct.error:
            self._ack(frame, m.Result.BAD_PAYLOAD)
            return
        if command is None:
            self._ack(frame, m.Result.UNKNOWN_TYPE)
        elif isinstance(command, m.Hello) and command.session != self._session:
            self._session = command.session
            self._last = None
            self._answer(frame, command)
        elif command.session != self._session or not self._session:
            self._ack(frame, m.Result.NO_SESSION)
        else:
            self._in_session(frame, command)

    def _in_session(self, frame: Frame, command: m.Command) -> None:
        self._heard_ms = self.now_ms
        if self._last is not None:
            behind = (frame.sequence - self._last[0]) & 0xFFFF
            if behind == 0:
                self._out += self._last[1]
                return
            if behind >= 0x8000:
                return  # an old one, delayed on its way
        self._answer(frame, command)

    def _answer(self, frame: Frame, command: m.Command) -> None:
        self._heard_ms = self.now_ms
        answer = self._carry_out(command)
        data = encode(Frame(frame.sequence, answer.TYPE, answer.pack()))
        self._last = (frame.sequence, data)
        self._out += data

    def _ack(self, frame: Frame, result: m.Result) -> None:
        answer = m.Ack(self._session, self.boot, self.cause, frame.type, result)
        self._out += encode(Frame(frame.sequence, answer.TYPE, answer.pack()))

    def _carry_out(self, command: m.Command) -> m.Answer:
        who = (self._session, self.boot, self.cause)
        if isinstance(command, m.Hello):
            self._matched = (command.protocol, command.geometry) == (m.PROTOCOL_VERSION, m.GEOMETRY_CRC)
            return m.HelloReply(*who, m.PROTOCOL_VERSION, m.GEOMETRY_CRC, b"emulator", m.DEVICE_NAME.encode())
        if isinstance(command, m.Status):
            return self._status()
        if isinstance(command, m.EventsFrom):
            oldest = (self._next_event - len(self._ring)) & 0xFFFF
            skip = min(max(0, ((command.number - oldest + 0x8000) & 0xFFFF) - 0x8000), len(self._ring))
            return m.EventsReply(*who, (oldest + skip) & 0xFFFF, b"".join(self._ring[skip:]))
        if isinstance(command, m.Settings):
            return m.SettingsReply(*who, *self.settings, int(bool(self.cause & 0x80)))
        return m.Ack(*who, command.TYPE, self._act(command))

    def _status(self) -> m.StatusReply:
        return m.StatusReply(
            self._session,
            self.boot,
            self.cause,
            self.state,
            self._reason,
            self._job,
            len(self._exits) if self._job else 0,
            self._index,
            bytes(self._counts),
            *self._fault,
            int(self.mechanics.inputs()),
            self._next_event,
            self._decoder.bad & 0xFFFF,
            0,
        )

    # --- commands -------------------------------------------------------------------------------------------------

    def _act(self, command: m.Command) -> m.Result:
        if isinstance(command, m.Stop):
            self._stop(m.Reason.HOST_STOP)
            return m.Result.OK
        if not self._matched:
            return m.Result.MISMATCH
        if isinstance(command, m.PlanChunk):
            return self._chunk(command)
        if isinstance(command, m.PlanCommit):
            return self._commit(command)
        if isinstance(command, m.Start):
            return self._start(command)
        if isinstance(command, m.Release):
            return self._release(command)
        if isinstance(command, m.ClearFault):
            return self._clear()
        return self._set_settings(command) if isinstance(command, m.SetSettings) else self._selftest()

    def _set_settings(self, command: m.SetSettings) -> m.Result:
        if self.state not in _LOADABLE:
            return m.Result.BAD_STATE
        near = abs(command.home_steps - m.CHUTE_HOME_STEPS) <= m.CHUTE_HOME_SPREAD
        if not near or not m.CHUTE_SETTLE_MS <= command.settle_ms <= 2 * m.CHUTE_SETTLE_MS:
            return m.Result.BAD_PAYLOAD
        self.settings = (command.home_steps, command.settle_ms, command.serial)
        self.cause &= ~0x80
        return m.Result.OK

    def _chunk(self, command: m.PlanChunk) -> m.Result:
        if self.state not in _LOADABLE:
            return m.Result.BAD_STATE
        if command.offset == 0:
            self._loading, self._exits, self._job, self.state = command.job, b"", 0, m.State.IDLE
        if command.job != self._loading or command.offset != len(self._exits) or not self._loading:
            return m.Result.BAD_PLAN
        if len(self._exits) + len(command.exits) > m.MAX_CARDS or max(command.exits, default=0) >= m.EXITS:
            return m.Result.BAD_PLAN
        self._exits += command.exits
        return m.Result.OK

    def _commit(self, command: m.PlanCommit) -> m.Result:
        if command.job == self._job and self.state == m.State.PLANNED:
            return m.Result.OK
        if self.state != m.State.IDLE:
            return m.Result.BAD_STATE
        counts = bytes(self._exits.count(exit_index) for exit_index in range(m.EXITS))
        told = (command.job, command.cards, command.quotas, command.crc)
        if not self._exits or told != (self._loading, len(self._exits), counts, crc16(self._exits)):
            return m.Result.BAD_PLAN
        self._job, self._loading, self._quotas = command.job, 0, counts
        self._index, self._counts, self._pack = 0, bytearray(m.EXITS), command.pack_id
        self.state = m.State.PLANNED
        return m.Result.OK

    def _start(self, command: m.Start) -> m.Result:
        if self.state == m.State.FAULT:
            return m.Result.FAULTED
        if not self._job or (command.job, command.pack_id) != (self._job, self._pack):
            return m.Result.BAD_PLAN
        if self.state in (m.State.PLANNED, m.State.STOPPED):
            self._after_test = m.State.DEALING
            self._begin_test()
        return m.Result.OK

    def _release(self, command: m.Release) -> m.Result:
        if command.job == self._job and self.state == m.State.COUNTED:
            self.state = m.State.RELEASING
            self._wait("gate", m.GATE_MS)
        done = (m.State.RELEASING, m.State.RELEASED)
        return m.Result.OK if command.job == self._job and self.state in done else m.Result.BAD_STATE

    def _clear(self) -> m.Result:
        if self.state != m.State.FAULT:
            return m.Result.OK
        if self.mechanics.inputs() & (m.Input.UNSAFE | m.Input.DRIVER_FAULT):
            return m.Result.FAULTED
        resumable = self._job and not self._fault[2]
        self.state = m.State.STOPPED if resumable else m.State.IDLE
        self._reason = m.Reason.FAULT_CLEARED if resumable else m.Reason.NONE
        self._job = self._job if resumable else 0
        self._fault = (0, 0, 0)
        return m.Result.OK

    def _selftest(self) -> m.Result:
        if self.state not in _LOADABLE:
            return m.Result.FAULTED if self.state == m.State.FAULT else m.Result.BAD_STATE
        self._after_test = self.state
        self._begin_test()
        return m.Result.OK

    # --- motion ---------------------------------------------------------------------------------------------------

    @property
    def next_ms(self) -> int | None:
        """When ``run`` has something to do."""
        if self.state not in _MOVING:
            return None
        silent = self._heard_ms + m.HOST_SILENCE_MS
        return min(self._until_ms, max(silent, self.now_ms + 1))

    def run(self, now_ms: int) -> None:
        """Time has come to ``now_ms``."""
        self.now_ms = now_ms
        inputs = self.mechanics.inputs()
        if inputs & _SHOWN != self._shown:
            self._shown = inputs & _SHOWN
            self._event(m.EventKind.INPUT, inputs & 0xFF, inputs >> 8)
        if self.state not in _MOVING:
            return
        if inputs & (m.Input.UNSAFE | m.Input.DRIVER_FAULT):
            void = int(self._phase == "feed")
            unsafe = bool(inputs & m.Input.UNSAFE)
            self._fail(m.Fault.SAFETY if unsafe else m.Fault.DRIVER, m.Place.LID if unsafe else m.Place.DRIVER, void)
        elif now_ms - self._heard_ms >= m.HOST_SILENCE_MS and self.state != m.State.RELEASING:
            self._stop(m.Reason.HOST_SILENT)
        if self.state in _MOVING and now_ms >= self._until_ms:
            {"test": self._tested, "position": self._positioned, "feed": self._fed, "gate": self._released}[
                self._phase
            ]()

    def _wait(self, phase: str, ms: int) -> None:
        self._phase, self._until_ms = phase, self.now_ms + ms

    def _begin_test(self) -> None:
        self.state, self._reason, self._stop_asked = m.State.TESTING, m.Reason.NONE, m.Reason.NONE
        home_ms = (self._chute * m.CHUTE_STEPS + 2 * m.CHUTE_HOME_STEPS) * _CHUTE_STEP_MS
        self._wait("test", 2 * m.TEST_MS + round(home_ms))

    def _tested(self) -> None:
        fault = self._test_fault()
        self._chute = 0
        if fault:
            self._fail(*fault)
        elif self._after_test == m.State.DEALING:
            self.state = m.State.DEALING
            self._next_card()
        else:
            self.state = self._after_test
            self._event(m.EventKind.TESTED)

    def _test_fault(self) -> tuple[int, int, int] | None:
        dark, light = self.mechanics.inputs(emitter=False), self.mechanics.inputs()
        for offset in range(6):
            place = m.Place.BEAM if offset == 0 else m.Place(m.Place.EXIT_E + offset - 1)
            if not dark & (1 << offset) or light & (1 << offset):
                return (m.Fault.SENSOR, place, 0)
        if dark & m.Input.BACK:
            return (m.Fault.SENSOR, m.Place.HOPPER, 0)
        if self._after_test == m.State.DEALING and self._index == 0:
            for offset in range(m.EXITS):
                if light & (m.Input.TRAY_E << offset):
                    return (m.Fault.TRAY, m.Place.TRAY_E + offset, 0)
        if light & m.Input.HOME:  # it can only stay active or never come: see the emulator's inputs()
            return (m.Fault.SENSOR, m.Place.CHUTE, 0)
        return None

    def _next_card(self) -> None:
        inputs = self.mechanics.inputs()
        if self._index == len(self._exits):
            self._count(inputs)
        elif self._stop_asked:
            self._stopped()
        elif not inputs & m.Input.HOPPER:
            self._fail(m.Fault.HOPPER_EMPTY, m.Place.HOPPER, int(self._index > 0))
        elif not inputs & m.Input.BACK:
            self._fail(m.Fault.BACK, m.Place.HOPPER, 0)
        else:
            self._tries = 0
            self._chute = self._exits[self._index]
            if self._phase == "feed":
                self._wait("feed", _TURN_MS)  # the chute follows while the roller turns on
            else:
                self._wait("position", round(self._chute * m.CHUTE_STEPS * _CHUTE_STEP_MS) + m.CHUTE_SETTLE_MS)

    def _positioned(self) -> None:
        self._wait("feed", _TURN_MS)

    def _fed(self) -> None:
        target = self._exits[self._index]
        fault, place = self.mechanics.feed(target)
        if fault == m.Fault.JAM and place == m.Place.FEEDER:
            if not self.mechanics.inputs() & m.Input.HOPPER:
                self._fail(m.Fault.HOPPER_EMPTY, m.Place.HOPPER, int(self._index > 0))
            elif self._tries == 0 and not self._stop_asked:
                self._tries = 1
                self._wait("feed", _TURN_MS)
            elif self._stop_asked:
                self._stopped()
            else:
                self._fail(m.Fault.JAM, m.Place.FEEDER, 0)
        elif fault:
            self._fail(fault, place, 1)
        else:
            self._index += 1
            self._counts[target] += 1
            self._event(m.EventKind.CARD, self._index, target, 110)
            self._next_card()

    def _count(self, inputs: m.Input) -> None:
        if inputs & m.Input.HOPPER:
            self._fail(m.Fault.LEFTOVER, m.Place.HOPPER, 1)
        elif bytes(self._counts) != self._quotas:
            self._fail(m.Fault.COUNT, m.Place.NONE, 1)
        else:
            self.state = m.State.COUNTED
            self._event(m.EventKind.COUNTED, self._index)

    def _released(self) -> None:
        self.mechanics.open_trays()
        self.state = m.State.RELEASED
        self._event(m.EventKind.RELEASED, self._index)

    def _stop(self, reason: m.Reason) -> None:
        if self.state not in (m.State.TESTING, m.State.DEALING):
            return
        self._stop_asked = reason
        if self._phase == "feed":
            self.state = m.State.STOPPING
        else:
            self._stopped()

    def _stopped(self) -> None:
        dealing = self._after_test == m.State.DEALING
        self.state = m.State.STOPPED if dealing else self._after_test
        self._reason = self._stop_asked
        self._event(m.EventKind.STOPPED, self._index, self._reason)

    def _fail(self, fault: int, place: int, void: int) -> None:
        self.state, self._fault = m.State.FAULT, (fault, place, void)
        self._event(m.EventKind.FAULT, fault, place, void)

    def _event(self, kind: int, a: int = 0, b: int = 0, c: int = 0) -> None:
        self._ring = [*self._ring[1 - _RING :], bytes([kind, a, b, c])]
        event = m.Event(self._session, self.boot, self.cause, self._next_event, kind, a, b, c)
        self._next_event = (self._next_event + 1) & 0xFFFF
        if self._session:
            self._out += encode(Frame(0, event.TYPE, event.pack()))
