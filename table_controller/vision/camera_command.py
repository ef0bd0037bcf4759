"""``camera``: check what a camera sees of the mat, and keep the corners of a mat without fiducials."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

import cv2
import numpy as np

from table_controller.errors import InputError, UsageError
from table_controller.geometry import Geometry, load_geometry
from table_controller.runtime.clock import RealClock
from table_controller.vision.corners import FILE, CornerFinder, checked_corners, save_corners, stored_corners
from table_controller.vision.images import Image
from table_controller.vision.mat import MatFinder, MatPose, glimpse_of
from table_controller.vision.setup import setup_picture
from table_controller.vision.sources import Source, open_source
from table_controller.vision.watch import PictureWatch

_FRAMES = 45


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``camera``."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser("check", help="pose, pixels a millimetre, frames a second, and what is amiss")
    check.add_argument("--camera", default="v4l2:0", metavar="SOURCE", help="as camera.source (default v4l2:0)")
    check.add_argument("--picture", type=Path, metavar="FILE", help="keep the set-up picture, cards painted over")
    corners = actions.add_parser("corners", help="the corners of a mat without markers, in frame pixels")
    corners.add_argument("corners", nargs="*", metavar="X,Y", help="left and right of N, then right and left of S")
    corners.add_argument("--markers", action="store_true", help="forget them: go by the mat's markers again")
    for one in (check, corners):
        one.add_argument("--state", type=Path, default=Path("state"), metavar="DIR", help="as state.directory")


def run(args: argparse.Namespace) -> int:
    """Run ``camera``. Exit status of a check: 0 when nothing is amiss, else 1."""
    return _check(args) if args.action == "check" else _corners(args)


def _corners(args: argparse.Namespace) -> int:
    if args.markers == bool(args.corners):
        raise UsageError("Name four corners, or --markers.", way_out="X,Y X,Y X,Y X,Y, in pixels of the frame.")
    args.state.mkdir(parents=True, exist_ok=True)
    if args.markers:
        save_corners(args.state / FILE, None)
        print("The mat's markers count. / 按定位标记定位")
        return 0
    points = [text.split(",") for text in args.corners]
    save_corners(args.state / FILE, checked_corners(points, load_geometry().frame_px))
    print(f"Kept in {args.state / FILE}; a running table takes them at its next start. / 已保存")
    return 0


def _check(args: argparse.Namespace) -> int:
    geometry = load_geometry()
    loop = asyncio.new_event_loop()
    source = open_source(args.camera, geometry, RealClock(loop).now_ms)
    try:
        frame, pose, watch, last_ms = _watch(source, geometry, args.state / FILE)
    finally:
        source.close()
        loop.close()
    if args.picture is not None:
        packed = cv2.imencode(".png", setup_picture(frame, pose, geometry))[1]
        _write(args.picture, np.asarray(packed).tobytes())
    return _say(frame, pose, watch, last_ms)


def _watch(source: Source, geometry: Geometry, file: Path) -> tuple[Image, MatPose | None, PictureWatch, int]:
    """Look at some frames; the last of them, the pose in it, and what was measured."""
    corners = stored_corners(file)
    finder = MatFinder(geometry) if corners is None else CornerFinder(geometry, corners)
    watch = PictureWatch(geometry)
    frame: Image | None = None
    pose: MatPose | None = None
    last_ms = 0
    for _ in range(_FRAMES):
        grab = source.read()
        if grab is None:
            break
        frame, last_ms = grab
        glimpse = glimpse_of(frame)
        pose = finder.find(frame, glimpse)
        watch.look(frame, glimpse, pose, last_ms)
    if frame is None:
        raise InputError("The camera gave no picture.", way_out="Check its cable.")
    return frame, pose, watch, last_ms


def _say(frame: Image, pose: MatPose | None, watch: PictureWatch, last_ms: int) -> int:
    height, width = frame.shape[:2]
    print(f"frame      {width} × {height}")
    if pose is None:
        print("mat        not found: uncover its markers, or name its corners / 没有找到桌垫：请露出标记，或指定四角")
        return 1
    print(f"mat        {f'{pose.markers} markers' if pose.markers else 'by its corners'}, {pose.px_per_mm:.2f} px/mm")
    for seat, scale in watch.report.px_per_mm.items():
        print(f"area {seat}     {scale:.2f} px/mm")
    print(f"frames     {f'{watch.fps:.1f} a second' if watch.fps else 'too few to tell'}")
    hints = watch.hints(last_ms)
    for hint in hints:
        print(f"--  {hint.en} / {hint.zh}")
    if not hints:
        print("The picture is good. / 画面良好")
    return 1 if hints else 0


def _write(file: Path, data: bytes) -> None:
    try:
        file.write_bytes(data)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.", way_out="Name another file.") from error
