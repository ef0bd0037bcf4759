"""Weights to ONNX, with what the reader must know about them written into the files."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from models.train.classifier import CROP_CENTRE, CROP_PX, INDEX_PX
from models.train.crops import Classes
from table_controller.vision.classify import NO_INDEX

OPSET = 17
WRONG_AT_MOST = 0.015
"""On rendered crops, which are far harsher than a table: on real photographs fewer are wrong."""
SURE_BETWEEN = (0.6, 0.75)
"""Above this, on real photographs, right readings are lost and no wrong one is."""


def calibrate(logits: Tensor, kinds: Classes) -> tuple[float, float]:
    """(temperature, sure_from) on crops never trained on.

    The temperature is the likeliest one; ``sure_from`` is the lowest confidence at which at most ``WRONG_AT_MOST`` of
    the faces that are given are wrong, within ``SURE_BETWEEN``.
    """
    truth = torch.from_numpy(kinds)
    choices = np.geomspace(0.4, 4, 60)
    losses = [float(nn.functional.cross_entropy(logits / float(t), truth)) for t in choices]
    temperature = float(choices[int(np.argmin(losses))])
    chances = (logits / temperature).softmax(1)
    confidence, best = chances.max(1)
    faces = best != NO_INDEX
    confidence, right = confidence[faces], (best == truth)[faces]
    order = confidence.argsort(descending=True)
    wrong = (~right[order]).float().cumsum(0) / torch.arange(1, len(order) + 1)
    good = torch.nonzero(wrong <= WRONG_AT_MOST)[:, 0]
    lowest = float(confidence[order[int(good[-1])]]) if len(good) else SURE_BETWEEN[1]
    return temperature, min(SURE_BETWEEN[1], max(SURE_BETWEEN[0], lowest))


def _write(net: nn.Module, example: Tensor, axes: dict[str, dict[int, str]], facts: dict[str, str], path: Path) -> None:
    plain = copy.deepcopy(net).cpu().eval().to(memory_format=torch.contiguous_format)
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        plain,
        (example,),
        str(path),
        input_names=["x"],
        output_names=["o"],
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )
    model = onnx.load(str(path))
    for key, value in facts.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def export_detector(net: nn.Module, folder: Path, facts: dict[str, str]) -> Path:
    """``index_detector.onnx``."""
    path = folder / "index_detector.onnx"
    axes = {"x": {2: "h", 3: "w"}, "o": {2: "h4", 3: "w4"}}
    _write(net, torch.rand(1, 3, 320, 576), axes, facts, path)
    return path


def with_head(path: Path) -> None:
    """Adds to a classifier's file what enrolment learns from: a crop's features, and the last layer's weights.

    Outputs ``features`` (N × F, what goes into the last layer), ``weight`` (20 × F) and ``bias`` (20), in the order
    ranks, suits, both jokers and "no index". The reader asks for them by name, so they cost nothing otherwise.
    """
    model = onnx.load(str(path))
    if {"features", "weight", "bias"} <= {output.name for output in model.graph.output}:
        return
    (last,) = (node for node in model.graph.node if node.op_type == "Gemm")
    shapes = {item.name: tuple(item.dims) for item in model.graph.initializer}
    wanted = {
        "features": (last.input[0], ["n", shapes[last.input[1]][1]]),
        "weight": (last.input[1], list(shapes[last.input[1]])),
        "bias": (last.input[2], list(shapes[last.input[2]])),
    }
    for name, (source, shape) in wanted.items():
        model.graph.node.append(onnx.helper.make_node("Identity", [source], [name]))
        model.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape))
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def export_classifier(
    net: nn.Module, folder: Path, temperature: float, sure_from: float, facts: dict[str, str]
) -> Path:
    """``index_classifier.onnx``."""
    path = folder / "index_classifier.onnx"
    known = {
        "crop_width": str(CROP_PX[0]),
        "crop_height": str(CROP_PX[1]),
        "centre_x": str(CROP_CENTRE[0]),
        "centre_y": str(CROP_CENTRE[1]),
        "index_px": str(INDEX_PX),
        "temperature": f"{temperature:.4f}",
        "sure_from": f"{sure_from:.4f}",
    }
    _write(net, torch.rand(2, 3, CROP_PX[1], CROP_PX[0]), {"x": {0: "n"}, "o": {0: "n"}}, known | facts, path)
    with_head(path)
    return path
