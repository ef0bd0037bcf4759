"""What went wrong with a deal, in words: a fault's message, its place and its way out."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.dealer import messages as m

_PLACES = {
    m.Place.FEEDER: ("the feeder", "送牌轮"),
    m.Place.BEAM: ("the path beam", "通道光束"),
    m.Place.CHUTE: ("the chute", "滑道"),
    m.Place.HOPPER: ("the hopper", "牌盒"),
    m.Place.LID: ("the lid", "机盖"),
    m.Place.DRIVER: ("a motor driver", "电机驱动器"),
}
_SEATS_ZH = {"E": "东", "N": "北", "W": "西", "S": "南", "B": "底"}

_AGAIN = "Collect every card, put the pack back and deal again."
_AGAIN_ZH = "收齐所有的牌，放回牌盒，重新发牌。"


def place_words(place: int) -> str:
    """``exit E``, ``tray N``, ``the feeder`` …; empty when there is none."""
    return _place(place)[0]


def _place(place: int) -> tuple[str, str]:
    for first, en, zh in ((m.Place.EXIT_E, "exit", "出口"), (m.Place.TRAY_E, "tray", "牌托")):
        if first <= place < first + m.EXITS:
            letter = m.EXIT_LETTERS[place - first]
            return f"{en} {letter}", f"{zh}{_SEATS_ZH[letter]}"
    return next((words for number, words in _PLACES.items() if number == place), ("", ""))


def both(zh: str, en: str) -> str:
    """One sentence for everybody at the table: Chinese, then English."""
    return f"{zh} · {en}"


@dataclass(frozen=True)
class Failure:
    """Why a deal stopped; ``void`` means that it must not go on. ``message`` in Chinese and English."""

    code: str
    place: str
    message: str
    void: bool


_UNKNOWN = ("The dealer reports an unknown fault", "Update the controller.", "发牌机报告未知故障", "请更新控制程序。")


def fault_failure(reply: m.StatusReply, *, cause_stays: bool = False) -> Failure:
    """The latched fault of a STATUS in words, with what was dealt until then.

    ``cause_stays``: it would not be cleared, so what keeps it is named (an open lid, a driver) and not what came first.
    """
    fault, at = reply.fault, reply.place
    if cause_stays and reply.inputs & m.Input.UNSAFE:
        fault, at = m.Fault.SAFETY, m.Place.LID
    elif cause_stays and reply.inputs & m.Input.DRIVER_FAULT:
        fault, at = m.Fault.DRIVER, m.Place.DRIVER
    code = m.Fault(fault).name if fault in m.FAULT_WORDS else f"FAULT_{fault}"
    what, way_out, what_zh, way_out_zh = m.FAULT_WORDS.get(fault, _UNKNOWN)
    if reply.is_void and "ollect every card" not in way_out:
        way_out, way_out_zh = _AGAIN, _AGAIN_ZH
    place, place_zh = _place(at)
    where, where_zh = (f" ({place})", f"（{place_zh}）") if place else ("", "")
    if reply.cards:
        where = f" ({place}, after {reply.index} of {reply.cards} cards)"
        where_zh = f"（{place_zh}，已发 {reply.index}/{reply.cards} 张）"
    missing = reply.cards - reply.index if fault == m.Fault.HOPPER_EMPTY else 0
    more, more_zh = (f" {missing} cards are missing.", f"还缺 {missing} 张。") if missing else ("", "")
    words = both(f"{what_zh}{where_zh}。{more_zh}{way_out_zh}", f"{what}{where}.{more} {way_out}")
    return Failure(code, place, words, bool(reply.is_void))


STOPPED = Failure(
    "STOPPED", "", both("发牌已停止，按开始继续。", "The dealer was stopped. Press Start to go on."), False
)
MCU_RESET = Failure(
    "MCU_RESET",
    "",
    both(f"发牌途中发牌机重新启动了。{_AGAIN_ZH}", f"The dealer restarted during the deal. {_AGAIN}"),
    True,
)
LOST_JOB = Failure(
    "LOST_JOB",
    "",
    both(f"发牌机已不记得这副牌。{_AGAIN_ZH}", f"The dealer no longer knows this deal. {_AGAIN}"),
    True,
)
COUNT_DIFFERS = Failure(
    "COUNT",
    "",
    both(
        "张数与方案不符。收齐所有的牌，点清张数，放回牌盒，重新发牌。",
        "The counts differ from the plan. Collect every card, count the pack, put it back and deal again.",
    ),
    True,
)
OFFLINE = Failure(
    "OFFLINE",
    "",
    both("发牌机没有连接。接好后按开始。", "The dealer is not connected. Plug it in, then press Start."),
    False,
)
BUSY = Failure("BUSY", "", both("另一副牌还在发，请先停止。", "Another deal is still running. Stop it first."), False)
NOISE = Failure(
    "NOISE",
    "",
    both(
        "与发牌机的通信干扰太大，发牌已停止。检查或更换 USB 线，让它远离电机线，然后按开始。",
        "Too much of what the dealer sends and hears is damaged; the deal has stopped. "
        "Check or change the USB cable, keep it away from motor wires, then press Start.",
    ),
    False,
)
PLAN = Failure(
    "PLAN",
    "",
    both(
        "发牌方案不对，机器没有动。重新按开始；若再出现，请报告。",
        "The plan is not one that can be dealt; nothing has moved. Press Start again; if it comes again, report it.",
    ),
    True,
)


def refused_failure(command: m.Command, result: int) -> Failure:
    """The dealer would not carry out a command of a job."""
    name = m.Result(result).name if result in set(m.Result) else str(result)
    asked = f"{type(command).__name__} ({name})"
    words = both(
        f"发牌机拒绝了 {asked}。关掉再打开，收齐所有的牌，重新发牌。",
        f"The dealer refused {asked}. Switch it off and on, collect the cards, deal again.",
    )
    return Failure("REFUSED", "", words, True)
