// The director's page: everything that is said to the whole hall, seats and schedule, and what came of it.
import { call, get, post, stream, watchLine } from "./api.js";
import { buildDocuments, seatTable } from "./director_documents.js";
import { drawResults } from "./director_results.js";
import "./director_words.js";
import { $, age, button, clockFace, node, say } from "./dom.js";
import { problemText } from "./problems.js";
import "./venue_words.js";
import { lang, rankText, setLanguage, t } from "./words.js";

const natural = new Intl.Collator("zh", { numeric: true });
const rows = new Map();
let director = false;

function chosen() {
  return [...rows.values()].filter((one) => one.check.checked).map((one) => one.row.table);
}

function told(answer) {
  $("answer").className = answer.ok ? "ok" : "problem";
  $("answer").textContent = answer.ok ? t("sent") : problemText(answer);
  if (!answer.ok || !answer.results) return answer;
  const failed = Object.entries(answer.results).filter(([, one]) => !one.ok);
  const done = Object.keys(answer.results).length - failed.length;
  const words = failed.slice(0, 6).map(([table, one]) => `${t("table_n", { a: table })}：${problemText(one)}`);
  if (!failed.length && !done) return answer;
  $("answer").className = failed.length ? "problem" : "ok";
  $("answer").textContent = [t("done_n", { n: done }), failed.length ? t("failed_n", { n: failed.length }) : "", ...words].filter(Boolean).join("　");
  return answer;
}

const hall = (command) => {
  const tables = chosen();
  return post("/api/hall", { tables: tables.length ? tables : null, ...command }).then(told);
};

// What cannot be undone wants a second press within four seconds.
function twice(press, act) {
  const words = press.textContent;
  let waiting = 0;
  press.onclick = () => {
    clearTimeout(waiting);
    if (press.dataset.sure) { delete press.dataset.sure; press.textContent = words; act(); return; }
    press.dataset.sure = "1";
    press.textContent = t("sure_again");
    waiting = setTimeout(() => { delete press.dataset.sure; press.textContent = words; }, 4000);
  };
  return press;
}

function buildHall() {
  const end = button(t("end_all"), null, { className: "danger", id: "end" });
  $("acts").append(
    twice(button(t("start_all"), null, { className: "main", id: "start" }), () => hall({ do: "start" })),
    button(t("pause_all"), () => hall({ do: "pause", reason: "director" }), { id: "pause" }),
    button(t("resume_all"), () => hall({ do: "resume" }), { id: "resume" }),
    twice(end, () => hall({ do: "end" })),
  );
  const announce = (more) => post("/api/hall", { do: "announce", ...more }).then(told);
  $("ready-made").append(button(t("last_deal"), () => announce({ kind: "last_deal", zh: "最后一副", en: "Last deal" }), { id: "last-deal" }), button(t("take_back"), () => announce({ kind: "text", zh: "", en: "" }), { id: "take-back" }));
  $("announce").onsubmit = (event) => {
    event.preventDefault();
    const form = new FormData($("announce"));
    announce({ kind: "text", zh: form.get("zh"), en: form.get("en") });
  };
  $("remind").onsubmit = (event) => {
    event.preventDefault();
    const kinds = new FormData($("remind")).getAll("kinds");
    if (kinds.length) hall({ do: "remind", kinds });
    else told({ ok: false, problem: t("choose_kinds") });
  };
  $("extend").onsubmit = (event) => {
    event.preventDefault();
    hall({ do: "extend_round", minutes: Number(new FormData($("extend")).get("minutes")), reason: "director" });
  };
  $("match").onsubmit = (event) => {
    event.preventDefault();
    const form = new FormData($("match"));
    const whole = Object.fromEntries(["deals", "minutes", "games", "round"].map((name) => [name, Number(form.get(name))]));
    hall({ do: "match", system: form.get("system"), format: form.get("format"), ...whole });
  };
  for (const name of ["计局", "计副", "计时", "计时计副"]) $("match").elements.system.append(new Option(t(name), name));
  for (const name of ["swiss", "round_robin", "knockout"]) $("match").elements.format.append(new Option(t(name), name));
}

function buildRelay() {
  const relay = (command) => { const tables = chosen(); return post("/api/relay", { tables: tables.length ? tables : null, ...command }).then(told); };
  const seconds = node("input", { type: "number", min: 0, max: 900, value: 5, ariaLabel: t("relay_delay") });
  $("relay").append(
    button(t("relay_go"), () => relay({ do: "go" })), button(t("relay_hold"), () => relay({ do: "hold" })),
    twice(button(t("relay_cut"), null, { className: "danger" }), () => relay({ do: "cut" })),
    seconds, button(t("set_delay"), () => relay({ do: "delay", delay_s: Number(seconds.value) })),
  );
}

function addRow(row) {
  const check = node("input", { type: "checkbox", ariaLabel: t("table_n", { a: row.table }), onchange: drawScope });
  const link = node("a", { href: `/table/${encodeURIComponent(row.table)}${location.search}`, textContent: row.table });
  const cells = Object.fromEntries(["phase", "level", "clock", "incidents", "air"].map((name) => [name, node("td")]));
  const root = node("tr", {}, node("td", {}, check), node("th", { scope: "row" }, link), ...Object.values(cells));
  rows.set(row.table, { row, check, cells, root, at: performance.now() });
  const order = [...rows.keys()].sort(natural.compare);
  document.querySelector("#tables tbody").replaceChildren(...order.map((name) => rows.get(name).root));
  drawScope();
  seatTable(row.table);
}

function drawScope() {
  const n = chosen().length;
  say($("scope"), n ? t("scope_some", { n }) : t("scope_all"));
}

function take(news) {
  for (const row of news) {
    if (!rows.has(row.table)) addRow(row);
    const one = rows.get(row.table);
    Object.assign(one, { row, at: performance.now() - (row.clock?.age_ms ?? 0) });
    say(one.cells.phase, row.availability === "ready" ? [t(row.phase || "standby"), row.deal ? t("deal", { n: row.deal }) : ""].filter(Boolean).join(" · ") : t(row.availability));
    one.root.dataset.attention = row.attention;
    say(one.cells.level, row.levels?.EW ? `${rankText(row.levels.EW)} : ${rankText(row.levels.NS)}` : "");
    say(one.cells.incidents, row.incidents ? String(row.incidents) : "");
  }
  const all = [...rows.values()].map((one) => one.row);
  say($("sums"), [t("n_tables", { n: all.length }), t("n_open", { n: all.reduce((n, r) => n + r.incidents, 0) }), t("n_lost", { n: all.filter((r) => r.availability === "lost").length })].join(" · "));
}

// A table that is there says how it stands every five seconds, so something goes on air as often.
const NOT_AIRED_MS = 20000;
function takeRelay(relay) {
  for (const one of relay) {
    const seconds = Math.round((one.delay_ms ?? 0) / 1000);
    const row = rows.get(one.table);
    if (!row) continue;
    const silent = one.mode === "go" && row.row.availability === "ready" && (one.aired_ms ?? 0) > one.delay_ms + one.late_ms + NOT_AIRED_MS;
    say(row.cells.air, silent ? t("not_aired", { a: age(one.aired_ms) }) : `${t(`relay_${one.mode}`)} ${seconds} ${t("seconds")}`);
    row.cells.air.className = silent ? "problem" : "";
  }
}

async function begin() {
  setLanguage();
  document.title = t("director_page");
  const query = new URLSearchParams(location.search);
  $("referee").href = `/referee${location.search}`;
  query.set("lang", lang === "en" ? "zh" : "en");
  $("language").href = `?${query}`;
  buildHall();
  buildRelay();
  $("leave").onclick = async () => { await post("/api/logout"); location.replace("/login?next=/director"); };
  for (const [id, value] of [["all", true], ["none", false]]) $(id).onclick = () => { for (const one of rows.values()) one.check.checked = value; drawScope(); };
  const me = await get("/api/me");
  director = me.role === "director";
  say($("who"), me.ok ? me.name : "");
  if (me.ok && !director) { $("answer").className = "problem"; $("answer").textContent = t("not_director"); }
  const kinds = await get("/api/kinds");
  if (Array.isArray(kinds)) for (const kind of kinds.filter((one) => one.noted)) $("remind").elements.kinds.append(new Option(lang === "en" ? kind.en : kind.zh, kind.name));
  const found = await get("/api/tables");
  if (found.ok) take(found.tables);
  const askRelay = async () => { const relay = await get("/api/relay"); if (relay.ok) takeRelay(relay.relay); };
  await askRelay();
  setInterval(askRelay, 5000);
  await buildDocuments([...rows.keys()].sort(natural.compare), (path, body) => call("PUT", path, body).then(told));
  const first = rows.size ? await get(`/api/tables/${encodeURIComponent([...rows.keys()][0])}`) : {};
  say($("profile"), t("profile_is", { a: first.state?.data?.profile ?? "–" }));
  drawResults();
  $("look").onclick = drawResults;
  $("round").onchange = drawResults;
  stream("/api/stream", {
    rows: (said) => take(said.rows), relay: (said) => takeRelay(said.relay),
    hall: ({ announcement }) => say($("hall"), announcement ? (lang === "en" && announcement.en) || announcement.zh || announcement.en : ""),
  }, watchLine($("stale"), { service: t("offline_banner"), broker: t("broker_banner") }));
  setInterval(() => { for (const one of rows.values()) say(one.cells.clock, clockFace(one.row.clock, performance.now() - one.at).text); }, 500);
}

begin();
