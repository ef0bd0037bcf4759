// Small helpers of the newer pages: elements, ages, and what is only written when it changed.
import { t } from "./words.js";

export const $ = (id) => document.getElementById(id);
export const SEATS = ["E", "N", "W", "S"];

export function node(tag, properties = {}, ...children) {
  const { data, aria, ...plain } = properties;
  const made = Object.assign(document.createElement(tag), plain);
  for (const [name, value] of Object.entries(data ?? {})) made.dataset[name] = value;
  for (const [name, value] of Object.entries(aria ?? {})) made.setAttribute(name === "role" ? name : `aria-${name}`, value);
  made.append(...children);
  return made;
}

export function button(label, act, more = {}) {
  return node("button", { type: "button", textContent: label, onclick: act, ...more });
}

// Writing the same text again would restart a screen reader and cost a layout.
export function say(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

export function age(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return t("age_s", { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("age_m", { n: minutes, s: String(seconds % 60).padStart(2, "0") });
  return t("age_h", { n: Math.floor(minutes / 60), m: String(minutes % 60).padStart(2, "0") });
}

// What a clock shows: seconds until the warning, then until the limit; and how it stands. A table says it every five
// seconds: one that was not heard for so long may have played on, and its clock is not known.
const UNHEARD_MS = 15000;
export function clockFace(clock, sinceMs) {
  if (!clock || !clock.kind || clock.kind === "none" || sinceMs > UNHEARD_MS) return { text: "–", state: "none", share: 0 };
  const used = (clock.elapsed_ms ?? 0) + (clock.running ? sinceMs : 0);
  const state = !clock.running ? "paused" : used > clock.limit_ms ? "over" : used > clock.warning_ms ? "warned" : "normal";
  const until = used <= clock.warning_ms ? clock.warning_ms : clock.limit_ms;
  return { text: String(Math.max(0, Math.ceil((until - used) / 1000))), state, share: Math.min(1, used / clock.limit_ms) };
}
