"""What ``recover`` says, in both languages: a line each, English first as at every terminal."""

from __future__ import annotations

from collections.abc import Iterator

from table_controller.app.terminal import say
from table_controller.journal.recover import Diagnosis, Repaired

PHASES_ZH = {
    "standby": "等待开始",
    "dealing": "正在发牌",
    "sorting": "理牌",
    "tribute": "贡牌",
    "returning": "还牌",
    "playing": "打牌",
    "trick_over": "本圈结束",
    "deal_over": "本副结束",
    "game_over": "一局结束",
    "paused": "暂停",
    "fault": "故障",
}


def both(en: str, zh: str) -> None:
    """One line in both languages."""
    say(f"{en} / {zh}")


def findings(found: Diagnosis) -> None:
    """What was found, sentence by sentence."""
    for en, zh in zip(found.words(), _findings_zh(found), strict=True):
        both(en, zh)


def _findings_zh(found: Diagnosis) -> Iterator[str]:
    """In the order of ``Diagnosis.words``."""
    known = f"完好的记录{found.records}条，最后一条编号{found.records - 1}。"
    yield known if found.records else "没有一条完好的记录。"
    if found.header.get("table"):
        yield f"这是牌桌“{found.header['table']}”的记录。"
    if found.torn:
        yield f"最后一条没有写完，断电即如此：它从未确认。{'没有丢失任何事。' if found.healthy else ''}"
    elif found.damage:
        yield f"损坏：有{found.lost_bytes}字节读不出（见英文）。"
        yield f"损坏之后还有{found.later.total()}条完好的记录。" if found.later else "损坏之后没有完好的记录。"
    elif found.healthy:
        yield "记录完好。" if found.records else "记录是空的：牌桌从头开始。"
    if found.missing:
        yield f"旁边的快照写于其后{found.missing}条：这些记录没有了。"


def stands(en: str, zh: str, phase: str, deal: int, levels: object) -> None:
    """Where the records lead to."""
    told = f"{PHASES_ZH.get(phase, phase)}，第{deal}副，级数 {levels}。"
    both(f"{en}: phase {phase}, deal {deal}, levels {levels}.", f"{zh}：{told}")


def plays_on(number: int, command: str) -> None:
    """The table starts from its snapshot behind the damage."""
    both(
        f"The table starts all the same, from its snapshot of record {number} behind the damage: nothing "
        "of its state is lost, only the record cannot be replayed. It is not mended, as that would go back.",
        f"牌桌照常能启动：从损坏之后的快照（第{number}条）继续，状态没有丢失，只是记录不能重放。不修复，因为修复会退回到损坏之前。",
    )
    both(
        f"To go back before the damage all the same: {command}, then --repair.",
        "仍要退回到损坏之前：先运行左边的命令，再加 --repair。",
    )


def nothing_changed(found: Diagnosis) -> None:
    """It was only looked at."""
    onward = "goes on from its good records" if found.records else "begins anew"
    onward_zh = "从完好的记录继续" if found.records else "从头开始"
    both(
        f"Nothing was changed. `--repair` keeps the damaged file beside it and {onward}.",
        f"什么都没有改动。加 --repair 则保留损坏的文件，牌桌{onward_zh}。",
    )


def repaired(done: Repaired, name: str) -> None:
    """What the repair left."""
    kept = f"The damaged file is kept as {done.kept.name}; " if done.kept is not None else ""
    kept_zh = f"损坏的文件保存为 {done.kept.name}；" if done.kept is not None else ""
    both(f"{kept}{name} ends with a record of this repair.", f"{kept_zh}{name} 的末尾记下了这次修复。")
    if done.applied:
        both(
            "What was damaged changed nothing: every record after it was applied and leads to the state that it names.",
            "损坏的那一条没有改变任何事：其后的记录全部照做，得到的状态与其所记相同。",
        )
    if done.later is not None:
        both(
            f"The records after the damage are in {done.later.name}: enter by hand what of them still matters.",
            f"损坏之后的记录在 {done.later.name}：其中仍需要的，请人工补录。",
        )


def start_again() -> None:
    """How a table that systemd runs is started again."""
    command = "systemctl reset-failed table-controller; systemctl start table-controller"
    both(f"A table that systemd runs: {command}.", "由 systemd 运行的牌桌：运行左边两条命令。")
