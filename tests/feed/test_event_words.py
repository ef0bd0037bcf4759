"""The director's timeline has words in both languages for every kind of event that a table publishes."""

from __future__ import annotations

import re
from pathlib import Path

from table_controller.feed.contract.events import EVENTS

STATIC = Path(__file__).parents[2] / "table_controller/web/static"


def test_every_event_has_words() -> None:
    text = (STATIC / "timeline.js").read_text(encoding="utf-8")
    words = {name: (zh, en) for name, zh, en in re.findall(r'\bev_(\w+): \["([^"]+)", "([^"]+)"\]', text)}
    assert set(words) == set(EVENTS)
    for name, (zh, en) in words.items():
        assert re.search(r"[一-鿿]", zh), name
        assert en.isascii(), name
