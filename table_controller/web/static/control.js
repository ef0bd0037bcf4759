import "./control_words.js";
import { sawOf } from "./cards.js";
import { amend, buildMore } from "./control_more.js";
import { dutiesOf } from "./duties.js";
import { buildEarlier, drawEarlier } from "./earlier.js";
import { follow } from "./live.js";
import { problemText } from "./problems.js";
import { drawQuestions } from "./questions.js";
import { buildNote, drawIncident, drawRights } from "./rulings.js";
import { lang, readingText, setLanguage, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const SEATS = ["E", "N", "W", "S"];

async function send(command) {
  const response = await fetch("/api/command", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Table-Controller": "1" },
    body: JSON.stringify(command),
  });
  const answer = await response.json();
  $("answer").textContent = answer.ok ? t("sent") : problemText(answer);
  $("answer").className = answer.ok ? "ok" : "problem";
  return answer;
}

function button(label, command) {
  const node = document.createElement("button");
  node.textContent = label;
  node.type = "button";
  node.onclick = () => send(typeof command === "function" ? command() : command);
  return node;
}

function build() {
  for (const name of ["start", "stop", "pause", "resume", "clear_fault", "dealt_by_hand"]) $("machine").append(button(t(name), { do: name }));
  for (const seat of SEATS) {
    const box = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = t(seat);
    box.append(legend);
    for (const name of ["ready", "pass", "td", "cleared", "prompts_cleared"]) box.append(button(t(name), { do: name, seat }));
    box.append(button(t("pass_said"), { do: "pass", seat, how: "word" }));
    $("seats").append(box);
    const option = new Option(t(seat), seat);
    $("enter").elements.seat.append(option);
    $("note").elements.seat.append(new Option(t(seat), seat));
    $("resync").elements.turn.append(new Option(t(seat), seat));
    const label = document.createElement("label");
    const count = Object.assign(document.createElement("input"), { type: "number", min: 0, max: 27, required: true, name: seat });
    label.append(t(seat), " ", count);
    $("counts").append(label);
  }
  $("resync").onsubmit = (event) => {
    event.preventDefault();
    const form = new FormData($("resync"));
    const counts = Object.fromEntries(SEATS.map((seat) => [seat, Number(form.get(seat))]));
    send({ do: "resync", turn: form.get("turn"), counts });
  };
  $("enter").elements.after.placeholder = t("after_play");
  $("enter").onsubmit = async (event) => {
    event.preventDefault();
    const form = new FormData($("enter"));
    const [seat, cards, after] = ["seat", "cards", "after"].map((name) => form.get(name));
    const answer = await send(after === "" ? { do: "play", seat, cards } : { do: "insert", after: Number(after), seat, cards });
    if (answer.ok) for (const name of ["cards", "after"]) $("enter").elements[name].value = "";
  };
  const reason = $("end").elements.reason;
  reason.placeholder = t("why_end");
  $("end").onsubmit = async (event) => {
    event.preventDefault();
    const answer = await send({ do: "end_round", reason: reason.value });
    if (answer.ok) reason.value = "";
  };
}

function drawRound(match) {
  const stands = match.over ? "round_over" : match.called ? "round_called" : "round_stands";
  $("round").textContent = t(stands, { n: match.round });
  for (const part of $("end").elements) part.disabled = match.over || match.called;
}

function drawDuties(state) {
  const items = dutiesOf(state).map((line) => {
    const item = document.createElement("li");
    item.append(line.text, " ", ...(line.command ? [button(line.label, line.command)] : []));
    return item;
  });
  // Nothing is drawn anew under a finger: only where the words have changed.
  const drawn = items.map((item) => item.textContent).join("\n");
  if ($("duties").dataset.drawn === drawn) return;
  $("duties").dataset.drawn = drawn;
  $("duties").replaceChildren(...(items.length ? items : [Object.assign(document.createElement("li"), { textContent: t("nobody") })]));
}

function draw(state) {
  $("phase").textContent = t(state.phase);
  drawRound(state.match);
  // What has failed, and what to do instead; the driver's own word stands in the title.
  $("health").hidden = !state.health?.length;
  $("health").replaceChildren(...(state.health ?? []).map((one) => Object.assign(document.createElement("li"), {
    className: one.state, title: one.cause, textContent: `${t(`adapter_${one.name}`)}${lang === "en" ? ": " : "："}${lang === "en" ? one.en : one.zh}`,
  })));
  $("plays").replaceChildren(...state.recent.slice().reverse().map((action, i, plays) => {
    const next = plays[i - 1];
    const item = document.createElement("li");
    if (!action.cards.length) {
      item.append(Object.assign(document.createElement("span"), { textContent: `${action.number}. ${t(action.seat)} ${t(action.stopped ? "may_not_play" : "pass")}` }), amend(action, send, { next }));
      return item;
    }
    const field = document.createElement("input");
    field.value = action.cards.join(" ");
    field.setAttribute("aria-label", t("correct"));
    const words = document.createElement("span");
    words.textContent = `${action.number}. ${t(action.seat)} ${readingText(action.reading)} ${action.doubtful ? t("doubtful") : ""}`;
    item.append(words, field, button(t("correct"), () => ({ do: "correct", play: action.number, cards: field.value, saw: sawOf(action) })), amend(action, send, { next }));
    return item;
  }));
  const quiet = Object.assign(document.createElement("li"), { textContent: t("nobody") });
  $("incidents").replaceChildren(
    ...(state.incidents.length ? [] : [quiet]),
    ...state.incidents.slice().reverse().map((i) => drawIncident(i, send)),
  );
  const rights = drawRights(state);
  $("rights").replaceChildren(...(rights.length ? rights : [Object.assign(document.createElement("li"), { textContent: t("nobody") })]));
}

setLanguage();
document.title = t("control");
$("stale").textContent = t("stale");
$("back").href = `/${location.search}`;
$("setup").href = `/setup${location.search}`;
$("language").href = lang === "en" ? "?lang=zh" : "?lang=en";
build();
buildNote($("note"), send);
buildMore($("more"), send);
buildEarlier({ form: $("earlier"), list: $("past") }, send);
let editing = false;
// The lists are drawn anew with every state, but not under a hand that writes or chooses there.
document.addEventListener("focusin", (e) => { editing = e.target.matches("#plays :is(input, select), #incidents :is(input, select)"); });
document.addEventListener("change", (e) => { if (e.target.matches("#plays select, #incidents select")) e.target.blur(); });
document.addEventListener("focusout", () => { editing = false; });
const asking = { section: $("questions"), list: $("asking"), heading: $("asked"), news: $("news") };
follow((state) => {
  drawQuestions(state, send, asking);
  drawDuties(state);
  drawEarlier(state, { form: $("earlier"), list: $("past") }, send);
  if (!editing) draw(state);
}, (stale) => { $("stale").hidden = !stale; });
