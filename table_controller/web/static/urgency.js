// How urgent things are, the same in the queue and in the grid: sign, word and colour together, never colour alone.
import { t } from "./words.js";

const CALLS = ["td_call", "stop"];
const BROKEN = ["dealer_fault", "camera_lost", "result_disputed", "dispute", "foul_due", "game_loss_due", "exclusion_due"];
const ASKING = ["doubtful_reading", "conservation"];
export const SIGNS = { 4: "×", 3: "▲", 2: "■", 1: "□", 0: "" };

// 0 a person calls, 1 something is broken or due, 2 a breach, 3 a reading to confirm.
export function severity(kind) {
  if (CALLS.includes(kind)) return 0;
  if (BROKEN.includes(kind)) return 1;
  return ASKING.includes(kind) ? 3 : 2;
}

export function byUrgency(a, b) {
  return (a.status !== "open") - (b.status !== "open") || severity(a.kind) - severity(b.kind) || a.since - b.since;
}

export function stands(incident) {
  if (incident.arrived) return t("arrived_by", { a: incident.arrived.by });
  if (incident.acknowledged) return t("taken_by", { a: incident.acknowledged.by });
  return t("open_s");
}
