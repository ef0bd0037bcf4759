"""A process of a season keeps the size that it has after its first minutes: garbage is looked for soon and cheaply.

Python looks through everything only when a quarter of all it knows is new: with the 70,000 objects of a started program
that is hours of play and megabytes of garbage in cycles, and of tuples kept for use again (up to 4 MB of them).
"""

from __future__ import annotations

import gc


def settled() -> None:
    """Call once, when all is started: what is there now stays, and is not looked through again."""
    gc.collect()
    gc.freeze()


def tidy() -> None:
    """Look through what came since ``settled`` and give back what is kept for use again: a millisecond or two."""
    gc.collect()
