"""What the terminal is told of a machine's own troubles, of clients, and of damaged journals: plain, with a way out."""

from __future__ import annotations

import errno
import logging
from collections import Counter
from pathlib import Path

import pytest
from aiohttp.http_exceptions import LineTooLong

from table_controller import cli
from table_controller.app import recover_words
from table_controller.app.health import Health
from table_controller.app.run import _Run, _say_failed
from table_controller.app.terminal import url_host, worth_logging
from table_controller.app.venue import address
from table_controller.config import Config
from table_controller.journal.recover import Diagnosis, Repaired
from table_controller.table.machine import PHASES
from table_controller.venue.settings import PageSettings, VenueConfig


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 74, ("There is no room for what it writes", "df -h")),
        (OSError(errno.EFBIG, "File too large", "a/b"), 74, ("There is no room for a/b", "df -h")),
        (UnicodeEncodeError("ascii", "路径", 0, 2, "ordinal not in range"), 64, (r"'\u8def\u5f84'", "LC_ALL=C.UTF-8")),
        (ValueError("x"), 70, ("an error of ours: ValueError: x",)),
    ],
)
def test_what_the_machine_ran_into_is_no_error_of_ours(
    error: Exception,
    status: int,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise error

    monkeypatch.setattr("table_controller.app.tools.run_doctor", fail)
    assert cli.main(["doctor"]) == status
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert all(part in said for part in words)


def record_of(error: Exception) -> logging.LogRecord:
    told = (type(error), error, None)
    return logging.LogRecord("aiohttp.server", logging.ERROR, "", 0, "Error handling request from %s", ("::1",), told)


def test_what_is_no_http_leaves_no_traceback_and_a_fault_of_ours_does(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    assert not worth_logging(record_of(LineTooLong("/aaa")))
    caplog.set_level(logging.INFO)
    long = record_of(LineTooLong("/aaa"))
    assert worth_logging(long)
    assert (long.getMessage(), long.exc_info) == ("Refused: a request from ::1 that is no HTTP, or too long.", None)
    ours = record_of(KeyError("x"))
    assert worth_logging(ours)
    assert ours.exc_info is not None


def test_an_address_of_ipv6_stands_in_brackets() -> None:
    assert [url_host(host) for host in ("::1", "[::1]", "127.0.0.1", "hall.local")] == [
        "[::1]",
        "[::1]",
        "127.0.0.1",
        "hall.local",
    ]
    assert address(VenueConfig(web=PageSettings("::1", 8090)), 8090) == "http://[::1]:8090"


def test_an_adapter_that_fails_is_said_once_and_its_return_too(capsys: pytest.CaptureFixture[str]) -> None:
    run = _Run.__new__(_Run)
    run.config, run.failed = Config(), set()
    lines = []
    for state in ("fresh", "failed", "failed", "stale", "failed", "fresh", "fresh"):
        run.found = [Health("broker", state, "连不上", "it does not answer", "Not authorized")]
        _say_failed(run)
        lines.append(capsys.readouterr().err.count("broker"))
    assert lines == [0, 1, 0, 0, 0, 1, 0]


FOUND = (
    Diagnosis(0, 0),
    Diagnosis(3, 99, header={"table": "t1"}),
    Diagnosis(3, 99, "cut", torn=True, missing=2),
    Diagnosis(3, 99, "a bit", later=Counter(play=2), lost_bytes=7, header={"table": "t1"}),
    Diagnosis(3, 99, "a bit", lost_bytes=7, plays_on=5),
)


@pytest.mark.parametrize("found", FOUND)
def test_recover_says_every_sentence_in_both_languages(found: Diagnosis, capsys: pytest.CaptureFixture[str]) -> None:
    recover_words.findings(found)
    recover_words.nothing_changed(found)
    recover_words.plays_on(5, "rm x")
    recover_words.repaired(Repaired(Path("d"), Path("l"), applied=True), "journal.jsonl")
    recover_words.stands("It goes on with", "继续", "playing", 2, {"EW": "2", "NS": "3"})
    recover_words.start_again()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(found.words()) + 8
    for line in lines:
        en, _, zh = line.partition(" / ")
        assert en.isascii()
        assert any("一" <= c <= "鿿" for c in zh), line


def test_every_phase_has_its_word() -> None:
    assert set(PHASES) <= set(recover_words.PHASES_ZH)
