// Doubtful readings of one table, each beside its picture. An open question is not drawn anew while it stands, so that
// nothing moves under a hand; it goes when the table no longer asks it.
import { sawOf } from "./cards.js";
import { cardButtons } from "./misread.js";
import { button, node } from "./dom.js";
import { cardText, lang, t } from "./words.js";

const PROMPTS = ["PASS", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "TD", "STOP"];
const shown = new Map();

const STATE_WORDS = { waiting: "evidence_waiting", missing: "evidence_missing", gone: "evidence_gone", none: "evidence_off" };

// ``pictures``: those that the archive knows for an incident.
export function pictureOf(pictures, alt) {
  const figure = node("figure", { className: "evidence" });
  const here = (pictures ?? []).filter((one) => one.state === "here" && one.sha256);
  for (const one of here) {
    const image = node("img", { alt, src: `/api/evidence/${encodeURIComponent(one.sha256)}` });
    image.onerror = () => image.replaceWith(node("p", { className: "quiet", textContent: t("evidence_missing") }));
    figure.append(image);
  }
  if (here.length) {
    const locked = here.some((one) => one.locked_until_ms) ? ` · ${t("locked")}` : "";
    figure.append(node("figcaption", { textContent: `${t("evidence_here")}${locked} · sha256 ${here[0].sha256.slice(0, 12)}` }));
  } else figure.append(node("p", { className: "quiet", textContent: t(STATE_WORDS[pictures?.[0]?.state] ?? "evidence_off") }));
  return figure;
}

function shell(key, title, pictures, seat) {
  const form = node("form", { className: "doubt", tabIndex: -1, id: `doubt-${key}`, aria: { labelledby: `doubt-${key}-title` } });
  form.onsubmit = (event) => event.preventDefault();
  const side = node("div", { className: "side" });
  const figure = pictureOf(pictures, t("evidence_of", { a: t(seat) }));
  form.append(node("h3", { id: `doubt-${key}-title`, textContent: title }), node("div", { className: "pair-up" }, figure, side));
  return { form, side };
}

function playQuestion(question, level, send, pictures) {
  const key = `play-${question.number}`;
  const { form, side } = shell(key, t("doubt_title", { a: t(question.seat), n: question.number }), pictures, question.seat);
  const cards = [...question.cards];
  const waiting = new Set(question.unsure);
  const confirm = node("button", { className: "main confirm", type: "submit" });
  const tell = () => send({ do: "correct", play: question.number, cards, saw: sawOf(question) });
  const draw = () => {
    const changed = cards.some((code, i) => code !== question.cards[i]);
    const first = [...waiting][0] ?? question.unsure[0] ?? 0;
    const row = cardButtons(cards, level, { unsure: [...waiting], scope: form, first, change: (place, code) => {
      cards[place] = code;
      waiting.delete(place);
      // One card in doubt: said and done. With several the others are still to be looked at.
      if (question.unsure.length <= 1) tell();
      draw();
      if (waiting.size || question.unsure.length > 1) confirm.focus();
    } });
    confirm.textContent = t(changed ? "confirm_picked" : "as_read");
    const words = question.unsure.map((i) => t("nth_card", { n: i + 1, c: cardText(cards[i]) })).join(t("comma"));
    side.replaceChildren(
      row, node("p", { className: "unsurely", textContent: `${t("unsure")} ${words}` }),
      ...(question.kind === "conservation" ? [node("p", { textContent: t("too_often") })] : []),
      node("p", { className: "choices" }, confirm, button(t("leave_doubtful"), () => send({ do: "incident", number: question.incident, status: "resolved", reason: "left doubtful" }))),
    );
  };
  form.onsubmit = (event) => { event.preventDefault(); tell(); };
  draw();
  return form;
}

// What is to be named: a type by a seat, or the next leader by a pair.
function naming(asked, send) {
  const { form, side } = shell(`other-${asked.kind}`, `${t(asked.asked)} ${lang === "en" ? asked.en : asked.zh}`, [], asked.asked);
  const act = (name) => (asked.kind === "name_type" ? { do: "name_type", seat: asked.asked, type: name } : { do: "name_leader", leader: name });
  side.append(node("p", { className: "choices" }, ...asked.choices.map((name) => button(t(name), () => send(act(name))))));
  return form;
}

function otherQuestion(asked, level, send, pictures) {
  if (asked.choices) return naming(asked, send);
  const words = `${t(asked.seat)} ${lang === "en" ? asked.en : asked.zh}`;
  const { form, side } = shell(`other-${asked.incident}`, words, pictures, asked.seat);
  if (asked.kind === "doubtful_prompt") {
    const kinds = PROMPTS.map((kind) => button(kind, () => send({ do: "prompt", number: asked.incident, kind })));
    side.append(node("p", { className: "choices" }, ...kinds, button(t("nobody"), () => send({ do: "prompt", number: asked.incident, kind: "" }))));
    return form;
  }
  // One card, or two where they may be the big jokers that resist.
  const read = asked.cards.length ? asked.cards : ["??"];
  const tell = (cards) => send({ do: "correct_exchange", number: asked.incident, seat: asked.seat, card: cards.filter((code) => code !== "??").join(" ") });
  const confirm = button(t("as_read"), () => tell(read), { className: "main confirm", disabled: read.includes("??") });
  const change = (place, code) => tell(read.map((was, i) => (i === place ? code : was)));
  side.append(cardButtons(read, level, { unsure: read.map((_, i) => i), scope: form, change }), node("p", { className: "choices" }, confirm));
  return form;
}

// Returns how many can still be answered, and how many no longer can.
export function drawDoubts(state, send, picturesOf, place) {
  const named = new Map(state.incidents.map((i) => [i.number, i]));
  const wanted = new Map();
  for (const question of state.questions) wanted.set(`play-${question.number}`, [playQuestion, question]);
  for (const asked of (state.asked ?? []).filter((one) => one.kind !== "declare")) wanted.set(`other-${asked.incident || asked.kind}`, [otherQuestion, { ...named.get(asked.incident), ...asked }]);
  for (const [key, old] of shown) {
    if (wanted.has(key)) continue;
    const had = old.form.contains(document.activeElement);
    old.form.remove();
    shown.delete(key);
    if (had) (place.querySelector(".confirm") ?? place.closest("section").previousElementSibling ?? document.body).focus?.();
  }
  for (const [key, [make, question]] of wanted) {
    const pictures = picturesOf(question.incident);
    const drawn = JSON.stringify([pictures, question.open, question.cards, question.unsure]);
    const old = shown.get(key);
    if (old?.drawn === drawn) continue;
    if (old?.form.contains(document.activeElement) && old.cards === JSON.stringify(question.cards)) {
      old.form.querySelector("figure").replaceWith(pictureOf(pictures, t("evidence_of", { a: t(question.seat) })));
      old.drawn = drawn;
      continue;
    }
    const form = make(question, state.level, send, pictures);
    if (!question.open) form.append(node("p", { className: "quiet", textContent: t("settled") }));
    for (const press of form.querySelectorAll("button")) press.disabled ||= !question.open;
    if (old) old.form.replaceWith(form); else place.append(form);
    shown.set(key, { form, drawn, cards: JSON.stringify(question.cards) });
  }
  const open = [...wanted.values()].filter(([, question]) => question.open).length;
  return { open, past: wanted.size - open };
}
