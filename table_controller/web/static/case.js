// The evidence of an incident: pictures before, at and after, what was read and how surely, the clock; hash and lock.
import { get } from "./api.js";
import { node } from "./dom.js";
import { pictureOf } from "./doubts.js";
import { problemText } from "./problems.js";
import { cardText, t } from "./words.js";

// What is open stays open while cards are drawn anew.
const open = new Set();
const told = new Map();
const AGAIN_MS = 2000;

function table(caption, head, rows) {
  const made = node("table", { className: "case" }, node("caption", { textContent: t(caption) }));
  made.append(node("thead", {}, node("tr", {}, ...head.map((name) => node("th", { scope: "col", textContent: t(name) })))));
  made.append(node("tbody", {}, ...rows.map((cells) => node("tr", {}, ...cells.map((text) => node("td", { textContent: text }))))));
  return made;
}

const seconds = (ms) => (typeof ms === "number" ? (ms / 1000).toFixed(1) : "");
const seat = (one) => (one.seat ? t(one.seat) : "");
const what = (kind) => t(`said_${kind}`);

function reading(one) {
  const cards = (one.cards ?? (one.card ? [one.card] : [])).map(cardText).join(" ");
  const sure = one.confidence === undefined ? (one.doubtful ? t("in_doubt") : "") : `${Math.round(one.confidence * 100)}%${one.doubtful ? ` ${t("in_doubt")}` : ""}`;
  return [seconds(one.stamp_ms ?? one.mono_ms), seat(one), what(one.kind), cards, sure];
}

function draw(place, answer) {
  const { evidence, sha256, locked, states } = answer;
  const pictures = evidence.pictures.map((one) => {
    const figure = pictureOf([{ ...one, state: states[one.sha256] ?? "missing" }], t(one.area === "prompt" ? "evidence_circle" : "evidence_of", { a: t(one.seat) }));
    const what = one.area === "prompt" ? `${t("case_circle")}${one.play ? ` · ${one.play}` : ""}` : one.play;
    figure.prepend(node("p", { textContent: `${t(`case_${one.when}`)} · ${t(one.seat)} · ${what}` }));
    return figure;
  });
  const lines = evidence.clock.map((one) => [seconds(one.stamp_ms ?? one.mono_ms), seat(one), what(one.kind), seconds(one.used_ms)]);
  place.replaceChildren(
    node("div", { className: "case-pictures" }, ...(pictures.length ? pictures : [node("p", { className: "quiet", textContent: t("evidence_off") })])),
    table("case_readings", ["case_s", "seat", "case_what", "case_cards", "case_sure"], evidence.readings.map(reading)),
    table("case_clock", ["case_s", "seat", "case_what", "case_used"], lines),
    node("p", { className: "quiet", textContent: `${t(locked ? "locked" : "unlocked")} · sha256 ${sha256.slice(0, 16)}${evidence.complete ? "" : ` · ${t("case_more")}`}` }),
  );
}

export function caseOf(i) {
  const place = node("div", {});
  const box = node("details", { open: open.has(i.id) }, node("summary", { textContent: t("case") }), place);
  const load = async () => {
    if (told.has(i.id)) draw(place, told.get(i.id));
    const answer = await get(`/api/incidents/${i.id}/evidence`);
    if (!answer.ok) { place.replaceChildren(node("p", { className: "problem", textContent: problemText(answer) })); return; }
    told.set(i.id, answer);
    draw(place, answer);
    // A picture is fetched from its table some seconds after the play.
    if (box.open && box.isConnected && Object.values(answer.states).includes("waiting")) setTimeout(load, AGAIN_MS);
  };
  box.ontoggle = () => {
    if (box.open) { open.add(i.id); load(); } else open.delete(i.id);
  };
  return box;
}
