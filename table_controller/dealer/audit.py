"""Checks what a table published about its deals: was the plan that was dealt the one committed to beforehand?

Two kinds of record can be checked by anyone who has the file: a table's journal, and the feed's messages as a
subscriber wrote them down, one JSON message a line (``seal/commit`` and ``seal/reveal``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.dealer.plan import SealedPlan, counts_of, verify
from table_controller.errors import InputError
from table_controller.journal.reader import parse_journal

MAX_FILE_BYTES = 512 * 1024 * 1024
PROVES = (
    "A deal marked ok was dealt by the plan whose hash was published before its first card; nobody changed it later.",
    "标为 ok 的一副牌，是按发牌前已公布其哈希的方案发出的，其后无人改动方案。",
)
PROVES_NOT = (
    "It does not show that the plan was drawn at random, nor which cards anybody held: the machine knows no faces. The "
    "counts are the machine's own. Whether the hash was public before the deal, only someone who saw it then can say.",
    "它不能证明方案是随机产生的，也不说明谁拿了什么牌：机器不识牌面。张数是机器自己数的。哈希是否真在发牌前公布，只有当时看到的人能作证。",
)


@dataclass(frozen=True)
class DealAudit:
    """One job. ``outcome``: dealt, void, stopped or open; ``faults`` say in words what does not hold."""

    job: int
    commitment: str
    cards: int
    counts: tuple[int, ...]
    outcome: str
    faults: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the commitment and the plan agree in all that can be checked."""
        return not self.faults


@dataclass(frozen=True)
class Audit:
    """All jobs of a file, in order; ``damage`` says where a journal stops being readable, else empty."""

    kind: str
    deals: tuple[DealAudit, ...]
    damage: str = ""


@dataclass
class _Job:
    commitment: str
    plan: str = ""
    nonce: str = ""
    counts: tuple[int, ...] = ()
    outcome: str = "open"
    late: bool = False
    revealed: bool = False


def _judge(number: int, job: _Job) -> DealAudit:
    faults = []
    if job.late:
        faults.append("the commitment stands after the cards were dealt")
    if job.revealed and not verify(SealedPlan(job.plan, job.nonce, job.commitment)):
        faults.append("plan and nonce do not give the hash that was committed to")
    planned = counts_of(job.plan)
    counted = job.counts + (0,) * (len(planned) - len(job.counts))
    if job.outcome == "dealt" and job.revealed and counted != planned:
        faults.append(f"the machine counted {counted}, the plan sends {planned}")
    if job.outcome == "dealt" and not job.revealed:
        faults.append("the plan was never revealed")
    return DealAudit(number, job.commitment, len(job.plan), job.counts, job.outcome, tuple(faults))


def _numbers(value: Any) -> tuple[int, ...]:
    return tuple(int(count) for count in value) if isinstance(value, list | tuple) else ()


def _from_journal(records: Iterable[dict[str, Any]]) -> dict[int, _Job]:
    """The jobs of a journal; a plan is in it from the start, because nobody but the table reads a journal of now."""
    jobs: dict[int, _Job] = {}
    for record in records:
        if record.get("kind") != "event" or "refused" in record:
            continue
        event = record["event"]
        kind, number = event.get("type"), event.get("job")
        if kind == "DealPlanned":
            job = jobs.setdefault(number, _Job(event["commitment"]))
            job.plan, job.nonce, job.revealed = event["plan"], event["nonce"], True
        elif kind == "DealDone":
            job = jobs.setdefault(number, _Job("", late=True))
            job.counts, job.outcome = _numbers(event["counts"]), "dealt"
        elif kind == "DealFailed" and number in jobs:
            jobs[number].counts = _numbers(event.get("counts", ()))
            jobs[number].outcome = "void" if event["void"] else "stopped"
    return jobs


def _from_feed(messages: Iterable[dict[str, Any]]) -> dict[int, _Job]:
    jobs: dict[int, _Job] = {}
    for message in messages:
        data = message.get("data")
        if not isinstance(data, dict) or not isinstance(data.get("job"), int):
            continue
        if message.get("schema") == "seal/commit":
            known = jobs.get(data["job"])
            if known is None:
                jobs[data["job"]] = _Job(str(data.get("commitment", "")))
            elif known.revealed:
                known.late = True
        elif message.get("schema") == "seal/reveal":
            job = jobs.setdefault(data["job"], _Job(str(data.get("commitment", "")), late=True))
            job.plan, job.nonce = str(data.get("plan", "")), str(data.get("nonce", ""))
            job.revealed, job.outcome = True, "dealt"
            job.counts = _numbers(data.get("counts")) or counts_of(job.plan)
    return jobs


def audit(path: Path) -> Audit:
    """The audit of a journal or of recorded feed messages; raises InputError for a file that is neither."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path}: the file is larger than 512 MB.", way_out="Audit a part of it.")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror}.", way_out="Check the name and the rights."
        ) from error
    journal = parse_journal(content)
    if journal.records:
        jobs = _from_journal(journal.records)
        return Audit("journal", tuple(_judge(n, job) for n, job in sorted(jobs.items())), journal.damage)
    messages = _messages(content)
    if not messages:
        raise InputError(
            f"{path}: neither a journal nor recorded messages of the feed.",
            way_out="Name a journal (*.jsonl of the state folder), or a file with one message a line.",
        )
    return Audit("feed", tuple(_judge(n, job) for n, job in sorted(_from_feed(messages).items())))


def _messages(content: bytes) -> list[dict[str, Any]]:
    """The JSON objects of a file of lines; a topic before the object (as ``mosquitto_sub -v`` writes) is skipped."""
    found = []
    for line in content.splitlines():
        start = line.find(b"{")
        try:
            message = json.loads(line[start:]) if start >= 0 else None
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict) and "schema" in message:
            found.append(message)
    return found
