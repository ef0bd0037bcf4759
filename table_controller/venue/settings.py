"""``venue.toml``: what the venue's service is told; every key is known, typed and within its range."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from table_controller.config import parse_sections, read_text, secret_of, setting
from table_controller.feed.client import Broker

LONGEST_DELAY_S = 900


@dataclass(frozen=True)
class VenueSettings:
    """Which venue this is."""

    name: str = setting("venue", words="a short name without / + #, as in the tables' table.venue")
    profile: str = setting("default", words="a rule set: default, national, huaian, or a file of your own")
    state: str = setting("venue-state", words="a folder the service may write")


@dataclass(frozen=True)
class BrokerSettings:
    """The MQTT broker."""

    host: str = setting("127.0.0.1")
    port: int = setting(1883, low=1, high=65535)
    username: str = setting("")
    password_file: str = setting("", words="a file that holds the password alone")
    tls: bool = setting(False)
    ca_file: str = setting("", words="a PEM file; empty: the authorities that the system believes")
    start: bool = setting(False)
    config: str = setting("", words="the folder of broker-config")


@dataclass(frozen=True)
class PageSettings:
    """Pages and API."""

    host: str = setting("127.0.0.1")
    port: int = setting(8090, low=0, high=65535)
    tls_certificate: str = setting("", words="a PEM file")
    tls_key: str = setting("", words="a PEM file")
    session_hours: int = setting(12, low=1, high=168)


@dataclass(frozen=True)
class ArchiveSettings:
    """What is kept."""

    enabled: bool = setting(True)
    database: str = setting("", words="empty for SQLite, or a URL such as postgresql+psycopg://user@host/venue")
    token_file: str = setting("", words="a file that holds the word for the tables' pictures alone")
    evidence_days: int = setting(30, low=1, high=3650)


@dataclass(frozen=True)
class RelaySettings:
    """The delay before air."""

    enabled: bool = setting(True)
    delay_s: int = setting(0, low=0, high=LONGEST_DELAY_S)
    username: str = setting("", words="the relay's own account; empty: that of [broker]")
    password_file: str = setting("", words="a file that holds its password alone")


@dataclass(frozen=True)
class VenueConfig:
    """The whole file."""

    venue: VenueSettings = field(default_factory=VenueSettings)
    broker: BrokerSettings = field(default_factory=BrokerSettings)
    web: PageSettings = field(default_factory=PageSettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    relay: RelaySettings = field(default_factory=RelaySettings)

    @property
    def folder(self) -> Path:
        """Where the service keeps its files."""
        return Path(self.venue.state)

    @property
    def database_url(self) -> str:
        """The archive's database as SQLAlchemy names it."""
        return self.archive.database or f"sqlite:///{self.folder / 'archive.sqlite'}"

    def broker_login(self) -> Broker:
        """How to reach the broker; raises ConfigError when the password's file cannot be read."""
        told = self.broker
        password = secret_of(told.password_file, "broker.password_file")
        return Broker(told.host, told.port, told.username, password, told.tls, told.ca_file)

    def relay_login(self) -> Broker:
        """How the relay reaches the broker: by an account of its own where one is named."""
        own = self.relay
        if not own.username:
            return self.broker_login()
        password = secret_of(own.password_file, "relay.password_file")
        return Broker(self.broker.host, self.broker.port, own.username, password, self.broker.tls, self.broker.ca_file)


def parse_venue(text: str, file: str) -> VenueConfig:
    """A VenueConfig from TOML text; raises ConfigError."""
    return parse_sections(VenueConfig, text, file)


def load_venue(path: Path) -> VenueConfig:
    """Read a file; raises ConfigError when it is missing, unreadable or wrong."""
    return parse_venue(read_text(path, "Write one: docs/venue.md shows every key."), str(path))
