"""The words on prompt cards and seats, and the markers beside them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import Seat

PROMPT_CHINESE: dict[str, str] = {"PASS": "不要", "TD": "裁判", "STOP": "停"}
"""The second line of a prompt card; a number is a report of cards left."""
SEAT_LINE_MM = 6.5
"""On a prompt card, whose box it belongs to stands so far from its top, between the markers."""
SEAT_CHINESE: dict[Seat, str] = {"E": "东", "N": "北", "W": "西", "S": "南"}


def prompt_lines(kind: str) -> tuple[str, str]:
    """(large line, small line) of a prompt card of this kind."""
    if kind.isdigit():
        return kind, f"报牌 {kind} 张"
    return kind, PROMPT_CHINESE[kind]


def marker_cells(dictionary: str, marker: int) -> NDArray[np.bool_]:
    """The marker's cells with its black border, True = black: 7 × 7 for a 5X5 dictionary."""
    known = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    side = int(known.markerSize) + 2
    return np.asarray(cv2.aruco.generateImageMarker(known, marker, side)) < 128
