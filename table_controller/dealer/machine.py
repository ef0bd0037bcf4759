"""What a simulated dealer offers: the serial line, time that is pushed, faults by name, and where the cards went."""

from __future__ import annotations

from typing import Protocol

from table_controller.dealer.framing import Decoder, encode


class Machine(Protocol):
    """The emulator and the AVR bench. Time only passes in ``advance``; nothing in it looks at a clock."""

    kind: str
    plugged: bool

    def load(self, cards: int) -> None:
        """Everything is collected; ``cards`` cards (feed index 0 first) lie in the hopper, the trays are empty."""

    def write(self, data: bytes) -> None:
        """Bytes to the dealer; they arrive as time passes."""

    def advance(self, ms: int) -> bytes:
        """Runs ``ms`` milliseconds; the bytes the dealer has sent in them."""

    def fault(self, name: str, **arguments: int | str) -> None:
        """Makes something go wrong (see docs/protocol.md, faults of the simulated machine); ValueError if unknown."""

    def delivered(self) -> dict[str, list[int]]:
        """Exit letter -> feed indices of the cards that fell there since ``load``, in order."""

    def state(self) -> int:
        """The firmware's state (messages.State) now, seen from outside: nothing is asked over the line."""

    def released(self) -> list[int]:
        """Since ``load``: how many cards lay in the trays each time they were opened."""

    def reset(self) -> None:
        """The reset button: the firmware starts again, the cards lie where they lie."""

    def unplug(self) -> None:
        """Pulls the USB cable; the dealer keeps its power."""

    def replug(self) -> None:
        """Puts the cable back."""

    def close(self) -> None:
        """Ends it."""


LINE_FAULTS = ("corrupt", "corrupt_rate", "drop_frame", "repeat_frame", "noise")


class Line:
    """Faults of the line, one direction: a corrupted byte, a frame that is lost or comes twice, noise."""

    def __init__(self) -> None:
        self._seen = 0
        self._corrupt_at: set[int] = set()
        self._drop: dict[int, int] = {}
        self._repeat: dict[int, int] = {}
        self._noise = b""
        self._per_mille = 0
        self._lot = 1
        self._decoder = Decoder()

    def fault(
        self, name: str, *, after: int = 0, type: int = 0, count: int = 1, data: str = "", per_mille: int = 0
    ) -> None:
        """corrupt(after bytes), corrupt_rate(per_mille of all bytes, count as seed), drop_frame / repeat_frame(type,
        count), noise(data in hex)."""
        if name == "corrupt":
            self._corrupt_at.add(self._seen + after)
        elif name == "corrupt_rate":
            self._per_mille, self._lot = per_mille, 2 * count + 1
        elif name == "drop_frame":
            self._drop[type] = count
        elif name == "repeat_frame":
            self._repeat[type] = count
        elif name == "noise":
            self._noise += bytes.fromhex(data)

    def carry(self, data: bytes) -> bytes:
        """``data`` as it arrives. Where frames are to be dropped or repeated, each is held until it is whole."""
        out = bytearray(self._noise)
        self._noise = b""
        for byte in self._frames(data) if self._drop or self._repeat else data:
            out.append(byte ^ self._damage())
            self._seen += 1
        return bytes(out)

    def _damage(self) -> int:
        """The bits that flip in the next byte: a run of numbers that is the same in every run."""
        if self._seen in self._corrupt_at:
            return 0x10
        if not self._per_mille:
            return 0
        self._lot = (self._lot * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        return 1 + (self._lot >> 56) % 255 if (self._lot >> 33) % 1000 < self._per_mille else 0

    def _frames(self, data: bytes) -> bytes:
        out = b""
        for frame in self._decoder.feed(data):
            if self._one_of(self._drop, frame.type):
                continue
            out += encode(frame)
            if self._one_of(self._repeat, frame.type):
                out += encode(frame)
        return out

    @staticmethod
    def _one_of(wanted: dict[int, int], kind: int) -> bool:
        """Whether this frame is one of those; the last one takes the fault off the line."""
        if kind not in wanted:
            return False
        wanted[kind] -= 1
        if wanted[kind] <= 0:
            del wanted[kind]
        return True
