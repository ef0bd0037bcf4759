"""A simulated machine with something between it and the host: another name, a split write, an old frame again."""

from __future__ import annotations

from dataclasses import replace

from table_controller.dealer import messages as m
from table_controller.dealer.framing import Decoder, Frame, encode
from table_controller.dealer.machine import Machine


class Around:
    """A Machine that hands everything on to another one, but for what is asked of it."""

    def __init__(self, inner: Machine) -> None:
        self.inner = inner
        self.kind = inner.kind
        self.device = b""
        """Answers HELLO with this device's name."""
        self.protocol = 0
        """Answers HELLO with this protocol version."""
        self.split = False
        """The next write arrives in two halves, 30 ms apart."""
        self._late = b""
        self._late_ms = 0
        self._chunks: list[bytes] = []
        self._decoder, self._sent = Decoder(), Decoder()

    @property
    def plugged(self) -> bool:
        """See Machine."""
        return self.inner.plugged

    @plugged.setter
    def plugged(self, value: bool) -> None:
        self.inner.plugged = value

    def load(self, cards: int) -> None:
        """See Machine."""
        self.inner.load(cards)

    def write(self, data: bytes) -> None:
        """See Machine."""
        self._chunks += [encode(frame) for frame in self._sent.feed(data) if frame.type == m.PlanChunk.TYPE]
        if self._late:
            self._late += data
        elif self.split and len(data) > 1:
            self.split, half = False, len(data) // 2
            self._late, self._late_ms = data[half:], 30
            self.inner.write(data[:half])
        elif data:
            self.inner.write(data)

    def advance(self, ms: int) -> bytes:
        """See Machine."""
        if self._late:
            self._late_ms -= ms
            if self._late_ms <= 0:
                self.inner.write(self._late)
                self._late = b""
        data = self.inner.advance(ms)
        if not self.device and not self.protocol:
            return data
        return b"".join(encode(self._told(frame)) for frame in self._decoder.feed(data))

    def replay_chunks(self) -> None:
        """Every PLAN_CHUNK that was ever sent arrives again, in the order they were sent."""
        for chunk in self._chunks:
            self.inner.write(chunk)

    def _told(self, frame: Frame) -> Frame:
        if frame.type != m.HelloReply.TYPE:
            return frame
        reply = m.HelloReply.unpack(frame.payload)
        reply = replace(reply, device=self.device or reply.device, protocol=self.protocol or reply.protocol)
        return replace(frame, payload=reply.pack())

    def fault(self, name: str, **arguments: int | str) -> None:
        """See Machine."""
        self.inner.fault(name, **arguments)

    def delivered(self) -> dict[str, list[int]]:
        """See Machine."""
        return self.inner.delivered()

    def state(self) -> int:
        """See Machine."""
        return self.inner.state()

    def released(self) -> list[int]:
        """See Machine."""
        return self.inner.released()

    def reset(self) -> None:
        """See Machine."""
        self.inner.reset()

    def unplug(self) -> None:
        """See Machine."""
        self.inner.unplug()

    def replug(self) -> None:
        """See Machine."""
        self.inner.replug()

    def close(self) -> None:
        """See Machine."""
        self.inner.close()
