"""Learns a deck: the classifier's last layers are trained on, on many varied crops of the deck's own indices.

Beside the layers for all samples, FOLDS more sets are trained, each without a part of the captures: what they make of
that part shows how good the deck will be on pictures never seen, and calibrates it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from table_controller.vision.classify import BATCH, VIEWS, Floats, IndexClassifier, normalise, softmax
from table_controller.vision.enrol.samples import Sample
from table_controller.vision.enrol.tail import Tail, backward, find_tail, forward
from table_controller.vision.enrol.vary import varied
from table_controller.vision.images import Image
from table_controller.vision.onnx_file import OnnxFile, open_bytes

FOLDS = 3
ROUNDS = 24
"""How often each sample is shown, varied anew each time."""
RATE = 1e-3
WARM_STEPS = 20
HOLD = 0.003
"""How strongly the layers are held at the shipped ones."""
SEED = 20_261

Tell = Callable[[float], None]


class Trunk:
    """The classifier up to its tail, over ONNX Runtime."""

    def __init__(self, classifier: IndexClassifier) -> None:
        file = OnnxFile(classifier.path.read_bytes(), str(classifier.path))
        self.tail: Tail = find_tail(file)
        weights = file.weights()
        self.weights: dict[str, Floats] = {name: weights[name] for name in self.tail.names}
        self._session = open_bytes(file.with_output(self.tail.start), 1, str(classifier.path))
        self._input = self._session.get_inputs()[0].name

    def activations(self, crops: Image) -> Floats:
        """What reaches the tail: N × C × H × W."""
        data = normalise(crops)
        starts = range(0, len(data), BATCH)
        return np.concatenate(
            [self._session.run([self.tail.start], {self._input: data[i : i + BATCH]})[0] for i in starts]
        )


@dataclass
class Pupil:
    """One set of tail weights in training (Adam), with the samples it may see."""

    tail: Tail
    shipped: dict[str, Floats]
    rows: NDArray[np.int64]
    weights: dict[str, Floats] = field(init=False)
    _mean: dict[str, Floats] = field(init=False)
    _power: dict[str, Floats] = field(init=False)
    _steps: int = 0

    def __post_init__(self) -> None:
        self.weights = {name: array.copy() for name, array in self.shipped.items()}
        self._mean = {name: np.zeros_like(array) for name, array in self.shipped.items()}
        self._power = {name: np.zeros_like(array) for name, array in self.shipped.items()}

    def study(self, activations: Floats, targets: NDArray[np.int64], share: float, draw: np.random.Generator) -> None:
        """Go once through its samples; ``share`` of the training is over."""
        order = draw.permutation(self.rows)
        batches = np.array_split(order, max(1, round(len(order) / BATCH)))
        for number, batch in enumerate(batches):
            done = share + number / len(batches) / ROUNDS
            logits, made = forward(self.tail, activations[batch], self.weights)
            slope: Floats = softmax(logits)
            slope[np.arange(len(batch)), targets[batch]] -= 1
            self._step(backward(self.tail, np.asarray(slope / len(batch), np.float32), made, self.weights), 1 - done)

    def _step(self, grads: dict[str, Floats], left: float) -> None:
        self._steps += 1
        rate = RATE * left * min(1.0, self._steps / WARM_STEPS)
        fade = (1 - 0.9**self._steps), (1 - 0.999**self._steps)
        for name, grad in grads.items():
            weight = self.weights[name]
            pull = grad + 2 * HOLD * (weight - self.shipped[name])
            self._mean[name] += 0.1 * (pull - self._mean[name])
            self._power[name] += 0.001 * (pull * pull - self._power[name])
            weight -= rate * (self._mean[name] / fade[0]) / (np.sqrt(self._power[name] / fade[1]) + 1e-8)

    def logits(self, activations: Floats) -> Floats:
        """N × 55."""
        starts = range(0, len(activations), BATCH)
        return np.concatenate([forward(self.tail, activations[i : i + BATCH], self.weights)[0] for i in starts])


def folds_of(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which of FOLDS parts each sample is kept back with: captures stay whole where there are enough of them."""
    kinds = np.unique(groups)
    if len(kinds) < FOLDS:
        return np.arange(len(groups)) % FOLDS
    order = np.random.default_rng(len(kinds)).permutation(len(kinds))
    return np.asarray(order[np.searchsorted(kinds, groups)] % FOLDS, np.int64)


def train(
    samples: Sequence[Sample], classifier: IndexClassifier, tell: Tell = lambda share: None
) -> tuple[dict[str, Floats], Floats]:
    """(the tail's weights learnt from all samples, V × N × 55 logits of every sample in every view by those that were
    trained without its part). ``tell`` hears the share that is done."""
    trunk = Trunk(classifier)
    patches = [sample.patch for sample in samples]
    targets = np.array([sample.target for sample in samples])
    folds = folds_of(np.array([sample.group for sample in samples]))
    parts = [*(np.nonzero(folds != fold)[0] for fold in range(FOLDS)), np.arange(len(samples))]
    pupils = [Pupil(trunk.tail, trunk.weights, rows) for rows in parts]
    draw = np.random.default_rng(SEED)
    for turn in range(ROUNDS):
        activations = trunk.activations(varied(patches, classifier, SEED + turn))
        for pupil in pupils:
            pupil.study(activations, targets, turn / ROUNDS, draw)
        tell((turn + 1) / ROUNDS)
    kept_back = np.zeros((len(VIEWS), len(samples), pupils[0].logits(activations[:1]).shape[1]), np.float32)
    for number, view in enumerate(VIEWS):
        crops = classifier.crops(patches, [False] * len(patches), [view] * len(patches))
        activations = trunk.activations(crops)
        for fold in range(FOLDS):
            rows = np.nonzero(folds == fold)[0]
            kept_back[number, rows] = pupils[fold].logits(activations[rows])
    return pupils[FOLDS].weights, kept_back
