import { post } from "./api.js";
import { $ } from "./dom.js";
import { problemText } from "./problems.js";
import "./venue_words.js";
import { lang, setLanguage, t } from "./words.js";

const HOME = { director: "/director", scoreboard: "/scoreboard", viewer: "/scoreboard" };
const asked = new URLSearchParams(location.search);

// Only a path of this very service: a link may not lead a person who just logged in elsewhere.
function next(role) {
  const wanted = asked.get("next") ?? "";
  const url = new URL(wanted || (HOME[role] ?? "/referee"), location.origin);
  if (url.origin !== location.origin) return "/referee";
  if (lang === "en") url.searchParams.set("lang", "en");
  return url.pathname + url.search;
}

setLanguage();
document.title = t("login");
const inside = new URLSearchParams((asked.get("next") ?? "").split("?")[1] ?? "");
if (inside.get("lang") === "en" && !asked.has("lang")) {
  asked.set("lang", "en");
  location.replace(`?${asked}`);
}
const other = new URLSearchParams(asked);
other.set("lang", lang === "en" ? "zh" : "en");
$("language").href = `?${other}`;
$("login").onsubmit = async (event) => {
  event.preventDefault();
  const form = new FormData($("login"));
  const answer = await post("/api/login", { name: form.get("name"), password: form.get("password") });
  if (answer.ok) { location.replace(next(answer.role)); return; }
  $("answer").className = "problem";
  $("answer").textContent = answer.status === 429 ? t("login_many") : answer.status === 401 ? t("login_wrong") : problemText(answer);
};
