"""How each adapter is: fresh, stale, failed or off, with a plain cause and a way out in both languages.

Stale: it may come back by itself and nobody need act yet. Failed: what it does must be done another way, and the words
say which. Off: the settings do without it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

STALE_MS = 1_500
"""A worker or an event that has been silent or waiting for so long is no longer fresh."""
CAMERA_SILENT_MS, DEALER_OVERDUE_MS, FEED_SILENT_MS = 10_000, 4_000, 60_000
"""Silent for so long though nobody has said that it failed, an adapter is stuck (see ``stuck``). A worker is replaced
after 2 s, the feed's thread wakes every 15 s, and the dealer's link is never seconds late with its own timers."""
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
    dealer_overdue_ms: int = 0
    """How late the link is with what it should have done by itself."""
    feed_silent_ms: int = 0
    """How long ago the feed's thread last did something."""
    outbox_problem: str = ""
    broker_refused: bool = False
    """The broker answers and does not let the table in."""


def health_of(signs: Signs) -> list[Health]:
    """All five, in the order of ``ADAPTERS``."""
    return [_camera(signs), _dealer(signs), _broker(signs), _pins(signs), _journal(signs)]


_RESTARTED = "卡住了：控制器即将自动重启", "it is stuck: the controller is restarted by itself"


def stuck(signs: Signs) -> tuple[str, ...]:
    """The adapters that are silent though they say nothing of having failed: only a restart helps.

    One that reports its failure is played round (docs/decisions/0023); pins have no heart that could be heard, and the
    journal is seen by the events that wait for it.
    """
    camera = not signs.camera_lost and not signs.recorded and (signs.camera_heard_ms or 0) >= CAMERA_SILENT_MS
    dealer = signs.dealer_link not in (None, "closed", "refused") and signs.dealer_overdue_ms >= DEALER_OVERDUE_MS
    broker = signs.broker_online is not None and signs.feed_silent_ms >= FEED_SILENT_MS
    found = {"camera": camera, "dealer": dealer, "broker": broker}
    return tuple(name for name, is_stuck in found.items() if is_stuck)


def _camera(signs: Signs) -> Health:
    way = "请用 /control 页面或按键录入出牌和不出", "enter plays and passes on the page /control, or by buttons"
    if signs.camera_lost and not signs.recorded:
        return Health("camera", "failed", f"没有画面：{way[0]}", f"no picture: {way[1]}", signs.camera_lost)
    if signs.camera_heard_ms is None or signs.camera_heard_ms < 0:
        return Health("camera", "failed", f"识别程序没有启动：{way[0]}", f"the recogniser does not run: {way[1]}")
    if "camera" in stuck(signs):
        return Health("camera", "stale", *_RESTARTED)
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
    if "dealer" in stuck(signs):
        return Health("dealer", "stale", *_RESTARTED)
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
    if "broker" in stuck(signs):
        return Health("broker", "stale", *_RESTARTED)
    if signs.outbox_problem:
        words = (
            f"本机存不下消息（outbox.sqlite），{signs.waiting} 条暂存在内存：牌局照常；腾出磁盘空间",
            f"its messages cannot be kept on the disk (outbox.sqlite), {signs.waiting} wait: the game goes on; "
            "free some disk",
        )
        return Health("broker", "stale", *words, signs.outbox_problem)
    if signs.broker_online:
        return Health("broker", "fresh", "正常", "events arrive")
    if signs.broker_refused:
        words = (
            f"不让本桌登录：牌局照常，{signs.waiting} 条消息存在本机，登录后补发；"
            "检查 feed.username 和 feed.password_file",
            f"it does not let the table in: the game goes on, {signs.waiting} messages wait here and are sent later; "
            "check feed.username and feed.password_file",
        )
        return Health("broker", "failed", *words, signs.broker_problem)
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


def critical(signs: Signs, stall_ms: int) -> tuple[str, ...]:
    """What only a restart cures, by name: a loop that does not take events (``journal``), an adapter that is stuck.

    A failed adapter is played round, not restarted. A full disk is said in words: a restart makes no room.
    """
    stalled = signs.journal_waiting_ms >= stall_ms and not signs.journal_fault
    return (("journal",) if stalled else ()) + stuck(signs)


def troubles(found: list[Health]) -> list[dict[str, Any]]:
    """What a person should read: everything that is neither fresh nor off."""
    return [one.document() for one in found if one.state in ("stale", "failed")]
