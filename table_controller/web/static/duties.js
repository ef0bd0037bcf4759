// What people are to do at the table, in words: shuffle, cut, draw, turn up the returns, report. Each line with the
// seats that it concerns (none: everybody) and, where a press saves somebody an entry, the command of that press.
import { SEATS } from "./dom.js";
import { addWords, cardText, lang, t } from "./words.js";

addWords({
  duties: ["谁做什么", "Who does what"], or: ["或", " or "], anybody: ["任一家", "any player"], by_referee: ["由裁判指定", "whom the referee names"],
  seat_call: ["开赛前{n}分钟入座，清点牌张，填写表格", "Be seated {n} minutes before the start; count the cards and fill in the forms"],
  begins_in: ["距开赛还有{m}分{s}秒", "{m}:{s} until the start"], sit_now: ["请入座，清点牌张", "Take your seats now and count the cards"],
  machine_deals: ["自动发牌代替洗牌、切牌和抓牌", "The machine replaces shuffling, cutting and drawing"],
  table_draws: ["首圈领出由牌桌抽定", "the table draws who leads first"],
  shuffles_duty: ["洗牌：{a}，{x}至{y}次，洗后不再切插", "Shuffle: {a}, {x} to {y} times, nothing after it"],
  cuts_duty: ["切牌：{a}，从中段切，上下各多于{n}张，不数牌", "Cut: {a}, from the middle, more than {n} cards at either end, uncounted"],
  turns_duty: ["切牌者翻出一张牌；翻出{c}重切", "The cutter turns a card up; {c}: cut again"],
  counts_duty: ["先抓：从切牌者起，按翻出牌的点数逆时针点到的一家；抓到这张牌的一家首圈领出", "Draws first: whom the card's points reach, counter-clockwise from the cutter; who draws that card leads first"],
  draws_duty: ["先抓：{a}，逆时针每次一张", "Draws first: {a}, then counter-clockwise, one card each"], leads_duty: ["首圈领出：{a}", "Leads first: {a}"],
  reveals_duty: ["还牌面朝下，由{a}一起亮开", "The returns lie face down; {a} turn them up together"], and: ["、", " and "],
  report_said: ["{a}须说出剩{n}张", "{a} must say: {n} left"], report_laid: ["{a}须放报牌卡：{n}", "{a} must lay the number card {n}"],
  was_said: ["已说", "It was said"], more_sorting: ["理牌加30秒", "30 s more to sort"],
  passes_by_card: ["过牌用PASS卡", "A pass is the PASS card"], passes_by_word: ["过牌说“过”或轻敲桌面，一局只用一种", "A pass is said or knocked, one way for the whole game"],
  declare_asked: ["{a}家的红心级牌当作什么？", "What does {a}'s wild stand for?"],
});

const names = (seats, word) => (seats.length === 4 && word === "or" ? t("anybody") : seats.map((seat) => t(seat)).join(t(word)) || t("by_referee"));

// A rule's card comes in words: 2_of_hearts, big_joker.
const codeOf = (words) => ({ big_joker: "BJ", small_joker: "SJ" })[words] ?? words[0] + words.split("_").at(-1)[0].toUpperCase();

function withThePack(before) {
  const { shufflers, cutters } = before;
  const lines = [
    { seats: shufflers, text: t("shuffles_duty", { a: names(shufflers, "or"), x: before.shuffles[0], y: before.shuffles[1] }) },
    { seats: cutters, text: t("cuts_duty", { a: names(cutters, "or"), n: before.cut_margin }) },
  ];
  if (before.turns) {
    lines.push({ seats: cutters, text: t("turns_duty", { c: before.cut_again.map((words) => cardText(codeOf(words))).join(t("comma")) }) });
    lines.push({ seats: [], text: t("counts_duty") });
  } else lines.push({ seats: before.first ? [before.first] : [], text: t("draws_duty", { a: names(before.first ? [before.first] : [], "or") }) });
  if (before.leads) lines.push({ seats: [before.leads], text: t("leads_duty", { a: t(before.leads) }) });
  return lines;
}

function beSeated(state) {
  const { begins_in_ms: left, seated_before_minutes: minutes } = state.before;
  if (state.phase !== "standby" || state.before.deal !== 1 || state.match.over) return [];
  if (!left) return [{ seats: [], text: t("seat_call", { n: minutes }) }];
  const begins = t("begins_in", { m: Math.floor(left / 60000), s: String(Math.floor(left / 1000) % 60).padStart(2, "0") });
  const call = left <= minutes * 60000 ? t("sit_now") : t("seat_call", { n: minutes });
  return [{ seats: [], text: `${begins}${t("comma")}${call}` }];
}

function beforeTheDeal(state) {
  const { before } = state;
  if (!before) return [];
  if (!before.by_machine) return [...beSeated(state), ...withThePack(before)];
  const leads = before.leads ? t("leads_duty", { a: t(before.leads) }) : before.deal === 1 ? t("table_draws") : "";
  return [...beSeated(state), { seats: before.leads ? [before.leads] : [], text: [t("machine_deals"), leads].filter(Boolean).join(lang === "en" ? "; " : "，") }];
}

function reportsDue(state) {
  const said = state.customs.report_by === "word";
  return SEATS.filter((seat) => state.seats[seat].owes_report).map((seat) => {
    const number = state.seats[seat].owes_report;
    const line = { seats: [seat], text: t(said ? "report_said" : "report_laid", { a: t(seat), n: number }) };
    return said ? { ...line, label: t("was_said"), command: { do: "report", seat, number } } : line;
  });
}

export function dutiesOf(state) {
  if (!state.customs) return [];
  const lines = [...beforeTheDeal(state), ...reportsDue(state)];
  const reveal = state.exchange.reveals ?? [];
  if (reveal.length) lines.push({ seats: reveal, text: t("reveals_duty", { a: names(reveal, "and") }) });
  if (state.before) lines.push({ seats: [], text: t(state.customs.pass_by === "card" ? "passes_by_card" : "passes_by_word") });
  if (state.phase === "sorting") lines.push({ seats: [], text: "", label: t("more_sorting"), command: { do: "extend_clock", extra_ms: 30000 } });
  return lines;
}
