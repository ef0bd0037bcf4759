"""What is said to the person at the terminal."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """A line on standard error: a command's result alone goes to standard output."""
    print(text, file=sys.stderr, flush=True)
