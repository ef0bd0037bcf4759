"""``table-controller deck``: enrols, shows, tests and carries decks."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from table_controller.errors import UsageError
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.enrol.deck import Deck
from table_controller.vision.enrol.labels import find_photographs, read_labels
from table_controller.vision.enrol.opening import weights_name
from table_controller.vision.enrol.store import DeckStore, check_name
from table_controller.vision.enrol.teach import collect, learn, make_deck
from table_controller.vision.reader import open_detector, weight_files

DEFAULT_DECKS = Path("state/decks")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``deck``."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    enrol = actions.add_parser("enrol", help="learn a deck, from labelled photographs or at the table")
    enrol.add_argument("name", metavar="NAME")
    enrol.add_argument("--photos", type=Path, metavar="DIR", help="a folder of photographs of the deck")
    enrol.add_argument("--labels", type=Path, metavar="FILE", help="JSON: a box round each visible corner index")
    enrol.add_argument("--replace", action="store_true", help="put it in the place of a deck of the same name")
    for action in (enrol,):
        action.add_argument("--decks", type=Path, default=DEFAULT_DECKS, metavar="DIR", help="where decks are kept")
        action.add_argument("--models", type=Path, metavar="DIR", help="the folder with the weights")


def say(words: str) -> None:
    """Progress, on standard error."""
    print(words, file=sys.stderr, flush=True)


def enrol_photographs(args: argparse.Namespace) -> Deck:
    """Learn a deck from labelled photographs and keep it; raises TableError and then keeps nothing."""
    if args.photos is None or args.labels is None:
        raise UsageError("Photographs need labels.", way_out="Name both --photos DIR and --labels FILE.")
    store = DeckStore(args.decks)
    store.check_free(check_name(args.name), args.replace)
    labels = read_labels(args.labels)
    files, absent = find_photographs(labels, args.photos)
    for name in absent:
        say(f"{name}: labelled, but not in {args.photos}; left out.")
    detector_file, classifier_file = weight_files(args.models)
    classifier = IndexClassifier(classifier_file)
    collected = collect(files, labels, open_detector(detector_file), classifier, say)
    for name, label in collected.missed:
        say(f"{name}: no index was found near the box of {label.card} {[round(v) for v in label.box]}; left out.")
    deck = make_deck(
        args.name,
        weights_name(args.models),
        collected,
        learn(collected.samples, classifier, collected.facts.offset, say),
    )
    path = store.save(deck, replace=args.replace)
    cards = len({sample.card for sample in deck.samples})
    print(f"{path}: {len(deck.samples)} corners of {cards} cards from {len(files)} photographs.")
    return deck


def run(args: argparse.Namespace) -> int:
    """Do what ``deck ACTION`` asks."""
    enrol_photographs(args)
    return 0
