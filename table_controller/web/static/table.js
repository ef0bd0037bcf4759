// One table for a referee: what is in doubt beside its picture, its incidents and rulings, its plays, its clock.
import { get, post, stream, watchLine } from "./api.js";
import { $, SEATS, button, clockFace, node, say } from "./dom.js";
import { drawDoubts } from "./doubts.js";
import { drawIncidents, tickIncidents } from "./incident_card.js";
import { problemText } from "./problems.js";
import { drawRights } from "./rulings.js";
import { drawBoard, drawHead, drawPlays, drawResults } from "./table_view.js";
import { Timeline } from "./timeline.js";
import { byUrgency } from "./urgency.js";
import "./venue_words.js";
import { lang, setLanguage, t } from "./words.js";

const table = decodeURIComponent(location.pathname.split("/").filter(Boolean).pop());
const here = `/api/tables/${encodeURIComponent(table)}`;
let me = { verbs: [] };
let state = null;
let at = 0;
let boot = "";
let incidents = [];
let row = null;
let asking = false;
let again = false;
let kinds = new Map();
let known = "";
let looking = 0;
let named = location.hash.startsWith("#incident-") ? Number(location.hash.slice(10)) : 0;

const may = (verb) => me.verbs?.includes(verb);

function told(answer) {
  $("answer").className = answer.ok ? "ok" : "problem";
  $("answer").textContent = answer.ok ? t("sent") : problemText(answer);
  loadIncidents();
  return answer;
}

async function send(command) { return told(await post(`${here}/command`, command)); }

function picturesOf(number) {
  return incidents.find((i) => i.number === number && i.boot === boot)?.evidence;
}

const context = () => ({
  mayAct: may("rule"), head: me.role === "head_referee", told,
  shownAbove: (i) => i.boot === boot && Boolean(state?.questions.some((q) => q.incident === i.number) || state?.asked?.some((q) => q.incident === i.number)),
});

// A picture is fetched from the table some seconds after the play, and the archive may not even know of it yet.
function awaited() {
  const coming = (pictures) => !pictures?.length || pictures.some((one) => one.state === "waiting");
  const asked = [...(state?.questions ?? []), ...(state?.asked ?? [])].filter((one) => one.evidence);
  return incidents.some((i) => i.evidence.some((one) => one.state === "waiting")) || asked.some((one) => coming(picturesOf(one.incident)));
}

async function loadIncidents() {
  if (!["referee", "head_referee", "director"].includes(me.role)) return;
  if (asking) { again = true; return; }
  asking = true;
  const answer = await get(`/api/incidents?status=open&table=${encodeURIComponent(table)}&limit=100`);
  asking = false;
  if (answer.ok) {
    incidents = answer.incidents.map((one) => ({ ...one, since: Date.now() - one.age_ms })).sort(byUrgency);
    draw();
  }
  clearTimeout(looking);
  if (!answer.ok || awaited()) looking = setTimeout(loadIncidents, 1500);
  if (again) { again = false; loadIncidents(); }
}

// Where the page was opened for an incident: at a doubtful reading that is what is asked, beside its picture.
function goToNamed() {
  const incident = incidents.find((one) => one.id === named);
  if (!incident || !state) return;
  named = 0;
  const asked = context().shownAbove(incident) && state.questions.find((one) => one.incident === incident.number);
  const place = document.getElementById(asked ? `doubt-play-${asked.number}` : `incident-${incident.id}`);
  place?.focus();
}

function draw() {
  drawIncidents(incidents, $("incidents"), context());
  if (!state) return;
  drawHead(state, row);
  const asked = drawDoubts(state, send, picturesOf, $("doubts"));
  $("asking").hidden = !asked.open && !asked.past;
  say($("asked"), asked.open ? t("questions", { n: asked.open }) : asked.past ? t("not_confirmed", { n: asked.past }) : "");
  drawBoard(state);
  drawPlays(state, may("correct"), send);
  drawResults(state);
  const rights = drawRights(state);
  $("rights").replaceChildren(...(rights.length ? rights : [node("li", { className: "quiet", textContent: t("nobody") })]));
  const paused = state.phase === "paused";
  for (const [id, shown] of [["pause", !paused], ["resume", paused], ["extend", state.clock.kind !== "none"]]) if ($(id)) $(id).hidden = !shown;
  document.title = `${asked.open ? `(${asked.open}) ` : ""}${t("table_n", { a: table })}`;
  drawClock();
}

function drawClock() {
  if (!state) return;
  const face = clockFace(state.clock, performance.now() - at);
  say($("shot"), `${state.clock.seat ? `${t(state.clock.seat)} ` : ""}${face.text}`);
  $("shot").dataset.state = face.state;
  tickIncidents(Date.now());
}

function takeState(message) {
  boot = message.boot;
  state = message.data;
  at = performance.now();
  const now = JSON.stringify([boot, state.incidents.map((i) => [i.number, i.status])]);
  if (now !== known) { known = now; loadIncidents(); }
  draw();
  goToNamed();
}

// The second press of a double click is no second wish: it would give twice the time.
const once = (act) => (event) => { if (event.detail < 2) act(); };

function buildActs() {
  const acts = [["pause", "pause_play", () => ({ do: "pause", reason: "referee" })], ["resume", "resume_play", () => ({ do: "resume" })], ["extend_clock", "more_time", () => ({ do: "extend_clock", extra_ms: 30000 })]];
  for (const [verb, words, command] of acts) if (may(verb)) $("acts").append(button(t(words), once(() => send(command())), { id: verb === "extend_clock" ? "extend" : verb }), " ");
}

async function buildNoting() {
  const found = await get("/api/kinds");
  if (!Array.isArray(found)) return;
  kinds = new Map(found.map((kind) => [kind.name, kind]));
  if (!may("note")) return;
  $("noting").hidden = false;
  const form = $("note");
  for (const seat of SEATS) form.elements.seat.append(new Option(t(seat), seat));
  for (const kind of found.filter((one) => one.noted)) form.elements.kind.append(new Option(lang === "en" ? kind.en : kind.zh, kind.name));
  form.onsubmit = async (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const answer = await send({ do: "note", kind: data.get("kind"), seat: data.get("seat"), reason: data.get("reason") });
    if (answer.ok) form.elements.reason.value = "";
  };
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || event.target.matches("input, select, textarea")) return;
  const inDoubt = event.target.closest?.(".doubt, .picker, .cardpress");
  const chosen = document.activeElement?.closest?.("#incidents > li") ?? $("incidents").querySelector("li[id]");
  const press = (selector) => { const found = chosen?.querySelector(selector); if (found) found.click(); };
  const act = {
    c: () => ($("doubts").querySelector(".confirm:enabled") ?? $("plays").querySelector(".cardpress"))?.focus(),
    a: () => press(".take"), g: () => press(".arrive"), r: () => (chosen?.querySelector(".propose") ?? chosen?.querySelector("select"))?.focus(),
    p: () => [...$("acts").querySelectorAll("#pause, #resume")].find((one) => !one.hidden)?.click(),
    Escape: () => { location.href = $("back").href; },
  }[event.key];
  if (!act || (inDoubt && "ag".includes(event.key))) return;
  event.preventDefault();
  act();
}

async function begin() {
  setLanguage();
  say($("table"), t("table_n", { a: table }));
  const query = new URLSearchParams(location.search);
  $("back").href = `/referee${location.search}`;
  query.set("lang", lang === "en" ? "zh" : "en");
  $("language").href = `?${query}`;
  $("leave").onclick = async () => { await post("/api/logout"); location.replace(`/login?next=${encodeURIComponent(location.pathname + location.search)}`); };
  const answer = await get("/api/me");
  if (answer.ok) me = answer;
  say($("who"), answer.ok ? answer.name : "");
  say($("keys"), may("rule") ? t("keys_table") : t("watcher"));
  $("fix").hidden = !may("correct");
  buildActs();
  await buildNoting();
  document.addEventListener("keydown", onKey);
  const past = new Timeline(table, $("timeline"), () => kinds);
  $("past").ontoggle = () => { if ($("past").open) past.open(); };
  $("print").onclick = () => window.print();
  const now = await get(here);
  if (now.status === 404) { $("answer").className = "problem"; $("answer").textContent = t("no_such_table"); }
  row = now.row ?? null;
  stream(`${here}/stream`, {
    state: (message) => { takeState(message); past.state(message); },
    event: (message) => { if (message.schema.startsWith("event/incident")) loadIncidents(); past.event(message); },
    availability: (said) => { row = { ...row, availability: said.state }; draw(); },
  }, watchLine($("stale"), { service: t("offline_banner"), broker: t("broker_banner") }));
  await loadIncidents();
  goToNamed();
  setInterval(drawClock, 250);
}

begin();
