"""Whoever sets a table up hears whether the broker lets it in, and if not, why."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from table_controller.feed import probe
from table_controller.feed.client import Broker

CONNACK = {True: b"\x20\x03\x00\x00\x00", False: b"\x20\x03\x00\x87\x00"}
"""Of MQTT 5: welcome, and not authorized."""


class Doorman:
    """A broker's first word: it lets in who says ``secret``, and says nothing at all if it is ``deaf``."""

    def __init__(self) -> None:
        self.deaf = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        held: list[socket.socket] = []
        while True:
            try:
                line, _ = self._listening.accept()
            except OSError:
                break
            held.append(line)
            said = line.recv(4096)
            if said[:1] != b"\x10":  # no CONNECT: TLS, or the end
                line.close()
            elif not self.deaf:
                line.sendall(CONNACK[b"secret" in said])
        for line in held:
            line.close()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()


@pytest.fixture
def doorman() -> Iterator[Doorman]:
    made = Doorman()
    yield made
    made.close()


def test_the_right_password_is_let_in_and_a_wrong_one_is_named(doorman: Doorman) -> None:
    assert probe.why_not(Broker("127.0.0.1", doorman.port, "table", "secret")) == ""
    wrong = probe.why_not(Broker("127.0.0.1", doorman.port, "table", "guessed"))
    assert "Not authorized" in wrong
    assert "feed.password_file" in wrong


def test_one_that_says_nothing_is_not_waited_for(doorman: Doorman, monkeypatch: pytest.MonkeyPatch) -> None:
    doorman.deaf = True
    monkeypatch.setattr(probe, "ANSWER_S", 0.2)
    assert "says nothing" in probe.why_not(Broker("127.0.0.1", doorman.port))


def test_a_port_without_tls_and_one_where_nobody_is(doorman: Doorman) -> None:
    assert "not in TLS" in probe.why_not(Broker("127.0.0.1", doorman.port, tls=True))
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        assert "refused" in probe.why_not(Broker("127.0.0.1", nobody.getsockname()[1]))
