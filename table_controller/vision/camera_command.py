"""``camera``: check what a camera sees of the mat, and keep the corners of a mat without fiducials."""

from __future__ import annotations

import argparse
import asyncio
import re
from pathlib import Path

import cv2
import numpy as np

from table_controller.errors import InputError, UsageError
from table_controller.geometry import Geometry, load_geometry
from table_controller.runtime.clock import RealClock
from table_controller.vision.corner_file import FILE, save_corners, stored_corners
from table_controller.vision.corners import CornerFinder, checked_corners, corner_pose
from table_controller.vision.hints import Hint
from table_controller.vision.images import Image, load_photo
from table_controller.vision.mat import MatFinder, MatPose, glimpse_of
from table_controller.vision.setup import setup_picture
from table_controller.vision.sources import Source, open_source, square
from table_controller.vision.watch import PictureWatch, area_scales, least_px_per_mm

_FRAMES = 45


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``camera``."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser("check", help="pose, pixels a millimetre, frames a second, and what is amiss")
    check.add_argument("--camera", default="v4l2:0", metavar="SOURCE", help="as camera.source (default v4l2:0)")
    check.add_argument("--picture", type=Path, metavar="FILE", help="keep the frame as a picture, cards painted over")
    corners = actions.add_parser(
        "corners",
        help="the corners of a mat without markers, in pixels of the frame that `camera check --picture` keeps",
    )
    corners.add_argument("corners", nargs="*", metavar="X,Y", help="left and right of N, then right and left of S")
    # a corner may lie a little outside the frame: -5,3 is a place, no option
    corners._negative_number_matcher = re.compile(r"^-[\d.]")
    corners.add_argument(
        "--picture", type=Path, metavar="FILE", help="the picture they were read off (default: one of the frame's size)"
    )
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
    geometry = load_geometry()
    width, height = frame_px = _picture_px(args.picture) or geometry.frame_px
    corners = checked_corners(points, frame_px)
    save_corners(args.state / FILE, corners, frame_px)
    print(f"Kept in {args.state / FILE}, in pixels of a frame of {width} × {height};")
    print("a running table takes them at its next start. / 已保存")
    scale, least = min(area_scales(geometry, corner_pose(geometry, corners)).values()), geometry.px_per_mm
    if scale >= least_px_per_mm(geometry):
        return 0
    print(f"--  By these corners an area has only {scale:.2f} px/mm, {least:g} are needed: cards will be misread.")
    print("    Were they read off a smaller picture? If not, lower the camera or choose a higher resolution.")
    print(f"--  按这四角，出牌区每毫米只有 {scale:.2f} 像素，至少要 {least:g}：")
    print("    请核对是否取自缩小的画面，否则把摄像头放低或提高分辨率")
    return 1


def _picture_px(file: Path | None) -> tuple[int, int] | None:
    """The size of the square that is read of a picture; None without one. Raises InputError."""
    if file is None:
        return None
    image = square(load_photo(file).image)
    return image.shape[1], image.shape[0]


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
        packed = cv2.imencode(".png", setup_picture(frame, pose, geometry, side_px=max(frame.shape[:2])))[1]
        _write(args.picture, np.asarray(packed).tobytes())
    _say_frame(frame, source.taken_px, geometry)
    return _say(pose, watch, last_ms)


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


def _say_frame(frame: Image, taken_px: tuple[int, int], geometry: Geometry) -> None:
    """The frame's size, and how it differs from the camera's picture and from the frame that the table asks for."""
    height, width = frame.shape[:2]
    print(f"frame      {width} × {height}")
    if taken_px != (width, height):
        print(f"picture    {taken_px[0]} × {taken_px[1]}: the square in its middle is the frame / 只取画面中间的正方形")
    if (width, height) != geometry.frame_px:
        asked = f"{geometry.frame_px[0]} × {geometry.frame_px[1]}"
        print(
            f"           not the {asked} that the table asks for; nothing is enlarged / 与要求的 {asked} 不同，不会放大"
        )


def _amiss(watch: PictureWatch, now_ms: int) -> tuple[Hint, ...]:
    """What is amiss; the scale, and all of a single picture, counts at once."""
    hints = watch.hints(now_ms)
    once = [hint for hint in watch.last_look if watch.looks < 2 or hint.code == "coarse"]
    return (*hints, *(hint for hint in once if hint not in hints))


def _say(pose: MatPose | None, watch: PictureWatch, last_ms: int) -> int:
    if pose is None:
        print("mat        not found: uncover its markers, or name its corners / 没有找到桌垫：请露出标记，或指定四角")
        return 1
    print(f"mat        {f'{pose.markers} markers' if pose.markers else 'by its corners'}, {pose.px_per_mm:.2f} px/mm")
    for seat, scale in watch.report.px_per_mm.items():
        print(f"area {seat}     {scale:.2f} px/mm")
    print(f"frames     {f'{watch.fps:.1f} a second' if watch.fps else 'too few to tell'}")
    hints = _amiss(watch, last_ms)
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
