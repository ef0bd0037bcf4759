// Commands of a referee that need no button of their own: one is chosen, its fields appear, and it is sent.
import "./control_words.js";
import { sawOf } from "./cards.js";
import { lang, t } from "./words.js";

const SEATS = ["E", "N", "W", "S"];
const PAIRS = ["EW", "NS"];
const LEVELS = "23456789TJQKA".split("");
const HEAD = { role: "head_referee" };
// Each command's fields as [name, kind]; what is added to every one of it.
const COMMANDS = {
  extend_clock: { fields: [["extra_ms", "seconds"]] },
  set_clock: { fields: [["elapsed_ms", "seconds"]] },
  correct_exchange: { fields: [["seat", "seat"], ["card", "text"], ["wrong", "check"]] },
  exposed: { fields: [["seat", "seat"], ["cards", "text"], ["as_tribute", "check"]] },
  report: { fields: [["seat", "seat"], ["number", "number"]] },
  correct_result: { fields: [["deal", "number"], ["order", "text"], ["both", "agreed"]], more: HEAD },
  late: { fields: [["seat", "seat"], ["minutes", "number"]] },
  set_levels: { fields: [["ew", "level"], ["ns", "level"], ["owner", "pair"]] },
  concede: { fields: [["pair", "pair"], ["how", "how"]], more: HEAD },
  name_leader: { fields: [["leader", "seat"]] },
  extend_round: { fields: [["minutes", "number"]] },
};
const CHOICES = { seat: SEATS, pair: PAIRS, level: LEVELS, how: ["forfeit", "withdrawal"] };
const READ = {
  seconds: (field) => Math.round(Number(field.value) * 1000), number: (field) => Number(field.value),
  check: (field) => field.checked, agreed: (field) => (field.checked ? PAIRS : []),
};

function fieldOf([name, kind], command) {
  const label = document.createElement("label");
  const field = document.createElement(CHOICES[kind] ? "select" : "input");
  for (const choice of CHOICES[kind] ?? []) field.append(new Option(kind === "level" ? choice.replace("T", "10") : t(choice), choice));
  if (kind === "seconds" || kind === "number") Object.assign(field, { type: "number", min: 0, step: "any", required: true });
  else if (READ[kind]) field.type = "checkbox";
  else if (!CHOICES[kind]) Object.assign(field, { required: true, autocomplete: "off" });
  field.name = kind === "agreed" ? "agreed" : name;
  field.dataset.kind = kind;
  label.append(t(`${command}_${name}`), " ", field);
  return label;
}

function read(form) {
  const told = {};
  for (const field of form.querySelectorAll("[data-kind]")) told[field.name] = (READ[field.dataset.kind] ?? ((one) => one.value.trim()))(field);
  return told;
}

export function buildMore(form, send) {
  const { command, reason } = form.elements;
  const place = form.querySelector("#fields");
  for (const name of Object.keys(COMMANDS)) command.append(new Option(t(`do_${name}`), name));
  const show = () => place.replaceChildren(...COMMANDS[command.value].fields.map((field) => fieldOf(field, command.value)));
  command.onchange = show;
  show();
  form.onsubmit = async (event) => {
    event.preventDefault();
    const name = command.value;
    const answer = await send({ do: name, ...read(form), ...COMMANDS[name].more, reason: reason.value });
    if (answer.ok) { reason.value = ""; show(); }
  };
}

// What else may be wrong with one line of the record: another seat, never laid, a pass missed after it, or play goes back to it.
// ``over``: the deal is over, and play cannot go back in it.
export function amend(action, send, { over = false, next = null } = {}) {
  const select = document.createElement("select");
  const other = SEATS.filter((seat) => seat !== action.seat);
  select.ariaLabel = t("amend_of", { n: action.number });
  select.append(
    new Option(t("amend"), ""),
    ...other.map((seat) => new Option(t("was_by", { a: t(seat) }), `move ${seat}`)),
    new Option(t("never_laid"), "remove"),
    ...SEATS.map((seat) => new Option(t("pass_after", { a: t(seat) }), `insert ${seat}`)),
    ...(over ? [] : [new Option(t("back_to"), "roll_back")]),
  );
  select.onchange = () => {
    const [name, seat] = select.value.split(" ");
    // Between two plays: what the page shows there says whether somebody else was faster.
    const place = ["insert", "roll_back"].includes(name) ? { before: next?.number ?? 0 } : {};
    const seen = { saw: sawOf(action), ...place };
    if (name) send({ do: name, ...(name === "insert" ? { after: action.number } : { play: action.number }), ...seen, ...(seat ? { seat } : {}), reason: lang === "en" ? "control page" : "桌面控制" });
    select.value = "";
  };
  return select;
}
