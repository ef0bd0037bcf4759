"""What is amiss with a picture of a guided enrolment, in words an operator can act on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_controller.cards import Seat
from table_controller.vision.enrol.plan import SEAT_ZH, Words
from table_controller.vision.enrol.row_match import Row
from table_controller.vision.gate import GATE_PX_PER_MM
from table_controller.vision.hints import Hint
from table_controller.vision.images import Image
from table_controller.vision.light import blur_px, light_hints

UNSHARP_MM = 0.68
"""The sigma of the blur beyond which a picture teaches too little; for reading a little more will do."""


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


def poor_light(views: Mapping[Seat, Image]) -> list[Hint]:
    """What the gate's views show of light: dark, bright, uneven, glare."""
    return light_hints(views, GATE_PX_PER_MM)


def blurred(views: Mapping[Seat, Image], px_per_mm: float) -> list[Hint]:
    """The seats whose rows are not sharp: a moved or unfocused camera, which would teach the blur with the deck."""
    blurs = {seat: blur_px(view) for seat, view in views.items()}
    return [Hint("unsharp", seat) for seat, blur in blurs.items() if blur is not None and blur > UNSHARP_MM * px_per_mm]


def in_words(hints: Sequence[Hint]) -> list[Words]:
    """The hints as they are said to the operator."""
    return [Words(f"{hint.zh}。", f"{hint.en}.") for hint in hints]
