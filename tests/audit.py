"""What is known against the installed packages: ``make audit``, a stage of CI.

``pip-audit`` (in an environment of its own under build/) asks the Python Package Index about every package in .venv. A
known vulnerability ends with status 1. A machine that cannot ask is told so, with how many packages were not looked up:
that is no failure, and no all-clear either. Found at last: build/audit.json.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TOOLS, REPORT = ROOT / "build" / "audit-tools", ROOT / "build" / "audit.json"
PACKAGE = "pip-audit>=2.10,<3"
TIMEOUT_S = 300


def verdict(report: dict[str, Any]) -> tuple[int, list[str]]:
    """(exit status, lines to print) of what ``pip-audit --format json`` wrote; the product itself is on no index."""
    packages = [one for one in report["dependencies"] if one["name"] != "table-controller"]
    unknown = [one for one in packages if "skip_reason" in one]
    found = [(one, known) for one in packages for known in one.get("vulns", [])]
    lines = [
        f"audit: {one['name']} {one['version']}: {known['id']}, mended in "
        f"{', '.join(known['fix_versions']) or 'no version'}"
        for one, known in found
    ]
    asked = len(packages) - len(unknown)
    lines.append(f"audit: {asked} of {len(packages)} packages looked up, {len(found)} known vulnerabilities")
    if unknown:
        lines.append(f"audit: {len(unknown)} could not be looked up here; run `make audit` where the index answers")
    return int(bool(found)), lines


def main() -> int:
    """Run it; status 1 for a vulnerability, or when the tool itself fails."""
    python = TOOLS / "bin" / "python"
    if not (TOOLS / "bin" / "pip-audit").exists():
        venv.create(TOOLS, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", PACKAGE], check=True, timeout=TIMEOUT_S)
    REPORT.unlink(missing_ok=True)
    command = [str(python), "-m", "pip_audit", "--path", sysconfig.get_path("purelib"), "--progress-spinner", "off"]
    done = subprocess.run(
        [*command, "--format", "json", "--output", str(REPORT)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if not REPORT.exists():
        print(f"audit: pip-audit failed: {done.stderr.strip()[-400:]}")
        return 1
    status, lines = verdict(json.loads(REPORT.read_text()))
    print(*lines, sep="\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
