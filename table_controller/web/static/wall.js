// The wall: several tables at once, legible from afar. ?tables=t1,t2 chooses some, ?key= lets a screen in.
import { get, stream } from "./api.js";
import { $, SEATS, clockFace, node, say } from "./dom.js";
import "./venue_words.js";
import { lang, rankText, setLanguage, t } from "./words.js";

const chosen = (new URLSearchParams(location.search).get("tables") ?? "").split(",").filter(Boolean);
const natural = new Intl.Collator("zh", { numeric: true });
const shown = new Map();
const SILENT_MS = 15000;
let roster = {};

function part(tag, className, ...children) {
  return node(tag, { className }, ...children);
}

function make(table) {
  const one = { name: part("h2", "no"), phase: part("span", "phase"), clock: part("span", "time"), turn: part("span", "turnof"), seats: {}, pairs: {} };
  one.seats = Object.fromEntries(SEATS.map((seat) => [seat, part("span", "count")]));
  const pair = (name) => {
    one.pairs[name] = { team: part("span", "team"), level: part("span", "level") };
    return part("div", `side ${name}`, one.pairs[name].team, one.pairs[name].level);
  };
  const middle = part("div", "middle", one.clock, one.turn);
  one.root = part("article", "onwall", part("div", "head", one.name, one.phase), part("div", "score", pair("EW"), middle, pair("NS")), part("div", "counts", ...Object.values(one.seats)));
  say(one.name, t("table_n", { a: table }));
  return one;
}

// The seats of the round that the table plays: the next one's may be written already.
function seatsOf(row) {
  const before = Object.keys(roster.rounds ?? {}).map(Number).filter((number) => number <= row.round);
  return (before.length ? roster.rounds[Math.max(...before)] : roster).tables?.[row.table];
}

function teamOf(row, pair) {
  const seated = seatsOf(row);
  const names = row.names?.length ? row.names : seated?.names ?? [];
  const two = pair === "EW" ? [names[0], names[2]] : [names[1], names[3]];
  return seated?.[pair] || two.filter(Boolean).join(" ") || t(pair);
}

function write(one) {
  const { row } = one;
  for (const pair of ["EW", "NS"]) {
    say(one.pairs[pair].team, teamOf(row, pair));
    say(one.pairs[pair].level, rankText(row.levels?.[pair] || "–"));
  }
  const deal = row.deal ? t("deal", { n: row.deal }) : "";
  const playing = ["playing", "trick_over"].includes(row.phase);
  say(one.phase, [deal, playing ? `${t("plays_at")}${rankText(row.level || "")}` : t(row.phase || "standby")].filter(Boolean).join(" · "));
  say(one.turn, row.turn ? t(row.turn) : "");
  for (const seat of SEATS) {
    const left = row.left?.[seat];
    say(one.seats[seat], left === null || left === undefined ? t(seat) : `${t(seat)} ${left}`);
    one.seats[seat].className = `count${row.turn === seat ? " now" : ""}${left !== null && left !== undefined && left <= 10 ? " few" : ""}`;
  }
}

function tick(one) {
  const now = performance.now();
  const face = clockFace(one.row.clock, now - one.clockAt);
  say(one.clock, face.text);
  one.clock.dataset.state = face.state;
  const silent = one.row.availability !== "ready" || (one.row.seen_ms !== null && one.row.seen_ms + now - one.at > SILENT_MS);
  one.root.classList.toggle("silent", silent);
  if (silent) say(one.phase, t(one.row.availability === "ready" ? "lost" : one.row.availability));
}

// As many columns as make the tiles as large as can be.
function layout() {
  const n = Math.max(1, shown.size);
  const shape = window.innerWidth / window.innerHeight / 1.75;
  const columns = window.innerWidth < 700 ? 1 : Math.max(1, Math.ceil(Math.sqrt(n * shape) - 0.2));
  const style = document.documentElement.style;
  style.setProperty("--columns", String(columns));
  const width = window.innerWidth / columns, height = (window.innerHeight - 90) / Math.ceil(n / columns);
  style.setProperty("--u", `${Math.max(9, Math.min(width / 18.5, columns === 1 ? 60 : height / 11))}px`);
}

function take(rows) {
  const before = shown.size;
  for (const row of rows) {
    if (chosen.length && !chosen.includes(row.table)) continue;
    if (!shown.has(row.table)) shown.set(row.table, make(row.table));
    const one = shown.get(row.table);
    const now = performance.now();
    Object.assign(one, { row, at: now, clockAt: now - (row.clock?.age_ms ?? 0) });
    write(one);
    tick(one);
  }
  $("none").hidden = shown.size > 0;
  if (shown.size === before) return;
  layout();
  const order = chosen.length ? (a, b) => chosen.indexOf(a) - chosen.indexOf(b) : natural.compare;
  $("tables").replaceChildren(...[...shown.keys()].sort(order).map((table) => shown.get(table).root));
}

async function begin() {
  setLanguage();
  document.title = t("wall");
  $("stale").textContent = t("stale");
  say($("none"), t("no_tables"));
  const query = new URLSearchParams(location.search);
  query.set("lang", lang === "en" ? "zh" : "en");
  $("language").href = `?${query}`;
  window.addEventListener("resize", layout);
  const found = await get("/api/roster");
  if (found.ok) roster = found;
  stream("/api/stream", {
    rows: ({ rows }) => take(rows),
    hall: ({ announcement }) => say($("hall"), announcement ? (lang === "en" && announcement.en) || announcement.zh || announcement.en : ""),
  }, (status) => { $("stale").hidden = status === "on"; });
  setInterval(() => shown.forEach(tick), 200);
  setInterval(async () => { const again = await get("/api/roster"); if (again.ok) roster = again; shown.forEach(write); }, 30000);
}

begin();
