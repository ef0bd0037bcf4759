// The words of the director's page.
import { addWords } from "./words.js";

addWords({
  whole_hall: ["全场", "The whole hall"], scope_all: ["对全部牌桌", "For all tables"], scope_some: ["对选中的{n}桌", "For the {n} tables chosen", "For the 1 table chosen"],
  start_all: ["开始发牌", "Start the deal"], pause_all: ["暂停", "Pause"], resume_all: ["继续", "Resume"], end_all: ["本轮结束", "End the round"], sure_again: ["再按一次确认", "Press again to confirm"],
  announce: ["通知", "Announce"], last_deal: ["最后一副", "Last deal"], take_back: ["收回通知", "Take it back"], text_zh: ["中文内容", "In Chinese"], text_en: ["英文内容", "In English"], say_it: ["发布", "Announce"],
  remind_hall: ["全场提示", "Hall-wide reminder"], remind_words: ["提示之后首次违规按第二次处理（003 第52条）", "after it a first breach counts as the second (003 art. 52)"], minutes: ["分钟", "Minutes"], extend_round: ["延长本轮", "Extend the round"],
  choose_all: ["全选", "Choose all"], choose_none: ["不选", "Choose none"], table_no: ["桌号", "Table"], phase: ["阶段", "Phase"], clock_h: ["计时", "Clock"], air: ["播出", "On air"],
  done_n: ["{n}桌完成", "{n} done"], failed_n: ["{n}桌未成", "{n} not done"], relay_go: ["播出", "Go"], not_aired: ["没有播出 {a}", "not aired for {a}"], relay_hold: ["停住", "Hold"], relay_cut: ["切断", "Cut"], relay_delay: ["延迟（秒）", "Delay (s)"], set_delay: ["设定延迟", "Set delay"],
  match_h: ["赛制", "Match"], profile_is: ["规则：{a}", "Rules: {a}"], system: ["赛制", "System"], deals_n: ["副数", "Deals"], games_n: ["局数", "Games"], format: ["编排", "Format"], round_n: ["轮次", "Round"], set_match: ["设定赛制", "Set the match"],
  swiss: ["积分编排", "Swiss"], round_robin: ["循环赛", "Round robin"], knockout: ["淘汰赛", "Knockout"], 计局: ["计局", "by games"], 计副: ["计副", "by deals"], 计时: ["计时", "by time"], 计时计副: ["计时计副", "by time and deals"],
  schedule: ["日程", "Schedule"], starts: ["开始", "Starts"], remark: ["说明", "Remark"], add_round: ["加一轮", "Add a round"], save: ["保存", "Save"], seats_h: ["座位", "Seats"],
  results_h: ["成绩", "Results"], refresh: ["刷新", "Refresh"], standings: ["名次", "Standings"], place_n: ["名次", "Place"], team: ["队伍", "Team"], points: ["场分", "Points"], level_points: ["级分", "Level points"], played_n: ["场次", "Played"],
  deal_h: ["副", "Deal"], order: ["出完次序", "Order out"], winner: ["胜方", "Won by"], checked_h: ["录入/核对", "Entered / checked"], not_director: ["只有赛事负责人可以操作", "Only a director may act here"], choose_kinds: ["请先选择要提示的事项", "Choose what the reminder is about"],
});
