"""Whether the camera's pictures can be trusted: black, frozen, or without the mat, told by stamps alone."""

from __future__ import annotations

import numpy as np

from table_controller.table.events import CameraBack, CameraLost, Event
from table_controller.vision.images import Image

BLACK_MS = 500
FROZEN_MS = 1_500
NO_MAT_MS = 1_500
_BLACK = 10.0


class CameraHealth:
    """Says once that the picture is lost, and once that it is back."""

    def __init__(self) -> None:
        self.lost = ""
        self.by_corners = False
        """Whether the mat is found by clicked corners, which says what to do when it is not."""
        self._last: bytes = b""
        self._since: dict[str, int] = {}

    def look(self, frame: Image, grab_ms: int) -> bool:
        """Whether a frame is worth looking at; a real camera's noise never gives the same picture twice."""
        probe = np.ascontiguousarray(frame[::37, ::41]).tobytes()
        frozen, self._last = probe == self._last, probe
        black = float(np.mean(frame[::37, ::41])) < _BLACK
        self._note("black", black, grab_ms)
        self._note("frozen", frozen, grab_ms)
        return not black

    def mat(self, found: bool, grab_ms: int) -> None:
        """Note whether the mat was found in the frame."""
        self._note("mat", not found, grab_ms)

    def events(self, grab_ms: int) -> list[Event]:
        """CameraLost or CameraBack, when that changed."""
        reason = self._reason(grab_ms)
        was, self.lost = self.lost, reason
        if reason and not was:
            return [CameraLost(grab_ms, reason)]
        if was and not reason and not self._since:
            return [CameraBack(grab_ms)]
        if was and not reason:
            self.lost = was
        return []

    def _note(self, what: str, bad: bool, grab_ms: int) -> None:
        if bad:
            self._since.setdefault(what, grab_ms)
        else:
            self._since.pop(what, None)

    def _reason(self, now_ms: int) -> str:
        mat = "The camera does not see the mat's markers. Uncover them, or turn it to the table."
        if self.by_corners:
            mat = "The table is not where its corners were clicked. Click them again on the page /setup."
        limits = (
            ("black", BLACK_MS, "The camera's picture is black. Uncover its lens, switch the light on."),
            ("frozen", FROZEN_MS, "The camera's picture does not change any more. Plug it in again."),
            ("mat", NO_MAT_MS, mat),
        )
        for what, limit_ms, reason in limits:
            if what in self._since and now_ms - self._since[what] >= limit_ms:
                return reason
        return ""
