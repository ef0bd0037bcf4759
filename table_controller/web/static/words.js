// The words of the pages, Chinese first; English by ?lang=en.
export const lang = new URLSearchParams(location.search).get("lang") === "en" ? "en" : "zh";

const WORDS = {
  title: ["掼蛋记分牌", "Guandan scoreboard"],
  E: ["东", "East"], N: ["北", "North"], W: ["西", "West"], S: ["南", "South"],
  EW: ["东西", "East-West"], NS: ["南北", "North-South"],
  level: ["级数", "Level"], playing_level: ["本副打", "Playing"], deal: ["第{n}副", "Deal {n}"],
  trick: ["第{n}圈", "Trick {n}"], left: ["剩{n}张", "{n} left"], reported: ["已报{n}张", "Reported {n}"],
  pass: ["过牌", "Pass"], pass_said: ["口头过牌", "Passed by word"], turn_stopped: ["停止出牌", "Turn stopped"], doubtful: ["存疑", "Doubtful"], corrected: ["已更正", "Corrected"],
  place1: ["头游", "1st"], place2: ["二游", "2nd"], place3: ["三游", "3rd"], place4: ["末游", "4th"],
  turn: ["出牌", "To play"], leads: ["领出", "leads"], commitment: ["发牌承诺", "Deal seal"],
  standby: ["等待开始", "Waiting to start"], dealing: ["正在发牌", "Dealing"], sorting: ["理牌", "Sorting"],
  tribute: ["贡牌", "Tribute"], returning: ["还牌", "Return"], playing: ["打牌", "Playing"],
  trick_over: ["本圈结束", "Trick over"], deal_over: ["本副结束", "Deal over"], game_over: ["一局结束", "Game over"],
  paused: ["暂停", "Paused"], fault: ["故障", "Fault"],
  clock_sorting: ["理牌", "Sorting"], clock_tribute: ["贡牌", "Tribute"], clock_return: ["还牌", "Return"],
  clock_play: ["出牌", "to play"], clock_none: ["", ""],
  seconds: ["秒", "s"], stale: ["连接中断，正在重连…", "Connection lost, reconnecting…"],
  incidents: ["裁判事项", "For the referee"], recent: ["最近出牌", "Last plays"], nobody: ["无", "none"],
  resisted: ["抗贡", "Tribute resisted"], pays: ["{a} 贡 {b}：{c}", "{a} pays {b}: {c}"],
  returns: ["{a} 还 {b}：{c}", "{a} returns to {b}: {c}"],
  dealt_by_hand: ["已人工发牌", "Dealt by hand"],
  adapter_camera: ["摄像头", "Camera"], adapter_dealer: ["发牌机", "Dealer"], adapter_broker: ["消息服务器", "Broker"],
  adapter_pins: ["按键与灯", "Lamps and buttons"], adapter_journal: ["记录", "Record"],
  camera_lost: ["摄像头无画面，请手动录入", "No camera picture: enter plays by hand"],
  dealer_offline: ["发牌机未连接", "Dealer not connected"], results: ["各副结果", "Deals so far"],
  wins: ["{a}胜", "{a} wins"], drawn: ["平", "drawn"], round_up: ["本轮时间到", "the round's time is up"], match_is_over: ["比赛结束：", "match: "],
  rise: ["升{n}级", "+{n}"], passes_a: ["过A", "passes A"], double_down: ["双下", "double-down"],
  single: ["单张", "single"], pair: ["对子", "pair"], triple: ["三同张", "three alike"],
  fullhouse: ["三带对", "full house"], straight: ["顺子", "straight"], tube: ["三连对", "three pairs in a row"],
  plate: ["三同连张", "two triples in a row"], bomb: ["炸弹", "bomb"], sf: ["同花顺", "straight flush"],
  jokers: ["四大天王", "four jokers"],
  control: ["桌面控制", "Table control"], start: ["开始发牌", "Start the deal"], stop: ["停机", "Stop"],
  pause: ["暂停", "Pause"], resume: ["继续", "Resume"], clear_fault: ["故障已排除", "Fault cleared"],
  ready: ["理好牌", "Ready"], is_ready: ["已理好", "Ready"], td: ["裁判", "TD"], enter: ["录入出牌", "Enter a play"],
  correct: ["更正", "Correct"], cards_hint: ["例如 5S 5D，10 写作 T", "such as 5S 5D; ten is T"],
  ack: ["知悉", "Acknowledge"], resolve: ["解决", "Resolve"], sent: ["完成", "Done"],
  cleared: ["出牌区已清空", "Area clear"], prompts_cleared: ["提示卡已收", "Prompts collected"],
  setup: ["摄像头设置", "Camera set-up"], no_picture: ["发牌和打牌时不显示画面", "No picture is shown while a deal is on"],
  hints: ["需要处理", "To put right"], all_well: ["画面良好", "The picture is good"],
  scale: ["像素/毫米", "px/mm"], rate: ["帧/秒", "frames/s"], found_markers: ["看到 {n} 个定位标记", "{n} markers found", "1 marker found"],
  not_found: ["没有找到桌垫", "The mat is not found"], by_corners: ["按点选的四角定位", "Aligned by the clicked corners"],
  click_corners: ["点选四角", "Click the four corners"], use_markers: ["改用定位标记", "Use the markers"],
  save_corners: ["保存四角", "Save the corners"], cancel: ["取消", "Cancel"],
  corner1: ["点桌垫北边的左上角", "Click the mat's corner above left of N"], corner2: ["点右上角", "Click the corner above right"],
  corner3: ["点右下角", "Click the corner below right"], corner4: ["点左下角", "Click the corner below left"],
  corners_move: ["拖动角点，或选中后用方向键微调，然后保存", "Drag a corner, or select it and use the arrow keys; then save"],
  questions: ["存疑待确认：{n}", "Doubtful, to be confirmed: {n}"],
  not_confirmed: ["本副结束前没有确认：{n}", "Not confirmed before the deal ended: {n}"],
  question: ["{a}家第{n}手", "{a}, number {n}"], in_doubt: ["存疑，请裁判确认", "In doubt: the referee is asked"],
  sure: ["看清：", "Sure:"], unsure: ["存疑：", "Not sure:"], nth_card: ["第{n}张 {c}", "card {n}, {c}"], comma: ["，", "; "],
  unread: ["未识别", "not read"], too_often: ["这些牌出现超过两张", "Seen more often than the pack holds"],
  who_is_asked: ["请裁判看图或看桌面确认；记分牌已向{a}家标明存疑", "The referee is asked: look at the picture or the table. The scoreboard shows {a} that it is in doubt"],
  really_played: ["实际出牌", "Really played"], confirm: ["确认", "Confirm"],
  leave_doubtful: ["保持存疑，不再询问", "Leave it doubtful, ask no more"],
  evidence_of: ["{a}家这手牌的照片", "Picture of what {a} laid"],
  evidence_none: ["没有照片（未保存或已清理），请看桌面；仍可在此确认", "No picture (not kept, or cleared since): look at the table. The question can still be answered"],
  which_prompt: ["是哪张提示卡…", "Which prompt card…"], none_of_them: ["都不是", "none of them"],
  arrived: ["已到场", "Arrived"], give: ["判", "Give"], by_head: ["（裁判长）", " (head referee)"], no_penalty: ["不罚", "No penalty"],
  other_penalty: ["其他判罚…", "Other penalty…"], right_lapsed: ["处罚权丧失…", "Right lapsed…"],
  warning: ["口头警告", "warning"], violation: ["违例", "violation"], "violation+stop": ["违例并停一圈", "violation, and one trick's stop"],
  foul: ["犯规，本副判负", "foul, the deal is lost"], game_lost: ["本局判负", "game lost"], out: ["取消资格", "exclusion"],
  void_hand: ["手牌作废", "hand void"], class_1: ["第一类", "class 1"], class_2: ["第二类", "class 2"],
  class_3: ["第三类", "class 3"], class_4: ["第四类", "class 4"],
  next_trick: ["下圈才指出", "noticed in the next trick"], next_deal: ["下副才指出", "noticed in the next deal"],
  nobody_claimed: ["无人指出", "nobody pointed it out"], spectator: ["他人率先指出", "a spectator pointed it out first"],
  acted_before_call: ["召请前自行行动", "acted before calling"], unfair_gain: ["利用对方不了解获利", "gained unfairly"],
  rights: ["当前限制", "Rights now"], may_not_play: ["本圈停止出牌", "may not play"], may_not_lead: ["不可领出", "may not lead"],
  must_lead: ["须领出", "must lead"], names_type: ["指定牌型", "names the type"], owes_card: ["须先出", "owes"],
  no_tribute: ["本副不贡牌，", "No tribute:"], names_leader: ["指定领出者", "name the leader"], note: ["记录违规", "Note a breach"],
  age_s: ["{n}秒", "{n} s"], age_m: ["{n}分{s}秒", "{n}:{s}"], age_h: ["{n}小时{m}分", "{n} h {m}"],
  overturn: ["撤销", "Overturn"], resync: ["重新对准", "Resync"], turn_of: ["轮到", "To play"], back: ["记分牌", "Scoreboard"], other_language: ["English", "中文"],
};

// A page adds words of its own before it says them.
export function addWords(more) { Object.assign(WORDS, more); }

export function t(key, values = {}) {
  const pair = WORDS[key];
  if (!pair) return key;
  // English has a third text where one thing is said otherwise than several.
  const text = lang !== "en" ? pair[0] : Number(values.n) === 1 && pair[2] ? pair[2] : pair[1];
  return text.replace(/\{(\w)\}/g, (_, name) => values[name] ?? "");
}

// What a turn without cards was.
export function emptyTurn(action) { return t(action.stopped ? "turn_stopped" : "pass"); }

// What is said in both languages at once ("中文 · English"), in the page's own.
export function bothWords(text) {
  const cut = text.indexOf(" · ");
  return cut < 0 ? text : lang === "en" ? text.slice(cut + 3) : text.slice(0, cut);
}

export function readingText(reading) {
  if (!reading) return "";
  const [type, key] = reading.split(":");
  const rank = key === "BJ" || key === "SJ" ? cardText(key) : rankText(key);
  return rank === "-" ? t(type) : `${t(type)} ${rank}`;
}

export function cardText(code) {
  if (code === "??") return t("unread");
  if (code[1] === "J") return lang === "en" ? (code === "BJ" ? "big joker" : "small joker") : (code === "BJ" ? "大王" : "小王");
  return `${{ S: "♠", H: "♥", D: "♦", C: "♣" }[code[1]]}${rankText(code[0])}`;
}

export function rankText(rank) { return rank === "T" ? "10" : rank; }

export function setLanguage() {
  document.documentElement.lang = lang === "en" ? "en" : "zh-CN";
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", t(node.dataset.label));
  for (const node of document.querySelectorAll("[data-hint]")) node.placeholder = t(node.dataset.hint);
}
