"""A process of a season keeps the size that it has after its first minutes: garbage is looked for soon and cheaply.

Python looks through everything only when a quarter of all it knows is new: with the 70,000 objects of a started program
that is hours of play and megabytes of garbage in cycles, and of tuples kept for use again (up to 4 MB of them). The C
library in its turn keeps what was freed, and a heap for each thread that has ever asked for memory while another did.
"""

from __future__ import annotations

import ctypes
import gc
from typing import Any

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # malloc.h of glibc
_LARGE = 128 * 1024
"""Bytes from which a block is mapped by itself and goes back when freed: glibc's own start, which it would raise."""


def _of_libc(name: str) -> Any:
    """A function of glibc; one that does nothing where the C library is another."""
    return getattr(ctypes.CDLL(None), name, lambda *_: 0)


def sparing() -> None:
    """Call first, before there are threads: one heap for all of them, and large blocks go back at once."""
    mallopt = _of_libc("mallopt")
    mallopt(_M_ARENA_MAX, 1)
    mallopt(_M_MMAP_THRESHOLD, _LARGE)


def settled() -> None:
    """Call once, when all is started: what is there now stays, and is not looked through again."""
    gc.collect()
    gc.freeze()


def tidy() -> None:
    """Look through what came since ``settled``, and give back what is kept for use again: some milliseconds."""
    gc.collect()
    _of_libc("malloc_trim")(0)
