// The words of the control page that no other page says.
import { addWords } from "./words.js";

addWords({
  to_name: ["待指定：{n}", "To be named: {n}"],
  name_type_asked: ["请{a}家指定{b}家须领出的牌型", "{a} is to name the type that {b} must lead"],
  name_leader_asked: ["请{a}指定下一副由谁领出（犯规后不贡牌）", "{a} is to name who leads the next deal (no tribute after a foul)"],
  who_names: ["由{a}说出，在此代为录入；也可在座位屏上自行选择", "{a} says it and it is entered here; or they press it at the table's own screen"],
  round: ["本轮", "Round"], end_round: ["本轮结束", "End the round"], why_end: ["原因（必填）", "Reason (needed)"],
  end_round_hint: ["未开始的牌副取消；已开始的牌副按本桌规则打完或作废；以现有级数结束本局", "A deal not begun is cancelled; one under way is played out or cut off by this table's rules; the game ends as it stands"],
  round_stands: ["第{n}轮", "Round {n}"], round_called: ["第{n}轮：已宣布结束", "Round {n}: its end was declared"], round_over: ["第{n}轮：已结束", "Round {n}: over"],
});
