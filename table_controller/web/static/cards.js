// A card as a small element: rank over suit, jokers in words.
import { lang, rankText, t } from "./words.js";

const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };

export function cardElement(code, { wild = false } = {}) {
  const node = document.createElement("span");
  node.className = "card";
  if (code === "??") {
    node.classList.add("unknown");
    node.textContent = "?";
    node.title = lang === "en" ? "not read" : "未识别";
  } else if (code[1] === "J") {
    node.classList.add("joker", code === "BJ" ? "red" : "black");
    node.textContent = lang === "en" ? (code === "BJ" ? "BIG" : "SMALL") : (code === "BJ" ? "大王" : "小王");
  } else {
    node.classList.add("HD".includes(code[1]) ? "red" : "black");
    if (wild) node.classList.add("wild");
    const rank = document.createElement("b");
    rank.textContent = rankText(code[0]);
    const suit = document.createElement("i");
    suit.textContent = SUITS[code[1]];
    node.append(rank, suit);
  }
  return node;
}

export function cardRow(codes, level, unsure = []) {
  const row = document.createElement("span");
  row.className = "cards";
  codes.forEach((code, place) => {
    const node = cardElement(code, { wild: code === `${level}H` });
    if (unsure.includes(place)) {
      node.classList.add("unsure");
      node.title = t("doubtful");
    }
    row.append(node);
  });
  return row;
}

// A play as this page shows it: a correction says so, and is refused when somebody else has changed it meanwhile.
export function sawOf(action) {
  return [action.seat, ...action.cards.map((card, i) => (action.unsure.includes(i) ? `${card}?` : card))].join(" ");
}
