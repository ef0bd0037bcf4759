// What waits for somebody, over all tables: most urgent first, each with its age and who has it.
import { post } from "./api.js";
import { $, age, button, node, say } from "./dom.js";
import { byUrgency, severity, SIGNS, stands } from "./urgency.js";
import { lang, t } from "./words.js";

const items = new Map();
const MOST_AT_ONCE = 200;
const SIGN_OF = { 0: SIGNS[3], 1: SIGNS[4], 2: SIGNS[2], 3: "?" };

export function words(incident) {
  const seat = incident.seat ? `${t(incident.seat)}${lang === "en" ? ": " : " "}` : "";
  return `${seat}${lang === "en" ? incident.en : incident.zh}`;
}

const at = (incident) => `/table/${encodeURIComponent(incident.table)}${location.search}#incident-${incident.id}`;

// Equal ones of a table are one line: the same words, and the same person who has them.
function together(sorted) {
  const groups = new Map();
  for (const one of sorted) {
    const key = JSON.stringify([one.table, one.kind, one.seat, one.status, words(one), stands(one)]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return [...groups.values()];
}

async function each(group, name) {
  if (name === "acknowledge" && group.length > 1) {
    const answer = await post("/api/incidents/acknowledge", { ids: group.slice(0, MOST_AT_ONCE).map((one) => one.id) });
    return (answer.ok && Object.values(answer.results ?? {}).find((one) => !one.ok)) || answer;
  }
  let answer = { ok: true };
  for (const one of group) {
    answer = await post(`/api/incidents/${one.id}/${name}`);
    if (!answer.ok) return answer;
  }
  return answer;
}

function make(told) {
  const link = node("a", { className: "what" });
  const parts = { sign: node("span", { className: "sign" }), no: node("b"), kind: node("span", { className: "kind" }), age: node("span", { className: "age" }) };
  link.append(...Object.values(parts));
  const item = { step: async (name) => told(await each(item.group, name)) };
  const take = button(t("take"), () => item.step("acknowledge"));
  const arrive = button(t("arrive"), () => item.step("arrive"));
  const by = node("span", { className: "by" });
  const ones = node("span", { className: "ones" });
  const root = node("li", {}, link, by, node("span", { className: "acts" }, take, arrive), ones);
  return Object.assign(item, { root, link, ...parts, by, take, arrive, ones });
}

function writeOnes(item, group) {
  const drawn = group.map((one) => one.id).join();
  if (item.drawn === drawn) return;
  item.drawn = drawn;
  item.ones.hidden = group.length < 2;
  item.ones.replaceChildren(...(group.length < 2 ? [] : group.map((one) => {
    const time = new Date(one.raised_at).toLocaleTimeString("zh-CN", { hour12: false });
    return node("a", { href: at(one), textContent: time, aria: { label: `${words(one)} ${time}` } });
  })));
}

function write(item, group, mayAct) {
  const incident = group[0];
  Object.assign(item, { incident, group });
  item.root.dataset.id = incident.id;
  if (item.link.getAttribute("href") !== at(incident)) item.link.href = at(incident);
  say(item.no, t("table_n", { a: incident.table }));
  writeOnes(item, group);
  item.root.dataset.severity = severity(incident.kind);
  item.root.dataset.status = incident.status;
  say(item.sign, SIGN_OF[severity(incident.kind)]);
  say(item.kind, words(incident) + (group.length > 1 ? ` ×${group.length}` : ""));
  say(item.by, stands(incident));
  item.take.hidden = !mayAct || incident.status !== "open";
  item.arrive.hidden = !mayAct || incident.status === "arrived" || severity(incident.kind) > 0;
}

// ``told`` hears what became of a press. The item that has the focus keeps it wherever it goes.
export function drawQueue(incidents, mayAct, told) {
  const sorted = [...incidents].sort(byUrgency);
  const before = [...items.values()];
  const focused = document.activeElement?.closest?.("#queue li")?.dataset.id;
  const groups = together(sorted);
  const taken = new Set();
  items.clear();
  for (const group of groups) {
    // A line whose first incident was settled goes on as that of the others.
    const ids = new Set(group.map((one) => one.id));
    const old = before.find((item) => !taken.has(item) && item.group.some((one) => ids.has(one.id)));
    const item = old ?? make(told);
    taken.add(item);
    items.set(group[0].id, item);
    write(item, group, mayAct);
  }
  const inside = document.activeElement;
  const roots = groups.map((group) => items.get(group[0].id).root);
  const list = $("queue");
  if (!roots.length || roots.length !== list.children.length || roots.some((root, i) => list.children[i] !== root)) {
    list.replaceChildren(...(roots.length ? roots : [node("li", { className: "quiet", textContent: t("queue_empty") })]));
    if (inside?.isConnected && inside !== document.body) inside.focus();
    else if (focused && roots.length) roots[0].firstChild.focus();
  }
  $("ack-all").hidden = !mayAct || sorted.filter((i) => i.status === "open").length < 2;
}

export function tickQueue(wall) {
  for (const item of items.values()) say(item.age, age(wall - item.incident.since));
}

export function focused() {
  const id = document.activeElement?.closest?.("#queue li")?.dataset.id;
  return id ? items.get(Number(id)) : undefined;
}

export function walk(by) {
  const links = [...$("queue").querySelectorAll("a.what")];
  if (!links.length) return;
  const at = links.indexOf(document.activeElement?.closest?.("#queue li")?.querySelector("a.what"));
  links[Math.min(links.length - 1, Math.max(0, at < 0 ? 0 : at + by))].focus();
}
