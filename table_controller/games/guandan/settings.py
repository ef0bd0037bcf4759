"""What every setting of a profile means, in both languages, and where it comes from (seed and line)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """One named difference between rule sets."""

    zh: str
    en: str
    source: str


SETTINGS: dict[str, Setting] = {
    "sf_may_be_plain_straight": Setting(
        "同花五连张可当顺子", "a one-suit run may be a plain straight", "not in the texts"
    ),
    "lone_wilds_are_level_cards": Setting(
        "两张红心级牌单出算一对级牌", "two lone wilds are a pair of the level card", "not in the texts; 000 L105"
    ),
    "joker_pair_in_fullhouse": Setting("王对可作三带对的对", "a pair of jokers may be a full house's pair", "000 L67"),
    "five_alike_is_fullhouse": Setting("五张相同可算三带对", "five alike may be a full house", "000 L67, L71"),
    "fullhouse_triple_left": Setting(
        "三带对三同张在左", "a full house lies triple left, pair right", "003 L29; 000 L159"
    ),
    "wild_declared": Setting("红心级牌何时说明", "when the wild's reading is said", "000 L121; 003 L18"),
    "shuffles_first": Setting("首副洗牌次数", "shuffles before the first deal", "003 L20; 000 L77"),
    "shuffles_later": Setting("以后每副洗牌次数", "shuffles before later deals", "003 L22; 000 L77"),
    "first_shuffler": Setting("首副洗牌者", "who shuffles first", "003 L21; 000 L79"),
    "first_cutter": Setting("首副切牌翻牌者", "who cuts and turns a card first", "003 L21; 000 L79"),
    "cut_again": Setting("翻出须重切的牌", "turned cards that are cut again", "003 L21"),
    "later_shuffler": Setting("以后各副洗牌者", "who shuffles later deals", "003 L22; 000 L81"),
    "cut_margin": Setting("切牌上下至少多于几张", "a cut leaves more than this many cards", "003 L23; 000 L85"),
    "machine_replaces_drawing": Setting("自动发牌代替洗切抓", "a dealing machine replaces these", "000 L91"),
    "seated_before_minutes": Setting("开赛前几分钟入座", "seated this long before the start", "003 L19"),
    "late_minutes": Setting("迟到分档（分钟）", "steps of late arrival, minutes", "003 L102-L104; 000 L313"),
    "late_rises": Setting("迟到各档对方升级", "levels the other pair rises, a step", "003 L103-L104"),
    "forfeit_after_minutes": Setting("迟到几分钟判负", "late this long loses the game", "by the contest's regulations"),
    "partner_takes_lead_after": Setting("接风到第几游", "接风 for the first 1 or 2 out", "003 L31; 000 L139"),
    "pass_by": Setting("过牌方式", "how a pass is shown", "003 L27; 000 L97"),
    "report_limit": Setting("报牌张数", "cards left when a report is due", "003 L34; 000 L167"),
    "report_by": Setting("报牌方式", "how a report is made", "003 L34; 000 L167"),
    "report_card_stays": Setting("报牌卡放至副终", "the report card stays until the deal ends", "003 L34"),
    "report_watched": Setting(
        "桌面监看漏报", "the table raises missed reports (false where they are only said)", "the product's choice"
    ),
    "missed_report_steps": Setting("漏报逐次处理", "a pair's missed reports in a game", "000 L169-L171"),
    "pass_a_on_own_level_only": Setting("只在打本方A时过A", "过A only in a deal at one's own A", "000 L189"),
    "pass_a_failures": Setting("打A几次不过降级", "failed attempts at A before 2", "a supplementary rule only"),
    "foul_passes_a": Setting("对方犯规可过A", "a deal won by the others' foul may pass A", "000 L189, L227; choice"),
    "return_to_opponent_limited": Setting(
        "还对方也限10", "a return to an opponent is at most ten", "003 L32; 000 L145"
    ),
    "return_smallest_when_none": Setting("全大于10还最小", "without such a card the smallest", "003 L32"),
    "level_card_above_ten": Setting("级牌算大于10", "a level card counts above ten for returns", "000 L105; choice"),
    "returns_revealed_by": Setting("双贡还牌谁亮", "who turns the returns up together", "003 L33; 000 L151"),
    "sorting_ms": Setting("理牌时间", "the sorting allowance", "no text: the machine gives 27 cards at once"),
    "play_warning_ms": Setting("出牌警告", "a play's warning", "000 L317; none in 003"),
    "play_grace_ms": Setting("警告后违例", "from the warning to the violation", "000 L317"),
    "tribute_ms": Setting("贡牌时限", "the tribute clock", "000 L319"),
    "return_ms": Setting("还牌时限", "the return clock", "000 L319"),
    "tribute_step_ms": Setting("再拖延一档", "each further step", "000 L319"),
    "minutes_a_deal_screens": Setting("用屏幕每副分钟", "minutes a deal with screens", "003 L99"),
    "minutes_a_deal": Setting("无屏幕每副分钟", "minutes a deal without screens", "003 L99"),
    "minutes_a_copied_deck": Setting("每复制一副牌加", "minutes for each copied deck", "003 L100"),
    "game_minutes": Setting("计时制每局", "minutes of a timed game", "000 L193"),
    "least_share_used": Setting("用时不得少于", "the least share of the time that is used", "003 L101"),
    "finish_begun_deal": Setting("到时打完已开始的牌", "a begun deal is played out at the end", "003 L106; 000 L193"),
    "mode": Setting("建议或自动执行", "advise, or enforce what is automatic", "the product's choice; 000 L317"),
    "manner_steps": Setting("出牌方式不合规逐次", "a pair's wrong manners of play", "000 L165"),
    "signal_steps": Setting("非法信号逐次", "a pair's illegal signals", "000 L305-L309"),
    "asking_steps": Setting("报牌后再问逐次", "a player's questions after a report", "000 L173"),
    "pass_manner_steps": Setting(
        "过牌方式不合规逐次", "a pair's wrong ways of passing (empty: none is proposed)", "003 L27, L155; 000 L97, L219"
    ),
    "violations_for_foul": Setting("一轮几次违例为犯规", "a pair's violations in a round to a foul", "000 L227"),
    "each_further_violation_fouls": Setting("其后每次违例都犯规", "each further one is a foul", "000 L227; choice"),
    "fouls_for_lost_game": Setting("一局几次犯规判负", "fouls in a game to its loss", "000 L231"),
    "lost_games_for_out": Setting("几局判负取消资格", "games lost by penalty to exclusion", "000 L233"),
    "reminder_counts_as_first": Setting("全场提示算首次警告", "a hall-wide reminder is the warning", "003 L153"),
    "classes": Setting("四类判罚", "the four classes of penalties", "003 L153-L154"),
    "table": Setting("级分换算表", "the table of level points", "000 L181; 003 L142"),
    "win_points": Setting("胜方场分", "points of the winner", "000 L181"),
    "draw_points": Setting("平局场分", "points of a draw", "000 L181"),
    "bye": Setting("轮空得分", "a bye: points, level points", "003 L83"),
    "withdrawal": Setting("对方退赛得分", "the opponent withdrew", "003 L115"),
    "lost_by_penalty": Setting("对方判负得分", "the opponent lost by penalty", "000 L231"),
    "class_1_points": Setting("第一类扣场分", "points off for class 1", "003 L154"),
    "tie_order": Setting("同分排序", "what breaks ties, in order", "003 L146-L148; 000 art. 26-27"),
    "enters": Setting("谁录入结果", "who enters a result", "003 L125"),
    "checks": Setting("谁核对", "who checks it", "003 L125"),
    "correction_minutes": Setting("更正时限（分钟）", "minutes in which a result is corrected", "003 L126, L143-L145"),
    "slip_writer": Setting("谁写记分表", "who writes the score slip", "003 L139"),
    "slip_copies": Setting("记分表几份", "copies of the slip", "003 L139"),
}
"""By the name that stands in ``profiles/*.toml``."""
