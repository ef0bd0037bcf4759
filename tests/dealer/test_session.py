"""The session and the link alone: silence, repeats, wraps, other devices, other versions."""

from __future__ import annotations

import random

import pytest

from table_controller.dealer import messages as m
from table_controller.dealer.emulated_firmware import EmulatedFirmware
from table_controller.dealer.emulator import Emulator
from table_controller.dealer.framing import Decoder, Frame, encode
from table_controller.dealer.job import DealJob, wire_job
from table_controller.dealer.link import DealerLink
from table_controller.dealer.session import Lost, Rebooted, Replied, Session
from table_controller.table.effects import RunDeal, StopDealer
from table_controller.table.events import DealDone, DealerOffline, DealerOnline, DealFailed


def hello_reply(session: int, **changes) -> m.HelloReply:
    fields = {
        "session": session,
        "boot": 1,
        "cause": 1,
        "protocol": m.PROTOCOL_VERSION,
        "geometry": m.GEOMETRY_CRC,
        "firmware": b"test",
        "device": m.DEVICE_NAME.encode(),
    }
    return m.HelloReply(**(fields | changes))


def answer(session: Session, message: m.Answer, now_ms: int, sequence: int | None = None):
    sent = Decoder().feed(session.take_output())
    number = sent[-1].sequence if sequence is None else sequence
    return session.receive(encode(Frame(number, message.TYPE, message.pack())), now_ms)


def event(number: int, kind: int = m.EventKind.TESTED) -> bytes:
    message = m.Event(9, 1, 1, number, kind, 0, 0, 0)
    return encode(Frame(0, message.TYPE, message.pack()))


def ready(first_sequence: int = 0, next_event: int = 5) -> Session:
    session = Session(9, 0, quiet_ms=0, first_sequence=first_sequence)
    session.request(lambda number: m.Hello(number, 1, 2), 0)
    answer(session, hello_reply(9), 1)
    session.request(m.Status, 2)
    status = m.StatusReply(9, 1, 1, 0, 0, 0, 0, 0, bytes(5), 0, 0, 0, 0, next_event, 0, 0)
    assert len(answer(session, status, 3)) == 1
    return session


def test_nothing_is_sent_in_the_quiet_window():
    session = Session(9, 100)
    session.request(lambda number: m.Hello(number, 1, 2), 100)
    session.receive(b"stk500 boot noise\0\xff\0", 500)
    session.tick(2099)
    assert session.take_output() == b""
    assert session.next_deadline_ms == 2100
    session.tick(2100)
    assert Decoder().feed(session.take_output())[0].type == m.Hello.TYPE


def test_repeats_then_gives_up():
    session = Session(9, 0, quiet_ms=0)
    session.request(lambda number: m.Hello(number, 1, 2), 0)
    first = session.take_output()
    sent, results, now_ms = [], [], 0
    while not results:
        now_ms = session.next_deadline_ms or 0
        results = session.tick(now_ms)
        sent.append(session.take_output())
    assert sent == [first] * (m.RETRIES - 1) + [b""]
    assert isinstance(results[0], Lost)
    assert now_ms == m.RETRIES * m.REPLY_MS
    assert session.idle


def test_late_and_foreign_answers_are_ignored():
    session = ready()
    session.request(m.Status, 10)
    ack = m.Ack(9, 1, 1, m.Stop.TYPE, m.Result.OK)
    frame = Decoder().feed(session.take_output())[0]
    late = m.StatusReply(9, 1, 1, 0, 0, 0, 0, 0, bytes(5), 0, 0, 0, 0, 5, 0, 0)
    assert session.receive(encode(Frame(frame.sequence - 1, late.TYPE, late.pack())), 11) == []
    assert session.receive(encode(Frame(frame.sequence, ack.TYPE, ack.pack())), 11) == []  # not STATUS's reply
    other = m.Ack(8, 1, 1, m.Status.TYPE, m.Result.OK)
    assert session.receive(encode(Frame(frame.sequence, other.TYPE, other.pack())), 11) == []
    assert session.bad_answers == 3
    assert not session.idle


def test_sequence_wraps():
    session = ready(first_sequence=0xFFFD)
    for now_ms in range(10, 20):
        session.request(m.Stop, now_ms)
        results = answer(session, m.Ack(9, 1, 1, m.Stop.TYPE, 0), now_ms)
        assert isinstance(results[0], Replied)


@pytest.mark.parametrize("start", [5, 0xFFFE])
def test_events_in_order_once_and_the_missing_one_is_read_again(start):
    session = ready(next_event=start)
    numbers = [(start + step) & 0xFFFF for step in range(5)]
    assert [result.number for result in session.receive(event(numbers[0]), 10)] == numbers[:1]
    assert session.receive(event(numbers[0]), 11) == []  # again
    assert session.receive(event(numbers[3]), 12) == []  # 1 and 2 are missing
    asked = m.EventsFrom.unpack(Decoder().feed(session.take_output())[0].payload)
    assert asked.number == numbers[1]
    session.request(m.Status, 12)
    session._pending.sequence = 77
    reply = m.EventsReply(9, 1, 1, numbers[0], bytes([7, 0, 0, 0]) * 4)
    results = session.receive(encode(Frame(77, reply.TYPE, reply.pack())), 13)
    assert [result.number for result in results if isinstance(result, m.Event)] == numbers[1:4]
    assert [result.number for result in session.receive(event(numbers[4]), 14)] == numbers[4:]


def test_reboot_is_seen_in_any_answer():
    session = ready()
    nothing = m.Ack(0, 2, 4, m.Status.TYPE, m.Result.NO_SESSION)
    assert session.receive(encode(Frame(1, nothing.TYPE, nothing.pack())), 10) == [Rebooted(2, 4)]


def test_stop_goes_first_behind_its_zeros():
    session = ready()
    for _ in range(3):
        session.request(m.Status, 10)
    session.take_output()
    session.stop(11)
    out = session.take_output()
    assert out.startswith(bytes(m.STOP_ZEROS))
    assert [frame.type for frame in Decoder().feed(out)] == [m.Stop.TYPE]


def test_stop_before_the_handshake_is_shouted():
    log = []
    link = DealerLink(log.append, kind="test")
    link.opened(0)
    link.perform(RunDeal(1, "A", "ENWS"), 5)
    link.perform(StopDealer(), 10)
    assert link.take_output() == bytes(m.STOP_ZEROS)
    assert [(type(item), item.code) for item in log] == [(DealFailed, "OFFLINE")]


def test_no_frame_holds_the_stop_run():
    """Two frames in a row have two zeros between them; the run that stops is longer."""
    payload = bytes(m.MAX_PAYLOAD)
    stream = encode(Frame(0, 0, payload)) * 3
    assert bytes(3) not in stream


@pytest.mark.parametrize("seed", range(5))
def test_any_bytes_never_raise(seed):
    rng = random.Random(seed)
    session = ready()
    link = DealerLink(lambda _: None, kind="test", random_bytes=rng.randbytes)
    link.opened(0)
    for now_ms in range(0, 4000, 40):
        data = rng.randbytes(60)
        kind = rng.choice([*m.ANSWERS, rng.randrange(256)])
        data += encode(Frame(rng.randrange(65536), kind, rng.randbytes(rng.randrange(60))))
        session.receive(data, now_ms)
        link.received(data, now_ms)
        link.tick(now_ms)
        link.take_output()


class Answering:
    """A link and a device that answers HELLO with what it is given."""

    def __init__(self, **changes) -> None:
        self.log = []
        self.link = DealerLink(self.log.append, kind="/dev/ttyUSB0", quiet_ms=0)
        self.link.opened(0)
        frame = Decoder().feed(self.link.take_output())[0]
        reply = hello_reply(m.Hello.unpack(frame.payload).session, **changes)
        self.link.received(encode(Frame(frame.sequence, reply.TYPE, reply.pack())), 5)


def test_another_device_is_refused_and_named():
    table = Answering(device=b"gps-mouse")
    assert table.link.state == "refused"
    assert table.log == [DealerOffline(5, table.log[0].message)]
    assert "gps-mouse" in table.log[0].message


@pytest.mark.parametrize("changes", [{"protocol": 9}, {"geometry": 1}])
def test_another_version_moves_nothing(changes):
    table = Answering(**changes)
    assert table.link.state == "refused"
    assert "make -C firmware flash" in table.log[0].message
    table.link.perform(RunDeal(1, "A", "ENWS"), 10)
    assert table.link.take_output() == b""
    assert isinstance(table.log[-1], DealFailed)
    assert table.log[-1].code == "OFFLINE"


def test_the_firmware_itself_refuses_another_version():
    """Were a host to try all the same: MISMATCH."""
    firmware = EmulatedFirmware(Emulator(4), boot=1)
    hello, start = m.Hello(9, m.PROTOCOL_VERSION + 1, m.GEOMETRY_CRC), m.Start(9, 1, b"A")
    firmware.receive(encode(Frame(1, hello.TYPE, hello.pack())) + encode(Frame(2, start.TYPE, start.pack())))
    last = Decoder().feed(firmware.take_output())[-1]
    assert m.Ack.unpack(last.payload).result == m.Result.MISMATCH


def pump(link: DealerLink, until_ms: int, say: bytes = b"") -> None:
    for now_ms in range(10, until_ms, 10):
        if say and now_ms % 200 == 0:
            link.received(say, now_ms)
        link.tick(now_ms)
        link.take_output()


def test_a_device_that_talks_something_else_is_refused():
    log = []
    link = DealerLink(log.append, kind="/dev/ttyUSB0", quiet_ms=0)
    link.opened(0)
    pump(link, 3000, b"$GPGGA,123519,4807.038,N\r\n")
    assert link.state == "refused"
    assert len(log) == 1
    assert "no dealer" in log[0].message


def test_what_was_refused_is_asked_again():
    """The cable may have been moved to the dealer, or the noise be over: nobody has to pull it out."""
    table = Answering(device=b"gps-mouse")
    pump(table.link, 29_900)
    assert table.link.state == "refused"
    for now_ms in range(29_900, 30_200, 10):
        table.link.tick(now_ms)
        if sent := table.link.take_output():
            break
    frame = Decoder().feed(sent)[0]
    reply = hello_reply(m.Hello.unpack(frame.payload).session)
    table.link.received(encode(Frame(frame.sequence, reply.TYPE, reply.pack())), now_ms + 5)
    assert table.link.state == "online"
    assert isinstance(table.log[-1], DealerOnline)


def test_a_silent_port_is_asked_again_and_named_once():
    log = []
    link = DealerLink(log.append, kind="/dev/ttyUSB0", quiet_ms=0)
    link.opened(0)
    pump(link, 10_000)
    assert link.state == "hello"
    assert [type(item) for item in log] == [DealerOffline]
    assert "does not answer" in log[0].message


def test_online_names_what_is_there():
    table = Answering()
    assert table.log == [DealerOnline(5, 1, "test", m.PROTOCOL_VERSION, "/dev/ttyUSB0")]


class Asked:
    """A job alone: what it asks and posts."""

    def __init__(self) -> None:
        self.commands: list[m.Command] = []
        self.log: list = []
        self.job = DealJob(RunDeal(1, "A", "ENWS"), lambda make, _: self.commands.append(make(9)), self.log.append)
        self.job.join(0)

    def status(self, state: m.State, counts: tuple[int, ...], now_ms: int = 1) -> None:
        reply = m.StatusReply(9, 1, 1, state, 0, self.job.wire, 4, 4, bytes(counts), 0, 0, 0, 0, 5, 0, 0)
        self.job.status(reply, now_ms)


def test_right_counts_are_released_and_done():
    asked = Asked()
    asked.status(m.State.COUNTED, (1, 1, 1, 1, 0))
    assert isinstance(asked.commands[-1], m.Release)
    assert asked.log == []
    asked.status(m.State.RELEASED, (1, 1, 1, 1, 0), 9)
    assert asked.log == [DealDone(9, 1, (1, 1, 1, 1, 0))]


@pytest.mark.parametrize("state", [m.State.COUNTED, m.State.RELEASED])
def test_wrong_counts_are_never_done(state):
    """Whatever state the dealer claims: 2 and 0 is not 1 and 1."""
    asked = Asked()
    asked.status(state, (2, 0, 1, 1, 0))
    assert not [command for command in asked.commands if isinstance(command, m.Release)]
    assert [(type(event), event.code, event.void) for event in asked.log] == [(DealFailed, "COUNT", True)]


def test_the_job_s_number_names_job_pack_and_plan():
    deals = [RunDeal(1, "A", "ENWS"), RunDeal(2, "A", "ENWS"), RunDeal(1, "B", "ENWS"), RunDeal(1, "A", "NEWS")]
    assert len({wire_job(deal) for deal in deals}) == 4
