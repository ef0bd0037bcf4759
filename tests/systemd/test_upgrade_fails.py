"""An upgrade that fails, or is ended, at any step leaves the version that ran: program, units, names, no litter.

The installer is the real one, on a tree of its own; Python, pip and systemctl are stand-ins, and each command that it
calls to change a file is made to fail, or to end it, in turn.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).parents[2] / "systemd"
CHANGING = ("install", "mv", "ln", "mkdir", "sync")

PYTHON = """#!/bin/bash
case "$1 $2" in
  "-c "*) exit 0 ;;
  "-m venv") /usr/bin/mkdir -p "${@: -1}/bin" && cp "$0" "${@: -1}/bin/python"; exit "${VENV:-0}" ;;
  "-m pip") cp "${@: -1}" "$(dirname "$0")/table-controller"; exit "${PIP:-0}" ;;
esac
exit 2
"""
SYSTEMCTL = """#!/bin/bash
echo "$*" >>"$SAID"
case "$*" in
  "is-enabled"*" table-controller" | "daemon-reload") exit 0 ;;
  "stop table-controller") exit 0 ;;
  "restart table-controller" | "is-active"*" table-controller") exec "$ROOT/opt/table-controller/current/bin/table-controller" run ;;
esac
exit 1
"""  # noqa: E501
STEP = """#!/bin/bash
n=$(($(cat "$COUNT") + 1)); echo "$n" >"$COUNT"
if [ "$n" = "$AT" ]; then
  case $HOW in
    full) echo "$(basename "$0"): No space left on device" >&2; exit 1 ;;
    *) kill -"$HOW" "$PPID" ;;
  esac
fi
exec "/usr/bin/$(basename "$0")" "$@"
"""


def script(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


class Machine:
    """A tree with version 1.0 running, and a release of 2.0 to be put on it, whose units are others."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root, self.bin = folder, folder / "root", folder / "bin"
        self.bin.mkdir(parents=True)
        self.root.mkdir()
        script(self.bin / "python", PYTHON)
        script(self.bin / "systemctl", SYSTEMCTL)
        script(self.bin / "sleep", "#!/bin/sh\nexit 0\n")
        for name in CHANGING:
            script(self.bin / name, STEP)
        self.run("1.0", "install", "--venue", self.program("1.0"), how="none")

    def release(self, version: str) -> Path:
        """The installer as that version ships it: each unit says which version it is of."""
        made = self.folder / f"systemd-{version}"
        if not made.exists():
            shutil.copytree(SYSTEMD, made)
            for file in made.iterdir():
                if file.suffix in (".service", ".rules", ".conf"):
                    file.write_text(f"# of {version}\n", encoding="utf-8")
        return made / "install.sh"

    def program(self, version: str, *, run: int = 0, doctor: int = 1, starts: int = 0) -> Path:
        """A program that says its version, runs, and whose doctor misses a camera."""
        text = (
            f"#!/bin/sh\ncase $1 in --version) echo {version}; exit {starts};; run) exit {run};; esac\nexit {doctor}\n"
        )
        return script(self.folder / f"program-{version}", text)

    def run(self, version: str, *words: object, how: str = "none", at: int = 0, **more: str) -> tuple[int, str]:
        """The installer of a version; ``at`` which changing step ``how`` comes."""
        count = self.folder / "count"
        count.write_text("0\n")
        environment = {
            "PATH": f"{self.bin}:/usr/sbin:/usr/bin:/sbin:/bin", "ROOT": str(self.root), "HOW": how, "AT": str(at),
            "PYTHON": str(self.bin / "python"), "SYSTEMCTL": str(self.bin / "systemctl"), "COUNT": str(count),
            "SAID": str(self.folder / "said"), **more,
        }  # fmt: skip
        done = subprocess.run(
            ["bash", str(self.release(version)), *map(str, words)],
            capture_output=True, check=False, text=True, env=environment, timeout=60,
        )  # fmt: skip
        self.steps = int(count.read_text())
        return done.returncode, done.stdout + done.stderr

    def state(self) -> tuple[str, set[str], int]:
        """The version that ``current`` runs, those that its units and rules are of, how many versions lie there."""
        opt = self.root / "opt/table-controller"
        command = opt / "current/bin/table-controller"
        version = subprocess.run([str(command), "--version"], capture_output=True, text=True, check=True).stdout.strip()
        places = [self.root / "etc/systemd/system", self.root / "usr/lib"]
        files = [path for place in places for path in place.rglob("*") if path.is_file()]
        assert len(files) == 5, files
        assert {path.name for path in files if path.name.endswith(".new")} == set()
        return version, {path.read_text().strip() for path in files}, len(list((opt / "versions").iterdir()))


OLD, NEW = ("1.0", {"# of 1.0"}, 1), ("2.0", {"# of 2.0"}, 2)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    assert made.state() == OLD
    return made


@pytest.mark.parametrize(
    ("program", "environment", "words"),
    [
        ({"starts": 3}, {}, "the new version does not start"),
        ({"doctor": 78}, {}, "the new version does not start"),
        ({"doctor": 70}, {}, "the new version does not start"),
        ({"run": 1}, {}, "does not run"),
        ({}, {"PIP": "1"}, "could not be installed"),
        ({}, {"VENV": "1"}, "no folder for Python"),
    ],
    ids=["does not start", "refuses the settings", "fails its test", "comes and goes", "no network", "no room"],
)
def test_a_version_that_is_not_well_leaves_the_one_that_ran(
    machine: Machine, program: dict[str, int], environment: dict[str, str], words: str
) -> None:
    status, said = machine.run("2.0", "upgrade", machine.program("2.0", **program), **environment)  # type: ignore[arg-type]
    assert (status, words in said, "what ran before still runs" in said) == (69, True, True), said
    assert machine.state() == OLD
    assert machine.run("2.0", "upgrade", machine.program("2.0"))[0] == 0
    assert machine.state() == NEW
    assert machine.run("2.0", "rollback")[0] == 0
    assert machine.state() == ("1.0", {"# of 1.0"}, 2), "its units come back with it"


def test_the_old_version_goes_on_from_its_own_journal_where_it_cannot_read_the_new_one_s(machine: Machine) -> None:
    state = machine.root / "var/lib/table-controller"
    state.mkdir(parents=True)
    journal, snapshot = state / "journal.jsonl", state / "journal.snapshot"
    journal.write_text("of old\n")
    snapshot.write_text("of old\n")
    old = machine.root / "opt/table-controller/current/bin/table-controller"
    script(old, f"#!/bin/sh\n[ $1 = run ] || {{ echo 1.0; exit 0; }}\n! grep -q new {journal}\n")
    wrote = f"echo new >>{journal}; exit 1"
    new = script(machine.folder / "program", f"#!/bin/sh\ncase $1 in run) {wrote};; esac\necho 2.0\n")
    status, said = machine.run("2.0", "upgrade", new)
    assert (status, journal.read_text()) == (69, "of old\n"), said
    (kept,) = state.glob("journal.jsonl.of-*")
    assert kept.read_text().startswith("of old\nnew\n")
    assert str(kept) in said
    assert sorted(path.name.partition(".of-")[0] for path in state.iterdir()) == [
        "journal.jsonl", "journal.jsonl", "journal.snapshot",
    ]  # fmt: skip
    assert machine.run("2.0", "upgrade", machine.program("2.0"))[0] == 0
    assert journal.read_text() == "of old\n"
    assert not list(state.glob("*.before-*"))


def steps_of(folder: Path) -> tuple[Machine, int]:
    """A machine as it was before its upgrade, and how many steps that takes."""
    machine = Machine(folder / "machine")
    shutil.copytree(machine.root, folder / "before", symlinks=True)
    machine.run("2.0", "upgrade", machine.program("2.0"))
    assert machine.state() == NEW
    assert machine.steps >= 20
    return machine, machine.steps


def again(machine: Machine, folder: Path) -> None:
    shutil.rmtree(machine.root)
    shutil.copytree(folder / "before", machine.root, symlinks=True)


@pytest.mark.parametrize(("how", "every"), [("full", 1), ("TERM", 2), ("HUP", 5)])
def test_whatever_step_fails_or_is_ended_one_whole_version_runs(tmp_path: Path, how: str, every: int) -> None:
    """A full disk, Ctrl-C, a connection that was closed."""
    machine, steps = steps_of(tmp_path)
    for at in range(1, steps + 1, every):
        again(machine, tmp_path)
        status, said = machine.run("2.0", "upgrade", machine.program("2.0"), how=how, at=at)
        assert machine.state() == (OLD if status else NEW), f"step {at}: {said}"
        assert status == 0 or how == "full" or status > 128 or status < 0, f"step {at}: {said}"
        assert not (machine.root / "opt/table-controller/unfinished").exists()


def test_one_that_was_killed_is_set_right_by_whatever_is_run_next(tmp_path: Path) -> None:
    """A power cut: nothing is undone then, but a start finds a whole version, and the next command ends the matter."""
    machine, steps = steps_of(tmp_path)
    for at in range(1, steps + 1):
        again(machine, tmp_path)
        status, said = machine.run("2.0", "upgrade", machine.program("2.0"), how="KILL", at=at)
        if status == 0:
            continue
        assert status == -signal.SIGKILL, f"step {at}: {said}"
        command = machine.root / "opt/table-controller/current/bin/table-controller"
        assert subprocess.run([str(command), "run"], check=False).returncode == 0
        following = "rollback" if (machine.root / "opt/table-controller/unfinished").exists() else "upgrade"
        status, said = machine.run("2.0", following, *([machine.program("2.0")] if following == "upgrade" else []))
        assert status == 0, f"step {at}: {said}"
        version, units, _ = machine.state()
        assert units == {f"# of {version}"}, f"step {at}: {said}"
        assert version == ("1.0" if following == "rollback" else "2.0"), f"step {at}: {said}"


def test_two_installers_do_not_work_at_once(machine: Machine) -> None:
    lock = machine.root / "opt/table-controller/.lock"
    descriptor = os.open(lock, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        status, said = machine.run("2.0", "upgrade", machine.program("2.0"))
    finally:
        os.close(descriptor)
    assert (status, "another installer" in said) == (69, True)
    assert machine.state() == OLD


def test_a_version_of_before_keeps_the_units_it_was_installed_with(machine: Machine) -> None:
    """Versions made by an installer that kept no units with them."""
    for kept in (machine.root / "opt/table-controller/versions").glob("*/system"):
        shutil.rmtree(kept)
    assert machine.run("2.0", "upgrade", machine.program("2.0", run=1))[0] == 69
    assert machine.state() == OLD


def test_the_command_is_found_by_its_name_and_leaves_with_the_program(machine: Machine) -> None:
    link = machine.root / "usr/local/bin/table-controller"
    assert str(link.readlink()) == "/opt/table-controller/current/bin/table-controller"
    state = machine.root / "var/lib/table-controller"
    state.mkdir(parents=True)
    (state / "journal.jsonl").write_text("kept\n")
    assert machine.run("1.0", "uninstall")[0] == 0
    assert not link.is_symlink()
    assert (state / "journal.jsonl").read_text() == "kept\n"
    assert (machine.root / "etc/table-controller/table.toml").exists()
