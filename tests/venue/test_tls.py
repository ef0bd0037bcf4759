"""TLS to a real mosquitto: table and service believe their authority, and say plainly whom they do not believe."""

from __future__ import annotations

import asyncio
import gc
import subprocess
from pathlib import Path
from typing import Any

import pytest

from table_controller.app.venue import running
from table_controller.errors import ConfigError
from table_controller.feed.client import Broker, FeedClient
from table_controller.feed.outbox import Outbox
from table_controller.feed.security import why_refused
from table_controller.feed.topics import Topics
from table_controller.venue.broker_files import Listening, account_of, write_files
from table_controller.venue.settings import BrokerSettings, PageSettings, RelaySettings, VenueConfig, VenueSettings

pytestmark = pytest.mark.broker


def openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def authority(folder: Path, name: str) -> Path:
    made = folder / f"{name}.pem"
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
            "-keyout", str(folder / f"{name}.key"), "-out", str(made))  # fmt: skip
    return made


def certificate(folder: Path, ca: Path, host: str) -> tuple[Path, Path]:
    """A broker's certificate and key, signed for an address."""
    key, asked, signed, names = (folder / f"broker.{end}" for end in ("key", "csr", "pem", "names"))
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=broker", "-keyout", str(key), "-out", str(asked))
    names.write_text(f"subjectAltName=IP:{host}\n")
    openssl("x509", "-req", "-in", str(asked), "-CA", str(ca), "-CAkey", str(ca.with_suffix(".key")), "-days", "2",
            "-CAcreateserial", "-extfile", str(names), "-out", str(signed))  # fmt: skip
    return signed, key


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tls")
    ours, other = authority(folder, "ours"), authority(folder, "other")
    signed, key = certificate(folder, ours, "127.0.0.1")
    return {"ours": ours, "other": other, "certificate": signed, "key": key}


class Secured:
    """A mosquitto with a TLS listener, by the files of broker-config."""

    def __init__(self, kit: Any, folder: Path, certificates: dict[str, Path]) -> None:
        self.hall, self.tls_port = kit.Hall(folder / "broker", kit.TABLES), kit.free_port()
        secured = Listening("127.0.0.1", self.hall.port, 0, self.tls_port, str(certificates["certificate"]),
                            str(certificates["key"]))  # fmt: skip
        write_files(folder / "broker", kit.VENUE, kit.TABLES, secured)
        self.hall.start()

    def login(self, account: str, ca_file: Path, port: int = 0) -> Broker:
        plain = self.hall.login(account)
        return Broker("127.0.0.1", port or self.tls_port, account, plain.password, True, str(ca_file))


@pytest.fixture
def secured(kit: Any, tmp_path: Path, certificates: dict[str, Path]) -> Any:
    made = Secured(kit, tmp_path, certificates)
    yield made
    made.hall.stop()


def client_of(broker: Broker) -> FeedClient:
    made = FeedClient(broker, Topics("hall", "t1"), Outbox(), "b1")
    made.start()
    return made


def test_a_table_and_the_service_meet_over_tls(
    secured: Secured, kit: Any, tmp_path: Path, certificates: dict[str, Path]
) -> None:
    password = str(secured.hall.password_file("venue"))
    broker = BrokerSettings("127.0.0.1", secured.tls_port, "venue", password, True, str(certificates["ours"]))
    own = RelaySettings(True, 0, "relay", str(secured.hall.password_file("relay")))
    config = VenueConfig(VenueSettings("hall", state=str(tmp_path / "state")), broker, PageSettings(port=0), relay=own)
    (tmp_path / "state").mkdir()
    table = client_of(secured.login(account_of("t1"), certificates["ours"]))

    async def work() -> None:
        async with running(config) as made:
            assert made is not None
            service = made[0]
            await kit.until(lambda: service.wire.online and table.online)
            await kit.until(lambda: getattr(service.hall.views.get("t1"), "availability", "") == "ready")

    try:
        asyncio.run(work())
    finally:
        table.stop()


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # paho leaves the socket to the collector
def test_who_is_not_believed_is_named_with_the_way_out(
    secured: Secured, kit: Any, certificates: dict[str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    wrong = client_of(secured.login(account_of("t1"), certificates["other"]))
    plain = client_of(secured.login(account_of("t2"), certificates["ours"], secured.hall.port))
    try:
        kit.wait_for(lambda: "is not believed" in wrong.problem, 30)
        assert "Set ca_file to the authority" in wrong.problem
        assert not wrong.online
        kit.wait_for(lambda: "but not in TLS" in plain.problem, 30)
    finally:
        wrong.stop()
        plain.stop()
        gc.collect()  # here, where it may warn of those sockets
    assert "is not believed" in caplog.text
    assert why_refused("127.0.0.1", secured.tls_port, str(certificates["ours"])) == ""
    assert "is not believed" in why_refused("localhost", secured.tls_port, str(certificates["ours"])), "another name"
    assert why_refused("127.0.0.1", kit.free_port(), str(certificates["ours"])) == ""


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_an_authority_s_file_that_is_none_is_said_at_the_start(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigError, match="cannot be read"):
        FeedClient(Broker("127.0.0.1", 1, "", "", True, str(file)), Topics("hall", "t1"), Outbox(), "b1")
