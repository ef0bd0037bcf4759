// Correcting what was read: press a card, then the right one; or on a card type rank and suit. Two presses, two keys.
import { cardElement } from "./cards.js";
import { button, node } from "./dom.js";
import { cardText, rankText, t } from "./words.js";

const RANKS = "23456789TJQKA";
const SUITS = "SHDC";
let open = null;

export function closePicker() {
  open?.remove();
  open = null;
}

function picker(label, choose) {
  const grid = node("div", { className: "picker", aria: { role: "group", label } });
  const one = (code, text) => button(text, () => choose(code), { className: "HD".includes(code[1]) || code === "BJ" ? "red" : "", ariaLabel: cardText(code), data: { code } });
  for (const suit of SUITS) {
    const row = node("div", { className: "suit" });
    for (const rank of RANKS) row.append(one(rank + suit, `${cardText(rank + suit)[0]}${rankText(rank)}`));
    grid.append(row);
  }
  grid.append(node("div", { className: "suit jokers" }, one("BJ", cardText("BJ")), one("SJ", cardText("SJ"))));
  grid.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    const from = open?.from;
    closePicker();
    from?.focus();
  };
  return grid;
}

// What was typed so far on a card: a rank waits for its suit, b or s for the j of a joker.
function typedCard(before, key) {
  const sign = key.toUpperCase() === "0" ? "T" : key.toUpperCase();
  if ((before === "B" || before === "S") && sign === "J") return { code: `${before}J` };
  if (before && before !== "B" && before !== "S" && SUITS.includes(sign)) return { code: before + sign };
  if (sign === "1") return { rank: "T" };
  return RANKS.includes(sign) || (!before && (sign === "B" || sign === "S")) ? { rank: sign } : {};
}

// A row of cards that can be pressed. ``change(place, code)`` is told what a card is to be; ``first`` is where keys go
// that are typed elsewhere in ``scope`` (null: nowhere).
export function cardButtons(cards, level, { unsure = [], change, scope = null, first = 0 }) {
  const row = node("span", { className: "cards" });
  let typed = "";
  const type = (event, place) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
    const found = typedCard(typed, event.key);
    if (!found.code && !found.rank) { typed = ""; return; }
    event.preventDefault();
    event.stopPropagation();
    typed = found.rank ?? "";
    if (found.code) change(place, found.code);
  };
  cards.forEach((code, place) => {
    const card = cardElement(code, { wild: code === `${level}H` });
    const press = node("button", { type: "button", className: "cardpress", aria: { label: t("fix_card", { n: place + 1, c: cardText(code) }) }, data: { place } }, card);
    if (unsure.includes(place)) card.classList.add("unsure");
    press.onclick = () => {
      const again = open?.from === press;
      closePicker();
      if (again) return;
      open = picker(t("pick_card", { n: place + 1 }), (wanted) => { closePicker(); change(place, wanted); });
      open.from = press;
      row.after(open);
    };
    press.onkeydown = (event) => {
      const to = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (to) {
        event.preventDefault();
        event.stopPropagation();
        row.querySelectorAll(".cardpress")[place + to]?.focus();
      } else type(event, place);
    };
    row.append(press);
  });
  if (scope) scope.onkeydown = (event) => { if (!event.defaultPrevented && !event.target.closest(".cardpress, .picker")) type(event, first); };
  return row;
}
