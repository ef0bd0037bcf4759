// The venue's API: calls that say why not, and streams that come back by themselves. A key in the page's address goes
// along as a header, so that it stands in no server's log.
const key = new URLSearchParams(location.search).get("key");
const SILENT_MS = 14000;
const AGAIN_MS = 1000;
export const hasKey = Boolean(key);

function headers(more = {}) {
  return { ...(key ? { Authorization: `Bearer ${key}` } : {}), ...more };
}

export function toLogin() {
  location.replace(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
}

export async function call(method, path, body = undefined) {
  const sent = body === undefined ? {} : { "Content-Type": "application/json" };
  const changing = method === "GET" ? {} : { "X-Table-Controller": "1" };
  let response;
  try {
    response = await fetch(path, { method, headers: headers({ ...sent, ...changing }), body: body === undefined ? undefined : JSON.stringify(body) });
    const answer = await response.json();
    if (response.status === 401 && path !== "/api/login" && !key) toLogin();
    if (Array.isArray(answer)) return answer;
    return { ...answer, ok: response.ok && answer.ok !== false, status: response.status };
  } catch { return { ok: false, away: !response, status: response?.status ?? 0 }; }
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);

// A picture or a file, with the key too; null when there is none.
export async function blob(path) {
  try {
    const response = await fetch(path, { headers: headers() });
    return response.ok ? await response.blob() : null;
  } catch { return null; }
}

function deliver(block, on) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  if (data.length && on[name]) on[name](JSON.parse(data.join("\n")));
}

// A browser keeps a page that was left, with its open lines, and allows six of them to one host: let go of them.
const lines = new Set();
window.addEventListener("pagehide", () => lines.forEach((line) => line.abort()));

async function read(path, on, alive) {
  const aborter = new AbortController();
  lines.add(aborter);
  try { return await follow(path, on, alive, aborter); } finally { lines.delete(aborter); }
}

async function follow(path, on, alive, aborter) {
  const response = await fetch(path, { headers: headers({ Accept: "text/event-stream" }), signal: aborter.signal, cache: "no-store" });
  if (!response.ok) return response.status;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  // A line that went silent is given up: the other end may be gone without a word.
  let timer = setTimeout(() => aborter.abort(), SILENT_MS);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return 0;
      clearTimeout(timer);
      timer = setTimeout(() => aborter.abort(), SILENT_MS);
      alive();
      text += value;
      let end = text.indexOf("\n\n");
      for (; end >= 0; end = text.indexOf("\n\n")) {
        deliver(text.slice(0, end), on);
        text = text.slice(end + 2);
      }
    }
  } finally { clearTimeout(timer); aborter.abort(); }
}

// ``on`` holds a function an event; ``onStatus`` hears "on", "off", or "denied" (no right, or nothing there).
export function stream(path, on, onStatus = () => {}) {
  let ended = false;
  const run = async () => {
    while (!ended) {
      let status = 0;
      try { status = await read(path, on, () => onStatus("on")); } catch { status = 0; }
      if (status === 401 && !key && !on.quiet) { toLogin(); return; }
      onStatus(status >= 400 && status < 500 ? "denied" : "off");
      await new Promise((done) => { setTimeout(done, AGAIN_MS); });
    }
  };
  run();
  return () => { ended = true; };
}

const STATUS_MS = 3000;

// One banner for two troubles: the service does not answer, or it has lost its broker.
export function watchLine(banner, words) {
  let line = "on";
  let broker = true;
  const draw = () => {
    const text = line !== "on" ? words.service : broker ? "" : words.broker;
    if (text && banner.textContent !== text) banner.textContent = text;
    banner.hidden = !text;
  };
  setInterval(async () => {
    const found = await get("/api/status");
    if (found.ok) broker = found.broker?.online !== false;
    draw();
  }, STATUS_MS);
  return (status) => { line = status; draw(); };
}
