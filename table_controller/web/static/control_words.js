// The words of the control page that no other page says.
import { addWords } from "./words.js";

addWords({
  to_name: ["待指定：{n}", "To be named: {n}"],
  name_type_asked: ["请{a}家指定{b}家须领出的牌型", "{a} is to name the type that {b} must lead"],
  name_leader_asked: ["请{a}指定下一副由谁领出（犯规后不贡牌）", "{a} is to name who leads the next deal (no tribute after a foul)"],
  who_names: ["由{a}说出，在此代为录入；也可在座位屏上自行选择", "{a} says it and it is entered here; or they press it at the table's own screen"],
  round: ["本轮", "Round"], end_round: ["本轮结束", "End the round"], why_end: ["原因（必填）", "Reason (needed)"],
  end_round_hint: ["未开始的牌副取消；已开始的牌副按本桌规则打完或作废；以现有级数结束本局", "A deal not begun is cancelled; one under way is played out or cut off by this table's rules; the game ends as it stands"],
  more_commands: ["其他", "More"], send: ["发送", "Send"], why: ["原因", "Reason"], which_command: ["命令", "Command"], after_play: ["补在第几手之后", "missed after number"],
  do_extend_clock: ["加时", "Give more time"], extend_clock_extra_ms: ["加几秒", "seconds more"],
  do_set_clock: ["设定已用时间", "Set the time used"], set_clock_elapsed_ms: ["已用几秒", "seconds used"],
  do_correct_exchange: ["更正贡牌或还牌", "Correct a tribute or return"], correct_exchange_seat: ["谁", "Seat"], correct_exchange_card: ["实际的牌", "The card"],
  correct_exchange_wrong: ["选手贡错或还错（不是读错）", "the player erred (it was not misread)"],
  do_exposed: ["亮出的牌", "Cards shown"], exposed_seat: ["谁", "Seat"], exposed_cards: ["牌", "Cards"], exposed_as_tribute: ["不应贡牌而亮", "shown as a tribute that was not due"],
  do_report: ["报牌", "A report"], report_seat: ["谁", "Seat"], report_number: ["剩几张", "Cards left"],
  do_correct_result: ["更正一副的名次（裁判长）", "Correct a deal's places (head referee)"], correct_result_deal: ["第几副", "Deal"], correct_result_order: ["名次，如 E N W S", "Places, such as E N W S"],
  correct_result_both: ["双方都同意", "both pairs agree"],
  do_late: ["迟到", "Late arrival"], late_seat: ["迟到的一家", "Seat"], late_minutes: ["几分钟", "Minutes"],
  do_set_levels: ["设定级数", "Set the levels"], set_levels_ew: ["东西", "East-West"], set_levels_ns: ["南北", "North-South"], set_levels_owner: ["打哪方的级", "Whose level is played"],
  do_concede: ["弃权或退赛（裁判长）", "Forfeit or withdrawal (head referee)"], concede_pair: ["哪方", "Pair"], concede_how: ["怎样", "How"], forfeit: ["弃权", "forfeit"], withdrawal: ["退赛", "withdrawal"],
  do_name_leader: ["指定领出者", "Name the leader"], name_leader_leader: ["谁领出", "Who leads"],
  do_extend_round: ["延长本轮", "Extend the round"], extend_round_minutes: ["几分钟", "Minutes"],
  amend: ["改记录…", "Amend…"], amend_of: ["改第{n}手", "Amend number {n}"], was_by: ["是{a}家出的", "was by {a}"], never_laid: ["没有这一手", "never was"],
  pass_after: ["其后补{a}家过牌", "then {a} passed (missed)"], back_to: ["退回到这一手之后", "play goes back to just after it"],
  round_stands: ["第{n}轮", "Round {n}"], round_called: ["第{n}轮：已宣布结束", "Round {n}: its end was declared"], round_over: ["第{n}轮：已结束", "Round {n}: over"],
});
