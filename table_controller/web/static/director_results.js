// Results and standings of one round, or of all.
import { get } from "./api.js";
import { $, node } from "./dom.js";
import { rankText, t } from "./words.js";

function line(...cells) {
  return node("tr", {}, ...cells.map((text) => node("td", { textContent: text ?? "" })));
}

function result(r) {
  const levels = `${rankText(r.levels.EW ?? "")} : ${rankText(r.levels.NS ?? "")}`;
  const order = r.foul ? `${t(r.foul)} ${t("foul")}` : (r.order ?? []).filter(Boolean).map((seat) => t(seat)).join(" ");
  const who = [r.entered_by, r.checked_by].filter(Boolean).map((seat) => t(seat)).join(" / ");
  return line(r.table, `${r.game} · ${r.deal}`, order, `${r[r.winner] || t(r.winner)} +${r.rise}`, levels, who);
}

export async function drawResults() {
  const round = Number($("round").value) || 0;
  const query = round ? `?round=${round}` : "";
  $("csv").href = `/api/results${query ? `${query}&` : "?"}format=csv`;
  $("json").href = `/api/results${query}`;
  const found = await get(`/api/results${query}`);
  if (found.ok) $("results").tBodies[0].replaceChildren(...found.results.slice().reverse().slice(0, 200).map(result));
  const places = await get(`/api/standings${query}`);
  if (!places.ok) return;
  const teams = places.standings.flatMap((one) => one.teams.map((team) => line(one.place, team.name, team.points, team.levels, team.played)));
  $("standings").tBodies[0].replaceChildren(...teams);
}
