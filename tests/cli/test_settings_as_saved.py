"""Settings and secrets as people's editors save them: taken where the meaning is plain, else told what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from table_controller import cli
from table_controller.app.checks import secret_files
from table_controller.config import load_config, open_secrets, parse_config, secret_of
from table_controller.errors import ConfigError

GOOD = '[table]\nid = "t7"\nvenue = "大厅"\n'


@pytest.mark.parametrize(
    "content",
    [b"\xef\xbb\xbf" + GOOD.encode(), GOOD.replace("\n", "\r\n").encode(), GOOD.rstrip().encode()],
    ids=["a mark of Windows", "lines of Windows", "no last end of line"],
)
def test_what_is_plain_is_taken(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(content)
    assert (load_config(path).table.id, load_config(path).table.venue) == ("t7", "大厅")
    assert cli.main(["setup", "--config", str(path), "--set", "web.port=8081"]) == 0
    assert (load_config(path).table.venue, load_config(path).web.port) == ("大厅", 8081)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GOOD.encode("gbk"), "not UTF-8 text, from line 3 on. Save it as UTF-8, not as GBK"),
        ('[table]\nid = "café"\n'.encode("latin-1"), "not UTF-8 text, from line 2 on"),
        (GOOD.encode("utf-16"), "not UTF-8 text, from line 1 on"),
        (GOOD.encode() + b'id = "t8"\n', "each section and key stands once"),
        (GOOD.encode() + b"[table]\n", "each section and key stands once"),
        ("[table]\nid = “t7”\n".encode(), "text stands in straight quotes"),
        (b"[table]\nid = t7\n", "text stands in straight quotes"),
        (b"[feed]\nhost = 'mqtt://10.0.0.1:1883'\n", "a host name alone (no mqtt://"),
        (b"[feed]\nhost = 'the broker'\n", "a host name alone"),
    ],
)
def test_what_is_not_is_said_with_what_to_do(
    tmp_path: Path, content: bytes, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(content)
    assert cli.main(["run", "--config", str(path)]) == 78
    assert words in capsys.readouterr().err


def test_a_folder_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "--config", str(tmp_path)]) == 78
    assert "Is a directory. Name a file." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"table-1\nword-of-mine\n", "more than one line"),
        (b"\xff\xfeword-of-mine", "not UTF-8"),
        (None, "No such file"),
    ],
)
def test_a_secret_that_can_be_none_is_refused_without_being_shown(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "password"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=words) as found:
        secret_of(str(path), "feed.password_file")
    assert "word-of-mine" not in found.value.line()
    assert str(path) in found.value.line()


@pytest.mark.parametrize("content", [b"word\n", b"word", b"word\r\n", b"\xef\xbb\xbfword\r\n"])
def test_a_secret_is_its_line_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "password").write_bytes(content)
    assert secret_of(str(tmp_path / "password"), "feed.password_file") == "word"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666])
def test_a_secret_that_everybody_may_read_is_said(
    tmp_path: Path, mode: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "password"
    path.write_text("word-of-mine\n")
    path.chmod(mode)
    text = f"[feed]\nhost = ''\npassword_file = '{path}'\n[state]\ndirectory = '{tmp_path}'\n[web]\nport = 1\n"
    said = open_secrets(secret_files(parse_config(text, "t")))
    assert said == ([] if mode < 0o644 else [f"feed.password_file {path} can be read by everybody on this machine: "
                                             f"chmod o= {path}"])  # fmt: skip
    (tmp_path / "table.toml").write_text(text)
    cli.main(["doctor", "--config", str(tmp_path / "table.toml")])
    out = capsys.readouterr().out
    line = next(line for line in out.splitlines() if " secrets " in line)
    assert (line.startswith("ok"), "word-of-mine" in out) == (mode < 0o644, False)


@pytest.mark.skipif(os.geteuid() != 0, reason="root reads everything: it must become somebody else first")
def test_a_secret_of_somebody_else_is_said_with_the_way_out(tmp_path: Path) -> None:
    for place in (tmp_path, *tmp_path.parents[:2]):
        place.chmod(0o755)
    path = tmp_path / "password"
    path.write_text("word\n")
    path.chmod(0o600)
    os.seteuid(65534)
    try:
        with pytest.raises(ConfigError, match="Permission denied") as found:
            secret_of(str(path), "feed.password_file")
    finally:
        os.seteuid(0)
    assert f"chgrp table-controller {path}" in found.value.way_out
