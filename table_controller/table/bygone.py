"""Incidents of long ago leave the state when a game begins: a table that runs for a season stays as quick and small.

Every event is hashed with the whole state, so each incident costs every later event something. The journal keeps them
all, and ``table-controller record`` names them all; only the table itself can no longer be asked to change them.
"""

from __future__ import annotations

from table_controller.table.incidents import KINDS, TABLE, Incident
from table_controller.table.turn import Draft

KEPT = 200
"""So many of the newest stay whatever they are: days of play, much longer than an appeal may take (003 L126)."""
LONG_AGO = "nobody settled it, and its game is long over"


def forget_bygone(draft: Draft, at_ms: int) -> None:
    """Drop what is older than the newest ``KEPT`` and settled, unless it still counts.

    What nobody settled is resolved by the table, and leaves when the next game begins.
    """
    state = draft.state
    old = state.incidents[:-KEPT]
    counting = {given.incident for given in state.given}
    stays = [i for i in old if i.is_open or _counts(i, counting)]
    if old:
        state.incidents = stays + state.incidents[-KEPT:]
    for incident in stays:
        if incident.is_open:
            draft.update(incident.number, at_ms, TABLE, LONG_AGO, status="resolved")


def _counts(incident: Incident, counting: set[int]) -> bool:
    """Its penalty stands, or it keeps the same thing from being raised again; of both a match has few."""
    return incident.number in counting or KINDS[incident.kind].source == "counter"
