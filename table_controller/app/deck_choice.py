"""Which enrolled deck a table reads with: the one that its configuration names, else the one chosen on /setup."""

from __future__ import annotations

from pathlib import Path

from table_controller.app.checks import decks_folder
from table_controller.app.terminal import say
from table_controller.config import Config
from table_controller.errors import ConfigError, DeviceError, TableError, UsageError
from table_controller.files import write_whole
from table_controller.vision.enrol.opening import check_setting, current
from table_controller.vision.enrol.store import DeckStore, check_name

CHOICE = "deck-in-use"
"""A file of the state folder: the chosen deck's name, or nothing for the shipped weights."""
SHIPPED = "the camera reads with the shipped weights, for any deck / 摄像头改用随附的权重，不认特定的牌"


def chosen_deck(config: Config) -> str:
    """The deck chosen on the set-up page; "" where none is, or where the configuration names one, which holds."""
    if config.camera.deck:
        return ""
    try:
        return check_name((Path(config.state.directory) / CHOICE).read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError, UsageError):
        return ""


def keep_choice(folder: Path, name: str) -> None:
    """Remember the choice for the next start; raises DeviceError where the disk does not take it."""
    try:
        write_whole(folder / CHOICE, f"{name}\n")
    except OSError as error:
        raise DeviceError(f"The choice cannot be kept in {folder}: {error.strerror}.") from error


def usable_deck(config: Config, *, degraded: bool) -> str:
    """The enrolled deck to read with; "" in words where it has to do without. Raises TableError.

    What the configuration names must be there, unless ``degraded``; a choice whose deck is gone stops no table.
    """
    chosen = chosen_deck(config)
    name = config.camera.deck or chosen
    try:
        check_setting(decks_folder(config), config.camera.deck)
        if name:
            # learnt again here where the weights have changed: the worker must answer soon
            current(DeckStore(decks_folder(config)), name, tell=say)
    except TableError as error:
        if not degraded and not chosen:
            raise
        if not isinstance(error, ConfigError):  # those were said by check_before
            say(f"without: {error.line()}")
        say(SHIPPED)
        return ""
    return name
