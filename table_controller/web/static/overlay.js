// The lower third on air. It knows only what the relay let out, waits for ever, and shows a play or nothing: no error,
// no word of a lost connection. ?key= lets it in; ?scale=, ?scene=lower|corner, ?stale=SECONDS (or keep) shape it.
// Teams and players are those of the director's seats; ?EW= and ?NS= say others.
import { blob, stream } from "./api.js";
import { cardRow } from "./cards.js";
import { $, SEATS, clockFace, node, say } from "./dom.js";
import { emptyTurn, rankText, readingText, t } from "./words.js";

const asked = new URLSearchParams(location.search);
const table = decodeURIComponent(location.pathname.split("/").filter(Boolean).pop());
const keep = asked.get("stale") === "keep";
const TOO_OLD_MS = (Number(asked.get("stale")) || 20) * 1000;
let state = null;
let at = 0;
let held = -1; // how old the state was when the director held it back: its clock stands as long
let seated = {};
const NAMES_MS = 15000;

function quietly(act) {
  return (...given) => { try { act(...given); } catch { /* what cannot be drawn is not aired */ } };
}

function shown(seat) {
  if (["tribute", "returning"].includes(state.phase)) {
    const card = state.exchange.returned[seat] ?? state.exchange.shown[seat];
    return card ? { cards: [card], reading: "" } : null;
  }
  return state.seats[seat].last;
}

function seatBox(seat, place) {
  const data = state.seats[seat];
  const box = node("div", { className: `seat${state.turn === seat ? " turn" : ""}`, data: { seat } });
  const head = node("div", { className: "head" }, node("b", { textContent: state.match.names?.[place] || seated.names?.[place] || t(seat) }));
  if (data.place) head.append(node("span", { className: "place", textContent: t(`place${data.place}`) }));
  else if (data.left !== null) head.append(node("span", { className: data.reported ? "left few" : "left", textContent: String(data.left) }));
  const play = shown(seat);
  const body = node("div", { className: "body" });
  if (play?.pass || play?.stopped) body.append(node("span", { className: "passed", textContent: emptyTurn(play) }));
  else if (play?.cards?.length) body.append(cardRow(play.cards, state.level), node("span", { className: "reading", textContent: readingText(play.reading) }));
  // Ten cards are as wide as five: they lie over each other.
  if (play?.cards?.length > 6) body.classList.add("many");
  box.append(head, body);
  return box;
}

function draw() {
  for (const pair of ["EW", "NS"]) {
    say(document.querySelector(`#side-${pair} .level`), rankText(state.levels[pair]));
    say(document.querySelector(`#side-${pair} .team`), asked.get(pair) || seated[pair] || t(pair));
    $(`side-${pair}`).classList.toggle("owner", state.level_owner === pair);
  }
  $("seats").replaceChildren(...SEATS.map(seatBox));
  const under = state.under || state.phase;
  say($("phase"), state.phase === "paused" ? t("paused") : under === "playing" || under === "trick_over" ? `${t("playing_level")} ${rankText(state.level)}` : t(under));
  tick();
}

async function learnNames() {
  const found = await blob(`/api/air/${encodeURIComponent(table)}/roster`);
  if (!found) return;
  seated = JSON.parse(await found.text());
  if (state) draw();
}

function tick() {
  const age = performance.now() - at;
  $("stage").classList.toggle("away", !state || (!keep && age > TOO_OLD_MS));
  if (!state) return;
  const face = clockFace(state.clock, Math.min(held >= 0 ? held : age, TOO_OLD_MS));
  say($("clock"), face.state === "none" ? "" : face.text);
  $("clock").dataset.state = face.state;
}

// Held: nothing leaves the relay, and afterwards it goes on from there, so much later; so does the clock.
function follow(mode) {
  const now = performance.now();
  if (mode === "hold" && held < 0) held = Math.max(0, now - at);
  else if (mode !== "hold" && held >= 0) { at = now - held; held = -1; }
  $("stage").dataset.relay = mode;
  tick();
}

function fit() {
  const scale = Math.min(4, Math.max(0.25, Number(asked.get("scale")) || 1));
  const whole = Math.min(window.innerWidth / 1920, window.innerHeight / 1080);
  document.documentElement.style.setProperty("--u", String(whole * scale));
}

window.addEventListener("error", (event) => event.preventDefault());
window.addEventListener("unhandledrejection", (event) => event.preventDefault());
window.addEventListener("resize", quietly(fit));
document.documentElement.dataset.scene = asked.get("scene") === "corner" ? "corner" : "lower";
fit();
setInterval(quietly(tick), 200);
learnNames().catch(() => {});
setInterval(() => learnNames().catch(() => {}), NAMES_MS);
stream(`/api/air/${encodeURIComponent(table)}/stream`, {
  quiet: true,
  state: quietly((message) => { state = message.data; at = performance.now(); if (held >= 0) held = 0; draw(); }),
  event: quietly(() => { at = Math.max(at, performance.now() - TOO_OLD_MS / 2); }),
  relay: quietly(({ mode }) => follow(mode)),
  cut: quietly(() => { state = null; tick(); }),
});
