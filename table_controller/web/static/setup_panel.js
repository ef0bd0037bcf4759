// Lamps and buttons tried out between deals; and what is still done by commands at the table's own machine.
import { addWords, lang, setLanguage, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const AGAIN_MS = 1000;
const SEAT = { E: ["东", "East"], N: ["北", "North"], W: ["西", "West"], S: ["南", "South"] };
const BUTTON = { START: ["开始", "Start"], STOP: ["停止", "Stop"], PASS: ["过牌", "Pass"], TD: ["裁判", "Referee"], READY: ["理好牌", "Ready"] };
const COMMANDS = [
  ["table-controller deck check NAME", "用几张牌核对一副已登记的牌（先停止牌桌程序）", "compare an enrolled deck with a handful of its cards (stop the table's program first)"],
  ["table-controller camera check", "检查摄像头：光线、对焦、比例", "check the camera: light, focus, scale"],
];
let trying = false;

addWords({
  panel_h: ["灯和按钮", "Lamps and buttons"], try_panel: ["试灯和按钮", "Try lamps and buttons"], end_trial: ["结束", "End"],
  trial_words: ["所有灯在闪：请按每一个按钮。现在按钮只作记录，不会开始发牌或计时", "Every lamp blinks: press each button. Presses are only noted now: they start nothing"],
  trial_done: ["全部按钮正常", "Every button answers"], by_command: ["用命令做的", "By command"],
  copy: ["复制", "Copy"], copied: ["已复制", "Copied"],
});

const word = ([zh, en]) => (lang === "en" ? en : zh);

function named(name) {
  const [kind, seat] = name.split("_");
  return `${seat ? `${word(SEAT[seat] ?? [seat, seat])} ` : ""}${word(BUTTON[kind] ?? [kind, kind])}`;
}

// Without a clipboard the command is marked, to be copied by hand.
async function copied(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = t("copied");
  } catch { getSelection().selectAllChildren(code); }
}

async function ask(wanted = undefined) {
  const sent = wanted === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json", "X-Table-Controller": "1" }, body: JSON.stringify({ try: wanted }) };
  try { return await (await fetch("/api/panel", sent)).json(); } catch { return { ok: false }; }
}

function draw(told) {
  $("panel").hidden = !told.ok && !told.problem;
  if (!told.ok) { trying = false; $("panel-words").textContent = told.problem ?? ""; } else trying = told.trying;
  $("try").textContent = t(trying ? "end_trial" : "try_panel");
  const all = told.all ?? [];
  if (told.ok) $("panel-words").textContent = trying ? t(all.length && told.pressed.length === all.length ? "trial_done" : "trial_words") : "";
  const items = trying ? all.map((name) => Object.assign(document.createElement("li"), { className: told.pressed.includes(name) ? "heard" : "", textContent: `${told.pressed.includes(name) ? "✓ " : ""}${named(name)}` })) : [];
  $("pressed").replaceChildren(...items);
}

async function look() {
  if (trying) draw(await ask(true));
  setTimeout(look, AGAIN_MS);
}

async function begin() {
  setLanguage();
  for (const [command, zh, en] of COMMANDS) {
    const item = document.createElement("li");
    const code = Object.assign(document.createElement("code"), { textContent: command });
    const copy = Object.assign(document.createElement("button"), { type: "button", textContent: t("copy"), ariaLabel: `${t("copy")} ${command}` });
    copy.onclick = () => copied(code, copy);
    item.append(code, " ", copy, ` ${lang === "en" ? en : zh}`);
    $("commands").append(item);
  }
  $("try").onclick = async () => draw(await ask(!trying));
  const told = await ask();
  if (told.ok) draw(told);
  look();
}

begin();
