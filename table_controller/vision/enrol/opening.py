"""The reader of an enrolled deck, learnt again when the weights are not those it was learnt with."""

from __future__ import annotations

import hashlib
from pathlib import Path

from table_controller.errors import ConfigError, InputError, UsageError
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.deck_weights import DeckWeights
from table_controller.vision.enrol.deck import Deck
from table_controller.vision.enrol.store import DeckStore
from table_controller.vision.enrol.teach import Tell, learn_again
from table_controller.vision.plain_prompts import PlainPrompts
from table_controller.vision.reader import Reader, weight_files


def weights_name(models_dir: Path | None = None) -> str:
    """A short name for the classifier's weights, by their content."""
    return hashlib.sha256(weight_files(models_dir)[1].read_bytes()).hexdigest()[:16]


def check_setting(decks: Path, name: str) -> None:
    """Raises ConfigError when ``camera.deck`` is set to a name that is none, or to a deck that is not enrolled."""
    if not name:
        return
    try:
        DeckStore(decks).existing(name)
    except (UsageError, InputError) as error:
        way_out = f'{error.way_out} Set camera.deck to one of these, or to "" for any deck.'
        raise ConfigError(f"camera.deck = {name!r} is not possible: {error.message}", way_out=way_out) from error


def current(store: DeckStore, name: str, models_dir: Path | None = None, tell: Tell = lambda words: None) -> Deck:
    """The deck as learnt with the present weights; when it was learnt with others it is learnt again and kept."""
    deck = store.load(name)
    weights = weights_name(models_dir)
    if deck.weights == weights:
        return deck
    tell(f"deck {name}: the weights have changed; learning it again")
    deck = learn_again(deck, weights, IndexClassifier(weight_files(models_dir)[1]), tell)
    store.save(deck, replace=True)
    return deck


def open_reader(
    decks: Path, name: str, models_dir: Path | None = None, threads: int = 1, tell: Tell = lambda words: None
) -> Reader:
    """The reader for deck ``name`` of the folder ``decks``; the plain reader when ``name`` is empty. Raises
    InputError."""
    if not name:
        return Reader.load(models_dir, threads)
    deck = current(DeckStore(decks), name, models_dir, tell)
    reader = Reader.load(models_dir, threads, deck.learnt)
    reader.name = f"{reader.name}+{name}"
    return reader


def load_deck(decks: Path, name: str, models_dir: Path | None = None) -> tuple[DeckWeights, PlainPrompts | None]:
    """What a table's eye needs of deck ``name``: its weights, and its plain prompt cards if it has any. Raises
    TableError."""
    deck = current(DeckStore(decks), name, models_dir)
    return deck.learnt, PlainPrompts.learn(deck.prompts) if deck.prompts else None
