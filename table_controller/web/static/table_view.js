// One table as it stands: seats, the plays of this deal with cards that can be corrected, results.
import { cardRow, sawOf } from "./cards.js";
import { $, SEATS, node, say } from "./dom.js";
import { cardButtons, closePicker } from "./misread.js";
import { emptyTurn, rankText, readingText, t } from "./words.js";

const rows = new Map();

function seatRow(state, seat) {
  const data = state.seats[seat];
  const name = state.match.names?.[SEATS.indexOf(seat)];
  const item = node("li", { className: state.turn === seat ? "turn" : "", data: { seat } });
  item.append(node("b", { textContent: t(seat) }), node("span", { className: "player", textContent: name || "" }));
  const facts = [];
  if (data.place) facts.push(t(`place${data.place}`));
  else if (data.left !== null) facts.push(t("left", { n: data.left }));
  if (data.reported && !data.place) facts.push(t("reported", { n: data.reported }));
  item.append(node("span", { className: "facts", textContent: facts.join(" · ") }));
  const shown = ["tribute", "returning"].includes(state.phase) ? state.exchange.returned[seat] ?? state.exchange.shown[seat] : null;
  if (shown) item.append(cardRow([shown], state.level));
  else if (data.last?.pass || data.last?.stopped) item.append(node("span", { className: "quiet", textContent: emptyTurn(data.last) }));
  else if (data.last) item.append(cardRow(data.last.cards, state.level, data.last.unsure), node("span", { className: "reading", textContent: readingText(data.last.reading) }));
  return item;
}

function playRow(play, state, mayFix, send) {
  const item = node("li", { data: { play: play.number } });
  item.append(node("span", { className: "nth", textContent: `${play.number}` }), node("b", { textContent: t(play.seat) }));
  if (play.pass || !play.cards.length) item.append(node("span", { className: "quiet", textContent: emptyTurn(play) }));
  else if (mayFix) {
    const change = (place, code) => {
      const cards = [...play.cards];
      cards[place] = code;
      send({ do: "correct", play: play.number, cards, saw: sawOf(play) });
    };
    item.append(cardButtons(play.cards, state.level, { unsure: play.unsure, change }));
  } else item.append(cardRow(play.cards, state.level, play.unsure));
  item.append(node("span", { className: "reading", textContent: readingText(play.reading) }));
  if (play.doubtful) item.append(node("span", { className: "indoubt", textContent: t("doubtful") }));
  if (play.corrected) item.append(node("span", { className: "corrected", textContent: t("corrected") }));
  return item;
}

// A play's row is drawn anew only when the play itself changed: a card under a finger stays where it is.
export function drawPlays(state, mayFix, send) {
  const plays = state.recent.slice().reverse();
  const wanted = plays.map((play) => {
    const drawn = JSON.stringify([play, state.level, mayFix]);
    const old = rows.get(play.number);
    if (old?.drawn === drawn) return old.item;
    if (old) closePicker();
    const had = old?.item.contains(document.activeElement) && document.activeElement.dataset.place;
    const item = playRow(play, state, mayFix, send);
    rows.set(play.number, { item, drawn });
    if (had) requestAnimationFrame(() => item.querySelectorAll(".cardpress")[had]?.focus());
    return item;
  });
  const list = $("plays");
  if (wanted.length === list.children.length && wanted.every((item, i) => list.children[i] === item)) return;
  const inside = document.activeElement;
  list.replaceChildren(...wanted);
  if (inside?.isConnected && inside !== document.activeElement) inside.focus();
}

export function drawBoard(state) {
  $("board").replaceChildren(...SEATS.map((seat) => seatRow(state, seat)));
}

export function drawResults(state) {
  const lines = state.results.slice().reverse().map((r) => {
    const places = r.foul ? `${t(r.foul)} ${t("foul")}` : r.order.filter(Boolean).map((seat) => t(seat)).join(" ");
    const words = [t("deal", { n: r.deal }), places, t(r.winner), r.passes_a ? t("passes_a") : t("rise", { n: r.rise }), r.double_down ? t("double_down") : ""];
    return node("li", { textContent: words.filter(Boolean).join("　") });
  });
  $("results").replaceChildren(...(lines.length ? lines : [node("li", { className: "quiet", textContent: t("nobody") })]));
}

export function drawHead(state, row) {
  const stands = row && row.availability !== "ready" ? t(row.availability) : t(state.phase);
  const under = state.under ? ` (${t(state.under)})` : "";
  const deal = state.deal ? `${t("deal", { n: state.deal })} ${t("playing_level")} ${rankText(state.level)}` : "";
  say($("phase"), [stands + under, deal, state.trick ? t("trick", { n: state.trick }) : ""].filter(Boolean).join(" · "));
  $("phase").dataset.phase = state.phase;
  say($("levels"), `${t("EW")} ${rankText(state.levels.EW)} : ${rankText(state.levels.NS)} ${t("NS")}`);
}
