"""Enrolling from labelled photographs, by the command."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.app import tools
from table_controller.cli import main
from table_controller.vision.enrol.labels import Label
from table_controller.vision.enrol.samples import pair_up
from table_controller.vision.mat import play_window
from table_controller.vision.reader import Reader


@pytest.fixture(scope="session")
def photographs(shown, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two photographs of a rendered row each, labelled by what is read there."""
    from table_controller.geometry import load_geometry
    from table_controller.vision.mat import MatFinder, glimpse_of

    folder = tmp_path_factory.mktemp("photographs")
    shown.lay(shown.guide._plan[0])
    frame, reader, labels = shown.scene.render(), Reader.load(), {}
    pose = MatFinder(load_geometry()).find(frame, glimpse_of(frame))
    for seat in "SW":
        view = play_window(load_geometry(), seat).view(frame, pose, 3.0)
        cv2.imwrite(str(folder / f"{seat}.png"), view)
        sure = [r for r in reader.read_photo(view) if not r.doubtful]
        labels[f"{seat}.png"] = [{"card": r.card, "box": [float(v) for v in r.box]} for r in sure]
    (folder / "labels.json").write_text(json.dumps(labels))
    return folder


def enrol(photographs: Path, labels: Path, decks: Path, *more: str) -> int:
    arguments = ["deck", "enrol", "hall", "--photos", str(photographs), "--labels", str(labels), "--decks", str(decks)]
    return main([*arguments, *more])


def doctor_says(folder: Path, capsys) -> str:
    config = folder / "table.toml"
    config.write_text(f"[camera]\ndeck = 'hall'\n[state]\ndirectory = '{folder}'\n")
    main(["doctor", "--config", str(config)])
    return next(line for line in capsys.readouterr().out.splitlines() if line[4:].startswith("deck "))


def test_the_way_of_a_deck(
    photographs: Path, decks: Path, tmp_path: Path, few_rounds: None, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    labels = photographs / "labels.json"
    assert enrol(photographs, labels, decks) == 0
    assert "corners, learnt from photographs" in capsys.readouterr().out
    assert enrol(photographs, labels, decks) == 64
    assert "--replace" in capsys.readouterr().err
    assert "learnt with the present weights" in doctor_says(tmp_path, capsys)
    with monkeypatch.context() as patch:
        patch.setattr(tools, "weights_name", lambda: "others")
        assert "learnt with other weights" in doctor_says(tmp_path, capsys)
    at = ["--decks", str(decks)]
    assert main(["deck", "test", "hall", "--photos", str(photographs), "--labels", str(labels), *at]) == 0
    assert "right 1.000 wrong 0.0000" in capsys.readouterr().out
    assert main(["read", "--json", "--deck", "hall", *at, str(photographs / "S.png")]) == 0
    assert json.loads(capsys.readouterr().out)["cards"]
    assert main(["deck", "show", "hall", "--picture", str(tmp_path / "show.png"), *at]) == 0
    assert "never shown" in capsys.readouterr().out and cv2.imread(str(tmp_path / "show.png")) is not None
    assert main(["deck", "export", "hall", str(tmp_path / "hall.deck"), *at]) == 0
    assert "is written into" in capsys.readouterr().out
    assert main(["deck", "export", "hall", str(tmp_path / "hall.deck"), *at]) == 64
    assert "is there already" in capsys.readouterr().err
    assert main(["deck", "export", "hall", str(tmp_path / "hall.deck"), "--replace", *at]) == 0
    assert main(["deck", "export", "hall", str(tmp_path / "nowhere" / "hall.deck"), *at]) == 66
    assert f"{tmp_path / 'nowhere'}: there is no such folder" in capsys.readouterr().err
    assert main(["deck", "import", str(tmp_path / "hall.deck"), "--name", "other", *at]) == 0
    assert "is taken over into" in capsys.readouterr().out
    assert main(["deck", "import", "/dev/zero", *at]) == 66
    assert main(["deck", "list", *at]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["hall", "other"]
    assert main(["deck", "remove", "hall", *at]) == 0
    assert "is removed from" in capsys.readouterr().out
    assert main(["read", "--deck", "hall", *at, str(photographs / "S.png")]) == 66
    assert "other" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no json", "not JSON"),
        ("[1]", "no labels"),
        ("{}", "no label"),
        ('{"S.png": [{"card": "10H", "box": [1, 2, 3, 4]}]}', "10H"),
        ('{"S.png": [{"card": "TH"}]}', "a card and a box"),
        ('{"S.png": [{"card": "TH", "box": [5, 2, 3, 4]}]}', "x0 < x1"),
        ('{"S.png": [{"card": "TH", "box": [9000, 9000, 9010, 9030]}]}', "outside the picture"),
        ('{"nowhere.png": [{"card": "TH", "box": [1, 2, 3, 4]}]}', "none of the labelled"),
        ('{"../S.png": [{"card": "TH", "box": [1, 2, 3, 4]}]}', "none of the labelled"),
        ('{"S.png": [{"card": "TH", "box": [1, 2, 9, 12]}]}', "Labelled corners found: 0."),
        ('\ufeff{"S.png": [{"card": "10H", "box": [1, 2, 3, 4]}]}', "10H"),
    ],
)
def test_bad_labels_are_named_and_nothing_is_kept(
    photographs: Path, decks: Path, tmp_path: Path, text: str, words: str, capsys
) -> None:
    labels = tmp_path / "labels.json"
    labels.write_text(text)
    assert enrol(photographs, labels, decks) in {64, 66}
    error = capsys.readouterr().err
    assert words in error and "Traceback" not in error
    assert not decks.exists()


def test_labels_that_have_no_end_are_refused(photographs: Path, decks: Path, capsys) -> None:
    assert enrol(photographs, Path("/dev/zero"), decks) == 66
    assert "no ordinary file" in capsys.readouterr().err


def test_a_label_takes_one_corner_and_the_nearest(photographs: Path) -> None:
    corners = Reader.load()._detector.find(cv2.imread(str(photographs / "S.png")), 0.5, 0.3)
    labels = [Label("2D", corner.box()) for corner in corners[:4]]
    assert pair_up(labels, corners) == {i: i for i in range(4)}
    assert pair_up([Label("2D", (0.0, 0.0, 1.0, 1.0))], corners) == {}


def test_a_recording_that_ends_too_soon_is_said(decks: Path, tmp_path: Path, capsys) -> None:
    folder = tmp_path / "rehearsal"
    folder.mkdir()
    cv2.imwrite(str(folder / "1.png"), np.full((700, 700, 3), 90, np.uint8))
    assert main(["deck", "enrol", "hall", "--camera", f"folder:{folder}", "--decks", str(decks)]) == 69
    assert "ended at picture 1" in capsys.readouterr().err and not decks.exists()


def test_it_must_be_said_where_pictures_come_from(decks: Path, capsys) -> None:
    assert main(["deck", "enrol", "hall", "--decks", str(decks)]) == 64
    assert "--camera" in capsys.readouterr().err
