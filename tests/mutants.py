"""A test of the tests: twenty bugs are put into core, rules, journal and link, one at a time; eighteen must be caught.

``python tests/mutants.py [NUMBER…]`` works on a copy of the tree. Each bug names the tests that ought to catch it; they
must pass without it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WANTED = 18
CORE = ("tests/core", "tests/property")
RULES = ("tests/rules",)
JOURNAL = ("tests/journal/test_journal.py", "tests/journal/test_recover.py", "tests/core/test_runtime.py")
DEALER = ("tests/dealer/test_session.py", "tests/dealer/test_framing.py", "tests/dealer/test_contract.py")


@dataclass(frozen=True)
class Bug:
    """One wrong line, and the tests that ought to see it."""

    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


T, G = "table_controller/table", "table_controller/games/guandan"
BUGS = (
    Bug(f"{T}/stops.py", "state.stops.remove(found)", "pass", CORE),
    Bug(f"{T}/undone.py", "state.given = [item for item in state.given if item.incident != number]", "pass", CORE),
    Bug(
        f"{T}/play.py",
        "state.early.remove(due)\n        _take(draft, due)\n    if not",
        "_take(draft, due)\n    if not",
        CORE,
    ),
    Bug(f"{T}/shot_clock.py", 'verdict.state == "violation" and', 'verdict.state != "normal" and', CORE),
    Bug(f"{T}/turn.py", "clock.anchor_ms, clock.running = at_ms, True", "clock.running = True", CORE),
    Bug(f"{T}/dealing.py", "if tuple(event.counts) != QUOTAS:", "if False:", CORE),
    Bug(f"{T}/deal_end.py", "state.no_tribute, state.namer = True, result.winner", "state.namer = result.winner", CORE),
    Bug(f"{T}/anew.py", "if incident.kind in OF_A_PLAY and incident.status in OPEN and not holds:", "if False:", CORE),
    Bug(f"{T}/exchange.py", "RESISTS = 2", "RESISTS = 3", CORE),
    Bug(f"{T}/reports.py", "deal.reported[seat] = owed", "pass", CORE),
    Bug(f"{G}/trick.py", "if following not in self.out:", "if True:", (*RULES, *CORE)),
    Bug(f"{G}/order.py", "return 100 if key == level else RANKS.index(key)", "return RANKS.index(key)", RULES),
    Bug(f"{G}/match.py", "passes_a=at_own_a and place != 3", "passes_a=at_own_a", RULES),
    Bug(f"{G}/proof.py", "if len(numbers) > came[card]:", "if numbers:", RULES),
    Bug(f"{G}/penalties.py", "return max(0, violations - needed + 1)", "return violations // needed", RULES),
    Bug(f"{G}/tribute.py", "if strengths[a] >= strengths[b]", "if strengths[a] > strengths[b]", RULES),
    Bug("table_controller/journal/record.py", "return data if encode(data) == line else None", "return data", JOURNAL),
    Bug("table_controller/journal/reader.py", 'or record.get("prev") != self.last_hash', "", JOURNAL),
    Bug("table_controller/journal/writer.py", "            self._cut_back()\n", "", JOURNAL),
    Bug("table_controller/dealer/framing.py", "if crc16(content[:-2]) != struct", "if False and struct", DEALER),
)


def caught(copy: Path, bug: Bug) -> bool:
    """Whether the bug's tests fail with it."""
    path = copy / bug.file
    text = path.read_text(encoding="utf-8")
    if text.count(bug.right) != 1:
        raise SystemExit(f"{bug.file}: {bug.right!r} stands there {text.count(bug.right)} times: mend this list")
    path.write_text(text.replace(bug.right, bug.wrong), encoding="utf-8")
    try:
        return run(copy, bug.tests) != 0
    finally:
        path.write_text(text, encoding="utf-8")


def run(copy: Path, tests: tuple[str, ...]) -> int:
    """The exit status of these tests in the copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not soak", "-p", "no:cacheprovider", *tests]
    return subprocess.run(command, cwd=copy, capture_output=True, check=False, timeout=900).returncode


def main(numbers: list[int]) -> int:
    """Put in each bug in turn and say whether it was caught."""
    chosen = [BUGS[number - 1] for number in numbers] or list(BUGS)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        ignored = shutil.ignore_patterns(".git", ".venv*", "build", "*_cache", ".hypothesis", "__pycache__")
        shutil.copytree(ROOT, copy, ignore=ignored)
        for tests in sorted({bug.tests for bug in chosen}):
            if run(copy, tests):
                raise SystemExit(f"{' '.join(tests)} fail without any bug")
        found = 0
        for number, bug in enumerate(chosen, 1):
            seen = caught(copy, bug)
            found += seen
            words = bug.wrong.strip() or "(left out)"
            print(f"{number:2} {'caught' if seen else 'MISSED'}  {bug.file}: {words}", flush=True)
    print(f"{found} of {len(chosen)} caught")
    return 0 if found >= min(WANTED, len(chosen)) else 1


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]]))
