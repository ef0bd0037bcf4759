"""Forms to print and sign, in Chinese and English: score slip 记分表, penalty notice 罚分通知单, appeal 申述表."""

from __future__ import annotations

from html import escape
from typing import Any

Whole = dict[str, Any]
STYLE = """
@page { size: A4; margin: 16mm } body { font: 12pt/1.5 serif; color: #000; max-width: 180mm; margin: auto }
h1 { font-size: 18pt; text-align: center; margin: 0 0 4mm } small { color: #444 }
table { border-collapse: collapse; width: 100%; margin: 3mm 0 }
th, td { border: 1px solid #000; padding: 1.2mm 2mm; text-align: center }
th { font-weight: normal; background: #f2f2f2 } dt { font-weight: bold } dd { margin: 0 0 2mm 6mm }
.sign td { height: 16mm; vertical-align: top; text-align: left; width: 25% }
.copy + .copy { break-before: page }
.free { border: 1px solid #000; min-height: 40mm; padding: 2mm }
"""
SEATS_ZH = {"E": "东", "N": "北", "W": "西", "S": "南"}
PAIRS_ZH = {"EW": "东西", "NS": "南北"}
PENALTIES = {
    "warning": ("口头警告", "warning"),
    "violation": ("违例", "violation"),
    "violation+stop": ("违例并停止一圈出牌权", "violation, and one trick's stop"),
    "foul": ("犯规，本副判负", "foul, the deal is lost"),
    "game_lost": ("本局判负", "the game is lost"),
    "out": ("取消资格", "exclusion"),
    "void_hand": ("手牌作废", "the hand is void"),
    "class_1": ("第一类判罚", "class 1"),
    "class_2": ("第二类判罚", "class 2"),
    "class_3": ("第三类判罚", "class 3"),
    "class_4": ("第四类判罚", "class 4"),
}


def _page(zh: str, en: str, body: str) -> str:
    head = f'<!doctype html><html lang="zh-CN"><meta charset="utf-8"><title>{zh} · {en}</title><style>{STYLE}</style>'
    return f"{head}<h1>{zh}<br><small>{en}</small></h1>{body}</html>\n"


def _cell(value: object) -> str:
    return escape(str(value if value not in (None, "") else " "))


def _rows(rows: list[list[object]], head: list[str]) -> str:
    top = "".join(f"<th>{name}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


def _facts(pairs: list[tuple[str, object]]) -> str:
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{_cell(value)}</dd>" for name, value in pairs) + "</dl>"


def _seat(seat: object) -> str:
    return f"{SEATS_ZH.get(str(seat), '')} {seat}" if seat else ""


LOST_ZH = "记录损坏或缺失，损坏之后的内容不在其中"
"""What is said of a record whose journal is not whole."""


def _heading(whole: Whole) -> str:
    match, names = whole["match"], whole["match"]["names"]
    players = "，".join(f"{SEATS_ZH[s]} {n}" for s, n in zip("ENWS", names, strict=False)) if names else ""
    return _facts(
        [
            ("场地、桌号 / venue, table", f"{whole['venue']}  {whole['table']}"),
            ("轮次、赛制 / round, system", f"{match['round']}  {match['system']}"),
            ("规则 / rules", whole["profile"]),
            ("选手 / players", players),
            ("开始、打印 / begun, written", f"{whole['begun']}  {whole['written']}"),
            *([("不完整 / NOT WHOLE", f"{LOST_ZH} / {lost}")] if (lost := whole["evidence"].get("lost")) else []),
        ]
    )


def slip(whole: Whole) -> str:
    """The score slip: a line a deal, the games' points, thinking time, and places to sign (003 L139-L140)."""
    deals = [
        [
            line["game"],
            line["deal"],
            line["level"],
            " ".join(SEATS_ZH.get(seat, "") for seat in line["order"] if seat) or "—",
            PAIRS_ZH[line["winner"]],
            "作废 annulled" if line.get("annulled") else f"+{line['rise']}",
            dict(line["levels"])["EW"],
            dict(line["levels"])["NS"],
            "犯规 foul" if line.get("foul") else "双下" if line["double_down"] else "过A" if line["passes_a"] else "",
            f"{line.get('entered_by', '')} {line.get('checked_by', '')}",
        ]
        for line in whole["results"]
    ]
    head = ["局", "副", "本副打", "名次", "胜方", "升级", "东西级", "南北级", "备注", "录入 核对"]
    games = [
        [
            game["game"],
            PAIRS_ZH.get(str(game["winner"]), "—" if game["by"] == "annulled" else "平 draw"),
            game["difference"],
            *[f"{dict(game['points'])[pair]:g} / {dict(game['level_points'])[pair]:g}" for pair in PAIRS_ZH],
            " ".join(ENDED_BY.get(str(game["by"]), ("", str(game["by"])))),
        ]
        for game in whole["match"]["played"]
    ]
    thinking = whole["match"]["pair_thinking_ms"]
    used = "，".join(f"{PAIRS_ZH[pair]} {int(thinking[pair]) // 60000} min" for pair in PAIRS_ZH)
    signs = "".join(f"<td>{SEATS_ZH[seat]} {seat}</td>" for seat in "ENWS")
    sheet = (
        _heading(whole)
        + _rows(deals, head)
        + _rows(games, ["局 game", "胜方 winner", "级差", "东西 场分/级分", "南北 场分/级分", "因 by"])
        + _facts([("用时 / time thought", used), ("记录链 / chain", whole["evidence"]["chain"])])
        + f'<table class="sign"><tr>{signs}</tr><tr><td colspan="4">裁判 referee</td></tr></table>'
    )
    return _page("记分表", "Score slip", _copies(whole, sheet))


ENDED_BY = {
    "play": ("打完", "played"),
    "time": ("时间到", "time"),
    "game_lost": ("判负", "lost by penalty"),
    "out": ("取消资格", "exclusion"),
    "forfeit": ("弃权", "forfeit"),
    "withdrawal": ("退赛", "withdrawal"),
    "annulled": ("作废", "annulled"),
}
"""How a game ended."""
COPY_FOR = (
    ("交记录台", "for the record desk"),
    ("记录者留存", "kept by the writer"),
    ("离桌前交裁判", "for the referee before the players leave"),
)
"""Who gets which copy (003 L139)."""


def _copies(whole: Whole, sheet: str) -> str:
    """The sheet so often as the rules want copies, each saying who writes it and whose it is; one a page."""
    writer, copies = _seat(whole["slip"]["writer"]), max(1, whole["slip"]["copies"])
    made = []
    for number in range(1, copies + 1):
        zh, en = COPY_FOR[number - 1] if number <= len(COPY_FOR) else ("", "")
        which = f"第{number}联，共{copies}联 {zh} / copy {number} of {copies} {en}".strip(" /")
        told = _facts([("记录者 / written by", writer), ("联次 / copy", which)])
        made.append(f'<section class="copy">{told}{sheet}</section>')
    return "".join(made)


def _penalty(whole: Whole, incident: dict[str, Any]) -> tuple[str, str]:
    """What was given, with the points that class 1 costs (003 L154)."""
    if incident["status"] == "overturned":
        return "已撤销", "overturned"
    if incident["status"] != "resolved":
        return "待定", "open"
    zh, en = PENALTIES.get(incident["penalty"], ("不处罚", "none"))
    if incident["penalty"] == "class_1":
        points = f"{whole['class_1_points']:g}"
        return f"{zh}，扣{points}场分", f"{en}, {points} points off"
    return zh, en


def _incident_facts(whole: Whole, incident: dict[str, Any]) -> str:
    zh, en = _penalty(whole, incident)
    history = "；".join(f"{status} {by} {reason}" for status, _, by, reason in incident["history"])
    return _facts(
        [
            ("编号、时间 / number, time", f"#{incident['number']}  {incident['wall']}"),
            ("副、手 / deal, play", f"{incident['deal']}  {incident['play'] or ''}"),
            ("座位 / seat", _seat(incident["seat"])),
            ("事实 / what happened", f"{incident['zh']} / {incident['en']}  {incident['detail']}"),
            ("规则依据 / rule", incident["rule"]),
            ("规则建议 / the rules propose", "{} / {}".format(*PENALTIES.get(incident["proposal"], ("", "")))),
            ("判罚 / penalty", f"{zh} / {en}"),
            ("处罚权丧失 / right lapsed", incident["lapsed"]),
            ("理由、裁判 / reason, referee", f"{incident['reason']}  {incident['by']}"),
            ("经过 / history", history),
        ]
    )


def notice(whole: Whole, incident: dict[str, Any]) -> str:
    """The penalty notice, with what the record holds of the incident."""
    signs = "<td>裁判 referee</td><td>裁判长 head referee</td><td>队（对）一 pair</td><td>时间 time</td>"
    body = _heading(whole) + _incident_facts(whole, incident) + f'<table class="sign"><tr>{signs}</tr></table>'
    return _page("罚分通知单", "Penalty notice", body)


def _until(whole: Whole) -> str:
    minutes = whole["appeal_minutes"]
    zh = f"本轮规定结束时间后{minutes}分钟内，同伴亦须同意（003 第55条）"
    return f"{zh} / within {minutes} minutes of the round's appointed end, both of a pair agreeing (003 art. 55)"


def appeal(whole: Whole, incident: dict[str, Any]) -> str:
    """The appeal form, filled as far as the record goes (003 L179-L181: within 30 minutes, both of a pair agree)."""
    plays: list[dict[str, Any]] = next(
        (deal["plays"] for deal in whole["deals"] if deal["deal"] == incident["deal"]), []
    )
    near = [play for play in plays if incident["play"] is None or abs(play["number"] - incident["play"]) <= 4][-9:]
    rows: list[list[object]] = [
        [p["number"], _seat(p["seat"]), " ".join(p["cards"]) or "过 pass", p["reading"], " ".join(p["original"])]
        for p in near
    ]
    signs = "<td>申述人 appellant</td><td>同伴 partner</td><td>领队 captain</td><td>收到时间 received at</td>"
    body = (
        _heading(whole)
        + _incident_facts(whole, incident)
        + "<p>相关出牌 / plays around it</p>"
        + _rows(rows, ["手", "座位 seat", "牌 cards", "牌型 reading", "原识别 first read"])
        + '<p>申述理由 / grounds</p><div class="free"></div>'
        + _facts([("申述时限 / until", _until(whole))])
        + f'<table class="sign"><tr>{signs}</tr></table>'
    )
    return _page("申述表", "Appeal", body)
