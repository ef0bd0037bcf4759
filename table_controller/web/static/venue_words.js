// The words of the venue's pages.
import { addWords } from "./words.js";

addWords({
  referee_page: ["裁判台", "Referee"], table_n: ["{a}桌", "Table {a}"], wall: ["赛场记分", "Scoreboard"], director_page: ["赛事总控", "Director"],
  login: ["登录", "Log in"], log_out: ["退出", "Log out"], name: ["姓名", "Name"], password: ["密码", "Password"],
  login_wrong: ["姓名或密码不对", "Name or password is wrong"], login_many: ["次数太多，请等一分钟", "Too many tries: wait a minute"],
  offline_banner: ["与赛场服务的连接中断，正在重连；下面是断开前的情况", "The venue's service does not answer; reconnecting. Below is how it was before"],
  broker_banner: ["消息服务中断：牌桌照常进行，这里暂时看不到新的情况，也不能下指令", "The broker is away: the tables go on, but nothing new is seen here and no command reaches them"],
  no_tables: ["还没有牌桌", "No tables yet"], none_match: ["没有符合的牌桌", "No table matches"],
  n_tables: ["{n}桌", "{n} tables"], n_calls: ["呼叫{n}", "{n} calls"], n_open: ["待处理{n}", "{n} open"], n_lost: ["失联{n}", "{n} lost"], n_doubts: ["存疑{n}", "{n} doubtful"],
  find: ["桌号或姓名", "Table or name"], filter: ["筛选", "Filter"], sort: ["排序", "Sort"],
  show_all: ["全部", "All"], show_need: ["需要处理", "Need somebody"], show_doubt: ["有存疑", "Doubtful"], show_lost: ["失联或故障", "Lost or at fault"], show_idle: ["未在打牌", "Not playing"],
  by_need: ["紧急在前", "Urgent first"], by_table: ["按桌号", "By table"], by_clock: ["计时久的在前", "Longest clock first"],
  queue: ["待处理", "Waiting for somebody"], queue_empty: ["没有待处理的事", "Nothing is waiting"], all_tables: ["全部牌桌", "All tables"],
  ack_all: ["全部知悉", "Acknowledge all"], open_table: ["打开", "Open"], take: ["知悉", "Take"], arrive: ["到场", "Arrive"],
  taken_by: ["{a}已知悉", "{a} has it"], arrived_by: ["{a}已到场", "{a} is there"], resolved_by: ["{a}已了结", "ended by {a}"], open_s: ["无人处理", "nobody yet"],
  raised: ["提出", "raised"], step_acknowledged: ["知悉", "taken"], step_arrived: ["到场", "arrived"], step_ended: ["了结", "ended"],
  lost: ["失联", "Lost"], offline: ["已关机", "Off"], unknown: ["未知", "Unknown"], silent: ["{n}无消息", "silent {n}"], simulated: ["模拟", "simulated"],
  camera_out: ["摄像头无画面", "No camera"], dealer_out: ["发牌机未连接", "Dealer not connected"], doubts: ["存疑{n}", "{n} in doubt"], plays_at: ["打", "at "], more: ["另{n}项", "{n} more"],
  keys_help: ["按键", "Keys"], mute: ["静音", "Mute"], sound: ["提示音", "Sound"],
  keys_referee: [
    "J K 或 ↑ ↓ 选事项　A 知悉　G 到场　回车 打开　Shift+A 全部知悉　T 到牌桌　/ 筛选　S 排序　方向键 在牌桌间移动",
    "J K or ↑ ↓ choose　A take　G arrive　Enter open　Shift+A take all　T to the tables　/ filter　S sort　arrow keys move among tables"],
  keys_table: [
    "C 到存疑的牌，再打点数和花色（5 D）即更正；回车 照读数确认　A 知悉　G 到场　R 判罚　P 暂停　Esc 回裁判台",
    "C to the doubtful card, then rank and suit (5 D) correct it; Enter confirms as read　A take　G arrive　R rule　P pause　Esc back"],
  doubt_title: ["{a}家第{n}手：存疑", "{a}, number {n}: in doubt"], as_read: ["照读数确认", "As read"], pick_card: ["第{n}张是", "Card {n} is"], fix_card: ["第{n}张 {c}，改为…", "card {n}, {c}: change to…"],
  confirm_picked: ["确认更正", "Correct it"], corrected_now: ["已更正", "Corrected"], settled: ["本副已结束，记录不再更改", "The deal is over: its record stands"],
  evidence_here: ["读牌时的照片", "Picture of the reading"], evidence_waiting: ["照片正从牌桌取来…", "The picture is on its way…"], evidence_missing: ["牌桌没有这张照片", "The table does not have the picture"],
  evidence_gone: ["照片已过保存期", "The picture is past its time"], evidence_off: ["这桌不保存照片，请看桌面", "This table keeps no pictures: look at the table"], locked: ["申诉期内锁定", "locked for appeals"],
  play_list: ["本副出牌", "Plays"], fix_hint: ["点牌即可更正", "Press a card to correct it"], board: ["牌桌", "Table"],
  note_breach: ["记录违规", "Note a breach"], reason: ["说明", "Reason"], timeline: ["经过", "What happened"], print: ["打印", "Print"], csv: ["导出 CSV", "CSV"],
  more_time: ["加时30秒", "30 s more"], resume_play: ["继续", "Resume"], pause_play: ["暂停", "Pause"], appeal: ["申诉", "Appeal"], appeal_open: ["申诉中", "Under appeal"],
  appeal_note: ["申诉内容", "What is appealed"], appeal_close: ["申诉结论", "Outcome"], appeal_closed: ["申诉已了结：{a}", "Appeal closed: {a}"], needs_head: ["需要裁判长", "needs a head referee"],
  watcher: ["只能看：没有裁判权限", "Look only: no referee's rights"], no_such_table: ["没有这张牌桌", "There is no such table"], proposal: ["建议", "Proposed"], rule_it: ["判罚", "Ruling"],
  who: ["谁", "Who"], hall_said: ["通知", "Announcement"],
});
