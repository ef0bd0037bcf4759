"""A typed refusal: an event that the table cannot take now. The state stands unchanged."""

from __future__ import annotations

from table_controller.errors import TableError


class Refusal(TableError):
    """Raised inside a handler; the core turns it into an Outcome with the old state."""

    code = "REFUSED"
