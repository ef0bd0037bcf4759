"""The decks a table knows: one file each, ``NAME.deck``, replaced as a whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path

from table_controller.errors import InputError, UsageError
from table_controller.files import write_whole
from table_controller.vision.enrol.deck import Deck, read_deck_file, to_bytes

SUFFIX = ".deck"
_NAME = re.compile(r"[^\W_][\w\-]{0,39}")


def check_name(name: str) -> str:
    """``name``, if a deck can be called so; raises UsageError otherwise."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"'{name}' is no name for a deck.",
            way_out="Up to 40 letters, digits, - and _, beginning with a letter or digit.",
        )
    return name


class DeckStore:
    """The decks in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Where a deck's file is; raises UsageError for an impossible name."""
        return self.folder / f"{check_name(name)}{SUFFIX}"

    def names(self) -> list[str]:
        """The decks that are there, in order."""
        if not self.folder.is_dir():
            return []
        return sorted(file.stem for file in self.folder.glob(f"*{SUFFIX}") if _NAME.fullmatch(file.stem))

    def load(self, name: str) -> Deck:
        """A deck; raises InputError when it is not there or damaged."""
        return read_deck_file(self.existing(name))

    def check_free(self, name: str, replace: bool) -> None:
        """Raises UsageError when the deck is there and may not be replaced."""
        if self.path(name).exists() and not replace:
            raise UsageError(f"The deck '{name}' is enrolled already.", way_out="Say --replace, or take another name.")

    def save(self, deck: Deck, *, replace: bool = False) -> Path:
        """Write a deck under its name; until it is wholly written, the old one stays. Raises UsageError, InputError."""
        self.check_free(deck.name, replace)
        path = self.path(deck.name)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, to_bytes(deck))
        except OSError as error:
            raise InputError(f"{path}: it cannot be written ({error.strerror}).", way_out="Check the disk.") from error
        return path

    def remove(self, name: str) -> None:
        """Forget a deck; raises InputError when it is not there."""
        self.existing(name).unlink()

    def existing(self, name: str) -> Path:
        """The deck's file; raises InputError when it is not there."""
        path = self.path(name)
        if not path.is_file():
            known = ", ".join(self.names()) or "none"
            raise InputError(f"No deck '{name}' is enrolled in {self.folder}.", way_out=f"Enrolled: {known}.")
        return path
