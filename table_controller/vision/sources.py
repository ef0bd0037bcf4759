"""Where pictures come from: a folder of pictures, a video file, a V4L2 camera, the Pi's camera.

A source is named in one line: ``folder:DIR``, ``video:FILE``, ``v4l2:/dev/video0`` (or ``v4l2:0``), ``pi``.
The simulated scene is no source: its frames are handed to the client.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from table_controller.errors import DeviceError, InputError
from table_controller.geometry import Geometry
from table_controller.vision.frames_file import FramesReader
from table_controller.vision.images import Image, load_photo, photo_files

NowMs = Callable[[], int]
Grab = tuple[Image, int]
"""A frame (BGR) and the monotonic ms of its grab."""
_HOLD = 8
"""A picture of a folder is shown for this many frames: long enough to come to rest and be read."""
RECORDING_ENDED = "The recording has ended."
KINDS = "Cameras are named folder:DIR, video:FILE, v4l2:/dev/video0, frames:FILE or pi."


@dataclass(frozen=True)
class CameraControls:
    """What a camera is held to from the start: automatic exposure and focus hunt while hands come and go.

    ``exposure`` (V4L2's unit, usually 100 µs; for the Pi µs) of 0 and ``focus`` (V4L2's unit; for the Pi hundredths of
    a dioptre) of -1 leave it to the camera.
    """

    exposure: int = 0
    focus: int = -1


_V4L2_MANUAL = 1


class Source(Protocol):
    """Something that gives frames. ``taken_px``: the last picture's width and height before it was cut square."""

    taken_px: tuple[int, int]

    def read(self) -> Grab | None:
        """The next frame, waiting for it; None at the end of a recording. Raises DeviceError when the camera fails."""

    def close(self) -> None:
        """Let the device go."""


def square(image: Image) -> Image:
    """The square in the middle of a picture: what is read of a wide one."""
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return np.ascontiguousarray(image[top : top + side, left : left + side])


class _Squared:
    """Cuts pictures to squares and keeps what size they were."""

    taken_px = (0, 0)

    def _square(self, image: Any) -> Image:
        self.taken_px = (image.shape[1], image.shape[0])
        return square(np.asarray(image, dtype=np.uint8))


class _Pace:
    """Lets a recording run at its own speed, or slower where the machine is; its stamps keep the recording's time."""

    def __init__(self, fps: float, now_ms: NowMs) -> None:
        self._step_ms = 1000 / fps
        self._now_ms = now_ms
        self._next_ms = float(now_ms())
        self._never = threading.Event()

    def wait(self) -> int:
        """Wait until the next frame is due; returns its stamp."""
        stamp_ms = self._next_ms
        wait_ms = stamp_ms - self._now_ms()
        if wait_ms > 0:
            self._never.wait(wait_ms / 1000)
        self._next_ms += self._step_ms
        return round(stamp_ms)


class FolderSource(_Squared):
    """The pictures of a folder in the order of their names, each held for some frames."""

    def __init__(self, folder: Path, fps: float, now_ms: NowMs) -> None:
        if not folder.is_dir():
            raise InputError(f"{folder}: there is no such folder.", way_out='Check camera = "folder:…".')
        self._files = [file for file in photo_files([folder]) if file.is_file()]
        if not self._files:
            raise InputError(f"{folder}: there is no picture in this folder.", way_out="JPEG and PNG are read.")
        for file in self._files:
            if not cv2.haveImageReader(str(file)):
                raise InputError(f"{file} is not a picture.", way_out="Take it out of the recording's folder.")
        self._pace = _Pace(fps, now_ms)
        self._at = 0
        self._image: Image | None = None

    def read(self) -> Grab | None:
        """The next frame, or None after the last picture."""
        while self._at % _HOLD == 0:
            if self._at // _HOLD >= len(self._files):
                return None
            try:
                self._image = self._square(load_photo(self._files[self._at // _HOLD]).image)
                break
            except InputError:
                self._at += _HOLD  # a damaged picture is left out; the others are read
        self._at += 1
        assert self._image is not None
        return self._image, self._pace.wait()

    def close(self) -> None:
        """Nothing is held open."""


class VideoSource(_Squared):
    """A video file, at its own speed."""

    def __init__(self, file: Path, now_ms: NowMs) -> None:
        if not file.is_file():
            raise InputError(f"{file}: there is no such file.", way_out='Check camera = "video:…".')
        self._capture = cv2.VideoCapture(str(file))
        if not self._capture.isOpened():
            raise InputError(f"{file}: this is not a video that can be read.", way_out="MP4 and AVI are read.")
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self._pace = _Pace(fps if 1 <= fps <= 240 else 10.0, now_ms)

    def read(self) -> Grab | None:
        """The next frame, or None at the end."""
        good, image = self._capture.read()
        if not good:
            return None
        return self._square(image), self._pace.wait()

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


class V4l2Source(_Squared):
    """A UVC camera through V4L2. The stamp is taken at the grab, before decoding."""

    def __init__(self, device: str, geometry: Geometry, now_ms: NowMs, controls: CameraControls) -> None:
        path = Path(f"/dev/video{device}" if device.isdigit() else device)
        if not path.exists():
            raise DeviceError(
                f"There is no camera at {path}.", way_out="Plug it in; `v4l2-ctl --list-devices` shows what there is."
            )
        self._now_ms = now_ms
        self._name = str(path)
        self._capture = cv2.VideoCapture(str(path), cv2.CAP_V4L2)
        if not self._capture.isOpened():
            raise DeviceError(f"{path} is not a camera, or another program holds it.", way_out="Close that program.")
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, geometry.camera_mode_px[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, geometry.camera_mode_px[1])
        self._capture.set(cv2.CAP_PROP_FPS, geometry.fps)
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if controls.exposure > 0:
            self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _V4L2_MANUAL)
            self._capture.set(cv2.CAP_PROP_EXPOSURE, controls.exposure)
        if controls.focus >= 0:
            self._capture.set(cv2.CAP_PROP_AUTOFOCUS, 0)
            self._capture.set(cv2.CAP_PROP_FOCUS, controls.focus)

    def read(self) -> Grab | None:
        """The next frame; raises DeviceError when none comes."""
        grabbed = self._capture.grab()
        stamp_ms = self._now_ms()
        good, image = self._capture.retrieve() if grabbed else (False, None)
        if not good or image is None:
            raise DeviceError(f"The camera at {self._name} gives no picture.", way_out="Check its cable.")
        return self._square(image), stamp_ms

    def close(self) -> None:
        """Let the camera go."""
        self._capture.release()


class PiCameraSource(_Squared):
    """The Raspberry Pi's camera through picamera2."""

    def __init__(self, geometry: Geometry, now_ms: NowMs, controls: CameraControls) -> None:
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise DeviceError(
                "The Pi's camera needs picamera2, which is not installed.",
                way_out="On Raspberry Pi OS: sudo apt install python3-picamera2.",
            ) from error
        self._now_ms = now_ms
        try:
            self._camera: Any = Picamera2()
            size = {"size": geometry.camera_mode_px, "format": "RGB888"}
            self._camera.configure(self._camera.create_video_configuration(main=size, buffer_count=3))
            held: dict[str, Any] = {"FrameRate": geometry.fps}
            if controls.exposure > 0:
                held |= {"AeEnable": False, "ExposureTime": controls.exposure}
            if controls.focus >= 0:
                held |= {"AfMode": 0, "LensPosition": controls.focus / 100}
            self._camera.set_controls(held)
            self._camera.start()
        except (RuntimeError, IndexError, OSError) as error:
            raise DeviceError("There is no Pi camera.", way_out="Check its cable; `rpicam-hello` tests it.") from error

    def read(self) -> Grab | None:
        """The next frame; libcamera calls blue green red RGB888."""
        try:
            image = self._camera.capture_array("main")
        except (RuntimeError, OSError) as error:
            raise DeviceError("The Pi's camera gives no picture.", way_out="Check its cable.") from error
        return self._square(image), self._now_ms()

    def close(self) -> None:
        """Let the camera go."""
        self._camera.stop()
        self._camera.close()


class FramesSource(_Squared):
    """Frames that another program hands over: see frames_file.py."""

    def __init__(self, file: Path, now_ms: NowMs) -> None:
        self._reader = FramesReader(file, now_ms)

    def read(self) -> Grab:
        """The newest frame; raises DeviceError when none comes."""
        image, stamp_ms = self._reader.next()
        return self._square(image), stamp_ms

    def close(self) -> None:
        """Let the file go."""
        self._reader.close()


def open_source(name: str, geometry: Geometry, now_ms: NowMs, controls: CameraControls = CameraControls()) -> Source:
    """The source that ``name`` names; raises InputError or DeviceError in plain words."""
    kind, _, rest = name.partition(":")
    if kind == "folder" and rest:
        return FolderSource(Path(rest), geometry.fps, now_ms)
    if kind == "video" and rest:
        return VideoSource(Path(rest), now_ms)
    if kind == "v4l2" and rest:
        return V4l2Source(rest, geometry, now_ms, controls)
    if kind == "frames" and rest:
        return FramesSource(Path(rest), now_ms)
    if kind in ("pi", "picamera2") and not rest:
        return PiCameraSource(geometry, now_ms, controls)
    raise InputError(f"'{name}' names no camera.", way_out=KINDS)


def is_recording(name: str) -> bool:
    """Whether a source is recorded material: then every frame is read, however slow the machine."""
    return name.partition(":")[0] in ("folder", "video")


def check_source(name: str, geometry: Geometry, now_ms: NowMs) -> None:
    """Open and close a source: raises what is wrong with it, before a worker is started for it."""
    open_source(name, geometry, now_ms).close()
