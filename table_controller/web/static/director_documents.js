// Who sits where, and when the rounds are: written here, kept by the venue's service, published to everybody.
import { get } from "./api.js";
import { $, SEATS, node } from "./dom.js";
import { t } from "./words.js";

const FIELDS = ["EW", "NS", ...SEATS];

function cell(name, value, label, type = "text") {
  return node("td", {}, node("input", { name, value, type, ariaLabel: label, maxLength: 60, autocomplete: "off" }));
}

function rosterRow(table, seated) {
  const names = seated.names ?? ["", "", "", ""];
  const values = { EW: seated.EW ?? "", NS: seated.NS ?? "", ...Object.fromEntries(SEATS.map((seat, i) => [seat, names[i] ?? ""])) };
  const inputs = FIELDS.map((field) => cell(field, values[field], `${t("table_n", { a: table })} ${t(field)}`));
  return node("tr", { data: { table } }, node("th", { scope: "row", textContent: table }), ...inputs);
}

// A table that came after the page was opened can be seated too; what was written meanwhile stays.
export function seatTable(table) {
  const body = $("roster").querySelector("tbody");
  if (body.dataset.built && ![...body.children].some((row) => row.dataset.table === table)) body.append(rosterRow(table, {}));
}

function readRoster(form) {
  const tables = {};
  for (const row of form.querySelectorAll("tbody tr")) {
    const value = (name) => row.querySelector(`[name="${name}"]`).value.trim();
    tables[row.dataset.table] = { names: SEATS.map(value), EW: value("EW"), NS: value("NS") };
  }
  return { round: Number(form.elements.round.value), tables };
}

function roundRow(round) {
  return node("tr", {}, cell("number", round.round ?? "", t("round_n"), "number"), cell("starts", round.starts ?? "", t("starts")), cell("note", round.note ?? "", t("remark")));
}

// What else stands in the schedule is somebody's own, and is kept.
function readSchedule(form, before) {
  const rounds = [...form.querySelectorAll("tbody tr")].map((row) => {
    const value = (name) => row.querySelector(`[name="${name}"]`).value.trim();
    return { round: Number(value("number")), starts: value("starts"), note: value("note") };
  });
  return { ...before, rounds: rounds.filter((one) => one.round || one.starts || one.note) };
}

export async function buildDocuments(tables, put) {
  const roster = await get("/api/roster");
  const names = [...new Set([...tables, ...Object.keys(roster.tables ?? {})])];
  const seats = $("roster");
  seats.elements.round.value = roster.round ?? 1;
  seats.querySelector("tbody").replaceChildren(...names.map((table) => rosterRow(table, roster.tables?.[table] ?? {})));
  seats.querySelector("tbody").dataset.built = "1";
  seats.onsubmit = (event) => { event.preventDefault(); put("/api/roster", readRoster(seats)); };
  const answer = await get("/api/schedule");
  const { ok: _ok, status: _status, ...before } = answer;
  const form = $("schedule");
  const body = form.querySelector("tbody");
  body.replaceChildren(...(before.rounds?.length ? before.rounds : [{ round: 1 }]).map(roundRow));
  $("more-rounds").onclick = () => body.append(roundRow({ round: body.children.length + 1 }));
  form.onsubmit = (event) => { event.preventDefault(); put("/api/schedule", readSchedule(form, before)); };
}
