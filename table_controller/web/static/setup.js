// The camera's set-up: its picture between deals, what is amiss, and the mat's four corners where it has no markers.
import { lang, setLanguage, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const REACH = 0.03;
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

async function look() {
  try {
    const response = await fetch("/api/setup");
    const answer = await response.json();
    report = answer.ok ? answer : null;
    if (!report) { $("live").hidden = true; $("step").textContent = t("no_picture"); }
    else if (!corners) {
      const image = new Image();
      image.onload = () => { $("live").src = image.src; $("live").hidden = false; };
      image.src = `/api/setup.jpg?at=${performance.now()}`;
      $("step").textContent = "";
    }
    draw();
  } catch { report = null; }
  setTimeout(look, 1000);
}

function draw() {
  const items = (report ? report.hints : []).map((hint) => {
    const item = document.createElement("li");
    item.textContent = lang === "en" ? hint.en : hint.zh;
    item.dataset.code = hint.code;
    item.className = "incident";
    return item;
  });
  const well = Object.assign(document.createElement("li"), { textContent: report && report.found ? t("all_well") : t("not_found") });
  $("hints").replaceChildren(...(items.length ? items : [well]));
  if (!report) { $("figures").textContent = ""; return; }
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
  const [width, height] = report.frame_px;
  if (await send(corners.map(([x, y]) => [x * width, y * height]))) { corners = null; show(); }
};

setLanguage();
document.title = t("setup");
$("back").href = `/control${location.search}`;
$("language").href = lang === "en" ? "?lang=zh" : "?lang=en";
$("live").alt = t("setup");
look();
