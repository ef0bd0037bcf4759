"""The vision process: frames in, events out, killed and started again, its own camera."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import select
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.errors import DeviceError
from table_controller.sim.scene import Scene
from table_controller.table.events import CameraBack, CameraLost, CardsSeen, Event
from table_controller.vision.client import VisionClient
from table_controller.vision.worker import slot_view


class Watched:
    def __init__(self, client: VisionClient) -> None:
        self.client, self.scene, self.ms = client, Scene(random.Random(21)), 0

    def look(self, most: int = 12) -> list[Event]:
        events: list[Event] = []
        for _ in range(most):
            events += self.client.submit(self.scene.render(), self.ms)
            self.ms += 100
            if not self.client.pending:
                break
        return events


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    client = VisionClient(evidence_folder=tmp_path / "evidence")
    try:
        assert client.start().startswith("index-reader-")
        yield Watched(client)
    finally:
        client.close()


def cards(events: list[Event]) -> list[tuple[str, ...]]:
    return [event.cards for event in events if isinstance(event, CardsSeen)]


def test_a_killed_worker_is_replaced_and_old_cards_are_no_news(watched: Watched) -> None:
    watched.look()
    watched.scene.lay("S", ["5S", "5H"])
    first = watched.look()
    assert cards(first) == [("5S", "5H")]
    (event,) = first
    assert isinstance(event, CardsSeen)
    assert event.evidence.endswith("-S.jpg")
    watched.client.kill()
    watched.scene.lay("N", ["KD"])
    after = watched.look()
    assert [type(event) for event in after[:2]] == [CameraLost, CameraBack]
    assert cards(after) == [("KD",)]
    assert watched.client.restarts == 1


def test_in_a_deal_nothing_leaves_the_worker(watched: Watched) -> None:
    client = watched.client
    watched.look()

    def picture() -> bytes | None:
        client.request_picture()
        select.select([client.fileno()], [], [], 10)
        client.receive()
        return client.last_picture

    client.watch("idle")
    watched.look()
    idle = picture()
    assert idle is not None
    assert cv2.imdecode(np.frombuffer(idle, np.uint8), cv2.IMREAD_COLOR).shape[0] == 1080
    for mode in ("deal", "play"):
        client.last_picture = None
        client.watch(mode)
        watched.look(2)
        assert picture() is None
    client.watch("deal")
    watched.scene.lay("S", ["AS"])
    assert watched.look(4) == []


def test_frames_can_be_offered_without_waiting(watched: Watched) -> None:
    client = watched.client
    watched.scene.lay("W", ["9D"])
    events: list[Event] = []
    for _ in range(60):
        if client.offer(watched.scene.render(), watched.ms):
            watched.ms += 100
        select.select([client.fileno()], [], [], 1)
        events += client.receive()
        if cards(events):
            break
    assert cards(events) == [("9D",)]


def test_a_worker_that_hangs_is_noticed_within_two_seconds(watched: Watched) -> None:
    client = watched.client
    watched.look()
    client.kill()
    lost = client.check(10_000)
    assert [type(event) for event in lost] == [CameraLost]
    assert client.restarts == 1
    assert client.check(10_100) == [], "nobody waits for another to load"
    select.select([client.fileno()], [], [], 60)
    back = client.check(10_500)
    assert [type(event) for event in back] == [CameraBack]


def test_a_worker_that_ends_while_it_starts_is_tried_again(watched: Watched) -> None:
    client = watched.client
    for now_ms, restarts in ((10_000, 1), (12_000, 1), (15_000, 2)):
        client.kill()
        client.check(now_ms)
        assert client.restarts == restarts
    select.select([client.fileno()], [], [], 60)
    assert [type(event) for event in client.check(15_500)] == [CameraBack]


def test_a_folder_of_pictures_is_the_same_job(tmp_path: Path) -> None:
    scene = Scene(random.Random(22))
    folder = tmp_path / "pictures"
    folder.mkdir()
    cv2.imwrite(str(folder / "1.jpg"), scene.render(), [cv2.IMWRITE_JPEG_QUALITY, 95])
    scene.lay("E", ["TC", "TD"])
    cv2.imwrite(str(folder / "2.jpg"), scene.render(), [cv2.IMWRITE_JPEG_QUALITY, 95])
    client = VisionClient(source=f"folder:{folder}")
    try:
        client.start()
        events: list[Event] = []
        for _ in range(200):
            select.select([client.fileno()], [], [], 0.2)
            events += client.receive()
            if client.lost:
                break
        assert cards(events) == [("TC", "TD")]
        assert client.lost == "The recording has ended."
        assert not [event for event in events if isinstance(event, CameraLost)]
    finally:
        client.close()


def test_missing_models_are_one_plain_sentence(tmp_path: Path) -> None:
    client = VisionClient(models_dir=tmp_path)
    try:
        with pytest.raises(DeviceError) as error:
            client.start()
        assert "onnx" in error.value.line()
    finally:
        client.close()


def test_slots_do_not_overlap() -> None:
    client = VisionClient(frame_px=(64, 48))
    try:
        for slot in range(3):
            slot_view(client._memory, (64, 48), slot)[:] = slot + 1
        assert [int(slot_view(client._memory, (64, 48), slot).min()) for slot in range(3)] == [1, 2, 3]
        assert [int(slot_view(client._memory, (64, 48), slot).max()) for slot in range(3)] == [1, 2, 3]
    finally:
        client.close()


def test_a_loop_lets_go_of_a_dead_workers_pipe_before_its_number_is_another_files(watched: Watched) -> None:
    """A page's connection gets the number; what asyncio says of a descriptor that is not let go ends the table."""
    client, told = watched.client, []

    async def run() -> None:
        loop = asyncio.get_running_loop()

        def opened(pipe: int) -> None:
            told.append(("opened", pipe))
            loop.add_reader(pipe, client.receive)

        def closing(pipe: int) -> None:
            os.fstat(pipe)  # it is open still
            told.append(("let go", pipe) if loop.remove_reader(pipe) else ("closed", pipe))

        client.watched(opened, closing)
        client.kill()
        while len(told) < 2:  # a dead worker's pipe stays readable: it is let go at once, not called for ever
            await asyncio.sleep(0.01)
        assert [type(event) for event in client.check(10_000)] == [CameraLost]
        client.close()

    first = client.fileno()
    asyncio.run(run())
    assert [pipe for _, pipe in told[:3]] == [first] * 3
    assert [what for what, _ in told if what != "closed"] == ["opened", "let go", "opened", "let go"]


def test_a_machine_without_room_for_another_worker_is_no_end_of_the_table(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = watched.client

    def full(*args: object) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    client.kill()
    client.request_picture()
    client.watch("play")
    with monkeypatch.context() as patched:
        patched.setattr(client, "_spawn", full)
        assert [type(event) for event in client.check(10_000)] == [CameraLost]
        assert client.check(12_000) == []
        assert client.check(15_000) == []
        client.end_enrolment()
    client.check(20_000)
    select.select([client.fileno()], [], [], 60)
    assert [type(event) for event in client.check(20_500)] == [CameraBack]
