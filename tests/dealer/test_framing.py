"""Frames: round trip, cuts anywhere, any bytes, and what strictness buys."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from table_controller.dealer.framing import Decoder, Frame, cobs_decode, cobs_encode, crc16, decode, encode
from table_controller.dealer.messages import MAX_PAYLOAD

frames = st.builds(
    Frame,
    sequence=st.integers(0, 0xFFFF),
    type=st.integers(0, 0xFF),
    payload=st.binary(max_size=MAX_PAYLOAD) | st.binary(max_size=MAX_PAYLOAD).map(lambda data: bytes(len(data))),
)


def test_crc_is_x25():
    assert crc16(b"123456789") == 0x906E


@given(st.binary(max_size=207))
def test_cobs_round_trip(data):
    coded = cobs_encode(data)
    assert 0 not in coded
    assert cobs_decode(coded) == data


@given(st.binary(max_size=60))
def test_cobs_is_strict(block):
    """Whatever decodes is exactly what the encoder writes for it."""
    content = cobs_decode(block)
    if content is not None:
        assert cobs_encode(content) == block


@given(st.lists(frames, min_size=1, max_size=5), st.data())
def test_round_trip_cut_anywhere(sent, data):
    stream = b"".join(map(encode, sent))
    cut = data.draw(st.integers(0, len(stream)))
    decoder = Decoder()
    assert decoder.feed(stream[:cut]) + decoder.feed(stream[cut:]) == sent
    assert decoder.bad == 0


@given(frames)
def test_every_boundary(frame):
    stream = encode(frame)
    decoder = Decoder()
    got = []
    for index in range(len(stream)):
        got += decoder.feed(stream[index : index + 1])
    assert got == [frame]


@given(st.binary(max_size=2000))
def test_any_bytes_never_raise_and_the_next_frame_parses(noise):
    decoder = Decoder()
    decoder.feed(noise)
    frame = Frame(7, 1, b"after")
    assert decoder.feed(encode(frame))[-1:] == [frame]


@given(frames, st.data())
def test_no_single_damaged_byte_is_accepted(frame, data):
    stream = bytearray(encode(frame))
    at = data.draw(st.integers(0, len(stream) - 1))
    stream[at] ^= data.draw(st.integers(1, 255))
    assert all(got == frame for got in Decoder().feed(bytes(stream)))


@given(frames, st.data())
def test_truncated_and_glued(frame, data):
    """A frame cut short costs itself, the glued one after it parses."""
    stream = encode(frame)
    cut = data.draw(st.integers(1, len(stream) - 2))
    assert Decoder().feed(stream[:cut] + encode(Frame(1, 2, b"x")))[-1] == Frame(1, 2, b"x")


def test_wrong_version_and_length_are_refused():
    def block(content: bytes) -> bytes:
        return cobs_encode(content + struct.pack("<H", crc16(content)))

    assert decode(block(b"\x01\x10\x00\x00\x05A")) == Frame(0, 5, b"A")
    assert decode(block(b"\x01\x20\x00\x00\x05A")) is None
    assert decode(block(b"\x02\x10\x00\x00\x05A")) is None
    assert decode(b"") is None
    assert decode(block(b"\x01")) is None


def test_memory_is_bounded():
    decoder = Decoder()
    decoder.feed(b"\x55" * 100_000)
    assert len(decoder._block) < 300
    decoder.feed(b"\0")
    assert decoder.bad == 1
