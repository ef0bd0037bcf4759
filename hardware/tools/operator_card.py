"""The operator's card, in both languages: how to deal, and what to do for every fault of the machine."""

from __future__ import annotations

from hardware.tools.sheet import Sheet, width_of
from table_controller.dealer.messages import FAULT_WORDS, Fault

_STEPS = (
    ("收空桌面：出牌区、提示圈、取牌口。", "Clear the table: play areas, prompt circles, the machine's lip."),
    ("108 张牌面朝下、理齐放入，合盖。", "Put the 108 cards in, face down and squared; close the lid."),
    ("按 START。发牌时手不要伸进机盖。", "Press START. Keep hands out of the lid while it deals."),
    ("四家取各自一格的牌。", "Everybody takes the packet of their own bay."),
)
_ALWAYS = (
    (
        "红色急停：立即断电停机。之后拔起，按复位，再在控制页按「故障已排除」。",
        "Red stop: cuts the motors at once. Then pull it out, press reset, and clear the fault on the control page.",
    ),
    (
        "冒烟、焦味、露铜：拔掉插头，通知技术人员。",
        "Smoke, a burnt smell, bare copper: pull the plug and tell the technician.",
    ),
    ("不要自己把牌补给某一家；牌数由程序说。", "Never hand a card to a seat yourself: the program says what counts."),
)


def _fit(text: str, size: float, width: float) -> float:
    """The size at which a text is no wider than so many mm."""
    return min(size, size * width / max(width_of(text, size), 0.1))


def sheet() -> Sheet:
    """One A3 sheet to hang beside the machine."""
    card = Sheet("operator-card", "Operator's card 操作卡", "O1", "none")
    card.text(20, 22, "发牌机 · 操作卡", 8)
    card.text(110, 22, "Dealing machine: operator's card", 6)
    for number, (chinese, english) in enumerate(_STEPS, 1):
        y = 38.0 + 13 * (number - 1)
        card.balloon(24, y, str(number), radius=4)
        card.text(32, y - 2, chinese, 4.6)
        card.text(32, y + 4, english, 3.4)
    for row, (chinese, english) in enumerate(_ALWAYS):
        y = 38.0 + 15 * row
        card.text(214, y - 2, chinese, _fit(chinese, 4.4, 190))
        card.text(214, y + 4, english, _fit(english, 3.4, 190))
    card.text(20, 96, "桌灯快闪时：控制页写明位置和张数。先做右边一栏，再按「故障已排除」。", 4.2)
    lamp = "When the table's lamp flashes: the control page names place and count. "
    card.text(20, 102, lamp + "Do what stands at the right, then clear the fault.", 3.2)
    y = 112.0
    for number, (english, way_out, chinese, chinese_way_out) in FAULT_WORDS.items():
        card.line(20, y - 5.6, 400, y - 5.6, weight=0.15)
        card.text(20, y - 2, Fault(number).name, 3)
        card.text(62, y - 2, chinese, 3.8)
        card.text(62, y + 3, english, _fit(english, 3, 88))
        card.text(152, y - 2, chinese_way_out, _fit(chinese_way_out, 3.8, 246))
        card.text(152, y + 3, way_out, _fit(way_out, 3, 246))
        y += 11.6
    return card


def sheets() -> list[Sheet]:
    """The one card."""
    return [sheet()]
