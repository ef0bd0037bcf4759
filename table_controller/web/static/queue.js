// What waits for somebody, over all tables: most urgent first, each with its age and who has it.
import { post } from "./api.js";
import { $, age, button, node, say } from "./dom.js";
import { byUrgency, severity, SIGNS, stands } from "./urgency.js";
import { lang, t } from "./words.js";

const items = new Map();
const SIGN_OF = { 0: SIGNS[3], 1: SIGNS[4], 2: SIGNS[2], 3: "?" };

export function words(incident) {
  const seat = incident.seat ? `${t(incident.seat)}${lang === "en" ? ": " : " "}` : "";
  return `${seat}${lang === "en" ? incident.en : incident.zh}`;
}

function make(incident, told) {
  const link = node("a", { className: "what", href: `/table/${encodeURIComponent(incident.table)}${location.search}#incident-${incident.id}` });
  const parts = { sign: node("span", { className: "sign" }), no: node("b", { textContent: t("table_n", { a: incident.table }) }), kind: node("span", { className: "kind" }), age: node("span", { className: "age" }) };
  link.append(...Object.values(parts));
  const step = async (name) => told(await post(`/api/incidents/${incident.id}/${name}`));
  const take = button(t("take"), () => step("acknowledge"));
  const arrive = button(t("arrive"), () => step("arrive"));
  const by = node("span", { className: "by" });
  const root = node("li", { data: { id: incident.id } }, link, by, node("span", { className: "acts" }, take, arrive));
  return { root, link, ...parts, by, take, arrive, step };
}

function write(item, incident, mayAct) {
  item.incident = incident;
  item.root.dataset.severity = severity(incident.kind);
  item.root.dataset.status = incident.status;
  say(item.sign, SIGN_OF[severity(incident.kind)]);
  say(item.kind, words(incident));
  say(item.by, stands(incident));
  item.take.hidden = !mayAct || incident.status !== "open";
  item.arrive.hidden = !mayAct || incident.status === "arrived" || severity(incident.kind) > 0;
}

// ``told`` hears what became of a press. The item that has the focus keeps it wherever it goes.
export function drawQueue(incidents, mayAct, told) {
  const sorted = [...incidents].sort(byUrgency);
  const gone = new Set(items.keys());
  const focused = document.activeElement?.closest?.("#queue li")?.dataset.id;
  for (const incident of sorted) {
    gone.delete(incident.id);
    if (!items.has(incident.id)) items.set(incident.id, make(incident, told));
    write(items.get(incident.id), incident, mayAct);
  }
  for (const id of gone) items.delete(id);
  const inside = document.activeElement;
  const roots = sorted.map((incident) => items.get(incident.id).root);
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
