// The referee's console: what waits, and every table; by mouse, finger or keys alone.
import { get, post, stream, watchLine } from "./api.js";
import { $, say } from "./dom.js";
import * as grid from "./grid.js";
import { problemText } from "./problems.js";
import { drawQueue, focused, tickQueue, walk } from "./queue.js";
import "./venue_words.js";
import { lang, setLanguage, t } from "./words.js";

const MAY_ACT = ["referee", "head_referee"];
let mayAct = false;
let incidents = [];
let asking = false;
let again = false;
let pending = [];
let shown = false;

function told(answer) {
  const words = answer.ok ? t("sent") : problemText(answer);
  $("answer").className = answer.ok ? "ok" : "problem";
  $("answer").textContent = words;
  loadIncidents();
}

async function loadIncidents() {
  if (asking) { again = true; return; }
  asking = true;
  const answer = await get("/api/incidents?status=open&limit=2000");
  asking = false;
  if (answer.ok) {
    incidents = answer.incidents.map((one) => ({ ...one, since: Date.now() - one.age_ms }));
    drawQueue(incidents, mayAct, told);
    tickQueue(Date.now());
    $("csv").hidden = false;
    title();
  } else if (answer.status !== 403) setTimeout(loadIncidents, 2000);
  if (again) { again = false; loadIncidents(); }
}

function title() {
  const open = incidents.filter((one) => one.status === "open").length;
  const words = `${open ? `(${open}) ` : ""}${t("referee_page")}`;
  if (document.title !== words) document.title = words;
}

function drawSums() {
  const n = grid.sums();
  const words = [t("n_tables", { n: n.tables }), n.calls && t("n_calls", { n: n.calls }), n.open && t("n_open", { n: n.open }), n.doubts && t("n_doubts", { n: n.doubts }), n.lost && t("n_lost", { n: n.lost })];
  say($("sums"), words.filter(Boolean).join(" · "));
}

// Rows that came between two frames are drawn together.
function frame() {
  requestAnimationFrame(frame);
  grid.redraws.frames += 1;
  if (!pending.length) return;
  grid.take(pending, Date.now());
  pending = [];
  if (!shown) { shown = true; grid.arrange(true); drawSums(); }
}

function options(select, names, kept) {
  for (const [value, words] of names) select.append(new Option(t(words), value));
  const stored = new URLSearchParams(location.search).get(kept);
  if (names.some(([value]) => value === stored)) select.value = stored;
  select.onchange = () => grid.arrange(true);
}

function saveCsv() {
  const head = ["id", "table", "deal", "seat", "kind", "status", "raised", "acknowledged_by", "acknowledged", "arrived_by", "arrived"];
  // A cell never begins as a formula would.
  const cell = (value) => `"${String(value ?? "").replaceAll('"', '""').replace(/^[=+\-@]/, "'$&")}"`;
  const line = (i) => [i.id, i.table, i.deal, i.seat, lang === "en" ? i.en : i.zh, i.status, i.raised_at, i.acknowledged?.by, i.acknowledged?.at, i.arrived?.by, i.arrived?.at];
  const text = "\ufeff" + [head, ...incidents.map(line)].map((row) => row.map(cell).join(",")).join("\r\n");
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: "incidents.csv" });
  link.click();
  URL.revokeObjectURL(link.href);
}

async function ackAll() {
  const ids = incidents.filter((one) => one.status === "open").map((one) => one.id).slice(0, 200);
  const answer = await post("/api/incidents/acknowledge", { ids });
  const failed = Object.values(answer.results ?? {}).find((one) => !one.ok);
  told(answer.ok && failed ? failed : answer);
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches("input, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const item = focused();
  const act = {
    j: () => walk(1), k: () => walk(-1), a: () => item && mayAct && item.step("acknowledge"), g: () => item && mayAct && item.step("arrive"),
    A: () => mayAct && ackAll(), t: () => $("grid").querySelector("a")?.focus(), "/": () => $("find").focus(),
    s: () => { $("sort").selectedIndex = ($("sort").selectedIndex + 1) % $("sort").options.length; grid.arrange(true); },
    ArrowUp: () => item && walk(-1), ArrowDown: () => item && walk(1),
  }[event.key];
  if (event.key.startsWith("Arrow") && grid.move(event)) event.preventDefault();
  else if (act && act() !== undefined) event.preventDefault();
  else if (act && "jkt/s".includes(event.key)) event.preventDefault();
}

async function begin() {
  setLanguage();
  $("keys").textContent = t("keys_referee");
  const other = new URLSearchParams(location.search);
  other.set("lang", lang === "en" ? "zh" : "en");
  $("language").href = `?${other}`;
  options($("filter"), [["all", "show_all"], ["need", "show_need"], ["doubt", "show_doubt"], ["lost", "show_lost"], ["idle", "show_idle"]], "filter");
  options($("sort"), [["need", "by_need"], ["table", "by_table"], ["clock", "by_clock"]], "sort");
  $("find").oninput = () => grid.arrange(true);
  $("ack-all").onclick = ackAll;
  $("csv").onclick = saveCsv;
  $("leave").onclick = async () => { await post("/api/logout"); location.replace(`/login?next=${encodeURIComponent(location.pathname + location.search)}`); };
  document.addEventListener("keydown", onKey);
  const me = await get("/api/me");
  if (me.ok) say($("who"), me.name);
  mayAct = me.ok && MAY_ACT.includes(me.role);
  if (me.ok && !mayAct && me.role !== "director") document.body.classList.add("watching");
  title();
  stream("/api/stream", {
    rows: ({ rows }) => pending.push(...rows),
    incident: loadIncidents,
    hall: ({ announcement }) => say($("hall"), announcement ? (lang === "en" && announcement.en) || announcement.zh || announcement.en : ""),
  }, watchLine($("stale"), { service: t("offline_banner"), broker: t("broker_banner") }));
  loadIncidents();
  frame();
  setInterval(() => { grid.tickAll(Date.now()); tickQueue(Date.now()); }, 250);
  setInterval(() => { grid.arrange(); drawSums(); }, 1000);
}

window.glance = grid.redraws; // what the bench counts
begin();
