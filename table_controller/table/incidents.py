"""Incidents: what a referee must know of, in both languages. open → acknowledged → resolved or overturned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from table_controller.cards import Seat

STATUSES = ("open", "acknowledged", "arrived", "resolved", "overturned")
OPEN = ("open", "acknowledged", "arrived")
ASKING = ("doubtful_reading", "conservation")
"""Kinds that ask a human what a play was: his answer resolves them."""
ALLOWED_STEPS = {
    "open": ("acknowledged", "arrived", "resolved", "overturned"),
    "acknowledged": ("arrived", "resolved", "overturned"),
    "arrived": ("resolved", "overturned"),
    "resolved": ("overturned",),
    "overturned": (),
}
TABLE = "table"
"""Who acted, where the table itself withdrew an incident that no longer holds, or enforced a rule."""


@dataclass(frozen=True)
class Kind:
    """One kind of incident: words for people and where the texts speak of it.

    ``source``: ``table`` raises it by itself, ``human`` notes what no camera over the table can see, ``proof`` comes
    from the record, ``counter`` from the penalties that stand.
    """

    zh: str
    en: str
    rule: str
    source: str = "table"


KINDS: dict[str, Kind] = {
    # What the table sees.
    "not_a_play": Kind("牌型不成立", "not a legal play", "000 L55-L75, L255-L257"),
    "does_not_beat": Kind("压不过上家", "does not beat the last play", "000 L95, L257"),
    "too_many_cards": Kind("出牌张数多于手牌", "more cards than the hand holds", "000 L89, L229"),
    "irregular_layout": Kind(
        "摆放不合规定", "cards not laid small to large, or the wild out of place", "000 L159-L165; 003 L29"
    ),
    "split_play": Kind("一手牌分次打出", "a play laid in parts", "000 L157, L165; 003 L29"),
    "taken_back": Kind("收回已打出的牌", "a play taken back", "000 L251"),
    "pass_by_leader": Kind("领出者不能过牌", "the leader of a trick cannot pass", "000 L95; 003 L26"),
    "out_of_turn": Kind("越序出牌", "played out of turn", "000 L273-L277"),
    "pass_out_of_turn": Kind("越序表态", "passed out of turn", "000 L279-L283"),
    "banned_type": Kind("领出了被禁的牌型", "led a type that is barred or not the one named", "000 L255, L259, L277"),
    "shown_card_kept": Kind("应先出已亮的牌", "the card shown was not played when due", "000 L261"),
    "missed_report": Kind("未报牌", "ten cards or fewer not reported", "000 L167-L171; 003 L34"),
    "wrong_report": Kind("报牌张数不符", "reported another number than is held", "000 L167; 003 L34"),
    "report_removed": Kind("报牌卡提前收回", "the report card was taken away before the deal ended", "003 L34"),
    "time_violation": Kind("出牌超过30秒", "30 s passed without a play", "000 L317"),
    "tribute_late": Kind("贡牌超时", "tribute is late", "000 L319"),
    "return_late": Kind("还牌超时", "return is late", "000 L319"),
    "return_too_high": Kind("还牌大于10", "returned a card above ten", "000 L145, L287; 003 L32"),
    "tribute_not_due": Kind("不应贡牌而亮牌", "showed his largest card without owing tribute", "000 L261"),
    "wrong_tribute_early": Kind("贡错牌，开始前纠正", "wrong tribute, put right before play", "000 L289"),
    "wrong_return_early": Kind("还错牌，开始前纠正", "wrong return, put right before play", "000 L289"),
    "doubtful_reading": Kind("识别存疑，请确认", "a reading is doubtful: please confirm", ""),
    "conservation": Kind("同一张牌多于两张", "a card was seen more often than the pack holds", ""),
    "doubtful_exchange": Kind("贡还牌识别存疑", "a tribute or return is doubtful: please confirm", ""),
    "doubtful_prompt": Kind("提示卡识别存疑", "a prompt card could not be read: please say which", ""),
    "td_call": Kind("呼叫裁判", "the referee is called", "003 L41"),
    "stop": Kind("暂停", "STOP was shown", "003 L41"),
    "camera_lost": Kind("摄像头无画面", "no picture from the camera", ""),
    "dealer_fault": Kind("发牌机故障", "the dealer stopped", ""),
    "too_fast": Kind("打牌过快", "less than the least time was used", "003 L101"),
    "dispute": Kind("对识别有争议", "a seat disputes a reading", ""),
    "result_disputed": Kind("核对不同意结果", "a result was checked and not agreed", "003 L125-L126"),
    # What the record proves.
    "wrong_tribute": Kind("贡牌错误", "the tribute was not the highest card", "000 L285, L291", "proof"),
    "wrong_return": Kind("还牌错误", "the return was not allowed", "000 L287-L289; 003 L32", "proof"),
    "impossible_card": Kind("出现不可能的牌", "a card was played that another must hold", "000 L229", "proof"),
    # What the penalties that stand make due.
    "foul_due": Kind("违例达犯规次数", "violations in the round make a foul due", "000 L227", "counter"),
    "game_loss_due": Kind("犯规达一局判负", "fouls in the game make its loss due", "000 L231", "counter"),
    "exclusion_due": Kind("判负达取消资格", "games lost by penalty make exclusion due", "000 L233", "counter"),
    # What only a human can see.
    "exposed_card": Kind("暴露牌张", "a card was exposed", "000 L249", "human"),
    "asked_count": Kind("报牌后再询问张数", "asked or answered the count after a report", "000 L173", "human"),
    "pass_said": Kind("过牌未用过牌卡", "passed by word or knock where the card is required", "003 L27", "human"),
    "pass_mixed": Kind("过牌方式不一", "changed the way of passing in a game", "000 L97", "human"),
    "discards_seen": Kind("翻看弃牌", "looked at or showed discards", "000 L163; 003 L30", "human"),
    "wrong_area": Kind("出牌不在本家出牌区", "played outside the own area", "000 L163-L165; 003 L30", "human"),
    "wrong_cut": Kind("切牌不合规定", "cut too near an end, or counted", "000 L83-L85; 003 L23", "human"),
    "drawn_out_of_turn": Kind("越序抓牌", "drew out of turn", "000 L265-L271", "human"),
    "drawn_seen": Kind("越序抓牌已看", "drew out of turn and looked", "000 L269", "human"),
    "illegal_signal": Kind("非法信号", "an illegal signal", "000 L293-L311", "human"),
    "hesitation_trick": Kind("早抽迟出迷惑对方", "took out early or played late to mislead", "003 L162", "human"),
    "staring": Kind("凝视或窥看对方", "stared, or watched where a card is taken from", "003 L163", "human"),
    "stalling": Kind("故意拖延", "deliberate delay", "000 L229, L321; 003 L107", "human"),
    "left_seat": Kind(
        "离座或未按指令入座", "left the seat, or not seated as told", "003 L133, L165; 000 L321", "human"
    ),
    "hidden_card": Kind("藏牌", "a hidden card", "000 L229", "human"),
    "extra_card": Kind("多牌", "a card too many", "000 L229", "human"),
    "missing_card": Kind("少牌", "a card too few", "000 L229", "human"),
    "stolen_card": Kind("偷牌", "a stolen card", "000 L229", "human"),
    "phone_on": Kind("移动通讯工具未关闭", "a telephone was not switched off", "003 L171; 000 L321", "human"),
    "smoking": Kind("禁烟区吸烟", "smoking", "003 L172", "human"),
    "alcohol": Kind("饮酒", "alcohol", "003 L173", "human"),
    "impolite": Kind("不礼貌言行", "impolite words or acts", "003 L169", "human"),
    "spectator_of_pair": Kind("相关观众违纪", "a spectator of the pair broke the order", "003 L174", "human"),
    "closed_room_entered": Kind("擅入闭室", "entered the closed room", "003 L175", "human"),
    "ceremony_missed": Kind("缺席仪式", "missed a ceremony, or its dress", "003 L177", "human"),
    "equipment_removed": Kind("带走竞赛用具", "took equipment away", "003 L166", "human"),
    "illegal_information": Kind("使用非法信息", "used illegal information after a warning", "003 L161", "human"),
    "data_entry_late": Kind("录入不及时或不完整", "result entered late or not whole", "003 L156", "human"),
    "data_entry_wrong": Kind("录入不合规定", "result not entered as ruled", "003 L164", "human"),
    "slip_late": Kind("未按时交记分表", "score slip handed in late", "003 L167", "human"),
    "late_arrival": Kind("迟到", "late arrival", "003 L102-L104; 000 L313", "human"),
    "light": Kind("轻微违规", "a light breach without loss to others", "000 L219", "human"),
    "serious": Kind("较严重违规", "a more serious breach", "000 L223", "human"),
}
NOTED = tuple(name for name, kind in KINDS.items() if kind.source == "human")
"""Kinds that a human may note."""


@dataclass(frozen=True)
class Incident:
    """Something for a referee. ``number`` counts up in a session; ``detail`` is free text in English.

    ``proposal`` is the penalty that the rules propose, ``needs`` who may give it, ``count`` how the counter stood;
    ``penalty`` what was given, ``lapsed`` why the right to one lapsed. ``history``: status, at_ms, by, reason.
    """

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
    trick: int = 0
    rule: str = ""
    proposal: str = ""
    needs: str = ""
    count: int = 0
    penalty: str = ""
    lapsed: str = ""
    type: str = ""
    """The type that a wrong play or a play out of turn showed."""
    session_game: int = 0
    """Which game of the session: deals of two games have the same numbers."""
    evidence: str = ""
    """Name of the picture that a human is shown with the question, if one was kept."""
    history: tuple[tuple[str, int, str, str], ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Incident:
        return self

    @property
    def is_open(self) -> bool:
        """Nobody has settled it yet."""
        return self.status in OPEN

    @property
    def is_withdrawn(self) -> bool:
        """The table took it back by itself; what brings it about again is raised anew."""
        return self.status == "overturned" and self.by == TABLE
