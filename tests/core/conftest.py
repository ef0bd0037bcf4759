"""Fixtures of the core's tests."""

from __future__ import annotations

import pytest

from table_controller.sim.event_table import EventTable


@pytest.fixture
def driven() -> EventTable:
    return EventTable()
