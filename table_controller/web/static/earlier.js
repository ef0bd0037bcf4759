// A deal that is over, chosen and put right: its plays with what each really was. What changes a result is confirmed.
import { sawOf } from "./cards.js";
import { amend } from "./control_more.js";
import { SEATS, button, node, say } from "./dom.js";
import { addWords, rankText, readingText, t } from "./words.js";

addWords({
  earlier: ["已结束的牌副", "Deals that are over"], which_deal: ["第几副", "Which deal"], choose_deal: ["选择牌副…", "Choose a deal…"],
  both_agree: ["双方都同意", "both pairs agree"], head_confirms: ["裁判长确认", "the head referee confirms"],
  earlier_hint: ["打牌期间裁判可随时更正。本轮结束后，改变名次的更正须在时限（30分钟）内、双方同意并由裁判长确认", "While the round is on the referee may correct at any time. After its end, what changes the places needs both pairs, the head referee, and the time limit (30 minutes)"],
  no_deal_record: ["没有这一副的记录", "There is no record of this deal"], places_were: ["名次 {a}", "Places: {a}"], plays_shown: ["共{n}手", "{n} plays", "1 play"],
});

const UNDER_WAY = ["sorting", "tribute", "returning", "playing", "trick_over", "paused"];
let shown = { deal: 0, text: "" };

function confirmed(form, send, again) {
  return async (command) => {
    const { agreed, head } = form.elements;
    const more = { deal: shown.deal, agreed: agreed.checked ? ["EW", "NS"] : [], role: head.checked ? "head_referee" : "referee" };
    const answer = await send({ ...command, ...more });
    if (answer.ok) again();
    return answer;
  };
}

function line(action, next, tell) {
  const words = `${action.number}. ${t(action.seat)} ${action.cards.length ? readingText(action.reading) : t(action.stopped ? "may_not_play" : "pass")} ${action.corrected ? t("corrected") : ""}`;
  const item = node("li", {}, node("span", { textContent: words }));
  if (action.cards.length) {
    const field = node("input", { value: action.cards.join(" "), autocomplete: "off", ariaLabel: t("correct") });
    item.append(field, button(t("correct"), () => tell({ do: "correct", play: action.number, cards: field.value, saw: sawOf(action) })));
  }
  item.append(amend(action, tell, { over: true, next }));
  return item;
}

async function show(deal, { form, list }, send) {
  shown = { deal, text: "" };
  if (!deal) {
    list.replaceChildren();
    return;
  }
  const answer = await fetch(`/api/deals/${deal}`);
  if (shown.deal !== deal) return;
  if (!answer.ok) {
    list.replaceChildren(node("li", { className: "quiet", textContent: t("no_deal_record") }));
    return;
  }
  const text = await answer.text();
  if (shown.text === text) return;
  shown.text = text;
  const told = JSON.parse(text);
  const tell = confirmed(form, send, () => show(deal, { form, list }, send));
  const places = told.order.map((seat) => (SEATS.includes(seat) ? t(seat) : "—")).join(" ");
  const head = `${t("places_were", { a: places })}　${t("playing_level")} ${rankText(told.level)}　${t("plays_shown", { n: told.plays.length })}`;
  list.replaceChildren(node("li", { textContent: head }), ...told.plays.map((action, i) => line(action, told.plays[i + 1], tell)));
}

export function buildEarlier(parts, send) {
  const { form } = parts;
  form.onsubmit = (event) => event.preventDefault();
  form.elements.deal.append(new Option(t("choose_deal"), "0"));
  form.elements.deal.onchange = () => show(Number(form.elements.deal.value), parts, send);
}

// The deals there are to choose from; a new game begins with none.
export function drawEarlier(state, parts, send) {
  const select = parts.form.elements.deal;
  const last = UNDER_WAY.includes(state.phase) ? state.deal - 1 : state.deal;
  const known = `${state.match.game}/${last}`;
  if (select.dataset.known === known) return;
  const other = select.dataset.known?.split("/")[0] !== String(state.match.game);
  select.dataset.known = known;
  const chosen = other ? "0" : select.value;
  const deals = Array.from({ length: Math.max(0, last) }, (_, i) => last - i);
  select.replaceChildren(new Option(t("choose_deal"), "0"), ...deals.map((n) => new Option(t("deal", { n }), String(n))));
  select.value = deals.includes(Number(chosen)) ? chosen : "0";
  if (select.value === "0") show(0, parts, send);
  say(parts.form.querySelector("small"), t("earlier_hint"));
}
