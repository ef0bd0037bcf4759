"""``table-controller support``: a bundle for whoever helps: versions, settings, health, the journal's tail; no secret.

Secrets are left out by construction: files that the settings name are never opened, pictures never packed, and of a
deal under way the plan and the nonce are blotted out.
"""

from __future__ import annotations

import argparse
import io
import json
import platform
import re
import sys
import tarfile
from collections import deque
from contextlib import redirect_stdout, suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from table_controller import __version__
from table_controller.app.tools import run_doctor
from table_controller.config import Config, load_config
from table_controller.errors import TableError, UsageError
from table_controller.files import write_whole
from table_controller.journal.reader import Records

TAIL = 2000
SECRET_KEYS = ("plan", "nonce", "password", "token", "secret", "document")
"""A carried match's ``document`` holds the plans of another table."""
_LOGIN = re.compile(r"://[^\s/@\"']+@")
BLOTTED = "(left out)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table's table.toml")
    parser.add_argument("--out", type=Path, default=Path("support.tar.gz"), metavar="FILE", help="where to write it")


def run(args: argparse.Namespace) -> int:
    """Write the bundle and say what is in it."""
    config = load_config(args.config)
    parts = {
        "versions.txt": _versions(),
        "settings.json": json.dumps(_settings(config), ensure_ascii=False, indent=1),
        "doctor.txt": _doctor(config),
        "journal-tail.jsonl": _journal(Path(config.state.directory) / "journal.jsonl"),
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as bundle:
        for name, text in parts.items():
            data = without_passwords(text).encode()
            entry = tarfile.TarInfo(f"support/{name}")
            entry.size, entry.mode = len(data), 0o600
            bundle.addfile(entry, io.BytesIO(data))
    try:
        write_whole(args.out, packed.getvalue(), mode=0o600)
    except OSError as error:
        raise UsageError(f"{args.out} cannot be written: {error.strerror}.", way_out="Name another --out.") from error
    print(f"{args.out}: {', '.join(parts)}")
    return 0


def _versions() -> str:
    packages = sorted(f"{d.metadata['Name']} {d.version}" for d in distributions())
    head = [f"table-controller {__version__}", f"python {sys.version}", f"{platform.platform()} {platform.machine()}"]
    return "\n".join([*head, "", *packages]) + "\n"


def _settings(config: Config) -> dict[str, dict[str, Any]]:
    """Every key; of a key that names a file of secrets only its name."""
    return {section: dict(vars(getattr(config, section))) for section in vars(config)}


def _doctor(config: Config) -> str:
    out = io.StringIO()
    with redirect_stdout(out), suppress(TableError):
        run_doctor(config)
    return out.getvalue()


def without_passwords(text: str) -> str:
    """A text whose addresses keep their host and lose who logs in there: ``http://name:word@host``."""
    return _LOGIN.sub(f"://{BLOTTED}@", text)


def blot(value: Any) -> Any:
    """A record without plans, nonces and whatever is called a secret."""
    if isinstance(value, dict):
        return {
            k: BLOTTED if any(word in k.lower() for word in SECRET_KEYS) and v else blot(v) for k, v in value.items()
        }
    if isinstance(value, list):
        return [blot(item) for item in value]
    return value


def _journal(path: Path) -> str:
    records = Records(path)
    try:
        last = deque(records, TAIL)
    except TableError as error:
        return json.dumps({"problem": error.line()}) + "\n"
    lines = [json.dumps(blot(record), ensure_ascii=False) for record in last]
    head = {"records": records.reading.number, "damage": records.reading.damage}
    return "\n".join([json.dumps(head), *lines]) + "\n"
