// Incidents on the control page: what the rules propose, one press to give it, and what a human noted.
import { lang, t } from "./words.js";

export const OTHER = ["warning", "violation", "violation+stop", "foul", "game_lost", "out", "void_hand", "class_1", "class_2", "class_3", "class_4"];
export const LAPSED = ["next_trick", "next_deal", "nobody_claimed", "spectator", "acted_before_call", "unfair_gain"];

const PROMPTS = ["PASS", ...Array.from({ length: 10 }, (_, n) => String(n + 1)), "TD", "STOP", "none_of_them"];

function cardField(i, send) {
  const field = node("input", { size: 4, ariaLabel: t("really_played") });
  return node("span", {}, field, button(t("confirm"), () => send({ do: "correct_exchange", number: i.number, seat: i.seat, card: field.value })));
}

function node(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// The list is drawn anew with every state, a picture is fetched once. One that is no longer kept leaves no broken frame.
const pictures = new Map();

function picture(name, who) {
  if (!pictures.has(name)) {
    const image = node("img", { alt: t("evidence_of", { a: who }), className: "small" });
    image.onerror = () => { image.hidden = true; };
    image.src = `/api/evidence/${encodeURIComponent(name)}`;
    pictures.set(name, image);
  }
  return pictures.get(name);
}

export function pick(label, names, act) {
  const select = node("select", { ariaLabel: label }, new Option(label, ""), ...names.map((name) => new Option(t(name), name)));
  select.onchange = () => { if (select.value) act(select.value); select.value = ""; };
  return select;
}

function button(label, act) {
  return node("button", { type: "button", textContent: label, onclick: act });
}

function roleOf(penalty, needs) {
  return needs === "head_referee" || ["foul", "game_lost", "out", "class_1"].includes(penalty) ? "head_referee" : "referee";
}

export function drawIncident(i, send) {
  const rule = (penalty, more = {}) => send({ do: "rule", number: i.number, penalty, role: roleOf(penalty, i.needs), ...more });
  const who = i.seat ? t(i.seat) : "";
  const words = node("span", { textContent: `#${i.number} ${who} ${lang === "en" ? i.en : i.zh} ${i.detail}` });
  const item = node("li", {}, words);
  if (i.rule) item.append(node("small", { textContent: ` ${i.rule}` }));
  if (i.evidence) item.append(picture(i.evidence, who));
  if (i.kind === "doubtful_prompt") item.append(pick(t("which_prompt"), PROMPTS, (kind) => send({ do: "prompt", number: i.number, kind: kind === "none_of_them" ? "" : kind })));
  if (i.kind === "doubtful_exchange") item.append(cardField(i, send));
  if (i.status === "open") item.append(button(t("ack"), () => send({ do: "incident", number: i.number, status: "acknowledged" })));
  if (i.kind === "td_call" && i.status !== "arrived") item.append(button(t("arrived"), () => send({ do: "incident", number: i.number, status: "arrived" })));
  if (i.proposal) item.append(button(`${t("give")}：${t(i.proposal)}${i.needs === "head_referee" ? t("by_head") : ""}`, () => rule(i.proposal)));
  item.append(button(t("no_penalty"), () => rule("")));
  item.append(pick(t("other_penalty"), OTHER.filter((name) => name !== i.proposal), (name) => rule(name)));
  item.append(pick(t("right_lapsed"), LAPSED, (name) => rule("", { lapsed: name, apply: false })));
  item.append(button(t("overturn"), () => send({ do: "incident", number: i.number, status: "overturned" })));
  return item;
}

export async function buildNote(form, send) {
  const kinds = await (await fetch("/api/kinds")).json();
  const select = form.elements.kind;
  for (const kind of kinds) select.append(new Option(lang === "en" ? kind.en : kind.zh, kind.name));
  form.onsubmit = (event) => {
    event.preventDefault();
    const data = new FormData(form);
    send({ do: "note", kind: data.get("kind"), seat: data.get("seat"), reason: data.get("reason") });
  };
}

export function drawRights(state) {
  const rights = state.rights;
  const lines = [
    ...rights.stopped.map((s) => `${t(s.seat)} ${t("may_not_play")}`),
    ...rights.barred_types.map((b) => `${t(b.seat)} ${t("may_not_lead")} ${t(b.type)}`),
    ...(rights.must_lead ? [`${t(rights.must_lead.seat)} ${t("must_lead")} ${t(rights.must_lead.type)}`] : []),
    ...(rights.names_type ? [`${t(rights.names_type)} ${t("names_type")}`] : []),
    ...rights.owes_card.map((o) => `${t(o.seat)} ${t("owes_card")} ${o.card}`),
    ...(state.match.no_tribute ? [`${t("no_tribute")} ${t(state.match.names_leader)} ${t("names_leader")}`] : []),
  ];
  return lines.map((line) => node("li", { textContent: line }));
}
