"""R17: clean games without end through core and journal, in virtual time: no incident, under each profile.

``SOAK_DEALS`` says how many deals of each profile (1,000). A run that was ended goes on with the part where it
stopped; a game that fails names its profile and its seed.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from table_controller.cards import FACES, full_pack
from table_controller.journal.reader import read_journal
from table_controller.journal.replay import event_record, journal_hash, replay
from table_controller.journal.writer import JournalWriter
from table_controller.sim.event_table import EventTable
from table_controller.table.core import TableCore
from table_controller.table.effects import Publish, Seal
from table_controller.table.snapshot import snapshot

DEALS = int(os.environ.get("SOAK_DEALS", "1000"))
PROFILES = ("huaian", "national", "default")
PARTS = 4
GAME = 12
"""Deals of one table at most: then a new one opens, so that its journal and its snapshots stay of a day's size."""

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(0),
    pytest.mark.runs("cards errors files games table journal sim"),
]


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


def play_part(profile: str, part: int, wanted: int, folder: Path) -> int:
    """A part of a profile's deals; every tenth game is played twice, and must leave the same journal hash."""
    played, game = 0, 0
    while played < wanted:
        seed, deals = part * 1_000_000 + game, min(GAME, wanted - played)
        for path in folder.iterdir():
            path.unlink()
        try:
            done, digest = one_game(seed, deals, profile, folder / "a.jsonl")
            if game % 10 == 0:
                assert one_game(seed, done, profile, folder / "b.jsonl") == (done, digest)
        except AssertionError as error:
            error.add_note(f"profile {profile}, seed {seed}, {deals} deals")
            raise
        played, game = played + done, game + 1
    return played


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("profile", PROFILES)
def test_clean_deals_without_end(profile: str, part: int, tmp_path: Path, part_once: Callable[..., None]) -> None:
    """Each part plays its share of a profile's deals: no incident, and the replay is the live state."""
    wanted = -(-DEALS // PARTS)
    assert play_part(profile, part, wanted, tmp_path) == wanted
    part_once("R17", wanted, profile=profile)
