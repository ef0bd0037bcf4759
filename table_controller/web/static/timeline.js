// What happened at a table, newest first, in words.
import { get } from "./api.js";
import { cardRow } from "./cards.js";
import { node } from "./dom.js";
import { Tail } from "./tail.js";
import { addWords, lang, readingText, t } from "./words.js";

addWords({
  ev_opened: ["开台", "opened"], ev_deal_requested: ["要求发牌", "deal requested"], ev_dealer_offline: ["发牌机离线", "dealer offline"], ev_stop: ["停机", "dealer stopped"],
  ev_dealt: ["发牌完毕", "dealt"], ev_ready: ["理好牌", "ready"], ev_tribute_due: ["应贡牌", "tribute due"], ev_tribute: ["贡牌", "tribute"], ev_tribute_paid: ["贡牌完毕", "tribute paid"],
  ev_tribute_resisted: ["抗贡", "tribute resisted"], ev_return: ["还牌", "return"], ev_play_begins: ["开始打牌", "play begins"], ev_play: ["出牌", "play"], ev_pass: ["过牌", "pass"],
  ev_report: ["报牌", "report"], ev_trick_over: ["一圈结束", "trick over"], ev_deal_over: ["一副结束", "deal over"], ev_warn20: ["出牌警告", "time warning"], ev_turn_stopped: ["停止本次出牌", "turn stopped"],
  ev_warning_withdrawn: ["撤回警告", "warning withdrawn"], ev_violation30: ["出牌超时", "time limit passed"], ev_incident: ["裁判事项", "incident"], ev_incident_updated: ["事项处理", "incident updated"],
  ev_penalty: ["判罚", "penalty"], ev_overturned: ["撤销判罚", "overturned"], ev_right_stopped: ["停止出牌权", "right stopped"], ev_type_barred: ["禁领牌型", "type barred"], ev_type_to_name: ["应指定牌型", "type to be named"],
  ev_type_named: ["指定牌型", "type named"], ev_leader_named: ["指定领出者", "leader named"], ev_hand_void: ["手牌作废", "hand void"], ev_hall_reminded: ["全场提示", "hall reminded"], ev_exposed: ["暴露牌张", "exposed"],
  ev_exchange_corrected: ["更正贡还牌", "exchange corrected"], ev_correction: ["更正", "correction"], ev_rolled_back: ["退回", "rolled back"], ev_result_corrected: ["更正结果", "result corrected"],
  ev_result_entered: ["录入结果", "result entered"], ev_result_checked: ["核对结果", "result checked"], ev_game_over: ["一局结束", "game over"], ev_game_taken_back: ["一局结果撤回", "game taken back"], ev_match_set: ["设定赛制", "match set"], ev_match_over: ["比赛结束", "match over"],
  ev_match_carried: ["转桌续赛", "match carried"], ev_time_up: ["本轮时间到", "time is up"], ev_round_ended: ["本轮结束", "round ended"], ev_round_extended: ["延长本轮", "round extended"], ev_late: ["迟到", "late"], ev_levels_set: ["设定级数", "levels set"],
  ev_clock_extended: ["加时", "clock extended"], ev_clock_set: ["设定用时", "clock set"], ev_resync: ["重新对准", "resync"], ev_paused: ["暂停", "paused"], ev_resumed: ["继续", "resumed"], ev_camera_back: ["摄像头恢复", "camera back"],
  ev_be_seated: ["请入座", "be seated"], ev_round_begins: ["本轮开始", "round begins"], ev_wild_declared: ["说明红心级牌", "wild declared"], ev_withdrawn: ["撤回", "withdrawn"],
  st_open: ["未处理", "open"], st_acknowledged: ["知悉", "taken"], st_arrived: ["到场", "arrived"], st_resolved: ["了结", "resolved"], st_overturned: ["撤销", "overturned"],
});

function details(data, kinds) {
  const words = [];
  if (data.what) words.push(kinds.get(data.what)?.[lang === "en" ? "en" : "zh"] ?? data.what);
  if (data.status) words.push(`#${data.number} ${t(`st_${data.status}`)}`);
  else if (data.kind === "report") words.push(String(data.number));
  if (data.penalty) words.push(t(data.penalty));
  if (data.type) words.push(t(data.type));
  if (data.reading) words.push(readingText(data.reading));
  if (data.by) words.push(data.by);
  if (data.reason) words.push(data.reason);
  return words.join(" · ");
}

function line(event, kinds) {
  const data = event.data ?? {};
  const item = node("li", {}, node("time", { dateTime: event.at, textContent: new Date(event.at).toLocaleTimeString("zh-CN", { hour12: false }) }));
  item.append(node("b", { textContent: `${data.seat && "ENWS".includes(data.seat) ? `${t(data.seat)} ` : ""}${t(`ev_${data.kind}`)}` }));
  const cards = data.cards ?? (data.card ? [data.card] : []);
  if (data.was?.length) item.append(cardRow(data.was, ""), node("span", { textContent: "→" }));
  if (cards.length) item.append(cardRow(cards, ""));
  item.append(node("span", { className: "quiet", textContent: details(data, kinds) }));
  return item;
}

const KEPT = 400;
const AGAIN_MS = 1500;

// Loaded once when it is opened; from then on each event is put on top as it comes, and none is missed.
export class Timeline {
  constructor(table, place, kinds) {
    Object.assign(this, { table, place, kinds, opened: false });
    this.tail = new Tail(`/api/tables/${encodeURIComponent(table)}/events`, (event) => this.add({ ...event, at: event.ts }));
  }

  add(event) {
    this.place.prepend(this.line(event));
    while (this.place.childElementCount > KEPT) this.place.lastElementChild.remove();
  }

  line(event) {
    const item = line(event, this.kinds());
    Object.assign(item.dataset, { boot: event.boot, seq: event.seq });
    return item;
  }

  async open() {
    if (this.opened) return;
    this.opened = true;
    const answer = await get(`/api/tables/${encodeURIComponent(this.table)}/timeline?limit=120`);
    if (!answer.ok) { this.opened = false; setTimeout(() => this.open(), AGAIN_MS); return; }
    this.place.replaceChildren(...answer.events.map((event) => this.line(event)));
    const newest = answer.events[0];
    this.tail.begin(newest?.boot ?? "", newest?.seq ?? 0);
  }

  state(message) { this.tail.state(message); }

  event(message) { this.tail.event(message); }
}
