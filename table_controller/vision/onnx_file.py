"""Reads the graph and the weights of an ONNX file, and gives its bytes back with other weights or one more output.

Only what ONNX Runtime does not offer: which node follows which, and the numbers in the initialisers. The file is a
protocol buffer; the fields used are those of onnx.proto (ModelProto.graph 7, GraphProto.node 1 / .initializer 5 /
.output 12, NodeProto.input 1 / .output 2 / .op_type 4 / .attribute 5, TensorProto.dims 1 / .data_type 2 / .name 8 /
.raw_data 9, AttributeProto.name 1 / .ints 8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from table_controller.errors import InputError

FLOAT = 1
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
Value = int | tuple[int, int]
"""A number, or where in the file the bytes of a field begin and end."""


@dataclass(frozen=True)
class Node:
    """An operation of the graph; ``ints`` are its lists of whole numbers by name (strides, pads)."""

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    ints: Mapping[str, tuple[int, ...]]


def open_bytes(data: bytes, threads: int, place: str) -> Any:
    """An ONNX Runtime session on the CPU of a file's bytes; raises InputError."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own unrelated classes
        raise InputError(f"{place}: this is not a model that can be run.", way_out="Restore the file.") from error


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _fields(data: bytes, start: int, end: int) -> Iterator[tuple[int, Value]]:
    at = start
    while at < end:
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value
        elif kind == _BYTES:
            size, at = _varint(data, at)
            yield tag >> 3, (at, at + size)
            at += size
        elif kind in (_FIXED64, _FIXED32):
            at += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError("wire type")


def _numbers(data: bytes, value: Value) -> Iterator[int]:
    """The whole numbers of a repeated field, packed or not."""
    if isinstance(value, int):
        yield value
        return
    at, end = value
    while at < end:
        number, at = _varint(data, at)
        yield number


def _prefixed(field: int, content: bytes) -> bytes:
    size, head = len(content), bytearray([field << 3 | _BYTES])
    while size > 127:
        head.append(size & 127 | 128)
        size >>= 7
    head.append(size)
    return bytes(head) + content


class OnnxFile:
    """An ONNX file's bytes, taken apart; raises InputError when they are none."""

    def __init__(self, data: bytes, place: str) -> None:
        self.data = data
        self.nodes: list[Node] = []
        self._weights: dict[str, tuple[tuple[int, ...], int, int]] = {}
        try:
            for field, value in _fields(data, 0, len(data)):
                if field == 7 and not isinstance(value, int):
                    self._graph(*value)
        except (IndexError, ValueError, UnicodeDecodeError) as error:
            raise InputError(f"{place}: this is no ONNX file.", way_out="Restore the shipped file.") from error

    def _text(self, value: Value) -> str:
        if isinstance(value, int):
            raise ValueError("text")
        return self.data[slice(*value)].decode()

    def _graph(self, start: int, end: int) -> None:
        for field, value in _fields(self.data, start, end):
            if isinstance(value, int):
                continue
            if field == 1:
                self.nodes.append(self._node(*value))
            elif field == 5:
                self._initialiser(*value)

    def _node(self, start: int, end: int) -> Node:
        kind, inputs, outputs = "", [], []
        ints: dict[str, tuple[int, ...]] = {}
        for field, value in _fields(self.data, start, end):
            if field == 1:
                inputs.append(self._text(value))
            elif field == 2:
                outputs.append(self._text(value))
            elif field == 4:
                kind = self._text(value)
            elif field == 5 and not isinstance(value, int):
                parts = list(_fields(self.data, *value))
                name = next((self._text(v) for f, v in parts if f == 1), "")
                ints[name] = tuple(n for f, v in parts if f == 8 for n in _numbers(self.data, v))
        return Node(kind, tuple(inputs), tuple(outputs), ints)

    def _initialiser(self, start: int, end: int) -> None:
        shape: list[int] = []
        kind, name, place = 0, "", (0, 0)
        for field, value in _fields(self.data, start, end):
            if field == 1:
                shape += _numbers(self.data, value)
            elif field == 2 and isinstance(value, int):
                kind = value
            elif field == 8:
                name = self._text(value)
            elif field == 9 and not isinstance(value, int):
                place = value
        if kind == FLOAT and place[1] - place[0] == 4 * int(np.prod(shape)):
            self._weights[name] = (tuple(shape), *place)

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The initialisers of 32-bit numbers, by name; copies."""
        return {
            name: np.frombuffer(self.data[start:end], "<f4").reshape(shape).astype(np.float32)
            for name, (shape, start, end) in self._weights.items()
        }

    def with_weights(self, weights: Mapping[str, NDArray[Any]]) -> bytes:
        """The file with some initialisers replaced; raises ValueError when a name or shape is not the file's own."""
        data = bytearray(self.data)
        for name, array in weights.items():
            shape, start, end = self._weights.get(name, ((), 0, 0))
            if not end or shape != array.shape:
                raise ValueError(name)
            data[start:end] = np.ascontiguousarray(array, "<f4").tobytes()
        return bytes(data)

    def with_output(self, name: str) -> bytes:
        """The file with the tensor ``name`` as one more output: a second piece of a protocol buffer adds to lists."""
        return self.data + _prefixed(7, _prefixed(12, _prefixed(1, name.encode())))
