"""``run`` with a deck in its configuration that is not there: said before anything starts, or done without."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.cli import main


def config(folder: Path, deck: str) -> str:
    pictures = folder / "pictures"
    pictures.mkdir(exist_ok=True)
    cv2.imwrite(str(pictures / "a.jpg"), np.full((240, 240, 3), 90, dtype=np.uint8))
    file = folder / "table.toml"
    file.write_text(
        f"[camera]\nsource = 'folder:{pictures}'\ndeck = '{deck}'\n[dealer]\nport = 'none'\n[feed]\nhost = ''\n"
        f"[web]\nport = 0\n[panel]\nenabled = false\n[state]\ndirectory = '{folder}/state'\n"
    )
    return str(file)


@pytest.mark.parametrize("deck", ["hall", "../hall"])
def test_a_deck_that_is_not_there_is_a_mistake_of_the_configuration(
    deck: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--config", config(tmp_path, deck)]) == 78
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and "camera.deck" in lines[0] and deck in lines[0]
    assert not (tmp_path / "state").exists(), "nothing was started"


def test_degraded_goes_on_with_the_shipped_weights_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--degraded", "--config", config(tmp_path, "hall")]) == 0
    said = "".join(capsys.readouterr())
    assert "without: camera.deck = 'hall'" in said
    assert "shipped weights" in said and "随附的权重" in said
    assert "recogniser index-reader" in said
