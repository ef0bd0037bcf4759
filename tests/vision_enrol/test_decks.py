"""Decks kept, carried, refused, and what learning one leaves alone."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.cards import FACES, JOKERS
from table_controller.errors import InputError, UsageError
from table_controller.vision.classify import NO_INDEX, NOTHING_FROM, VIEWS, IndexClassifier
from table_controller.vision.enrol.deck import Deck, from_bytes, read_deck_file, to_bytes
from table_controller.vision.enrol.learn import Trunk
from table_controller.vision.enrol.opening import current, load_deck, open_reader, weights_name
from table_controller.vision.enrol.report import picture_of, unseen, weaknesses
from table_controller.vision.enrol.store import DeckStore
from table_controller.vision.enrol.tail import backward, forward
from table_controller.vision.enrol.teach import jokers_are_strange
from table_controller.vision.mat import play_window
from table_controller.vision.onnx_file import OnnxFile
from table_controller.vision.reader import Reader, weight_files


@pytest.fixture(scope="session")
def view(shown):
    """A play area with prompt cards gone: the row of seat S."""
    from table_controller.geometry import load_geometry
    from table_controller.vision.mat import MatFinder, glimpse_of

    geometry = load_geometry()
    shown.lay(shown.guide._plan[0])
    frame = shown.scene.render()
    pose = MatFinder(geometry).find(frame, glimpse_of(frame))
    return play_window(geometry, "S").view(frame, pose, 3.0)


def same(one: list, other: list) -> bool:
    return len(one) == len(other) and all(
        a.card == b.card and a.box == b.box and np.array_equal(a.probs, b.probs)
        for a, b in zip(one, other, strict=True)
    )


def test_a_deck_comes_back_from_its_file_as_it_was(deck: Deck) -> None:
    back = from_bytes(to_bytes(deck), "here")
    assert (back.name, back.weights, back.facts) == (deck.name, deck.weights, deck.facts)
    assert all(np.array_equal(back.learnt.arrays[name], array) for name, array in deck.learnt.arrays.items())
    assert [s.card for s in back.samples] == [s.card for s in deck.samples]
    assert np.array_equal(back.confusion, deck.confusion) and len(back.prompts) == len(deck.prompts)
    assert back.learnt.strange_jokers is deck.learnt.strange_jokers is False
    strange = replace(deck, learnt=replace(deck.learnt, strange_jokers=True))
    assert from_bytes(to_bytes(strange), "here").learnt.strange_jokers is True


def test_jokers_are_strange_where_the_shipped_weights_see_no_index_on_them(deck: Deck) -> None:
    classifier = IndexClassifier(weight_files()[1])
    jokers = [sample for sample in deck.samples if sample.card in JOKERS]
    assert jokers and not jokers_are_strange(jokers, classifier)
    odd = [replace(sample, patch=np.roll(sample.patch, 40, axis=0)) for sample in jokers]
    assert jokers_are_strange(odd, classifier)
    assert not jokers_are_strange([sample for sample in deck.samples if sample.card not in JOKERS], classifier)


def test_enrolling_changes_no_other_reading_by_a_bit(deck: Deck, view, decks: Path) -> None:
    store = DeckStore(decks)
    store.save(replace(deck, name="first"))
    plain, first = Reader.load().read_crop(view, 3.0), open_reader(decks, "first").read_crop(view, 3.0)
    arrays = {name: array * 1.01 for name, array in deck.learnt.arrays.items()}
    store.save(replace(deck, name="second", learnt=replace(deck.learnt, arrays=arrays)))
    assert not same(open_reader(decks, "second").read_crop(view, 3.0), first)
    assert same(Reader.load().read_crop(view, 3.0), plain)
    assert same(open_reader(decks, "first").read_crop(view, 3.0), first)
    assert same(open_reader(decks, "").read_crop(view, 3.0), plain)


def test_what_the_shipped_weights_take_for_no_index_is_none_whatever_the_deck_has_learnt(deck: Deck, view) -> None:
    file = weight_files()[1]
    last = next(node for node in Trunk(IndexClassifier(file)).tail.nodes if node.kind == "Gemm")
    arrays = dict(deck.learnt.arrays)
    bias = arrays[last.inputs[2]].copy()
    bias[-1] -= 60  # this deck has forgotten what no index looks like
    arrays[last.inputs[2]] = bias
    forgetful = IndexClassifier(file, 1, replace(deck.learnt, arrays=arrays))
    indices = [sample.patch for sample in deck.samples if sample.card in FACES][:12]
    rolled = [np.roll(patch, 40, axis=0) for patch in indices]  # the index stands elsewhere: nothing in the middle
    shipped, _ = IndexClassifier(file).read(rolled, VIEWS[:2])
    nothing = shipped[:, NO_INDEX] > NOTHING_FROM
    assert nothing.sum() >= 3
    assert np.all(forgetful.read(rolled, VIEWS[:2])[0][nothing, NO_INDEX] > NOTHING_FROM)
    own, _ = forgetful.read(indices, VIEWS[:2])
    assert [FACES[i] for i in own.argmax(1)] == [sample.card for sample in deck.samples if sample.card in FACES][:12]


def test_learning_makes_no_deck_surer_than_the_shipped_weights(deck: Deck) -> None:
    assert deck.learnt.temperature >= IndexClassifier(weight_files()[1]).temperature


def test_an_enrolled_deck_reads_its_row(deck: Deck, view, decks: Path) -> None:
    DeckStore(decks).save(deck)
    sure = {reading.card for reading in open_reader(decks, "hall").read_crop(view, 3.0) if not reading.doubtful}
    assert sure == {card for card in FACES if card[1] == "D"}
    learnt, plain = load_deck(decks, "hall")
    assert learnt.offset is not None and plain is not None and set(plain.kinds) == {"PASS", "1", "2", "TD"}


def test_a_deck_of_other_weights_is_learnt_again(deck: Deck, decks: Path, few_rounds: None) -> None:
    store = DeckStore(decks)
    told: list[str] = []
    store.save(replace(deck, weights="others", samples=deck.samples[::4]))
    again = current(store, "hall", tell=told.append)
    assert told and again.weights == weights_name() == store.load("hall").weights
    assert len(again.samples) == len(deck.samples[::4])


def test_a_deck_is_replaced_only_when_told_and_as_a_whole(deck: Deck, decks: Path, monkeypatch) -> None:
    store = DeckStore(decks)
    store.save(deck)
    with pytest.raises(UsageError, match="already"):
        store.save(deck)

    def fails(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(InputError, match="No space"):
        store.save(replace(deck, weights="new"), replace=True)
    monkeypatch.undo()
    assert store.load("hall").weights == deck.weights and store.names() == ["hall"]
    assert [file.name for file in decks.iterdir()] == ["hall.deck"]


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a b", "x" * 41])
def test_impossible_names_are_refused(name: str, decks: Path) -> None:
    with pytest.raises(UsageError):
        DeckStore(decks).path(name)


def test_foreign_and_damaged_files_are_refused(deck: Deck, tmp_path: Path) -> None:
    whole = to_bytes(deck)
    file = tmp_path / "x.deck"
    for data, words in (
        (b"", "not an enrolled deck"),
        (b"text", "not an enrolled"),
        (whole[: len(whole) // 2], "not an enrolled"),
    ):
        file.write_bytes(data)
        with pytest.raises(InputError, match=words):
            read_deck_file(file)
    with pytest.raises(InputError):
        read_deck_file(tmp_path / "nowhere")
    for change, words in (
        ({"version": 99}, "another version"),
        ({"format": "x"}, "not an"),
        ({"cards": ["XX"]}, "damaged"),
    ):
        file.write_bytes(whole)
        with zipfile.ZipFile(file) as old:
            members = {name: old.read(name) for name in old.namelist()}
        members["deck.json"] = json.dumps({**json.loads(members["deck.json"]), **change}).encode()
        with zipfile.ZipFile(file, "w") as new:
            for name, data in members.items():
                new.writestr(name, data)
        with pytest.raises(InputError, match=words):
            read_deck_file(file)


def test_pickles_are_refused(deck: Deck, tmp_path: Path) -> None:
    import io

    file = tmp_path / "x.deck"
    file.write_bytes(to_bytes(deck))
    buffer = io.BytesIO()
    np.savez(buffer, weight=np.array([{"a": 1}], dtype=object))
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(file, "w") as new:
        for name, data in {**members, "layers.npz": buffer.getvalue()}.items():
            new.writestr(name, data)
    with pytest.raises(InputError, match="damaged"):
        read_deck_file(file)


def test_the_picture_names_what_is_weak(deck: Deck) -> None:
    confusion = deck.confusion.copy()
    row, column = FACES.index("QC"), FACES.index("QS")
    confusion[row, column] += 3
    confusion[FACES.index("4H")] = 0
    assert weaknesses(confusion)[0].card == "QC" and weaknesses(confusion)[0].others == (("QS", 3),)
    assert unseen(confusion) == ["4H"]
    plain, changed = picture_of(deck), picture_of(replace(deck, confusion=confusion))
    assert plain.shape == changed.shape and not np.array_equal(plain, changed)
    assert cv2.imencode(".png", changed)[0]


def test_the_tail_computes_what_the_network_does_and_its_gradient_is_the_slope() -> None:
    classifier = IndexClassifier(weight_files()[1])
    trunk = Trunk(classifier)
    shape = (3, classifier.shape.height, classifier.shape.width, 3)
    crops = np.random.default_rng(0).integers(0, 255, shape).astype(np.uint8)
    start = trunk.activations(crops)
    logits, made = forward(trunk.tail, start, trunk.weights)
    assert np.allclose(logits, classifier.logits(crops), atol=1e-3)
    slope = np.random.default_rng(1).normal(size=logits.shape).astype(np.float32)
    grads = backward(trunk.tail, slope, made, trunk.weights)
    assert set(grads) == set(trunk.tail.names)
    for name, grad in grads.items():
        way, step = np.sign(grad), 3e-5
        ends = [
            float((forward(trunk.tail, start, {**trunk.weights, name: trunk.weights[name] + s * way})[0] * slope).sum())
            for s in (-step, step)
        ]
        assert (ends[1] - ends[0]) / (2 * step) == pytest.approx(float((grad * way).sum()), rel=0.08)


def test_only_an_onnx_file_of_the_same_network_takes_weights() -> None:
    path = weight_files()[1]
    file = OnnxFile(path.read_bytes(), str(path))
    weights = file.weights()
    assert file.with_weights(weights) == path.read_bytes()
    with pytest.raises(ValueError, match="nothing"):
        file.with_weights({"nothing": np.zeros(3, np.float32)})
    with pytest.raises(InputError):
        OnnxFile(b"\xff\xff\xff not onnx", "x")
