"""How each adapter is: fresh, stale, failed or off, with a plain cause and a way out in both languages.

Stale: it may come back by itself and nobody need act yet. Failed: what it does must be done another way, and the words
say which. Off: the settings do without it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

STALE_MS = 1_500
"""A worker or an event that has been silent or waiting for so long is no longer fresh."""
LOW_DISK_MB = 200
ADAPTERS = ("camera", "dealer", "broker", "pins", "journal")
NAMES_ZH = {"camera": "摄像头", "dealer": "发牌机", "broker": "消息服务器", "pins": "按键与灯", "journal": "记录"}
MARKS = {"fresh": "ok", "off": "..", "stale": "~~", "failed": "--"}


@dataclass(frozen=True)
class Health:
    """One adapter. ``zh`` and ``en`` say what is the matter and what to do; ``cause`` is the driver's own word."""

    name: str
    state: str
    zh: str
    en: str
    cause: str = ""

    def document(self) -> dict[str, str]:
        """As it is published."""
        return asdict(self)

    def line(self) -> str:
        """One line for a terminal."""
        cause = f" [{self.cause}]" if self.cause else ""
        return f"{MARKS[self.state]}  {self.name:15} {self.state}: {self.en} / {NAMES_ZH[self.name]}：{self.zh}{cause}"


@dataclass(frozen=True)
class Signs:
    """What is known of the adapters at a moment; None: the settings do without it."""

    camera_heard_ms: int | None
    """How long ago the vision worker was last heard; -1: it has not started."""
    camera_lost: str
    recorded: bool
    dealer_link: str | None
    dealer_fault: str
    dealer_message: str
    broker_online: bool | None
    broker_problem: str
    waiting: int
    """Messages that the broker does not have yet."""
    pins: bool | None
    pins_problem: str
    journal_fault: str
    journal_waiting_ms: int
    free_mb: int


def health_of(signs: Signs) -> list[Health]:
    """All five, in the order of ``ADAPTERS``."""
    return [_camera(signs), _dealer(signs), _broker(signs), _pins(signs), _journal(signs)]


def _camera(signs: Signs) -> Health:
    way = "请用 /control 页面或按键录入出牌和不出", "enter plays and passes on the page /control, or by buttons"
    if signs.camera_lost and not signs.recorded:
        return Health("camera", "failed", f"没有画面：{way[0]}", f"no picture: {way[1]}", signs.camera_lost)
    if signs.camera_heard_ms is None or signs.camera_heard_ms < 0:
        return Health("camera", "failed", f"识别程序没有启动：{way[0]}", f"the recogniser does not run: {way[1]}")
    if signs.camera_heard_ms > STALE_MS:
        return Health(
            "camera", "stale", "识别程序没有回答，即将重启", "the recogniser is silent: it is started again soon"
        )
    return Health("camera", "fresh", "正常", "pictures are read")


def _dealer(signs: Signs) -> Health:
    hand = "请人工发牌，在 /control 选“已人工发牌”", 'deal by hand and press "dealt by hand" on /control'
    if signs.dealer_link is None:
        return Health("dealer", "off", "未配置：人工发牌", "none is configured: people deal")
    if signs.dealer_fault:
        words = "发牌机报告故障：按提示处理后按“清除”", "it reports a fault: do what its message says, then press Clear"
        return Health("dealer", "failed", *words, signs.dealer_message or signs.dealer_fault)
    if signs.dealer_link == "online":
        return Health("dealer", "fresh", "正常", "it answers")
    if signs.dealer_link == "closed":
        words = f"未连接：插好 USB 线；或{hand[0]}", f"not plugged in: plug it in, or {hand[1]}"
        return Health("dealer", "failed", *words, signs.dealer_message)
    if signs.dealer_link == "refused":
        words = f"固件不符：刷写固件；或{hand[0]}", f"wrong firmware: flash it, or {hand[1]}"
        return Health("dealer", "failed", *words, signs.dealer_message)
    return Health("dealer", "stale", f"正在连接；如不恢复，{hand[0]}", f"being asked; if it stays so, {hand[1]}")


def _broker(signs: Signs) -> Health:
    if signs.broker_online is None:
        return Health("broker", "off", "未配置消息服务器", "no feed is configured")
    if signs.broker_online:
        return Health("broker", "fresh", "正常", "events arrive")
    words = (
        f"连不上：牌局照常，{signs.waiting} 条消息存在本机，连上后补发；检查网络和 [feed] 设置",
        f"it does not answer: the game goes on, {signs.waiting} messages wait here and are sent later; "
        "check the network and [feed]",
    )
    return Health("broker", "failed" if signs.broker_problem else "stale", *words, signs.broker_problem)


def _pins(signs: Signs) -> Health:
    if signs.pins is None:
        return Health("pins", "off", "未启用：用页面按键", "not enabled: the page has every button")
    if signs.pins:
        return Health("pins", "fresh", "正常", "lamps and buttons work")
    words = (
        "按键和灯不可用：用 /control 页面；检查排线",
        "no lamps and buttons: use the page /control; check the ribbon",
    )
    return Health("pins", "failed", *words, signs.pins_problem)


def _journal(signs: Signs) -> Health:
    if signs.journal_fault:
        words = "写不进去：腾出磁盘空间，牌局会自动继续", "it cannot be written: free some disk, the table then goes on"
        return Health("journal", "failed", *words, signs.journal_fault)
    if signs.journal_waiting_ms > STALE_MS:
        return Health("journal", "stale", "磁盘很慢，操作会延迟", "the disk is slow: what is done shows late")
    if signs.free_mb < LOW_DISK_MB:
        words = f"磁盘只剩 {signs.free_mb} MB，请清理", f"only {signs.free_mb} MB of disk are left: free some"
        return Health("journal", "stale", *words)
    return Health("journal", "fresh", "正常", "every event is on the disk")


def critical(found: list[Health], waiting_ms: int, stall_ms: int) -> bool:
    """Whether only a restart helps: the loop does not take events. A failed adapter is played round, not restarted.

    A full disk is said in words: a restart makes no room.
    """
    full = any(one.name == "journal" and one.state == "failed" for one in found)
    return waiting_ms >= stall_ms and not full


def troubles(found: list[Health]) -> list[dict[str, Any]]:
    """What a person should read: everything that is neither fresh nor off."""
    return [one.document() for one in found if one.state in ("stale", "failed")]
