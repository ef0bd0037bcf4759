"""What is amiss with a picture of a guided enrolment, in words an operator can act on."""

from __future__ import annotations

from collections.abc import Mapping

from table_controller.cards import Seat
from table_controller.vision.enrol.plan import SEAT_ZH, Words
from table_controller.vision.enrol.row_match import Row
from table_controller.vision.gate import GATE_PX_PER_MM
from table_controller.vision.images import Image
from table_controller.vision.light import light_hints


def no_mat() -> Words:
    """The mat is not seen."""
    return Words(
        "看不到桌垫：请让摄像头对准桌面，并移开盖住定位标记的物品。",
        "The mat is not seen: turn the camera to the table, and uncover the markers.",
    )


def row_faults(seat: Seat, row: Row, doubted: set[tuple[str, str]]) -> list[Words]:
    """What is amiss with a row. A card that reads as another is asked about once: ``doubted`` remembers; when it is
    still there at the second look, the operator's word counts."""
    if row.missing:
        cards = " ".join(row.missing)
        return [
            Words(
                f"{SEAT_ZH[seat]}家：没有看到 {cards} 的角标，请露出角标、移开手，并核对顺序。",
                f"{seat}: no corner index seen for {cards}; free them, take hands away, check the order.",
            )
        ]
    odd = [pair for pair in row.other if pair not in doubted]
    doubted.update(odd)
    return [
        Words(
            f"{SEAT_ZH[seat]}家：{asked} 的位置上像是 {read}。若放错请更正；若没错，请保持不动。",
            f"{seat}: where {asked} should lie it looks like {read}. Correct it, or leave it if it is right.",
        )
        for asked, read in odd
    ]


def prompt_fault(seat: Seat, kind: str) -> Words:
    """A prompt card cannot be made out."""
    return Words(
        f"{SEAT_ZH[seat]}家：圆圈里没有看清提示牌 {kind}，请只放这一张，并移开手。",
        f"{seat}: the prompt card {kind} cannot be made out; lay that one card alone and take the hand away.",
    )


def glare_faults(views: Mapping[Seat, Image]) -> list[Words]:
    """Light that explains why a row was not read; the views are the gate's."""
    return [Words(f"{hint.zh}。", f"{hint.en}.") for hint in light_hints(views, GATE_PX_PER_MM)]
