"""The audit of published commitments: what holds is said to hold, each way of cheating is named."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from table_controller.cli import main
from table_controller.dealer.audit import audit
from table_controller.dealer.plan import SealedPlan, counts_of, draw, seal
from table_controller.errors import InputError
from table_controller.feed.envelope import Enveloper
from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import VirtualClock
from table_controller.runtime.loop import TableRuntime
from table_controller.sim.event_table import EventTable
from table_controller.table.core import TableCore
from table_controller.table.events import DealDone, DealFailed, DealPlanned, Event

QUOTAS = (27, 27, 27, 27)


def _sealed(seed: int = 1) -> SealedPlan:
    source = random.Random(seed).randbytes
    return seal(draw(QUOTAS, source), source)


def _journal(tmp_path: Path, events: list[Event]) -> Path:
    path = tmp_path / "table.jsonl"
    runtime = TableRuntime(TableCore(), JournalWriter(path), VirtualClock(0))
    for event in events:
        runtime.post(event)
    return path


def _events(sealed: SealedPlan, ending: Event) -> list[Event]:
    """A table's first steps up to the end of its first deal."""
    table = EventTable(3)
    table.open()
    table.play_deal()
    events: list[Event] = []
    for event in table.events:
        if isinstance(event, DealDone):
            return [*events, ending]
        if isinstance(event, DealPlanned):
            events.append(replace(event, plan=sealed.plan, nonce=sealed.nonce, commitment=sealed.commitment))
        else:
            events.append(event)
    raise AssertionError("no deal was done")


def _done(counts: tuple[int, ...] = (*QUOTAS, 0)) -> DealDone:
    return DealDone(60_000, 1, counts)


def test_a_deal_by_its_plan_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _journal(tmp_path, _events(_sealed(), _done()))
    found = audit(path)
    assert (found.kind, found.damage) == ("journal", "")
    assert [(deal.job, deal.outcome, deal.cards, deal.holds) for deal in found.deals] == [(1, "dealt", 108, True)]
    assert main(["dealer", "audit", str(path)]) == 0
    said = capsys.readouterr().out
    assert "job 1: dealt, 108 cards, counted 27 27 27 27 0: ok" in said
    assert "does not show that the plan was drawn at random" in said
    assert "不能证明" in said


def test_a_plan_changed_after_the_commitment_is_found(tmp_path: Path) -> None:
    sealed = _sealed()
    at = sealed.plan.index("N")
    other = sealed.plan[:at] + "E" + sealed.plan[at + 1 :].replace("E", "N", 1)
    assert counts_of(other)[:4] == QUOTAS
    path = _journal(tmp_path, _events(replace(sealed, plan=other), _done()))
    (deal,) = audit(path).deals
    assert deal.faults == ("plan and nonce do not give the hash that was committed to",)
    assert main(["dealer", "audit", "--json", str(path)]) == 65


def test_a_void_deal_is_said_to_be_void(tmp_path: Path) -> None:
    failed = DealFailed(50_000, 1, "DOUBLE_FEED", "beam", "Two cards were fed at once.", True, (5, 5, 5, 5, 0))
    (deal,) = audit(_journal(tmp_path, _events(_sealed(), failed))).deals
    assert (deal.outcome, deal.counts, deal.holds) == ("void", (5, 5, 5, 5, 0), True)


def _feed(tmp_path: Path, parts: list[tuple[str, dict[str, object]]]) -> Path:
    envelope, path = Enveloper("hall", "t1", "b1"), tmp_path / "feed.txt"
    lines = [envelope.state(f"seal/{stage}", data, deal=1, mono_ms=0, wall="") for stage, data in parts]
    path.write_bytes(b"\n".join(b"guandan/v1/hall/seal/t1/x " + line for line in lines))
    return path


def test_messages_of_the_feed_are_checked(tmp_path: Path) -> None:
    sealed = _sealed(4)
    commit: tuple[str, dict[str, object]] = ("commit", {"commitment": sealed.commitment, "job": 1, "pack": "A"})
    reveal: tuple[str, dict[str, object]] = (
        "reveal",
        {"job": 1, "nonce": sealed.nonce, "pack": "A", "plan": sealed.plan},
    )
    assert audit(_feed(tmp_path, [commit, reveal])).deals[0].holds
    late = audit(_feed(tmp_path, [reveal, commit])).deals[0]
    assert "the commitment stands after the cards were dealt" in late.faults
    assert audit(_feed(tmp_path, [commit])).deals[0].outcome == "open"


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(json.dumps({"hello": 1}), encoding="utf-8")
    with pytest.raises(InputError, match="neither a journal"):
        audit(path)
    with pytest.raises(InputError, match="cannot be read"):
        audit(tmp_path / "nowhere")
