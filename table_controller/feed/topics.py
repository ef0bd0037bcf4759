"""The topic tree, plane first, so that one line of an access list is one role."""

from __future__ import annotations

from dataclasses import dataclass

ROOT = "guandan/v1"


@dataclass(frozen=True)
class Topics:
    """The topics that one table writes."""

    venue: str
    table: str

    def _live(self, name: str) -> str:
        return f"{ROOT}/{self.venue}/live/{self.table}/{name}"

    @property
    def availability(self) -> str:
        """Retained, and the will: ready, init, lost, offline."""
        return self._live("availability")

    @property
    def info(self) -> str:
        """Retained: versions and capabilities."""
        return self._live("info")

    @property
    def state(self) -> str:
        """Retained: the whole public snapshot."""
        return self._live("state")

    @property
    def event(self) -> str:
        """Numbered events, not retained."""
        return self._live("event")

    @property
    def health(self) -> str:
        """Retained, QoS 0: camera, recogniser, serial, broker."""
        return self._live("health")

    def alert(self, number: int) -> str:
        """Retained while an incident is open; cleared when it is resolved."""
        return self._live(f"alert/{number}")

    def seal(self, stage: str) -> str:
        """``commit`` before the deal, ``reveal`` after it: never cards."""
        return f"{ROOT}/{self.venue}/seal/{self.table}/{stage}"

    @property
    def commands(self) -> str:
        """What this table listens to: one verb a topic."""
        return f"{ROOT}/{self.venue}/cmd/{self.table}/+"

    def command(self, verb: str) -> str:
        """Where a command for this table goes: never retained, and it expires."""
        return f"{ROOT}/{self.venue}/cmd/{self.table}/{verb}"

    def reply(self, client: str) -> str:
        """What became of a client's command."""
        return f"{ROOT}/{self.venue}/reply/{self.table}/{client}"


def venue_topic(venue: str, name: str) -> str:
    """Schedule, roster, announcement: written by the venue's service."""
    return f"{ROOT}/{venue}/venue/hall/{name}"


def plane_topics(venue: str, plane: str) -> str:
    """Everything of one plane."""
    return f"{ROOT}/{venue}/{plane}/#"


def relay_topic(venue: str, table: str, name: str) -> str:
    """``control`` of the relay, and its ``status`` for a table."""
    return f"{ROOT}/{venue}/relay/{table}/{name}"


def split_topic(topic: str) -> tuple[str, str, str, str] | None:
    """(venue, plane, table, the rest) of a topic of the feed, or None for any other."""
    parts = topic.split("/", 5)
    if len(parts) != 6 or "/".join(parts[:2]) != ROOT:
        return None
    return parts[2], parts[3], parts[4], parts[5]
