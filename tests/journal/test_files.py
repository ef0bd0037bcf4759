"""A file that is written whole: what stood before or what stands now, with the right owner, at every instant."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_controller import files
from table_controller.app.deck_choice import keep_choice
from table_controller.app.wizard import _write
from table_controller.files import write_whole
from table_controller.journal import snapshot as snapshots
from table_controller.journal.snapshot import Place, Snapshot
from table_controller.table.core import TableCore


class System:
    """``os`` that notes its calls, and may end the process at one of them, or have a full disk there."""

    def __init__(self, stop: int = -1, error: BaseException | None = None) -> None:
        self.calls: list[str] = []
        self._stop, self._error = stop, error

    def __getattr__(self, name: str) -> Any:
        found = getattr(os, name)
        if name not in ("open", "write", "fsync", "fchmod", "close"):
            return found

        def called(*args: Any) -> Any:
            self.calls.append(name)
            if len(self.calls) - 1 == self._stop and self._error is not None:
                if name == "close":  # what is open stays the process's own until it ends
                    os.close(args[0])
                raise self._error
            return found(*args)

        return called


def test_content_is_on_the_disk_before_its_name_and_the_name_before_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = System()
    monkeypatch.setattr(files, "os", system)
    write_whole(tmp_path / "a", "one")
    assert system.calls == ["open", "fchmod", "write", "fsync", "close", "open", "fsync", "close"]
    system.calls.clear()
    write_whole(tmp_path / "a", "two", durable=False)
    assert "fsync" not in system.calls
    assert (tmp_path / "a").read_text() == "two"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "ended"])
def test_whenever_it_fails_the_old_file_stands_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    path = tmp_path / "a"
    write_whole(path, "old")
    for stop in range(5):
        with monkeypatch.context() as patch:
            patch.setattr(files, "os", System(stop, error))
            with pytest.raises(type(error)):
                write_whole(path, "new")
        assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a", "old")], stop


def test_what_a_crash_left_behind_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "a.new").symlink_to(tmp_path / "victim")
    write_whole(tmp_path / "a", "new")
    assert ((tmp_path / "victim").read_text(), (tmp_path / "a").read_text()) == ("mine", "new")
    assert not (tmp_path / "a").is_symlink()
    assert not (tmp_path / "a.new").exists()


def test_a_link_is_written_through(tmp_path: Path) -> None:
    """Settings on a disk that can be written, linked to from a root that cannot."""
    (tmp_path / "data").mkdir()
    link = tmp_path / "table.toml"
    link.symlink_to("data/table.toml")
    write_whole(link, "one")
    write_whole(link, "two")
    assert link.is_symlink()
    assert (tmp_path / "data" / "table.toml").read_text() == "two"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_secret_is_never_readable_by_others(tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    fchmod = os.fchmod

    def noted(descriptor: int, mode: int) -> None:
        seen.append(os.fstat(descriptor).st_mode & 0o777)
        fchmod(descriptor, mode)

    monkeypatch.setattr(os, "fchmod", noted)
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "secret", "word", mode=0o600)
        write_whole(tmp_path / "shared", "word")
    finally:
        os.umask(before)
    assert all(mode & 0o077 == 0 for mode in seen)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("secret", "shared")] == [0o600, 0o640]
    write_whole(tmp_path / "secret", "another")
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600, "a file keeps the rights it had"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_writes_stays_with_its_owner(tmp_path: Path) -> None:
    os.chown(tmp_path, 1234, 2345)
    write_whole(tmp_path / "new", "a")
    assert ((tmp_path / "new").stat().st_uid, (tmp_path / "new").stat().st_gid) == (0, 2345)
    os.chown(tmp_path / "new", 1234, 2345)
    write_whole(tmp_path / "new", "b")
    assert ((tmp_path / "new").stat().st_uid, (tmp_path / "new").stat().st_gid) == (1234, 2345)


def _snapshot(folder: Path) -> None:
    place = Place(1, 1, "0" * 64, 0)
    snapshots.save(folder / "journal.snapshot", Snapshot(place, TableCore().state, "", 0, "", 0))


WRITERS: dict[str, Callable[[Path], None]] = {
    "settings": lambda folder: _write(folder / "table.toml", {"table": {"id": "t1"}}),
    "deck choice": lambda folder: keep_choice(folder, "blue"),
    "snapshot": _snapshot,
}


@pytest.mark.parametrize("name", WRITERS)
def test_everything_of_the_table_is_written_so(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted before the last step, neither half a file nor a stray one is left, whatever the shell's umask."""
    before = os.umask(0)
    try:
        WRITERS[name](tmp_path)
    finally:
        os.umask(before)
    (written,) = tmp_path.iterdir()
    content = written.read_bytes()
    assert written.stat().st_mode & 0o777 == 0o640
    with monkeypatch.context() as patch:
        patch.setattr(files, "os", System(2, KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            WRITERS[name](tmp_path)
    assert written.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith(".before")] == [written.name]
