"""What is amiss with the camera's picture, in words a person can act on: what, where, and the way out. Never secret."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.cards import Seat

_SEATS_ZH: dict[str, str] = {"E": "东", "N": "北", "W": "西", "S": "南"}
WORDS: dict[str, tuple[str, str]] = {
    "dark": (
        "{zh}家区域太暗：请调亮灯光，或加长曝光",
        "{en}'s area is too dark: more light on the table, or a longer exposure",
    ),
    "bright": (
        "{zh}家区域过亮：请调暗灯光，或缩短曝光",
        "{en}'s area is too bright: less light on the table, or a shorter exposure",
    ),
    "glare": (
        "{zh}家区域有反光：请移动灯具，或略微倾斜摄像头",
        "{en}'s area: glare from a lamp; move the lamp or tilt the camera a little",
    ),
    "uneven": (
        "{zh}家区域比其他区域暗得多：请移开挡光的物体，或补一盏灯",
        "{en}'s area is much darker than the others: move what throws the shadow, or add a lamp",
    ),
    "held": (
        "{zh}家区域上方似乎拿着牌：请把牌平放在桌上，或移开手",
        "Cards seem to be held above {en}'s area: lay them flat or take them away",
    ),
    "unsharp": (
        "画面不清晰（{zh}家一侧）：请对焦、擦净镜头",
        "The picture is not sharp on {en}'s side: focus the camera and wipe its lens",
    ),
    "flicker": (
        "灯光闪烁：请把摄像头的防闪烁设为 50 Hz，或换不频闪的灯",
        "The light flickers: set the camera's flicker setting to the mains (50 Hz), or use lamps that do not flicker",
    ),
    "moved": (
        "摄像头或桌垫被碰动，已重新对准",
        "The camera or the mat was moved; the picture is aligned again. Fasten the camera if this comes often",
    ),
    "markers": (
        "只看到 {n} 个定位标记：请移开盖住标记的物品",
        "Only {n} of the mat's markers are seen: uncover the others",
    ),
    "coarse": (
        "{zh}家区域每毫米只有 {n} 像素，至少要 3：请把摄像头放低，或选更高的分辨率",
        "{en}'s area has only {n} pixels a millimetre, 3 are needed: lower the camera or choose a higher resolution",
    ),
    "small": (
        "摄像头画面只有 {n} 像素，至少要 {need}：请选更高的分辨率，或换摄像头",
        "The camera's pictures are only {n} pixels, {need} are needed: choose a higher resolution or another camera",
    ),
    "slow": (
        "摄像头每秒只有 {n} 帧，至少要 8：请缩短曝光、加亮灯光，或检查 USB 接口",
        "The camera gives only {n} frames a second, 8 are needed: more light, a shorter exposure, or another USB port",
    ),
}
"""Chinese and English by code. ``{zh}`` and ``{en}`` are the seat, ``{n}`` a figure, ``{need}`` the one needed."""
NEEDED = " of "
"""Between what was measured and what is needed, in a figure that names both."""


@dataclass(frozen=True)
class Hint:
    """One thing amiss. ``seat`` is None where it concerns the whole picture; ``figure`` is what was measured."""

    code: str
    seat: Seat | None = None
    figure: str = ""

    @property
    def zh(self) -> str:
        """The hint in Chinese."""
        return self._words(0)

    @property
    def en(self) -> str:
        """The hint in English."""
        return self._words(1)

    def _words(self, language: int) -> str:
        seat = self.seat or ""
        figure, _, need = self.figure.partition(NEEDED)
        return WORDS[self.code][language].format(zh=_SEATS_ZH.get(seat, ""), en=seat, n=figure, need=need)

    def document(self) -> dict[str, str]:
        """As published with the table's health."""
        return {"code": self.code, "seat": self.seat or "", "zh": self.zh, "en": self.en}
