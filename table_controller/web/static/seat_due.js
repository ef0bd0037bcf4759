// What a seat owes the table besides cards: naming a type or a leader, settling a dispute, entering or checking a result.
import { cardRow } from "./cards.js";
import { SEATS, button, node } from "./dom.js";
import { rankText, readingText, t } from "./words.js";

const TYPES = ["single", "pair", "triple", "fullhouse", "straight", "tube", "plate", "bomb", "sf", "jokers"];
const PAIR = { E: "EW", W: "EW", N: "NS", S: "NS" };
const BETWEEN = ["standby", "deal_over", "game_over"];

function box(title, ...children) {
  return node("section", { className: "due" }, node("h2", { textContent: title }), ...children);
}

function buttons(...children) {
  return node("div", { className: "choices" }, ...children);
}

function namingType(state, me, send) {
  if (state.rights.names_type !== me) return [];
  const made = (state.rights.nameable ?? TYPES).map((type) => button(t(type), () => send({ do: "name_type", seat: me, type })));
  return [box(t("name_type_due", { a: t(state.turn ?? state.leader ?? me) }), buttons(...made))];
}

function namingLeader(state, me, send) {
  const { names_leader: namer, named_leader: named } = state.match;
  if (![...BETWEEN, "dealing", "sorting"].includes(state.phase) || namer !== PAIR[me] || named) return [];
  const made = SEATS.map((seat) => button(t(seat), () => send({ do: "name_leader", leader: seat, by: me })));
  return [box(t("name_leader_due"), buttons(...made))];
}

function declaring(state, me, send) {
  const owed = (state.asked ?? []).filter((one) => one.kind === "declare" && one.asked === me);
  return owed.map((one) => box(t("declare_asked", { a: t(me) }), buttons(...one.choices.map((choice) => button(readingText(choice), () => send({ do: "declare", play: one.play, reading: choice, by: me, saw: one.taken }), { className: choice === one.taken ? "main" : "" })))));
}

function dispute(state, me, send, incident) {
  const play = state.recent.find((one) => one.number === incident.play);
  const said = new Map(incident.history.filter((step) => SEATS.includes(step[2])).map((step) => [step[2], step[3]]));
  const [agreed, against] = ["agrees", "does not agree"].map((word) => SEATS.filter((seat) => said.get(seat) === word));
  const title = incident.play ? t("dispute_open", { a: t(incident.seat), n: incident.play }) : t("dispute_any", { a: t(incident.seat) });
  const parts = [];
  if (play) parts.push(node("p", { className: "stands" }, `${t("now_read")} `, cardRow(play.cards, state.level, play.unsure), ` ${readingText(play.reading)}`));
  if (agreed.length) parts.push(node("p", { textContent: t("agreed_by", { a: agreed.map((seat) => t(seat)).join(t("comma")) }) }));
  if (against.length) parts.push(node("p", { className: "against", textContent: t("against_by", { a: against.map((seat) => t(seat)).join(t("comma")) }) }));
  parts.push(node("p", { className: "quiet", textContent: t("both_pairs") }));
  const yes = button(t("agree"), () => send({ do: "agree", seat: me, number: incident.number }), { className: "main", disabled: agreed.includes(me) });
  const no = button(t("disagree"), () => send({ do: "agree", seat: me, number: incident.number, agrees: false }), { disabled: against.includes(me) });
  return box(title, ...parts, buttons(yes, no));
}

// The seats that did not agree with a result, until the referee has settled it.
function refusing(state) {
  return state.incidents.filter((incident) => incident.kind === "result_disputed");
}

function result(state, me, send) {
  const last = state.results.at(-1);
  if (!last || !BETWEEN.includes(state.phase)) return [];
  const facts = [last.order.filter(Boolean).map((seat, i) => `${t(`place${i + 1}`)} ${t(seat)}`).join("　")];
  if (last.foul) facts[0] = t("foul_of", { a: t(last.foul) });
  facts.push([t(last.winner), last.passes_a ? t("passes_a") : t("rise", { n: last.rise }), last.double_down ? t("double_down") : ""].filter(Boolean).join("　"));
  facts.push(["EW", "NS"].map((pair) => `${t(pair)} ${rankText(state.levels[pair])}`).join("　"));
  const done = [last.entered_by ? t("entered_by", { a: t(last.entered_by) }) : t("not_entered")];
  if (last.checked_by) done.push(t("checked_by", { a: t(last.checked_by) }));
  const against = refusing(state).map((incident) => incident.seat);
  if (against.length) done.push(t("against_by", { a: against.map((seat) => t(seat)).join(t("comma")) }));
  const choices = [];
  if ("NS".includes(me) && !last.entered_by) choices.push(button(t("enter_result"), () => send({ do: "enter_result", seat: me }), { className: "main" }));
  if ("EW".includes(me) && last.entered_by && !last.checked_by) {
    choices.push(button(t("check_yes"), () => send({ do: "check_result", seat: me }), { className: "main" }));
    choices.push(button(t("check_no"), () => send({ do: "check_result", seat: me, agrees: false }), { disabled: against.includes(me) }));
  }
  const lines = facts.map((line) => node("p", { className: "fact", textContent: line }));
  return [box(t("result_of", { n: last.deal }), ...lines, node("p", { className: "quiet", textContent: done.join("　") }), buttons(...choices))];
}

export function drawDue(state, me, send, place) {
  const disputes = state.incidents.filter((i) => i.kind === "dispute");
  const shown = JSON.stringify([
    state.phase, state.turn, state.level, state.rights.names_type, state.match.names_leader, state.match.named_leader, disputes,
    state.results.at(-1) ?? null, (state.asked ?? []).filter((one) => one.kind === "declare"), refusing(state), disputes.length ? state.recent : 0,
  ]);
  if (place.dataset.shown === shown) return; // a press must not fall on a button that was just drawn anew
  place.dataset.shown = shown;
  place.replaceChildren(
    ...declaring(state, me, send), ...namingType(state, me, send), ...namingLeader(state, me, send),
    ...disputes.map((incident) => dispute(state, me, send, incident)), ...result(state, me, send),
  );
}
