"""A deck chosen on the set-up page outlasts a restart; one that the configuration names holds before it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from table_controller.app import enrolment, tools
from table_controller.app.deck_choice import CHOICE, chosen_deck, keep_choice
from table_controller.app.enrolment import DeckEnrolment, offer_setup
from table_controller.cli import main
from table_controller.config import CameraSettings, Config, StateSettings
from table_controller.errors import DeviceError, InputError
from table_controller.web.setup_routes import SetupRoutes


class Camera:
    """A camera's worker that is told which deck to read with."""

    recogniser = "index-reader"
    enrolling = enrolled = None

    def __init__(self) -> None:
        self.deck = ""

    def use_deck(self, decks: Path, name: str, at_ms: int) -> None:
        self.deck = name


def opened(config: Config, camera: Any) -> DeckEnrolment:
    """What /setup offers at a table that has just started."""
    anything: Any = None
    routes = SetupRoutes(lambda: True, lambda request: True, anything)
    offer_setup(routes, config, lambda: 0, lambda: camera, lambda: None)
    assert isinstance(routes.enrolling, DeckEnrolment)
    return routes.enrolling


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return replace(Config(), state=StateSettings(directory=str(tmp_path)))


def naming(config: Config, name: str) -> Config:
    return replace(config, camera=replace(CameraSettings(), deck=name))


def test_a_choice_is_kept_until_another(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enrolment, "current", lambda store, name: None)
    camera = Camera()
    page = opened(config, camera)
    assert (page.told()["reads_with"], chosen_deck(config)) == ("", "")
    page.use("hall")
    assert camera.deck == "hall"
    assert opened(config, camera).told()["reads_with"] == "hall", "after a restart"
    page.use("")
    assert opened(config, camera).told()["reads_with"] == ""


def test_the_configuration_holds_before_the_choice(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enrolment, "current", lambda store, name: None)
    keep_choice(Path(config.state.directory), "hall")
    named, camera = naming(config, "club"), Camera()
    page = opened(named, camera)
    assert (page.told()["reads_with"], page.told()["named"]) == ("club", "club")
    page.use("other")
    assert (camera.deck, page.told()["reads_with"]) == ("other", "other")
    assert opened(named, camera).told()["reads_with"] == "club", "until a restart"
    assert chosen_deck(config) == "hall"


@pytest.mark.parametrize("kept", [b"", b"\n", b"../x\n", b"\xff\xfe", b"a" * 5000])
def test_what_is_no_name_is_no_choice(config: Config, kept: bytes) -> None:
    (Path(config.state.directory) / CHOICE).write_bytes(kept)
    assert chosen_deck(config) == ""


def test_a_disk_that_does_not_take_it_is_said_and_nothing_changes(config: Config) -> None:
    (Path(config.state.directory) / f"{CHOICE}.new").mkdir()
    camera = Camera()
    with pytest.raises(DeviceError, match="cannot be kept"):
        opened(config, camera).use("")
    assert not (Path(config.state.directory) / CHOICE).exists()


def test_the_doctor_says_which(config: Config) -> None:
    assert "none is named or chosen" in tools._deck(config)
    keep_choice(Path(config.state.directory), "hall")
    with pytest.raises(InputError, match="hall"):
        tools._deck(config)


def test_a_chosen_deck_that_is_gone_stops_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures, state = tmp_path / "pictures", tmp_path / "state"
    pictures.mkdir()
    state.mkdir()
    cv2.imwrite(str(pictures / "a.jpg"), np.full((240, 240, 3), 90, dtype=np.uint8))
    keep_choice(state, "hall")
    file = tmp_path / "table.toml"
    file.write_text(
        f"[camera]\nsource = 'folder:{pictures}'\n[dealer]\nport = 'none'\n[feed]\nhost = ''\n"
        f"[web]\nport = 0\n[panel]\nenabled = false\n[state]\ndirectory = '{state}'\n"
    )
    assert main(["run", "--config", str(file)]) == 0
    said = "".join(capsys.readouterr())
    assert "No deck 'hall'" in said and "shipped weights" in said
