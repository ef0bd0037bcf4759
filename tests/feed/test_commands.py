"""Commands over the broker: roles, expiry, replay, and what a table answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from table_controller.feed.commands import MOST_AHEAD_MS, Asked, CommandDesk, verbs_of
from table_controller.feed.contract.schemas import schema_of, strict
from table_controller.table.commands import command_names
from table_controller.table.events import PauseRequested
from table_controller.table.refusal import Refusal

NOW = 50_000


def desk() -> CommandDesk:
    return CommandDesk("t1", "b1", lambda: NOW, lambda: "E")


def command(**changes: Any) -> bytes:
    made = {
        "v": 1, "tx": "0123456789", "client": "venue", "role": "referee", "by": "Li", "boot": "b1",
        "expires_mono_ms": NOW + 5000, "data": {"reason": "tea"},
    }  # fmt: skip
    return json.dumps({**made, **changes}).encode()


def reply_of(found: Any) -> dict[str, Any]:
    client, payload = found
    assert client == "venue"
    said: dict[str, Any] = json.loads(payload)
    Draft202012Validator(strict(schema_of("reply"))).validate(said)
    return said


def test_a_good_command_is_carried_out_once_and_answered_alike() -> None:
    at = desk()
    Draft202012Validator(strict(schema_of("command"))).validate(json.loads(command()))
    asked = at.take("pause", command())
    assert isinstance(asked, Asked)
    assert asked.event == PauseRequested(NOW, "Li", "tea")
    assert at.take("pause", command()) is None  # under way
    first = at.answer(asked, None)
    again = at.take("pause", command())
    assert again == ("venue", first)
    assert reply_of(again)["ok"] is True


def test_a_refusal_is_answered_in_words() -> None:
    at = desk()
    asked = at.take("pause", command())
    assert isinstance(asked, Asked)
    at.answer(asked, Refusal("No.", way_out="Wait.", code="PHASE"))
    said = reply_of(at.take("pause", command()))
    assert (said["ok"], said["code"], said["problem"]) == (False, "PHASE", "No. Wait.")


@pytest.mark.parametrize(
    ("verb", "changes", "code"),
    [
        ("pause", {"role": "scoreboard"}, "ROLE"),
        ("pause", {"role": "viewer"}, "ROLE"),
        ("pause", {"role": ["referee"]}, "ROLE"),
        ("match", {}, "ROLE"),
        ("correct_result", {}, "ROLE"),
        ("correct", {"role": "director"}, "ROLE"),
        ("no_such", {}, "ROLE"),
        ("pause", {"boot": "b0"}, "EXPIRED"),
        ("pause", {"expires_mono_ms": NOW - 1}, "EXPIRED"),
        ("pause", {"expires_mono_ms": NOW + MOST_AHEAD_MS + 1}, "EXPIRED"),
        ("pause", {"expires_mono_ms": True}, "COMMAND"),
        ("pause", {"expires_mono_ms": "soon"}, "COMMAND"),
        ("pause", {"by": "table"}, "COMMAND"),
        ("pause", {"by": ""}, "COMMAND"),
        ("pause", {"data": []}, "COMMAND"),
        ("pause", {"v": 2}, "COMMAND"),
        ("correct", {"data": {"play": "x"}}, "COMMAND"),
    ],
)
def test_what_is_not_allowed_is_refused_and_why(verb: str, changes: dict[str, Any], code: str) -> None:
    assert reply_of(desk().take(verb, command(**changes)))["code"] == code


def test_who_says_it_and_as_what_cannot_be_forged_in_the_data() -> None:
    asked = desk().take("pause", command(data={"by": "Wang", "role": "head_referee", "do": "start"}))
    assert isinstance(asked, Asked)
    assert asked.event == PauseRequested(NOW, "Li", "")


def test_a_scoreboard_may_give_no_command_and_every_command_has_somebody() -> None:
    assert verbs_of("scoreboard") == verbs_of("viewer") == verbs_of("overlay") == frozenset()
    roles = [verbs_of(role) for role in ("referee", "head_referee", "director")]
    assert frozenset().union(*roles) == frozenset(command_names())


def test_what_was_seen_is_forgotten_only_after_its_time() -> None:
    now = [NOW]
    at = CommandDesk("t1", "b1", lambda: now[0], lambda: "E")
    asked = at.take("pause", command())
    assert isinstance(asked, Asked)
    at.answer(asked, None)
    now[0] = NOW + 5000
    assert reply_of(at.take("pause", command()))["ok"]
    now[0] = NOW + 5001
    assert reply_of(at.take("pause", command()))["code"] == "EXPIRED"
    assert at._known == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELD = st.sampled_from(["v", "tx", "client", "role", "by", "boot", "expires_mono_ms", "data"])


@settings(max_examples=150)
@given(st.sampled_from(command_names()), FIELD, JSON)
def test_hostile_fields_are_answered_or_ignored_never_an_error(verb: str, name: str, value: Any) -> None:
    found = desk().take(verb, command(**{name: value}))
    assert found is None or isinstance(found, Asked | tuple)


@settings(max_examples=100)
@given(st.binary(max_size=200) | st.just(b"[" * 100_000) | st.just(b'{"a":' * 50_000))
def test_hostile_bytes_are_ignored(payload: bytes) -> None:
    assert desk().take("pause", payload) is None
