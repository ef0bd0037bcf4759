"""``table-controller deck``: enrols, shows, tests and carries decks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2

from table_controller.config import load_config
from table_controller.errors import EX_DATAERR, InputError, UsageError
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.enrol.deck import Deck, read_deck_file, to_bytes
from table_controller.vision.enrol.labels import find_photographs, read_labels
from table_controller.vision.enrol.opening import current, open_reader, weights_name
from table_controller.vision.enrol.plan import Words
from table_controller.vision.enrol.report import picture_of, summary
from table_controller.vision.enrol.scoring import score
from table_controller.vision.enrol.session import check_at_table, enrol_at_table
from table_controller.vision.enrol.store import DeckStore, check_name
from table_controller.vision.enrol.teach import collect, learn, make_deck
from table_controller.vision.reader import open_detector, weight_files
from table_controller.vision.sources import NowMs

DEFAULT_DECKS = Path("state/decks")
DECKS_FOLDER = "decks"
ACTIONS = {
    "enrol": "learn a deck, from labelled photographs or at the table",
    "list": "the decks that are enrolled",
    "show": "what a deck was learnt from, and what it confuses",
    "test": "how a deck is read on labelled photographs",
    "check": "lay a handful of cards at the table and compare",
    "remove": "forget a deck",
    "export": "write a deck into one file, for other tables",
    "import": "take a deck over from such a file",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``deck``."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    made = {name: actions.add_parser(name, help=words) for name, words in ACTIONS.items()}
    for name, action in made.items():
        if name == "import":
            action.add_argument("file", type=Path, metavar="FILE", help="what `deck export` wrote")
            action.add_argument("--name", metavar="NAME", help="call it so (default: its own name)")
        elif name != "list":
            action.add_argument("name", metavar="NAME")
        action.add_argument("--config", type=Path, metavar="FILE", help="the table's table.toml")
        action.add_argument("--decks", type=Path, metavar="DIR", help=f"where decks are kept ({DEFAULT_DECKS})")
    for name in ("enrol", "show", "test", "check"):
        made[name].add_argument("--models", type=Path, metavar="DIR", help="the folder with the weights")
    for name in ("enrol", "test"):
        made[name].add_argument("--photos", type=Path, metavar="DIR", help="a folder of photographs of the deck")
        made[name].add_argument("--labels", type=Path, metavar="FILE", help="JSON: a box round each corner index")
    for name in ("enrol", "check"):
        made[name].add_argument("--camera", metavar="SOURCE", help="v4l2:0, pi, folder:DIR or video:FILE")
    for name in ("enrol", "import"):
        made[name].add_argument("--replace", action="store_true", help="put it in the place of a deck of that name")
    made["export"].add_argument("--replace", action="store_true", help="write over a file that is there")
    made["enrol"].add_argument("--no-prompts", action="store_true", help="playing cards only")
    made["show"].add_argument("--picture", type=Path, metavar="FILE", help="draw it into a PNG or JPEG file")
    made["export"].add_argument("file", type=Path, metavar="FILE")


def say(words: str) -> None:
    """Progress, on standard error."""
    print(words, file=sys.stderr, flush=True)


def say_both(words: Words) -> None:
    """To the operator, in both languages."""
    print(words.line(), flush=True)


def _store(args: argparse.Namespace) -> DeckStore:
    if args.decks is not None:
        return DeckStore(args.decks)
    if args.config is not None:
        return DeckStore(Path(load_config(args.config).state.directory) / DECKS_FOLDER)
    return DeckStore(DEFAULT_DECKS)


def _camera(args: argparse.Namespace) -> str:
    if args.camera:
        return str(args.camera)
    if args.config is not None:
        return load_config(args.config).camera.source
    raise UsageError(
        "It is not said where the pictures come from.",
        way_out="Name --config FILE or --camera SOURCE, or --photos DIR and --labels FILE.",
    )


def learn_photographs(args: argparse.Namespace) -> Deck:
    """The deck of labelled photographs; raises TableError."""
    labels = read_labels(args.labels)
    files, absent = find_photographs(labels, args.photos)
    for name in absent:
        say(f"{name}: labelled, but not in {args.photos}; left out.")
    detector_file, classifier_file = weight_files(args.models)
    classifier = IndexClassifier(classifier_file)
    collected = collect(files, labels, open_detector(detector_file), classifier, say)
    for name, label in collected.missed:
        say(f"{name}: no index was found near the box of {label.card} {[round(v) for v in label.box]}; left out.")
    lesson = learn(collected.samples, classifier, collected.facts.offset, say)
    return make_deck(args.name, weights_name(args.models), collected, lesson)


def _enrol(args: argparse.Namespace, now_ms: NowMs) -> int:
    store = _store(args)
    store.check_free(check_name(args.name), args.replace)
    if args.photos is not None or args.labels is not None:
        if args.photos is None or args.labels is None:
            raise UsageError("Photographs need labels.", way_out="Name both --photos DIR and --labels FILE.")
        deck = learn_photographs(args)
    else:
        prompts = not args.no_prompts
        deck = enrol_at_table(args.name, _camera(args), now_ms, say_both, say, args.models, prompts=prompts)
    store.save(deck, replace=args.replace)
    print(summary(deck))
    return 0


def _list(args: argparse.Namespace, now_ms: NowMs) -> int:
    store = _store(args)
    names = store.names()
    for name in names:
        try:
            print(summary(store.load(name)).splitlines()[0])
        except InputError as error:
            print(error.line())
    if not names:
        print(f"No deck is enrolled in {store.folder}. / 尚未登记任何牌。")
    return 0


def _show(args: argparse.Namespace, now_ms: NowMs) -> int:
    deck = current(_store(args), args.name, args.models, say)
    print(summary(deck))
    if args.picture is not None:
        try:
            written = cv2.imwrite(str(args.picture), picture_of(deck))
        except cv2.error as error:
            raise UsageError(
                f"{args.picture}: no such kind of picture.", way_out="Name a .png or .jpg file."
            ) from error
        if not written:
            raise InputError(f"{args.picture}: it cannot be written.", way_out="Check the folder.")
    return 0


def _test(args: argparse.Namespace, now_ms: NowMs) -> int:
    if args.photos is None or args.labels is None:
        raise UsageError("A test needs photographs and labels.", way_out="Name --photos DIR and --labels FILE.")
    labels = read_labels(args.labels)
    files, _ = find_photographs(labels, args.photos)
    deck = current(_store(args), args.name, args.models, say)
    known = set(deck.facts.sources) & set(files)
    if known:
        say(f"{len(known)} of these photographs have names of photographs it was learnt from.")
    reader = open_reader(_store(args).folder, args.name, args.models, 1, say)
    print("\n".join(score(reader, files, labels).lines()))
    return 0


def _check(args: argparse.Namespace, now_ms: NowMs) -> int:
    deck = current(_store(args), args.name, args.models, say)
    corners, differ = check_at_table(deck, _camera(args), now_ms, say_both, args.models)
    if not differ:
        say_both(Words(f"{corners} 个角标全部读对。", f"All {corners} corners are read right."))
        return 0
    for laid, read in differ:
        say_both(Words(f"{laid} 读成 {read}。", f"{laid} is read as {read}."))
    way_out = Words("请检查灯光和对焦，或在本桌重新登记。", "Check light and focus, or enrol the deck at this table.")
    say_both(way_out)
    return EX_DATAERR


def _remove(args: argparse.Namespace, now_ms: NowMs) -> int:
    store = _store(args)
    store.remove(args.name)
    print(f"Deck {args.name} is removed from {store.folder}. / 已删除。")
    return 0


def _check_target(file: Path, replace: bool) -> None:
    """Raises InputError or UsageError when ``file`` cannot be written or may not be replaced."""
    if not file.parent.is_dir():
        raise InputError(f"{file.parent}: there is no such folder.", way_out="Make it first, or name another.")
    if file.is_dir():
        raise InputError(f"{file}: this is a folder.", way_out="Name a file in it.")
    if file.exists() and not replace:
        raise UsageError(f"{file} is there already.", way_out="Say --replace, or name another file.")


def _export(args: argparse.Namespace, now_ms: NowMs) -> int:
    deck = _store(args).load(args.name)
    _check_target(args.file, args.replace)
    try:
        args.file.write_bytes(to_bytes(deck))
    except OSError as error:
        raise InputError(f"{args.file}: it cannot be written ({error.strerror}).", way_out="Check the disk.") from error
    print(f"Deck {args.name} is written into {args.file}. / 已导出。")
    return 0


def _import(args: argparse.Namespace, now_ms: NowMs) -> int:
    if args.file.exists() and not args.file.is_file():
        raise InputError(f"{args.file}: this is no ordinary file.", way_out="Name a file that `deck export` wrote.")
    deck = read_deck_file(args.file)
    deck = replace(deck, name=check_name(args.name or deck.name))
    store = _store(args)
    store.save(deck, replace=args.replace)
    print(summary(deck))
    print(f"Deck {deck.name} is taken over into {store.folder}. / 已导入。")
    print(f"Now lay a few cards: table-controller deck check {deck.name} / 请再做一分钟核对")
    return 0


_RUN: dict[str, Callable[[argparse.Namespace, NowMs], int]] = {
    "enrol": _enrol,
    "list": _list,
    "show": _show,
    "test": _test,
    "check": _check,
    "remove": _remove,
    "export": _export,
    "import": _import,
}


def run(args: argparse.Namespace, now_ms: NowMs) -> int:
    """Do what ``deck ACTION`` asks; raises TableError. ``now_ms`` paces a recording."""
    return _RUN[args.action](args, now_ms)
