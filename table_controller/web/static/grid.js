// The grid of all tables. A tile is made once and then only written where it changed; it is put elsewhere only while
// nobody points at it or stands in it.
import { $, SEATS, age, clockFace, node, say } from "./dom.js";
import { SIGNS } from "./urgency.js";
import { lang, rankText, t } from "./words.js";

const tiles = new Map();
const SILENT_MS = 15000;
const FILTERS = {
  all: () => true, need: (r) => r.attention > 0, doubt: (r) => r.questions > 0,
  lost: (r) => r.attention === 4 || r.availability !== "ready" || r.phase === "fault" || Boolean(r.camera_lost) || r.dealer_online === false, idle: (r) => r.phase !== "playing",
};
const natural = new Intl.Collator("zh", { numeric: true });
const byTable = (a, b) => natural.compare(a.row.table, b.row.table);
const used = (tile) => (tile.row.clock?.kind === "play" ? tile.row.clock.elapsed_ms + (tile.row.clock.running ? performance.now() - tile.clockAt : 0) : -1);
const ORDERS = {
  need: (a, b) => b.row.attention - a.row.attention || b.row.questions - a.row.questions || byTable(a, b),
  table: byTable, clock: (a, b) => used(b) - used(a) || byTable(a, b),
};
const short = (seat) => t(seat)[0];
let dirty = true;
export const redraws = { frames: 0, rows: 0 };

function part(parent, className, tag = "span") {
  const made = node(tag, { className });
  parent.append(made);
  return made;
}

function make(table) {
  const link = node("a", { className: "tile", href: `/table/${encodeURIComponent(table)}${location.search}`, tabIndex: -1 });
  const root = node("div", { className: "cell", aria: { role: "listitem" } }, link);
  const top = part(link, "top"), middle = part(link, "mid"), low = part(link, "low");
  const tile = { root, link, sign: part(top, "sign"), name: part(top, "no"), phase: part(top, "phase"), clock: part(top, "shot") };
  Object.assign(tile, { deal: part(middle, "deal"), levels: part(middle, "levels"), turn: part(middle, "turnof") });
  tile.left = Object.fromEntries(SEATS.map((seat) => [seat, part(low, "count")]));
  tile.trouble = part(link, "trouble");
  say(tile.name, table);
  return tile;
}

// The one line that says what is amiss: the table itself first, then the most urgent incident, then doubts.
function trouble(tile, now) {
  const { row } = tile;
  const words = [];
  if (row.availability !== "ready") words.push(t(row.availability));
  if (row.urgent) {
    const seat = row.urgent.seat ? `${t(row.urgent.seat)}${lang === "en" ? ": " : " "}` : "";
    words.push(`${seat}${lang === "en" ? row.urgent.en : row.urgent.zh} ${age(now - row.urgent.since)}${row.urgent.by ? ` · ${row.urgent.by}` : ""}`);
    if (row.incidents > 1) words.push(t("more", { n: row.incidents - 1 }));
  }
  if (row.camera_lost && row.urgent?.kind !== "camera_lost") words.push(t("camera_out"));
  if (row.dealer_online === false) words.push(t("dealer_out"));
  if (row.questions && !(row.urgent && ["doubtful_reading", "conservation"].includes(row.urgent.kind))) words.push(t("doubts", { n: row.questions }));
  if (row.availability === "ready" && tile.silent > SILENT_MS) words.push(t("silent", { n: age(tile.silent) }));
  return words.join(" · ");
}

function tick(tile, now, wall) {
  tile.silent = tile.row.seen_ms === null ? 0 : tile.row.seen_ms + now - tile.at;
  const face = clockFace(tile.row.clock, now - tile.clockAt);
  say(tile.clock, face.text);
  if (tile.clock.dataset.state !== face.state) tile.clock.dataset.state = face.state;
  say(tile.trouble, trouble(tile, wall));
  const silent = String(tile.silent > SILENT_MS || tile.row.availability !== "ready");
  if (tile.link.dataset.silent !== silent) tile.link.dataset.silent = silent;
}

function write(tile) {
  const { row } = tile;
  say(tile.sign, SIGNS[row.attention] ?? "");
  tile.link.dataset.attention = row.attention;
  say(tile.phase, row.phase ? t(row.phase) : "");
  tile.phase.dataset.phase = row.phase;
  say(tile.deal, row.deal ? `${t("deal", { n: row.deal })} ${t("plays_at")}${rankText(row.level || "")}` : "");
  say(tile.levels, row.levels?.EW ? `${rankText(row.levels.EW)}:${rankText(row.levels.NS)}` : "");
  tile.levels.title = `${t("EW")} : ${t("NS")}`;
  say(tile.turn, row.turn ? `→${short(row.turn)}` : "");
  for (const seat of SEATS) {
    const left = row.left?.[seat];
    say(tile.left[seat], left === null || left === undefined ? "" : `${short(seat)}${left}`);
    tile.left[seat].classList.toggle("few", left !== null && left <= 10);
  }
}

export function take(rows, wall) {
  const now = performance.now();
  for (const row of rows) {
    let tile = tiles.get(row.table);
    if (!tile) {
      tile = make(row.table);
      tiles.set(row.table, tile);
    }
    if (row.urgent) row.urgent.since = wall - row.urgent.age_ms;
    Object.assign(tile, { row, at: now, clockAt: now - (row.clock?.age_ms ?? 0) });
    write(tile);
    tick(tile, now, wall);
    redraws.rows += 1;
  }
  dirty = true;
  dense();
}

function matches(row) {
  const words = $("find").value.trim().toLowerCase();
  const named = [row.table, ...(row.names ?? [])].some((name) => String(name).toLowerCase().includes(words));
  return (!words || named) && (FILTERS[$("filter").value] ?? FILTERS.all)(row);
}

// Puts the tiles in order. ``forced``: somebody asked for another order.
export function arrange(forced = false) {
  const grid = $("grid");
  if (!forced && (!dirty || grid.matches(":hover") || grid.contains(document.activeElement))) return;
  dirty = false;
  const wanted = [...tiles.values()].filter((tile) => matches(tile.row)).sort(ORDERS[$("sort").value] ?? ORDERS.need).map((tile) => tile.root);
  if (wanted.length !== grid.children.length || wanted.some((root, i) => grid.children[i] !== root)) grid.replaceChildren(...wanted);
  for (const [i, root] of wanted.entries()) root.firstChild.tabIndex = i ? -1 : 0;
  $("none").hidden = wanted.length > 0;
  say($("none"), t(tiles.size ? "none_match" : "no_tables"));
}

export function tickAll(wall) {
  const now = performance.now();
  for (const tile of tiles.values()) if (tile.root.isConnected) tick(tile, now, wall);
}

// The tiles are as large as they all fit; where they do not, those that need nobody take two lines.
const TILE_PX = { width: 173, height: 108 };
let fitted = "";
function dense() {
  const wide = $("tables").clientWidth, high = window.innerHeight;
  const now = `${tiles.size} ${wide} ${high}`;
  if (now === fitted) return;
  fitted = now;
  const room = high - $("grid").getBoundingClientRect().top - window.scrollY - 40;
  const fits = (scale) => Math.floor(wide / (TILE_PX.width * scale)) * Math.floor(room / (TILE_PX.height * scale)) >= tiles.size;
  const size = wide < 600 ? "" : fits(1.6) ? "large" : fits(1.25) ? "roomy" : "";
  $("grid").className = size || (tiles.size > 24 && !fits(1) ? "dense" : "");
}
window.addEventListener("resize", dense);

export function sums() {
  const rows = [...tiles.values()].map((tile) => tile.row);
  return {
    tables: rows.length, calls: rows.filter((r) => r.attention === 3).length, open: rows.reduce((n, r) => n + r.incidents, 0),
    lost: rows.filter((r) => r.availability === "lost").length, doubts: rows.reduce((n, r) => n + r.questions, 0),
  };
}

// Arrow keys go to the neighbour that lies there on the screen.
export function move(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const grid = $("grid");
  const links = [...grid.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (at < 0) return false;
  const across = Math.max(1, links.findIndex((link) => link.offsetTop !== links[0].offsetTop));
  const to = step ?? { ArrowUp: -across, ArrowDown: across }[event.key];
  if (to === undefined || !links[at + to]) return false;
  links[at].tabIndex = -1;
  links[at + to].tabIndex = 0;
  links[at + to].focus();
  return true;
}
