import { cardRow } from "./cards.js";
import { follow } from "./live.js";
import { emptyTurn, lang, rankText, readingText, setLanguage, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const SEATS = ["E", "N", "W", "S"];
let state = null;
let receivedAt = 0;

function element(tag, className, text = "") {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  return node;
}

function shownCards(seat) {
  const exchange = state.exchange;
  if (!["tribute", "returning"].includes(state.phase)) return [];
  const card = exchange.returned[seat] ?? exchange.shown[seat];
  return card ? [card] : [];
}

function drawSeat(seat) {
  const data = state.seats[seat];
  const node = $(`seat-${seat}`);
  node.className = `seat lamp-${data.lamp}` + (state.turn === seat ? " turn" : "");
  const head = element("div", "head");
  head.append(element("span", "lamp"), element("span", "name", t(seat)));
  const player = state.match.names?.[SEATS.indexOf(seat)];
  if (player) head.append(element("span", "player", player));
  if (data.place) head.append(element("span", `place p${data.place}`, t(`place${data.place}`)));
  else if (state.phase === "sorting" && data.ready) head.append(element("span", "ready", t("is_ready")));
  else if (data.reported) head.append(element("span", "reported", t("reported", { n: data.reported })));
  if (data.left !== null && !data.place) head.append(element("span", "left", t("left", { n: data.left })));
  const body = element("div", "body");
  const shown = shownCards(seat);
  if (shown.length) body.append(cardRow(shown, state.level), element("span", "reading", t(state.phase)));
  else if (data.last?.pass || data.last?.stopped) body.append(element("span", "passed", emptyTurn(data.last)));
  else if (data.last) {
    body.append(cardRow(data.last.cards, state.level, data.last.unsure), element("span", "reading", readingText(data.last.reading)));
    if (data.last.corrected) body.append(element("span", "corrected", t("corrected")));
  }
  if (state.questions.some((question) => question.seat === seat)) body.append(element("span", "indoubt", t("in_doubt")));
  else if (data.last?.doubtful) body.append(element("span", "indoubt", t("doubtful")));
  node.replaceChildren(head, body);
}

const wins = (winner) => (winner ? t("wins", { a: t(winner) }) : t("drawn"));

function drawHeader() {
  for (const pair of ["EW", "NS"]) {
    $(`level-${pair}`).textContent = rankText(state.levels[pair]);
    $(pair).classList.toggle("owner", state.level_owner === pair);
  }
  $("table").textContent = `${state.venue} · ${state.table}`;
  const ended = state.phase === "game_over" ? state.match.played.at(-1) : null;
  $("phase").textContent = [t(state.phase), ...(ended ? [wins(ended.winner)] : [])].join(" · ");
  $("phase").dataset.phase = state.phase;
  const parts = [];
  if (state.deal) parts.push(t("deal", { n: state.deal }), `${t("playing_level")} ${rankText(state.level)}`);
  if (state.trick && state.turn) parts.push(t("trick", { n: state.trick }));
  if (state.phase === "dealing") parts.push(`${state.dealer.index} / 108`);
  if (state.dealer.fault) parts.push(state.dealer.message);
  // A machine that was never heard of is not missed: the table deals by hand.
  if (!state.dealer.online && (state.dealer.kind || state.dealer.message)) parts.push(t("dealer_offline"));
  if (state.camera_lost) parts.push(t("camera_lost"));
  if (state.exchange.resisted) parts.push(t("resisted"));
  if (state.match.called || state.match.time_up) parts.push(t("round_up"));
  if (state.match.over && state.match.games > 1) parts.push(`${t("match_is_over")}${wins(state.match.winner)}`);
  $("sub").textContent = parts.join("　");
}

function listItem(text, className = "") {
  return element("li", className, text);
}

function drawFooter() {
  $("recent").replaceChildren(...state.recent.slice().reverse().slice(0, 4).map((action) => {
    const item = listItem("", action.doubtful ? "doubtful" : "");
    item.append(element("span", "seatname", t(action.seat)));
    item.append(action.pass || action.stopped ? element("span", "passed", emptyTurn(action)) : cardRow(action.cards, state.level, action.unsure));
    if (action.reading) item.append(element("span", "reading", readingText(action.reading)));
    return item;
  }));
  $("incidents").replaceChildren(...(state.incidents.length
    ? state.incidents.slice(-4).reverse().map((i) => listItem(`#${i.number} ${i.seat ? t(i.seat) + " " : ""}${lang === "en" ? i.en : i.zh}`, `incident ${i.status}`))
    : [listItem(t("nobody"), "quiet")]));
  $("results").replaceChildren(...(state.results.length ? [] : [listItem(t("nobody"), "quiet")]), ...state.results.slice().reverse().slice(0, 4).map((r) => {
    const places = r.foul ? `${t(r.foul)} ${t("foul")}` : r.order.filter(Boolean).map((seat) => t(seat)).join(" ");
    const words = [t("deal", { n: r.deal }), places, t(r.winner), r.passes_a ? t("passes_a") : t("rise", { n: r.rise })];
    if (r.double_down) words.push(t("double_down"));
    return listItem(words.join("　"));
  }));
}

function drawClock() {
  if (!state) return;
  const clock = state.clock;
  const running = clock.kind !== "none" && $("stale").hidden;
  const used = clock.elapsed_ms + (clock.running ? performance.now() - receivedAt : 0);
  const node = $("clock");
  node.dataset.state = !running ? "none" : !clock.running ? "paused"
    : used > clock.limit_ms ? "over" : used > clock.warning_ms ? "warned" : "normal";
  if (!running) {
    $("seconds").textContent = "–";
    $("who").textContent = "";
    $("arc").style.strokeDashoffset = "100";
    return;
  }
  const until = used <= clock.warning_ms ? clock.warning_ms : clock.limit_ms;
  $("seconds").textContent = Math.max(0, Math.ceil((until - used) / 1000));
  $("who").textContent = clock.seat ? `${t(clock.seat)} ${t(`clock_${clock.kind}`)}` : t(`clock_${clock.kind}`);
  $("arc").style.strokeDashoffset = String(Math.min(100, (100 * used) / clock.limit_ms));
}

function draw() {
  drawHeader();
  SEATS.forEach(drawSeat);
  drawFooter();
  drawClock();
}

setLanguage();
document.title = t("title");
$("stale").textContent = t("stale");
follow((next, at) => { state = next; receivedAt = at; draw(); }, (stale) => { $("stale").hidden = !stale; });
setInterval(drawClock, 200);
