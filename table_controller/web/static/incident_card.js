// One incident in full: what, by which rule, who has it and since when, the ruling, the picture, an appeal.
import { post } from "./api.js";
import { caseOf } from "./case.js";
import { age, button, node, say } from "./dom.js";
import { pictureOf } from "./doubts.js";
import { words } from "./queue.js";
import { LAPSED, OTHER, pick } from "./rulings.js";
import { severity, stands } from "./urgency.js";
import { t } from "./words.js";

const cards = new Map();
const hour = (at) => new Date(at).toLocaleTimeString("zh-CN", { hour12: false });

function steps(i) {
  const list = [`${t("raised")} ${hour(i.raised_at)}`];
  for (const step of ["acknowledged", "arrived", "ended"]) if (i[step]) list.push(`${t(`step_${step}`)} ${i[step].by} ${hour(i[step].at)}`);
  return node("p", { className: "steps", textContent: list.join(" → ") });
}

function ruling(i, step) {
  const rule = (penalty, more = {}) => step("rule", { penalty, ...more });
  const row = node("div", { className: "choices" });
  if (i.proposal) row.append(button(`${t("give")}：${t(i.proposal)}${i.needs === "head_referee" ? t("by_head") : ""}`, () => rule(i.proposal), { className: "main propose" }));
  row.append(button(t("no_penalty"), () => rule("")));
  row.append(pick(t("other_penalty"), OTHER.filter((name) => name !== i.proposal), (name) => rule(name)));
  row.append(pick(t("right_lapsed"), LAPSED, (name) => rule("", { lapsed: name, apply: false })));
  row.append(button(t("overturn"), () => step("overturn")));
  return row;
}

function appeal(i, told, head) {
  const open = i.appeal && !i.appeal.closed_at;
  const box = node("div", { className: "appeal" });
  if (i.appeal) box.append(node("p", { textContent: open ? `${t("appeal_open")}：${i.appeal.note}` : t("appeal_closed", { a: i.appeal.outcome }) }));
  if (!head || (i.appeal && !open)) return box;
  const label = t(open ? "appeal_close" : "appeal_note");
  const form = node("form", {}, node("input", { name: "words", required: true, maxLength: 2000, placeholder: label, ariaLabel: label }), node("button", { textContent: t("appeal") }));
  form.onsubmit = async (event) => {
    event.preventDefault();
    const text = new FormData(form).get("words");
    const answer = await post(`/api/incidents/${i.id}/appeal${open ? "/close" : ""}`, open ? { outcome: text } : { note: text });
    if (answer.ok) document.activeElement?.blur();
    told(answer);
  };
  box.append(form);
  return box;
}

function make(i, { mayAct, head, told, shownAbove }) {
  const step = async (name, body = {}) => told(await post(`/api/incidents/${i.id}/${name}`, body));
  const title = node("h3", { id: `title-${i.id}`, textContent: words(i) });
  const since = node("span", { className: "age" });
  const card = node("li", { id: `incident-${i.id}`, tabIndex: -1, data: { severity: severity(i.kind), status: i.status }, aria: { labelledby: `title-${i.id}` } });
  card.append(node("div", { className: "bar" }, title, since));
  card.append(node("p", { className: "stands", textContent: stands(i) }), steps(i));
  if (i.rule) card.append(node("p", { className: "quiet", textContent: i.rule }));
  if (i.evidence.length && !shownAbove(i)) card.append(pictureOf(i.evidence, `${words(i)}`));
  card.append(caseOf(i));
  if (mayAct) {
    const first = node("div", { className: "choices" });
    if (i.status === "open") first.append(button(t("take"), () => step("acknowledge"), { className: "take" }));
    if (i.status !== "arrived") first.append(button(t("arrive"), () => step("arrive"), { className: "arrive" }));
    first.append(button(t("resolve"), () => step("resolve"), { className: "resolve" }));
    card.append(first);
    if (severity(i.kind) !== 3) card.append(ruling(i, step));
    card.append(appeal(i, told, head));
  }
  return { card, since, i };
}

export function drawIncidents(list, place, context) {
  const inside = document.activeElement?.closest?.("#incidents > li");
  const wanted = list.map((i) => {
    const drawn = JSON.stringify([{ ...i, age_ms: 0, since: 0 }, context.mayAct, context.shownAbove(i)]);
    const old = cards.get(i.id);
    // What somebody is writing in stays as it is until it is sent.
    if (old && (old.drawn === drawn || (old.card.contains(document.activeElement) && document.activeElement.tagName === "INPUT"))) {
      old.i = i;
      return old;
    }
    const made = { ...make(i, context), drawn };
    cards.set(i.id, made);
    return made;
  });
  const roots = wanted.map((one) => one.card);
  if (!roots.length) place.replaceChildren(node("li", { className: "quiet", textContent: t("queue_empty") }));
  else if (roots.length !== place.children.length || roots.some((root, n) => place.children[n] !== root)) place.replaceChildren(...roots);
  if (inside && !inside.isConnected) document.getElementById(inside.id)?.focus();
}

export function tickIncidents(now) {
  for (const { since, i, card } of cards.values()) if (card.isConnected) say(since, age(now - i.since));
}
