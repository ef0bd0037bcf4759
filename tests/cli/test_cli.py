"""The command line as a person meets it: help that teaches, and one plain sentence with a status for every trouble."""

from __future__ import annotations

import os
import pty
import socket
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller import cli
from table_controller.config import Config, parse_config
from table_controller.errors import ConfigError

COMMANDS = ("run", "demo", "sim", "read", "judge", "replay", "doctor", "print")


def sentence(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run a command that must fail: its status and its one line."""
    status = cli.main(list(arguments))
    said = capsys.readouterr().err.strip()
    assert "Traceback" not in said
    return status, said.splitlines()[-1]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([command, "--help"])
    assert ended.value.code == 0
    assert len(capsys.readouterr().out) > 150


def test_judge_names_the_readings_and_the_place_decides(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["judge", "--level", "7", "5S", "5D", "6D", "6C", "7C", "7H"]) == 0
    assert capsys.readouterr().out == "tube:7         三连对，6 张 / 6 cards\n", "the count is no rank"
    assert cli.main(["judge", "4S", "5D", "6C", "7S", "2H"]) == 0
    out = capsys.readouterr().out
    assert "straight:7" in out
    assert "straight:8 顺子，5 张 / 5 cards ← as laid" in " ".join(out.split())


def test_judge_against(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["judge", "5S", "5D", "--against", "4S", "4D"]) == 0
    assert cli.main(["judge", "3S", "3D", "--against", "4S", "4D"]) == 1
    assert cli.main(["judge", "3S", "4D"]) == 1
    assert "no legal play" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["judge", "5X"], 65, "'5X' is not a card"),
        (["judge", "5S", "--level", "1"], 64, "'1' is not a level"),
        (["judge", "4S", "5D", "6C", "7S", "2H", "--against", "3S", "--as", "pair:3"], 64, "straight:7"),
        (["judge", "5S", "5S", "5S"], 65, "only two"),
        (["judge", "6S", "6D", "--against", "5S", "4D"], 65, "5S 4D is no legal play"),
        (["demo", "--broker", "127.0.0.1:abc"], 64, "HOST:PORT"),
        (["sim", "--journal", "/nowhere/at/all.jsonl"], 64, "/nowhere/at"),
        (["sim", "--record", "/proc/none"], 69, "/proc/none"),
        (["sim", "plays", "--enrol", "-1"], 64, "--enrol -1"),
        (["sim", "plays", "--log", "/nowhere/at/all.log"], 66, "/nowhere/at"),
        (["replay", "nowhere.jsonl"], 66, "nowhere.jsonl"),
        (["run", "--config", "nowhere.toml"], 78, "nowhere.toml"),
        (["demo", "--deals", "-1"], 64, "--deals"),
        (["demo", "--fast", "--deals", "1", "--broker", "127.0.0.1:1"], 69, "127.0.0.1:1"),
    ],
)
def test_trouble_is_one_sentence(
    arguments: list[str], status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    got, line = sentence(capsys, *arguments)
    assert got == status
    assert words in line


def config_file(folder: Path, text: str) -> str:
    path = folder / "table.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tabel]\n", "'tabel'"),
        ("[table]\nname = 'x'\n", "'name'"),
        ("[web]\nport = 'high'\n", "web.port"),
        ("[web]\nport = 70000\n", "65535"),
        ("[feed]\nport = true\n", "feed.port"),
        ("[table]\nid = 'a/b'\n", "table.id"),
        ("[table\n", "not valid TOML"),
        ("table = 3\n", "[table]"),
        ("[table]\nprofile = 'bridge'\n", "no profile 'bridge'"),
    ],
)
def test_a_wrong_config_names_file_key_and_what_is_allowed(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, line = sentence(capsys, "run", "--config", config_file(tmp_path, text))
    assert status == 78
    assert words in line


def test_every_key_with_a_wrong_type_is_named() -> None:
    defaults = Config()
    for section in vars(defaults):
        for key in vars(getattr(defaults, section)):
            for wrong in ("[1]", "{}", "1979-05-27", "-1.5"):
                with pytest.raises(ConfigError) as caught:
                    parse_config(f"[{section}]\n{key} = {wrong}\n", "t.toml")
                assert f"{section}.{key}" in caught.value.line()


def test_no_camera_no_port_no_broker_are_said_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    no_camera = config_file(tmp_path, "[camera]\nsource = 'v4l2:77'\n")
    assert sentence(capsys, "run", "--config", no_camera) == (69, pytest_approx("/dev/video77"))
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    empty = config_file(tmp_path, f"[camera]\nsource = 'folder:{pictures}'\n")
    assert sentence(capsys, "run", "--config", empty) == (66, pytest_approx("no picture"))
    (pictures / "a.jpg").write_bytes(b"not a picture")
    none = config_file(tmp_path, f"[camera]\nsource = 'folder:{pictures}'\n")
    assert sentence(capsys, "run", "--config", none) == (66, pytest_approx("a.jpg is not a picture"))
    blank_picture(pictures / "a.jpg")
    port = config_file(tmp_path, f"[camera]\nsource = 'folder:{pictures}'\n[dealer]\nport = '/dev/ttyNONE'\n")
    assert sentence(capsys, "run", "--config", port) == (69, pytest_approx("/dev/ttyNONE"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = probe.getsockname()[1]
    text = f"[camera]\nsource = 'folder:{pictures}'\n[dealer]\nport = 'none'\n[feed]\nport = {closed}\n"
    assert sentence(capsys, "run", "--config", config_file(tmp_path, text)) == (69, pytest_approx(str(closed)))


def test_another_device_on_the_port_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours, theirs = pty.openpty()
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    blank_picture(pictures / "a.jpg")
    text = (
        f"[camera]\nsource = 'folder:{pictures}'\n[dealer]\nport = '{os.ttyname(theirs)}'\n[feed]\nhost = ''\n"
        f"[web]\nport = 0\n[panel]\nenabled = false\n[state]\ndirectory = '{tmp_path}/state'\n"
    )
    status, line = sentence(capsys, "run", "--config", config_file(tmp_path, text))
    os.close(ours)
    os.close(theirs)
    assert status == 69
    assert "does not answer" in line


def blank_picture(path: Path) -> None:
    cv2.imwrite(str(path), np.full((240, 240, 3), 90, dtype=np.uint8))


class pytest_approx(str):  # noqa: N801 - reads as a matcher: equal to any text that holds these words
    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and str.__str__(self) in other

    __hash__ = str.__hash__


def test_doctor_says_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["doctor"])
    out = capsys.readouterr().out
    for part in ("python", "recogniser", "camera", "deck", "serial ports", "broker", "panel", "firmware tools"):
        assert part in out


def test_doctor_looks_for_the_deck_that_the_config_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = f"[state]\ndirectory = '{tmp_path}'\n"
    named = config_file(tmp_path, f"[camera]\ndeck = 'hall'\n{state}")
    assert cli.main(["doctor", "--config", named]) == 1
    assert f"--  deck            No deck 'hall' is enrolled in {tmp_path / 'decks'}" in capsys.readouterr().out
    impossible = config_file(tmp_path, f"[camera]\ndeck = '../hall'\n{state}")
    status, line = sentence(capsys, "doctor", "--config", impossible)
    assert status == 78 and "camera.deck" in line


def test_a_log_of_other_settings_is_told_apart_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "plays.log"
    words = ["sim", "plays", "--log", str(log), "--count", "1"]
    log.write_text('{"figure": "plays", "seed": 7, "deck_style": "unseen", "enrolled": 0, "reader": "other"}\n')
    status, line = sentence(capsys, *words)
    assert status == 66
    assert "seed 7 there, 1 now, reader other there, index-reader-" in line and "{" not in line
    log.write_text('{"figure": "prompts"}\n')
    status, line = sentence(capsys, *words)
    assert status == 66 and "not a log of this command" in line
