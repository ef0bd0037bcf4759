// The camera's set-up: its picture between deals, what is amiss, and the mat's four corners where it has no markers.
import { lang, setLanguage, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const REACH = 0.03;
// Why there is no picture, Chinese first.
const WHY = {
  elsewhere: ["没有画面：摄像头画面只在本机显示", "There is no picture: it is shown on the table's own machine only"],
  deal: ["没有画面：发牌和打牌时不显示，本副结束后再看", "No picture is shown while a deal is on: come back when it is over"],
  camera: ["没有画面：这张牌桌没有摄像头，或摄像头没有画面。请检查接线和 camera.source", "There is no picture: this table has no camera, or the camera gives none. Check its cable and camera.source"],
  lost: ["没有画面：摄像头无画面：{n}", "There is no picture: {n}"],
  page: ["没有画面：牌桌程序没有应答", "There is no picture: the table's program does not answer"],
};
const BETWEEN = ["standby", "deal_over", "game_over"];
let report = null;
let corners = null;
let held = -1;

async function send(points) {
  const response = await fetch("/api/setup", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Table-Controller": "1" },
    body: JSON.stringify({ corners: points }),
  });
  const answer = await response.json();
  $("answer").textContent = answer.ok ? t("sent") : answer.problem;
  $("answer").className = answer.ok ? "ok" : "problem";
  return answer.ok;
}

async function why(status) {
  const say = (key, n = "") => WHY[key][lang === "en" ? 1 : 0].replace("{n}", n);
  if (status === 403) return say("elsewhere");
  try {
    const state = await (await fetch("/api/state")).json();
    const phase = state.under || state.phase;
    if (phase && !BETWEEN.includes(phase)) return say("deal");
    return state.camera_lost ? say("lost", state.camera_lost) : say("camera");
  } catch { return say("page"); }
}

async function look() {
  let status = 0;
  try {
    const response = await fetch("/api/setup");
    status = response.status;
    const answer = await response.json();
    report = answer.ok ? answer : null;
  } catch { report = null; }
  if (report && !corners) {
    const image = new Image();
    image.onload = () => { if (report) { $("live").src = image.src; $("live").hidden = false; } };
    image.src = `/api/setup.jpg?at=${performance.now()}`;
    $("step").textContent = "";
  }
  if (!report) {
    const words = await why(status);
    if (corners) { corners = null; show(); }
    $("live").hidden = true;
    $("step").textContent = words;
  }
  draw();
  setTimeout(look, 1000);
}

function draw() {
  for (const id of ["click", "save", "markers"]) $(id).disabled = !report;
  $("picture").classList.toggle("empty", !report);
  $("amiss").hidden = !report;
  if (!report) { $("hints").replaceChildren(); $("figures").textContent = ""; return; }
  const items = report.hints.map((hint) => {
    const item = document.createElement("li");
    item.textContent = lang === "en" ? hint.en : hint.zh;
    item.dataset.code = hint.code;
    item.className = "incident";
    return item;
  });
  const well = Object.assign(document.createElement("li"), { textContent: t(report.found ? "all_well" : "not_found") });
  $("hints").replaceChildren(...(items.length ? items : [well]));
  const scales = Object.entries(report.px_per_mm).map(([seat, value]) => `${t(seat)} ${value} ${t("scale")}`);
  const found = report.by_corners ? t("by_corners") : t("found_markers", { n: report.markers });
  $("figures").textContent = [found, ...scales, report.fps ? `${report.fps} ${t("rate")}` : ""].filter(Boolean).join(" · ");
}

function show() {
  const editing = corners !== null;
  $("corners").toggleAttribute("hidden", !editing);
  $("picture").classList.toggle("editing", editing);
  $("click").hidden = editing;
  $("markers").hidden = editing;
  $("cancel").hidden = !editing;
  $("save").hidden = !editing || corners.length < 4;
  $("step").textContent = !editing ? "" : corners.length < 4 ? t(`corner${corners.length + 1}`) : t("corners_move");
  const handles = (corners || []).map(([x, y], i) => {
    const dot = document.createElementNS(SVG, "ellipse");
    Object.entries({ cx: x, cy: y, rx: 0.012, ry: 0.012, tabindex: 0, "data-corner": i, "aria-label": `${i + 1}` })
      .forEach(([name, value]) => dot.setAttribute(name, value));
    dot.onkeydown = (event) => nudge(event, i);
    return dot;
  });
  const line = document.createElementNS(SVG, "polygon");
  line.setAttribute("points", (corners || []).map((point) => point.join(",")).join(" "));
  const focused = document.activeElement?.dataset?.corner;
  $("corners").replaceChildren(line, ...handles);
  if (focused !== undefined) handles[Number(focused)]?.focus();
}

function nudge(event, i) {
  const step = (event.shiftKey ? 10 : 1) / report.frame_px[0];
  const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
  if (!move) return;
  event.preventDefault();
  corners[i] = corners[i].map((value, axis) => Math.min(1, Math.max(0, value + move[axis])));
  show();
}

function place(event) {
  const box = $("picture").getBoundingClientRect();
  const clip = (value) => Math.min(1, Math.max(0, value));
  return [clip((event.clientX - box.left) / box.width), clip((event.clientY - box.top) / box.height)];
}

$("picture").onpointerdown = (event) => {
  if (!corners) return;
  const at = place(event);
  held = corners.findIndex(([x, y]) => Math.hypot(x - at[0], y - at[1]) < REACH);
  if (held < 0 && corners.length < 4) { corners.push(at); held = corners.length - 1; }
  if (held >= 0) $("picture").setPointerCapture(event.pointerId);
  show();
};
$("picture").onpointermove = (event) => { if (corners && held >= 0) { corners[held] = place(event); show(); } };
$("picture").onpointerup = () => { if (held >= 0) { const at = held; held = -1; $("corners").querySelector(`[data-corner="${at}"]`)?.focus(); } };
$("click").onclick = () => { if (report) { corners = []; show(); } };
$("cancel").onclick = () => { corners = null; show(); };
$("markers").onclick = () => send(null);
$("save").onclick = async () => {
  if (!report || corners?.length !== 4) return;
  const [width, height] = report.frame_px;
  if (await send(corners.map(([x, y]) => [x * width, y * height]))) { corners = null; show(); }
};

setLanguage();
document.title = t("setup");
$("back").href = `/control${location.search}`;
$("language").href = lang === "en" ? "?lang=zh" : "?lang=en";
$("live").alt = t("setup");
draw();
look();
