"""R17: games without end through core and journal, in virtual time. ``SOAK_DEALS`` says how many deals (2,000)."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from table_controller.cards import FACES, full_pack
from table_controller.games.guandan.profile import profile_names
from table_controller.journal.reader import read_journal
from table_controller.journal.replay import event_record, journal_hash, replay
from table_controller.journal.writer import JournalWriter
from table_controller.sim.event_table import EventTable
from table_controller.table.core import TableCore
from table_controller.table.effects import Publish, Seal
from table_controller.table.snapshot import snapshot

DEALS = int(os.environ.get("SOAK_DEALS", "2000"))
PARTS = 8
GAME = 12
"""Deals of one table at most: then a new one opens, so that its journal and its snapshots stay of a day's size."""

pytestmark = pytest.mark.soak


def check(table: EventTable) -> None:
    """What holds after every deal."""
    state = table.core.state
    assert [(i.kind, i.detail) for i in state.incidents] == []
    spent = Counter(card for action in state.actions for card in action.cards)
    held = Counter(card for brain in table.brains.values() for card in brain.hand)
    assert spent + held == Counter(full_pack())
    assert state.deal is not None
    assert {seat: len(brain.hand) for seat, brain in table.brains.items()} == state.deal.counts
    assert not state.clock.running
    assert state.early == []
    public = json.dumps(snapshot(state, table.now))
    assert state.dealer.plan not in public


def faces(value: object) -> set[str]:
    """The card codes anywhere in a published value."""
    if isinstance(value, str):
        return {value} & set(FACES)
    return set().union(*map(faces, value)) if isinstance(value, tuple | list) else set()


def no_secret(table: EventTable) -> None:
    """Only what was laid face up is published: cards in a play, a tribute or a return; the plan only after its deal."""
    for effect in table.effects:
        if isinstance(effect, Seal) and effect.stage == "commit":
            assert "plan" not in dict(effect.data)
        if isinstance(effect, Publish):
            named = faces([value for _, value in effect.data])
            assert not named or effect.kind in ("play", "tribute", "return"), effect


def one_game(seed: int, deals: int, profile: str, path: Path) -> tuple[int, str]:
    """Play up to ``deals`` deals and replay them from their journal; returns (deals played, journal hash)."""
    table = EventTable(seed)
    table.open(profile)
    played = 0
    while played < deals and table.core.state.phase != "game_over":
        table.play_deal()
        check(table)
        played += 1
    no_secret(table)
    journal = JournalWriter(path, header={"seed": seed}, sync=False)
    core = TableCore()
    for event in table.events:
        outcome = core.handle(event)
        journal.append(event_record(event, outcome, ""))
        core.commit(outcome)
    journal.close()
    contents = read_journal(path)
    assert contents.damage == ""
    again = replay(contents.records)
    assert again.mismatch is None
    assert again.core.state.digest() == table.core.state.digest()
    return played, journal_hash(contents.records)


@pytest.mark.parametrize("part", range(PARTS))
def test_deals_without_end(part: int, tmp_path: Path) -> None:
    """Each part plays its share; every tenth game is played twice, and must leave the same journal hash."""
    profiles = profile_names()
    wanted, played, game = DEALS // PARTS, 0, 0
    while played < wanted:
        seed = part * 1_000_000 + game
        profile = profiles[game % len(profiles)]
        path = tmp_path / "a.jsonl"
        path.unlink(missing_ok=True)
        deals, digest = one_game(seed, min(GAME, wanted - played), profile, path)
        if game % 10 == 0:
            other = tmp_path / "b.jsonl"
            other.unlink(missing_ok=True)
            assert one_game(seed, deals, profile, other) == (deals, digest)
        played += deals
        game += 1
    assert played == wanted
