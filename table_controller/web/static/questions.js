// What the referee is asked: each doubtful play beside the picture it was read from, and what somebody is to name. An
// open question is never drawn anew, so a state that arrives disturbs nobody who is writing; it goes when a state no
// longer asks it.
import { cardRow, sawOf } from "./cards.js";
import "./control_words.js";
import "./duties.js";
import { problemText } from "./problems.js";
import { cardText, readingText, t } from "./words.js";

const CARD = /^((10|[2-9TJQKA])[SHDC]|[BS]J)$/i;
const asked = new Map();

function element(tag, className, text = "") {
  return Object.assign(document.createElement(tag), { className, textContent: text });
}

function picture(question) {
  const box = element("figure", "evidence");
  const none = element("p", "quiet", t("evidence_none"));
  if (!question.evidence) {
    box.append(none);
    return box;
  }
  const image = Object.assign(document.createElement("img"), { alt: t("evidence_of", { a: t(question.seat) }) });
  image.onerror = () => box.replaceChildren(none);
  image.src = `/api/evidence/${encodeURIComponent(question.evidence)}`;
  box.append(image);
  return box;
}

function doubt(question) {
  const { cards, unsure } = question;
  const sure = cards.filter((_, i) => !unsure.includes(i)).map(cardText);
  const not = unsure.map((i) => t("nth_card", { n: i + 1, c: cardText(cards[i]) }));
  const lines = [sure.length ? `${t("sure")} ${sure.join(" ")}` : "", `${t("unsure")} ${not.join(t("comma"))}`];
  return lines.filter(Boolean).map((line, i, all) => element("p", i === all.length - 1 ? "unsurely" : "", line));
}

// Where the cards stand in what is written: [from, to) of each word.
function places(text) {
  return [...text.matchAll(/\S+/g)].map((m) => [m.index, m.index + m[0].length]);
}

function selectCard(field, unsure, after = -1) {
  const at = places(field.value);
  const next = unsure.find((i) => i > after && i < at.length);
  if (next !== undefined) field.setSelectionRange(...at[next]);
}

// The card in doubt is selected: writing replaces it, and a whole card leads on to the next one in doubt.
function guide(field, unsure) {
  field.onfocus = () => selectCard(field, unsure);
  field.oninput = (event) => {
    field.removeAttribute("aria-invalid");
    if (event.inputType !== "insertText") return;
    const at = places(field.value);
    const now = at.findIndex(([from, to]) => from < field.selectionStart && field.selectionStart === to);
    if (unsure.includes(now) && CARD.test(field.value.slice(...at[now]))) selectCard(field, unsure, now);
  };
}

function answerField(question, id) {
  const label = element("label", "", t("really_played"));
  const field = Object.assign(element("input", ""), { name: "cards", value: question.cards.join(" "), autocomplete: "off" });
  field.spellcheck = false;
  field.required = true;
  field.setAttribute("aria-describedby", `${id}-doubt ${id}-hint`);
  guide(field, question.unsure);
  label.append(" ", field);
  const hint = Object.assign(element("small", "quiet", t("cards_hint")), { id: `${id}-hint` });
  return { label, field, hint };
}

function ask(question, level, send) {
  const id = `question-${question.number}`;
  const form = element("form", "question");
  form.id = id;
  form.setAttribute("aria-labelledby", `${id}-title`);
  const title = element("h3", "", t("question", { a: t(question.seat), n: question.number }));
  title.id = `${id}-title`;
  const words = element("div", "");
  words.id = `${id}-doubt`;
  const row = cardRow(question.cards, level, question.unsure);
  row.setAttribute("aria-hidden", "true");
  words.append(...doubt(question));
  if (question.kind === "conservation") words.append(element("p", "", t("too_often")));
  words.append(element("p", "quiet", t("who_is_asked", { a: t(question.seat) })));
  const { label, field, hint } = answerField(question, id);
  const confirm = element("button", "main", t("confirm"));
  const leave = Object.assign(element("button", "", t("leave_doubtful")), { type: "button" });
  const problem = element("p", "problem");
  problem.setAttribute("role", "alert");
  const say = async (command) => {
    const answer = await send(command);
    problem.textContent = answer.ok ? "" : problemText(answer);
    if (!answer.ok && command.do === "correct") field.setAttribute("aria-invalid", "true");
  };
  leave.onclick = () => say({ do: "incident", number: question.incident, status: "resolved", reason: "left doubtful" });
  form.onsubmit = (event) => {
    event.preventDefault();
    say({ do: "correct", play: question.number, cards: field.value.replace(/[,，、]/g, " "), saw: sawOf(question) });
  };
  const side = element("div", "answer");
  side.append(row, words, label, hint, confirm, leave, problem);
  form.append(title, picture(question), side);
  return { form, field, confirm, leave, title };
}

// A type that a seat is to name, or the leader that a pair is to name: one press each.
function name(owed, send) {
  const id = `naming-${owed.kind}`;
  const form = element("form", "question");
  form.id = id;
  form.setAttribute("aria-labelledby", `${id}-title`);
  form.onsubmit = (event) => event.preventDefault();
  const title = element("h3", "", t(`${owed.kind}_asked`, { a: t(owed.asked), b: t(owed.seat ?? "") }));
  title.id = `${id}-title`;
  const problem = element("p", "problem");
  problem.setAttribute("role", "alert");
  const commands = {
    name_type: (choice) => ({ do: "name_type", seat: owed.asked, type: choice }),
    name_leader: (choice) => ({ do: "name_leader", leader: choice }),
    declare: (choice) => ({ do: "declare", play: owed.play, reading: choice, by: owed.asked, saw: owed.taken }),
  };
  const command = commands[owed.kind];
  const word = owed.kind === "declare" ? readingText : t;
  const presses = owed.choices.map((choice) => Object.assign(element("button", choice === owed.taken ? "main" : "", word(choice)), {
    type: "button",
    onclick: async () => {
      const answer = await send(command(choice));
      problem.textContent = answer.ok ? "" : problemText(answer);
    },
  }));
  const side = element("div", "answer");
  side.append(element("p", "quiet", t("who_names", { a: t(owed.asked) })), ...presses, problem);
  form.append(title, side);
  return { form, field: presses[0] };
}

// An answered question goes; whoever wrote in it goes on with the next one.
function retire(key, heading) {
  const { form } = asked.get(key);
  asked.delete(key);
  if (form.contains(document.activeElement)) {
    const next = [...asked.values()].find((other) => !other.field.disabled);
    (next ? next.field : heading).focus();
  }
  form.remove();
}

function headline(questions, names) {
  const open = questions.filter((question) => question.open).length;
  const doubts = open ? t("questions", { n: open }) : questions.length ? t("not_confirmed", { n: questions.length }) : "";
  return [doubts, names ? t("to_name", { n: names }) : ""].filter(Boolean).join("　");
}

export function drawQuestions(state, send, { section, list, heading, news }) {
  const owed = (state.asked ?? []).filter((one) => one.choices);
  const wanted = new Map([
    ...owed.map((one) => [JSON.stringify([one.kind, one.asked, one.seat, one.play, one.choices]), one]),
    ...state.questions.map((question) => [question.number, question]),
  ]);
  for (const key of [...asked.keys()]) if (!wanted.has(key)) retire(key, news);
  for (const [key, question] of wanted) {
    if (!asked.has(key)) {
      asked.set(key, question.choices ? name(question, send) : ask(question, state.level, send));
      list.append(asked.get(key).form);
    }
    const { field, confirm } = asked.get(key);
    if (confirm) field.disabled = confirm.disabled = !question.open;
  }
  const words = headline(state.questions, owed.length);
  heading.textContent = words;
  if (news.textContent !== words) news.textContent = words;
  section.hidden = !wanted.size;
  document.title = (wanted.size ? `(${wanted.size}) ` : "") + t("control");
}
