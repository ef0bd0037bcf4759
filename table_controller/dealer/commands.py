"""What ``table-controller dealer`` does with a machine: each command returns what it prints, or raises in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from table_controller.dealer import messages as m
from table_controller.dealer import words
from table_controller.dealer.console import MOVING, STEP_MS, Console, Wire, text_of
from table_controller.dealer.link import DealerLink
from table_controller.dealer.plan import RandomBytes, SealedPlan, check_plan, verify
from table_controller.errors import DeviceError, InputError
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import DealDone, DealerOffline, DealFailed, DealPlanned, DealProgress, Event

Say = Callable[[str], None]


def status(console: Console) -> dict[str, Any]:
    """Everything the dealer says of itself, JSON-ready."""
    hello = console.greet()
    now = console.status()
    kept = console.ask(m.Settings, m.SettingsReply)
    return {
        "port": console.wire.name,
        "firmware": text_of(hello.firmware),
        "protocol": hello.protocol,
        "geometry": f"{hello.geometry:04x}",
        "boot": hello.boot,
        "cause": m.Cause(hello.cause & 0x7F).name if hello.cause & 0x7F in set(m.Cause) else hello.cause,
        "settings": {"home_steps": kept.home_steps, "settle_ms": kept.settle_ms, "serial": text_of(kept.serial)},
        "defaults": bool(kept.defaults),
        "state": m.State(now.state).name,
        "job": f"{now.job:08x}" if now.job else "",
        "cards": now.cards,
        "index": now.index,
        "counts": list(now.counts),
        "fault": m.Fault(now.fault).name if now.fault else "",
        "message": words.fault_failure(now).message if now.fault else "",
        "inputs": [bit.name for bit in m.Input if bit & now.inputs],
        "bad_frames": now.bad_frames,
        "overruns": now.overruns,
    }


def status_lines(found: dict[str, Any]) -> Iterator[str]:
    """``status`` for people."""
    yield f"{found['port']}: firmware {found['firmware']}, protocol {found['protocol']}, geometry {found['geometry']}"
    yield f"  state {found['state']}; started {found['boot']} times, last by {found['cause']}"
    if found["job"]:
        yield f"  job {found['job']}: {found['index']} of {found['cards']} cards, at the exits {found['counts']}"
    if found["fault"]:
        yield f"  fault {found['fault']}: {found['message']}"
    yield f"  sensors: {' '.join(found['inputs']) or 'none active'}"
    kept = found["settings"]
    yield f"  settings: home {kept['home_steps']} steps, settle {kept['settle_ms']} ms, number '{kept['serial']}'"
    if found["defaults"]:
        yield "  its settings are lost: it runs with defaults. Set them: dealer settings · 设置已丢失，使用默认值"
    yield f"  line: {found['bad_frames']} damaged frames, {found['overruns']} bytes lost"


def selftest(console: Console) -> str:
    """Sensors, chute, home flag. DeviceError with the fault's words."""
    console.greet()
    console.ask(m.Selftest, m.Ack)
    return _at_rest(console.until_rest(), "The self-test found nothing wrong. · 自检正常。")


def abort(console: Console) -> str:
    """STOP: the card in the path is brought to its exit, then nothing moves."""
    console.greet(any_version=True)
    console.stop()
    now = console.until_rest()
    what = f"{now.index} of {now.cards} cards were dealt" if now.job else "no deal was under way"
    return f"Stopped; {what}. · 已停止。"


def clear(console: Console) -> str:
    """A person has removed the cause of a fault."""
    console.greet()
    before = console.status()
    if before.state != m.State.FAULT:
        return f"There is no fault; the dealer is {m.State(before.state).name}. · 没有故障。"
    try:
        console.ask(m.ClearFault, m.Ack)
    except DeviceError as error:
        if error.code != "REFUSED_COMMAND":
            raise
        raise DeviceError(
            words.fault_failure(console.status(), cause_stays=True).message, code="DEALER_FAULT"
        ) from error
    goes_on = console.status().job != 0
    return (
        "Cleared; the deal can go on. · 故障已清除，可以继续发牌。"
        if goes_on
        else "Cleared; the deal is void: collect every card. · 故障已清除，本副作废，收齐所有的牌。"
    )


def settings(console: Console, home_steps: int | None, settle_ms: int | None, serial: str | None) -> str:
    """Keeps this machine's own figures in its EEPROM; what is not named stays."""
    console.greet()
    kept = console.ask(m.Settings, m.SettingsReply)
    home = kept.home_steps if home_steps is None else home_steps
    settle = kept.settle_ms if settle_ms is None else settle_ms
    number = kept.serial if serial is None else serial.encode("ascii", "replace")[:8].ljust(8, b"\0")
    low, high = m.CHUTE_HOME_STEPS - m.CHUTE_HOME_SPREAD, m.CHUTE_HOME_STEPS + m.CHUTE_HOME_SPREAD
    if not low <= home <= high or not m.CHUTE_SETTLE_MS <= settle <= 2 * m.CHUTE_SETTLE_MS:
        raise InputError(
            f"home_steps {home}, settle_ms {settle} are out of range.",
            way_out=f"home_steps {low} to {high}, settle_ms {m.CHUTE_SETTLE_MS} to {2 * m.CHUTE_SETTLE_MS}.",
        )
    console.ask(lambda session: m.SetSettings(session, home, settle, number), m.Ack)
    return f"Kept: home {home} steps, settle {settle} ms, number '{text_of(number)}'. · 已保存。"


def check_flashable(console: Console) -> str:
    """The firmware that is on the board now; DeviceError when it is no dealer or is not at rest."""
    hello = console.greet(any_version=True)
    if (now := console.status()).state in MOVING:
        raise DeviceError(
            f"The dealer is {m.State(now.state).name}.", way_out="Wait, or: dealer abort", code="DEALER_FAULT"
        )
    return text_of(hello.firmware)


def deal(
    wire: Wire,
    quotas: tuple[int, ...],
    say: Say,
    random_bytes: RandomBytes,
    *,
    pack: str = "A",
    job: int = 1,
    quiet_ms: int = m.QUIET_MS,
) -> list[dict[str, Any]]:
    """Draws a plan, says its hash, deals, reveals the plan. Returns what `dealer audit` checks, or raises in words."""
    log: list[Event] = []
    link = DealerLink(log.append, kind=wire.name, random_bytes=random_bytes, quiet_ms=quiet_ms)
    link.opened(wire.now_ms())
    _pump_until(wire, link, log, lambda: link.state == "online" or bool(log))
    offline = next((event for event in log if isinstance(event, DealerOffline)), None)
    if link.state != "online":
        raise DeviceError(offline.message if offline else f"{wire.name} does not answer.", code="NO_ANSWER")
    link.perform(PlanDeal(job, pack, quotas), wire.now_ms())
    planned = next(event for event in log if isinstance(event, DealPlanned))
    if wrong := check_plan(planned.plan, quotas):
        raise DeviceError(wrong, code="DEALER_FAULT")
    say(f"commitment {planned.commitment}")
    commit = {"job": job, "pack": pack, "commitment": planned.commitment}
    link.perform(RunDeal(job, pack, planned.plan), wire.now_ms())
    _pump_until(wire, link, log, lambda: not link.busy, say)
    end = next(event for event in reversed(log) if isinstance(event, DealDone | DealFailed))
    if isinstance(end, DealFailed):
        raise DeviceError(end.message, code="DEALER_FAULT")
    assert verify(SealedPlan(planned.plan, planned.nonce, planned.commitment))
    say(f"dealt {' '.join(str(count) for count in end.counts)}")
    say(f"plan {planned.plan}")
    say(f"nonce {planned.nonce}")
    reveal = {**commit, "plan": planned.plan, "nonce": planned.nonce, "counts": list(end.counts)}
    return [{"schema": "seal/commit", "data": commit}, {"schema": "seal/reveal", "data": reveal}]


def record_lines(records: list[dict[str, Any]]) -> str:
    """A deal's record as a file that `dealer audit` reads."""
    return "".join(json.dumps(record) + "\n" for record in records)


def _pump_until(
    wire: Wire, link: DealerLink, log: list[Event], done: Callable[[], bool], say: Say = lambda _: None
) -> None:
    told = len(log)
    while not done():
        out = link.take_output()
        if out:
            wire.write(out)
        data = wire.advance(STEP_MS)
        if data:
            link.received(data, wire.now_ms())
        link.tick(wire.now_ms())
        for event in log[told:]:
            if isinstance(event, DealProgress):
                say(f"{event.index} cards, at the exits {' '.join(str(count) for count in event.counts)}")
        told = len(log)


def _at_rest(now: m.StatusReply, good: str) -> str:
    if now.state == m.State.FAULT:
        raise DeviceError(words.fault_failure(now).message, code="DEALER_FAULT")
    return good
