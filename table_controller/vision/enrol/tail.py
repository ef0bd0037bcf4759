"""The last part of the classifier network in numpy, with its gradients: what a deck's learning changes.

From the last convolution that halves the picture to the logits. Activations are channels × N × height × width, so that
a convolution is one product of matrices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from table_controller.errors import InputError
from table_controller.vision.deck_weights import PARTS, to_faces, to_parts
from table_controller.vision.onnx_file import Node, OnnxFile

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]
KNOWN = frozenset({"Conv", "Relu", "Add", "Flatten", "Gemm"})


@dataclass(frozen=True)
class Tail:
    """The nodes from ``start`` (the name of a tensor) to the logits, and the names of their weights."""

    start: str
    nodes: tuple[Node, ...]
    names: tuple[str, ...]


def find_tail(file: OnnxFile) -> Tail:
    """The tail of a classifier; raises InputError when the network is built in another way."""
    weights = file.weights()
    makers = {name: node for node in file.nodes for name in node.outputs}
    ends = [node for node in file.nodes if node.kind == "Gemm"]
    needed: list[Node] = []
    waiting = list(ends)
    start = ""
    while waiting:
        node = waiting.pop()
        if node in needed:
            continue
        needed.append(node)
        if node.kind == "Conv" and max(node.ints.get("strides", (1,))) > 1:
            start = start or node.inputs[0]
            continue
        waiting += [makers[name] for name in node.inputs if name in makers]
    nodes = tuple(node for node in file.nodes if node in needed)
    names = tuple(name for node in nodes for name in node.inputs if name in weights)
    plain = len(ends) == 1 and {node.kind for node in nodes} <= KNOWN and len(weights[ends[0].inputs[1]]) == PARTS
    if not plain or not start:
        raise InputError("These weights cannot learn a deck.", way_out="Use the shipped weights.")
    return Tail(start, nodes, names)


def _columns(x: Floats, size: int, stride: int) -> Floats:
    """(size² · C) × (N · H' · W'): what each place of a convolution sees."""
    channels, count, height, width = x.shape
    if size == 1:
        return x.reshape(channels, -1)
    edge = size // 2
    padded = np.pad(x, ((0, 0), (0, 0), (edge, edge), (edge, edge)))
    high, wide = (height - 1) // stride + 1, (width - 1) // stride + 1
    out = np.empty((size * size, channels, count, high, wide), np.float32)
    for i in range(size * size):
        dy, dx = divmod(i, size)
        out[i] = padded[:, :, dy : dy + stride * high : stride, dx : dx + stride * wide : stride]
    return out.reshape(size * size * channels, -1)


def _back_columns(slope: Floats, shape: Sequence[int], size: int, stride: int) -> Floats:
    channels, count, height, width = shape
    if size == 1:
        return slope.reshape(channels, count, height, width)
    edge = size // 2
    high, wide = (height - 1) // stride + 1, (width - 1) // stride + 1
    parts = slope.reshape(size * size, channels, count, high, wide)
    out = np.zeros((channels, count, height + 2 * edge, width + 2 * edge), np.float32)
    for i in range(size * size):
        dy, dx = divmod(i, size)
        out[:, :, dy : dy + stride * high : stride, dx : dx + stride * wide : stride] += parts[i]
    return out[:, :, edge : edge + height, edge : edge + width]


def _flat(weight: Floats) -> Floats:
    """O × C × k × k as O × (k² · C), the order of ``_columns``."""
    return np.ascontiguousarray(weight.transpose(0, 2, 3, 1).reshape(len(weight), -1))


def _convolve(node: Node, x: Floats, weights: Weights) -> tuple[Floats, Floats]:
    weight, bias = weights[node.inputs[1]], weights[node.inputs[2]]
    size, stride = weight.shape[2], node.ints["strides"][0]
    columns = _columns(x, size, stride)
    high, wide = (x.shape[2] - 1) // stride + 1, (x.shape[3] - 1) // stride + 1
    out = _flat(weight) @ columns + bias[:, None]
    return out.reshape(len(weight), x.shape[1], high, wide), columns


def forward(tail: Tail, x: Floats, weights: Weights) -> tuple[Floats, dict[str, Floats]]:
    """(N × 55 logits, every activation) of activations ``x`` (N × C × H × W) at the tail's start."""
    made: dict[str, Floats] = {tail.start: np.ascontiguousarray(x.transpose(1, 0, 2, 3))}
    for node in tail.nodes:
        first, out = made[node.inputs[0]], node.outputs[0]
        if node.kind == "Conv":
            made[out], made[f"{out} columns"] = _convolve(node, first, weights)
        elif node.kind == "Relu":
            made[out] = np.maximum(first, 0)
        elif node.kind == "Add":
            made[out] = first + made[node.inputs[1]]
        elif node.kind == "Flatten":
            made[out] = np.ascontiguousarray(first.transpose(1, 0, 2, 3).reshape(first.shape[1], -1))
        else:
            made[out] = first @ weights[node.inputs[1]].T + weights[node.inputs[2]]
    return np.asarray(to_faces(made[tail.nodes[-1].outputs[0]]), np.float32), made


def backward(tail: Tail, slope: Floats, made: Mapping[str, Floats], weights: Weights) -> dict[str, Floats]:
    """The gradient of every weight from that of the N × 55 logits."""
    slopes: dict[str, Floats] = {tail.nodes[-1].outputs[0]: np.asarray(to_parts(slope), np.float32)}
    grads: dict[str, Floats] = {}
    for node in reversed(tail.nodes):
        out = slopes.pop(node.outputs[0])
        name, first = node.inputs[0], made[node.inputs[0]]
        if node.kind == "Conv":
            back = _back_convolve(node, out, made, weights, grads, deeper=name != tail.start)
        elif node.kind == "Relu":
            back = out * (first > 0)
        elif node.kind == "Add":
            other = node.inputs[1]
            slopes[other] = slopes[other] + out if other in slopes else out
            back = out
        elif node.kind == "Flatten":
            channels, count, *rest = first.shape
            back = np.ascontiguousarray(out.reshape(count, channels, *rest).transpose(1, 0, 2, 3))
        else:
            grads[node.inputs[1]], grads[node.inputs[2]] = out.T @ first, out.sum(0)
            back = out @ weights[node.inputs[1]]
        slopes[name] = slopes[name] + back if name in slopes else back
    return grads


def _back_convolve(
    node: Node, out: Floats, made: Mapping[str, Floats], weights: Weights, grads: dict[str, Floats], *, deeper: bool
) -> Floats:
    weight, x = weights[node.inputs[1]], made[node.inputs[0]]
    outputs, channels, size, _ = weight.shape
    flat = out.reshape(outputs, -1)
    grad = flat @ made[f"{node.outputs[0]} columns"].T
    grads[node.inputs[1]] = np.ascontiguousarray(grad.reshape(outputs, size, size, channels).transpose(0, 3, 1, 2))
    grads[node.inputs[2]] = flat.sum(1)
    if not deeper:
        return np.zeros((), np.float32)
    return _back_columns(_flat(weight).T @ flat, x.shape, size, node.ints["strides"][0])
