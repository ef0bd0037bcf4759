"""Incidents: what a referee must know of, in both languages. open → acknowledged → resolved or overturned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from table_controller.cards import Seat

STATUSES = ("open", "acknowledged", "resolved", "overturned")
ASKING = ("doubtful_reading", "conservation")
"""Kinds that ask a human what a play was: his answer resolves them."""
ALLOWED_STEPS = {
    "open": ("acknowledged", "resolved", "overturned"),
    "acknowledged": ("resolved", "overturned"),
    "resolved": ("overturned",),
    "overturned": (),
}


@dataclass(frozen=True)
class Kind:
    """One kind of incident: words for people and where the texts speak of it."""

    zh: str
    en: str
    rule: str


KINDS: dict[str, Kind] = {
    "not_a_play": Kind("牌型不成立", "not a legal play", "000 L55-L75, L273"),
    "does_not_beat": Kind("压不过上家", "does not beat the last play", "000 L95, L273"),
    "too_many_cards": Kind("出牌张数多于手牌", "more cards than the hand holds", "000 L91"),
    "irregular_layout": Kind(
        "摆放不合规定", "cards not laid small to large, or the wild out of place", "000 L159; 003 L29"
    ),
    "pass_by_leader": Kind("领出者不能过牌", "the leader of a trick cannot pass", "000 L95"),
    "out_of_turn": Kind("越序出牌", "played out of turn", "000 L281-L285"),
    "pass_out_of_turn": Kind("越序表态", "passed out of turn", "000 L287"),
    "missed_report": Kind("未报牌", "ten cards or fewer not reported", "000 L167-L169; 003 L34"),
    "wrong_report": Kind("报牌张数不符", "reported another number than is held", "000 L165; 003 L34"),
    "time_violation": Kind("出牌超过30秒", "30 s passed without a play", "000 L311"),
    "tribute_late": Kind("贡牌超时", "tribute is late", "000 L313"),
    "return_late": Kind("还牌超时", "return is late", "000 L313"),
    "return_too_high": Kind("还牌大于10", "returned a card above ten", "000 L145, L289; 003 L32"),
    "doubtful_reading": Kind("识别存疑，请确认", "a reading is doubtful: please confirm", ""),
    "conservation": Kind("同一张牌多于两张", "a card was seen more often than the pack holds", ""),
    "td_call": Kind("呼叫裁判", "the referee is called", "003 L52"),
    "stop": Kind("暂停", "STOP was shown", "003 L52"),
    "camera_lost": Kind("摄像头无画面", "no picture from the camera", ""),
    "dealer_fault": Kind("发牌机故障", "the dealer stopped", ""),
}


@dataclass(frozen=True)
class Incident:
    """Something for a referee. ``number`` counts up in a session; ``detail`` is free text in English."""

    number: int
    kind: str
    at_ms: int
    deal: int
    seat: Seat | None = None
    play: int | None = None
    detail: str = ""
    status: str = "open"
    by: str = ""
    reason: str = ""

    def __deepcopy__(self, memo: dict[int, Any]) -> Incident:
        return self
