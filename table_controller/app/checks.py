"""What a table needs before it starts: looked at first, so that what is missing is said in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from table_controller.app.brokers import answers
from table_controller.config import Config
from table_controller.dealer.ports import find_port
from table_controller.errors import ConfigError, DeviceError, TableError
from table_controller.games.guandan.profile import named_rules
from table_controller.geometry import load_geometry
from table_controller.vision.enrol.opening import check_setting
from table_controller.vision.sources import KINDS, check_source

SOURCES, BARE_SOURCES = ("folder", "video", "v4l2", "frames"), ("pi", "picamera2")
"""Kinds of cameras that are followed by ``:`` and a name, and those that stand alone."""


def check_before(config: Config, *, degraded: bool) -> list[str]:
    """What is missing, as plain sentences. Without ``degraded`` the first one is raised as an error."""
    problems: list[TableError] = []
    check_rules(config)
    checks: list[Callable[[], None]] = [
        lambda: check_setting(decks_folder(config), config.camera.deck),
        lambda: check_camera(config),
        lambda: check_dealer(config),
        lambda: check_broker(config),
    ]
    for check in checks:
        try:
            check()
        except TableError as error:
            if not degraded:
                raise
            problems.append(error)
    return [problem.line() for problem in problems]


def secret_files(config: Config) -> dict[str, str]:
    """The files of secrets that the settings name, by their keys."""
    return {"feed.password_file": config.feed.password_file, "web.token_file": config.web.token_file}


def check_rules(config: Config) -> None:
    """Raises ConfigError, or what is wrong with a profile's file."""
    named_rules(config.table.profile)
    if config.table.officiating not in ("advise", "enforce"):
        raise ConfigError(
            f"table.officiating = {config.table.officiating!r} is not allowed.", way_out="It is advise or enforce."
        )


def check_words(config: Config) -> None:
    """What can be told of settings without looking whether the things are there. Raises ConfigError, InputError."""
    check_rules(config)
    check_camera_name(config)


def decks_folder(config: Config) -> Path:
    """Where enrolled decks are kept."""
    return Path(config.state.directory) / "decks"


def check_camera(config: Config) -> None:
    """Raises ConfigError for what names no camera, else what is wrong with it."""
    check_camera_name(config)
    check_source(config.camera.source, load_geometry(), lambda: 0)


def check_camera_name(config: Config) -> None:
    """Raises ConfigError for what names no camera."""
    kind, _, rest = config.camera.source.partition(":")
    if not ((kind in SOURCES and rest) or config.camera.source in BARE_SOURCES):
        raise ConfigError(f"camera.source = {config.camera.source!r} is not allowed.", way_out=KINDS)


def check_dealer(config: Config) -> None:
    """Raises DeviceError when there is no such port."""
    if config.dealer.port != "none":
        find_port(config.dealer.port)


def check_broker(config: Config) -> None:
    """Raises DeviceError when no broker answers."""
    feed = config.feed
    if feed.host and not answers(feed.host, feed.port, 3):
        raise DeviceError(
            f"No MQTT broker answers at {feed.host}:{feed.port}.",
            way_out='Start it, set feed.host, or set feed.host = "" to run without a feed.',
        )
