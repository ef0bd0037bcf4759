"""The audit of the packages fails for what is known, and never calls unasked packages clean."""

from __future__ import annotations

from typing import Any

from tests.audit import verdict

CLEAN = {"name": "good", "version": "1.0", "vulns": []}
KNOWN = {
    "name": "bad",
    "version": "2.0",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}, {"id": "X-2", "fix_versions": []}],
}
UNASKED = {"name": "far", "skip_reason": "not found"}
OURS = {"name": "table-controller", "skip_reason": "not found"}


def told(*packages: dict[str, Any]) -> tuple[int, str]:
    status, lines = verdict({"dependencies": list(packages)})
    return status, "\n".join(lines)


def test_a_known_vulnerability_fails_and_is_named_with_the_version_that_mends_it() -> None:
    status, words = told(CLEAN, KNOWN, OURS)
    assert status == 1
    assert "bad 2.0: PYSEC-1, mended in 2.1" in words
    assert "bad 2.0: X-2, mended in no version" in words
    assert "2 of 2 packages looked up, 2 known vulnerabilities" in words


def test_what_could_not_be_asked_is_said_and_does_not_fail() -> None:
    status, words = told(CLEAN, UNASKED, OURS)
    assert status == 0
    assert "1 of 2 packages looked up, 0 known" in words
    assert "1 could not be looked up here" in words
    assert "could not" not in told(CLEAN, OURS)[1]
