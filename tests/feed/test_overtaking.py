"""Where the feed's own thread is behind while the link is lost and comes back, events do not overtake each other."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable

from table_controller.feed.client import MOST_AGAIN_S, Broker, FeedClient
from table_controller.feed.outbox import Outbox
from table_controller.feed.topics import Topics

TOPICS = Topics("v", "t1")
CONNECT, PUBLISH = 1, 3


def until(ready: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


class SlowBroker(threading.Thread):
    """Takes connections and greets them when told to; notes the events that come, and acknowledges none."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        self.greet = threading.Event()
        self.connects, self.events = 0, list[int]()
        self._links: list[socket.socket] = []
        self.greet.set()

    def run(self) -> None:
        while True:
            try:
                link, _ = self._server.accept()
            except OSError:
                return
            self._links.append(link)
            threading.Thread(target=self._serve, args=(link,), daemon=True).start()

    def _serve(self, link: socket.socket) -> None:
        stream = link.makefile("rb")
        while first := stream.read(1):
            size, shift = 0, 0
            while True:
                digit = stream.read(1)[0]
                size |= (digit & 127) << shift
                shift += 7
                if digit < 128:
                    break
            body = stream.read(size)
            if first[0] >> 4 == CONNECT:
                self.connects += 1
                threading.Thread(target=self._greet, args=(link,), daemon=True).start()
            elif first[0] >> 4 == PUBLISH and TOPICS.event.encode() in body:
                self.events.append(int(json.loads(body[body.index(b"{") :])["seq"]))

    def _greet(self, link: socket.socket) -> None:
        self.greet.wait(20)
        link.sendall(b"\x20\x03\x00\x00\x00")

    def take_over(self) -> None:
        """Say that another client came with the same name."""
        self._links[-1].sendall(b"\xe0\x02\x8e\x00")

    def hang_up(self) -> None:
        self._links[-1].shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._server.close()
        for link in self._links:
            link.close()


def test_what_is_sent_while_the_link_comes_back_does_not_go_before_what_was_not_acknowledged() -> None:
    broker, outbox = SlowBroker(), Outbox()
    broker.start()
    client = FeedClient(Broker("127.0.0.1", broker.port), TOPICS, outbox, "b")
    client.again_s = 0.05
    client.start()

    def say(seq: int) -> None:
        client.send(TOPICS.event, b'{"seq": %d}' % seq, seq=seq)

    try:
        until(lambda: client.online)
        for seq in (1, 2, 3):
            say(seq)
        until(lambda: len(broker.events) == 3)
        behind = threading.Event()

        def wait() -> None:
            behind.wait(20)

        client._words.put(wait)
        say(4)
        broker.greet.clear()
        broker.hang_up()
        time.sleep(1.5)  # time enough for a client that connects again by itself
        behind.set()
        until(lambda: broker.connects == 2)
        time.sleep(0.2)
        broker.greet.set()
        until(lambda: 4 in broker.events)
        assert broker.events[3:] == [1, 2, 3, 4]
    finally:
        client.stop()
        broker.close()
        outbox.close()


def test_two_tables_of_one_name_are_told_so_and_do_not_turn_each_other_out_all_the_time() -> None:
    broker, outbox = SlowBroker(), Outbox()
    broker.start()
    client = FeedClient(Broker("127.0.0.1", broker.port), TOPICS, outbox, "b")
    client.start()
    try:
        until(lambda: client.online)
        broker.take_over()
        until(lambda: "table.id" in client.problem)
        assert client._waits_s == MOST_AGAIN_S
    finally:
        client.stop()
        broker.close()
