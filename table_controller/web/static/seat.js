// The touch page of one seat: what it may say now, what was read last, and what is refused. Public state alone.
import { cardRow } from "./cards.js";
import { $, SEATS, button, clockFace, node, say } from "./dom.js";
import { dutiesOf } from "./duties.js";
import { follow } from "./live.js";
import { problemText } from "./problems.js";
import { drawDue } from "./seat_due.js";
import "./seat_words.js";
import { lang, readingText, setLanguage, t } from "./words.js";

const asked = new URLSearchParams(location.search).get("seat");
const me = SEATS.includes(asked) ? asked : "";
let state = null;
let at = 0;
let fading = 0;

async function send(command, done = t("done")) {
  let answer;
  try {
    const response = await fetch("/api/command", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Table-Controller": "1" },
      body: JSON.stringify(command),
    });
    answer = await response.json();
    if (response.status === 403) answer.problem = t("elsewhere");
  } catch { answer = { ok: false, away: true }; }
  $("answer").className = answer.ok ? "ok" : "problem";
  $("answer").textContent = answer.ok ? done : t("refused") + problemText(answer);
  clearTimeout(fading);
  if (answer.ok) fading = setTimeout(() => { $("answer").textContent = ""; }, 4000);
  return answer;
}

function act(name, command) {
  const made = button(t(`act_${name}`), () => send(command, t(`done_${name}`)));
  made.id = `act-${name}`;
  return made;
}

function build() {
  for (const seat of SEATS) {
    const query = new URLSearchParams(location.search);
    query.set("seat", seat);
    $("chairs").append(node("a", { href: `?${query}`, textContent: t(seat) }));
  }
  $("choose").hidden = Boolean(me);
  $("tell").hidden = !me;
  if (!me) return;
  $("acts").append(act("ready", { do: "ready", seat: me }), act("pass", { do: "pass", seat: me }), act("td", { do: "td", seat: me }));
  for (let n = 1; n <= 10; n += 1) {
    const digit = button(String(n), () => send({ do: "report", seat: me, number: n }, t("done_report")));
    $("digits").append(digit);
  }
}

function called() {
  const mine = state.incidents.filter((i) => i.kind === "td_call");
  if (!mine.length) return "act_td";
  return { open: "td_open", acknowledged: "td_on_way", arrived: "td_here" }[mine.at(-1).status] ?? "act_td";
}

function drawActs() {
  const seat = state.seats[me];
  const turn = state.turn === me && state.phase === "playing";
  const [ready, pass, td] = ["ready", "pass", "td"].map((name) => $(`act-${name}`));
  ready.hidden = !["sorting", "dealing", "standby"].includes(state.phase);
  ready.disabled = state.phase !== "sorting" || seat.ready;
  say(ready, t(seat.ready ? "ready_done" : "act_ready"));
  pass.disabled = !turn || !state.to_beat;
  pass.classList.toggle("now", turn);
  say(td, t(called()));
  td.classList.toggle("called", called() !== "act_td");
  // A report is made once a hand; its number may be any, so that a wrong one is the player's own.
  $("reports").hidden = !(seat.left !== null && seat.left > 0 && seat.left <= 10 && !seat.reported && !seat.place);
}

function drawPlays() {
  const disputed = new Set(state.incidents.filter((i) => i.kind === "dispute").map((i) => i.play));
  const plays = state.recent.filter((play) => play.cards.length).slice(-5).reverse();
  const items = plays.map((play) => {
    const item = node("li", { className: play.seat === me ? "mine" : "", data: { play: play.number } });
    item.append(node("b", { textContent: t(play.seat) }), cardRow(play.cards, state.level, play.unsure));
    item.append(node("span", { className: "reading", textContent: readingText(play.reading) }));
    if (play.doubtful) item.append(node("span", { className: "indoubt", textContent: t("doubtful") }));
    if (play.corrected) item.append(node("span", { className: "corrected", textContent: t("corrected") }));
    if (disputed.has(play.number)) item.append(node("span", { className: "quiet", textContent: t("disputed") }));
    else item.append(button(t("dispute"), () => send({ do: "dispute", seat: me, play: play.number })));
    return item;
  });
  const drawn = JSON.stringify([plays, [...disputed], state.level]);
  if ($("plays").dataset.drawn === drawn) return;
  $("plays").dataset.drawn = drawn;
  $("plays").replaceChildren(...(items.length ? items : [node("li", { className: "quiet", textContent: t("nothing_read") })]));
}

// What this seat is to do, and what concerns everybody before a deal.
function drawDuties() {
  const lines = dutiesOf(state).filter((line) => line.text && (line.seats.includes(me) || !line.seats.length));
  const drawn = lines.map((line) => line.text).join("\n");
  if ($("duties").dataset.drawn === drawn) return;
  $("duties").dataset.drawn = drawn;
  $("duties").hidden = !lines.length;
  $("duties").replaceChildren(...lines.map((line) => node("li", { textContent: line.text, className: line.seats.length ? "mine" : "" })));
}

function drawClock() {
  if (!state) return;
  const face = clockFace(state.clock, performance.now() - at);
  say($("clock"), face.text);
  $("clock").dataset.state = face.state;
}

function draw() {
  say($("me"), me ? t("seat_page", { a: t(me) }) : "");
  const turn = state.phase !== "playing" || !state.turn ? t(state.phase) : t(state.turn === me ? "your_turn" : "turn_is", { a: t(state.turn) });
  const left = me && state.seats[me].left;
  say($("where"), [state.table, turn, left ? t("left", { n: left }) : ""].filter(Boolean).join(" · "));
  document.body.classList.toggle("myturn", Boolean(me) && state.turn === me && state.phase === "playing");
  drawClock();
  if (!me) return;
  drawActs();
  drawDuties();
  drawDue(state, me, send, $("due"));
  drawPlays();
}

setLanguage();
document.title = me ? `${t("seat_page", { a: t(me) })} · ${t("title")}` : t("which_seat");
$("stale").textContent = t("stale");
const other = new URLSearchParams(location.search);
other.set("lang", lang === "en" ? "zh" : "en");
$("language").href = `?${other}`;
build();
follow((next, when) => { state = next; at = when; draw(); }, (stale) => { $("stale").hidden = !stale; });
setInterval(drawClock, 200);
