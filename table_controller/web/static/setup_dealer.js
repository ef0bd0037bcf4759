// The dealer's self-test, between deals, over the link of the running table.
import { addWords, bothWords, setLanguage, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const AGAIN_MS = 500;

addWords({
  dealer_h: ["发牌机", "The dealing machine"], selftest: ["自检", "Self-test"],
  selftest_words: ["试传感器、滑道和原点，不发牌。请先盖好机盖", "Tries sensors, chute and home flag, without dealing. Close the lid first"],
  selftest_running: ["正在自检……", "Testing …"], no_answer: ["牌桌程序没有应答", "The table's program does not answer"],
});

async function ask(begin = false) {
  const sent = begin ? { method: "POST", headers: { "X-Table-Controller": "1" } } : {};
  try { return await (await fetch("/api/selftest", sent)).json(); } catch { return { ok: false, problem: t("no_answer") }; }
}

function draw(told) {
  const running = told.ok && told.state === "running";
  $("selftest").disabled = running;
  const words = !told.ok ? told.problem : running ? t("selftest_running") : told.message;
  $("selftest-result").textContent = bothWords(words ?? "");
  $("selftest-result").className = !told.ok || told.state === "failed" ? "problem" : told.state === "well" ? "ok" : "";
  if (running) setTimeout(async () => draw(await ask()), AGAIN_MS);
}

async function begin() {
  setLanguage();
  $("selftest").onclick = async () => draw(await ask(true));
  const told = await ask();
  $("dealer").hidden = !told.ok;
  if (told.ok) draw(told);
}

begin();
