// A deck enrolled at the table, step by step, between deals: what to lay, what is amiss with it, and what came of it.
import { addWords, bothWords, lang, setLanguage, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const AGAIN_MS = 1000;

addWords({
  enrol_h: ["登记一副牌", "Enrol a deck"], deck_name: ["名称", "Name"], enrol_begin: ["开始登记", "Begin"],
  enrol_words: ["在两副之间，把整副牌按提示摆两次；摄像头边看边检查，看不清的会请您重摆。约三分钟", "Between deals, lay the whole deck twice as asked; the camera checks each picture, and asks again where one is poor. About three minutes"],
  deck_prompts: ["提示牌没有标记，也要登记", "Our prompt cards have no markers: enrol them too"],
  deck_replace: ["替换同名的牌", "Replace the deck of that name"],
  guide_h: ["登记“{n}”：第 {a} 步，共 {b} 步", "Enrolling “{n}”: step {a} of {b}"],
  guide_read: ["上一张照片认出 {n} 处；画面上以圆点标出", "{n} places were read in the last picture: they are dotted in it", "1 place was read in the last picture: it is dotted in it"],
  learning: ["正在学习“{n}”……{s} 牌桌可以照常使用", "Learning “{n}” … {s} The table can be used meanwhile"],
  enrolled: ["“{n}”已登记", "“{n}” is enrolled"], preparing: ["请稍候……", "One moment …"],
  reads: ["现在按“{n}”读牌", "The table reads with “{n}” now"], reads_any: ["现在按随附的权重读牌，不认特定的牌", "The table reads with the shipped weights now, for any deck"],
  use_deck: ["用“{n}”读牌", "Read with “{n}”"], use_any: ["不用登记的牌", "Read with no enrolled deck"],
  deck_kept: ["重新启动后也照此读牌", "It is kept: so it is after a restart too"],
  deck_config: ["table.toml 写着 camera.deck = \"{n}\"：重新启动后以它为准，要改请改那里", "table.toml says camera.deck = \"{n}\": after a restart that holds again; change it there"],
  deck_known: ["“{n}”已登记过：换个名称，或勾选替换", "“{n}” is enrolled already: take another name, or tick that it is to be replaced"],
  bad_name: ["名称最多 40 个字，只用文字、数字、- 和 _", "A name has up to 40 letters, digits, - and _"],
  no_answer: ["牌桌程序没有应答", "The table's program does not answer"],
});

let drawn = "";
let known = [];
const words = (both) => (lang === "en" ? both.en : both.zh);

async function ask(body = undefined) {
  const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json", "X-Table-Controller": "1" }, body: JSON.stringify(body) };
  try { return await (await fetch("/api/enrol", sent)).json(); } catch { return { ok: false, problem: t("no_answer") }; }
}

function say(problem) {
  $("enrol-result").textContent = problem;
  $("enrol-result").className = "problem";
}

async function change(body) {
  const told = await ask(body);
  if (told.ok) { draw(told); return; }
  say(told.code === "USAGE" ? t("bad_name") : bothWords(told.problem));
}

function guide(told) {
  const showing = told.state === "showing";
  const begins = showing && $("guide").hidden;
  $("guide").hidden = !showing;
  if (begins) $("guide").scrollIntoView({ block: "nearest" });
  if (!showing) return;
  $("guide-h").textContent = t("guide_h", { n: told.name, a: told.step ?? 1, b: told.steps ?? "…" });
  const asks = told.asks ? words(told.asks).replace(/^(【.*?】|\[.*?\]) */, "") : t("preparing");
  if ($("guide-asks").textContent !== asks) $("guide-asks").textContent = asks;
  const amiss = (told.amiss ?? []).map(words);
  if (JSON.stringify(amiss) !== $("guide-amiss").dataset.told) {
    $("guide-amiss").dataset.told = JSON.stringify(amiss);
    $("guide-amiss").replaceChildren(...amiss.map((text) => Object.assign(document.createElement("li"), { className: "incident", textContent: text })));
  }
  $("guide-read").textContent = told.read ? t("guide_read", { n: told.read }) : "";
}

function result(told) {
  const share = (told.words.match(/\d+%/) ?? [""])[0];
  const said = { learning: t("learning", { n: told.name, s: share }), done: t("enrolled", { n: told.name }), failed: bothWords(told.words) }[told.state] ?? "";
  if ($("enrol-result").textContent !== said) $("enrol-result").textContent = said;
  $("enrol-result").className = told.state === "failed" ? "problem" : told.state === "done" ? "ok" : "";
  $("enrol-summary").hidden = told.state !== "done";
  $("enrol-summary").textContent = told.state === "done" ? told.words : "";
}

function decks(told) {
  $("reads-with").textContent = told.reads_with ? t("reads", { n: told.reads_with }) : t("reads_any");
  const others = [...told.decks, ""].filter((name) => name !== told.reads_with);
  const items = others.map((name) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name ? t("use_deck", { n: name }) : t("use_any") });
    button.onclick = () => change({ do: "use", name });
    const item = document.createElement("li");
    item.append(button);
    return item;
  });
  $("decks").replaceChildren(...items);
  $("deck-config").hidden = !told.used;
  $("deck-config").textContent = told.named ? t("deck_config", { n: told.named }) : t("deck_kept");
}

function draw(told) {
  guide(told);
  known = told.decks;
  const now = JSON.stringify([told.state, told.words, told.decks, told.reads_with, told.used]);
  if (now === drawn) return;
  drawn = now;
  const busy = told.state === "showing" || told.state === "learning";
  for (const id of ["enrol-begin", "deck-name", "deck-prompts", "deck-replace"]) $(id).disabled = busy;
  result(told);
  decks(told);
}

async function look() {
  const told = await ask();
  if (told.ok) draw(told);
  setTimeout(look, AGAIN_MS);
}

async function begin() {
  setLanguage();
  $("enrol-form").onsubmit = (event) => {
    event.preventDefault();
    const name = $("deck-name").value.trim();
    const there = known.includes(name);
    $("replace-row").hidden = !there;
    if (there && !$("deck-replace").checked) { say(t("deck_known", { n: name })); return; }
    change({ do: "begin", name, prompts: $("deck-prompts").checked, replace: there });
    $("deck-replace").checked = false;
  };
  $("guide-cancel").onclick = () => change({ do: "cancel" });
  const told = await ask();
  $("enrol").hidden = !told.ok;
  if (told.ok) { draw(told); look(); }
}

begin();
