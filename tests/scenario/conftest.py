"""The command line as a child process, as a person runs it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

Ran = subprocess.CompletedProcess[str]


def _run(*arguments: str, status: int = 0) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "table_controller", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="session")
def table_controller() -> Callable[..., Ran]:
    """Runs a command that ends with ``status``; what it said."""
    return _run
