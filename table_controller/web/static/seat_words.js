// The words of the page at the table.
import { addWords } from "./words.js";

addWords({
  seat_page: ["{a}家", "{a}"], which_seat: ["请选择座位", "Which seat is this?"],
  act_ready: ["理好牌", "Ready"], act_pass: ["过牌", "Pass"], act_td: ["呼叫裁判", "Call the referee"],
  td_on_way: ["裁判已知悉", "The referee knows"], td_open: ["已呼叫裁判", "Called"], td_here: ["裁判已到场", "The referee is here"],
  ready_done: ["已理好", "Ready: said"], report_number: ["报牌：剩几张", "Report: how many cards are left"],
  your_turn: ["轮到本家", "Your turn"], turn_is: ["轮到{a}", "{a} to play"],
  read_last: ["最近读到的牌", "What was read last"], nothing_read: ["还没有出牌", "Nothing played yet"],
  dispute: ["有异议", "I dispute this"], disputed: ["有异议，待处理", "Disputed"],
  name_type_due: ["请指定{a}家须领出的牌型", "Name the type that {a} must lead"],
  name_leader_due: ["请指定下一副由谁领出", "Name who leads the next deal"],
  dispute_open: ["{a}家对第{n}手有异议", "{a} disputes number {n}"], dispute_any: ["{a}家有异议", "{a} disputes something"],
  now_read: ["现在记为", "It stands as"], agree: ["同意现在的记录", "I agree with it as it stands"], disagree: ["不同意，请裁判", "I do not agree: referee"],
  agreed_by: ["已同意：{a}", "Agreed: {a}"], against_by: ["不同意：{a}，由裁判处理", "Not agreed: {a}. The referee settles it"],
  both_pairs: ["双方各有一家同意、无人不同意即了结；否则由裁判处理", "Settled once a seat of each pair agrees and nobody objects; else by the referee"],
  result_of: ["第{n}副结果", "Result of deal {n}"], enter_result: ["录入这个结果", "Enter this result"],
  check_yes: ["核对无误", "I agree"], check_no: ["不同意，请裁判", "I do not agree: referee"],
  entered_by: ["{a}家已录入", "Entered by {a}"], checked_by: ["{a}家已核对", "Checked by {a}"], to_check: ["请核对", "Please check"],
  not_entered: ["尚未录入", "Not entered yet"], next_level: ["{a} {b}", "{a} {b}"], foul_of: ["{a}犯规判负", "Lost by a foul of {a}"],
  done_ready: ["已告诉牌桌：理好牌", "The table knows: ready"], done_pass: ["已过牌", "Passed"], done_td: ["已呼叫裁判", "The referee is called"],
  done_report: ["已报牌", "Reported"], done: ["已记下", "Noted"], refused: ["不能这样做：", "Refused: "],
  elsewhere: ["这里只能看：请在牌桌本机上操作", "Look only: use the table's own screen"],
});
