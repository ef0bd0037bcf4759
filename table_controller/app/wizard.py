"""``table-controller setup``: asks for the settings of a table, in Chinese and English, and writes its table.toml.

Every answer is checked as the table would; Enter keeps what stands, - empties it. ``--set table.id=t7`` answers without
asking.
"""

from __future__ import annotations

import argparse
import errno
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.app.checks import check_words
from table_controller.app.terminal import say
from table_controller.config import Config, parse_config, read_text
from table_controller.dealer.ports import BY_ID
from table_controller.errors import ConfigError, TableError, UsageError
from table_controller.files import write_whole

EMPTY = "-"
"""The answer that says: none."""
DEFAULT_FILE = Path("/etc/table-controller/table.toml")
Ask = Callable[[str], str]


@dataclass(frozen=True)
class Question:
    """One setting, and what is said about it."""

    key: str
    zh: str
    en: str
    offers: Callable[[], list[str]] = list


def _cameras() -> list[str]:
    found = (
        [f"v4l2:{path}" for path in sorted(Path("/dev/v4l/by-id").glob("*-index0"))]
        if Path("/dev/v4l").exists()
        else []
    )
    return ["pi", *found]


def _ports() -> list[str]:
    links = [str(path) for path in sorted(BY_ID.iterdir())] if BY_ID.is_dir() else []
    return ["auto", *links, "none"]


QUESTIONS = (
    Question("table.id", "本桌名称", "this table's name"),
    Question("table.venue", "场地名称", "the venue's name"),
    Question("table.profile", "规则", "the rules", lambda: ["default", "national", "huaian"]),
    Question(
        "table.officiating", "建议 advise 或自动执行 enforce", "advise, or enforce", lambda: ["advise", "enforce"]
    ),
    Question("camera.source", "摄像头", "the camera", _cameras),
    Question("camera.deck", "已登记的牌（无则输入 -）", "the enrolled deck, or - for none"),
    Question("dealer.port", "发牌机串口", "the dealer's port", _ports),
    Question("feed.host", "场馆消息服务器（无则输入 -）", "the venue's broker, or - for none"),
    Question("feed.username", "消息服务器账号（无则输入 -）", "the account there, or - for none"),
    Question("feed.password_file", "密码文件（无则输入 -）", "the file that holds its password, or - for none"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.description = (
        "Asks for a table's settings in Chinese and English and writes its table.toml; what stood before is kept "
        "beside it as table.toml.before. Every other key of docs/operating-guide.md can be given with --set."
    )
    parser.add_argument("--config", type=Path, default=DEFAULT_FILE, metavar="FILE", help=f"default {DEFAULT_FILE}")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="given", help="answer without being asked"
    )


def run(args: argparse.Namespace) -> int:
    """Ask, or take ``--set``, and write the file; raises UsageError, ConfigError."""
    data = _present(args.config)
    if args.given:
        for word in args.given:
            key, separator, value = word.partition("=")
            if not separator or "." not in key:
                raise UsageError(f"'{word}' is not KEY=VALUE.", way_out="Such as --set table.id=table-7.")
            put(data, key.strip(), value.strip())
        _check(data)
    elif not sys.stdin.isatty():
        raise UsageError("There is nobody to ask.", way_out="Answer with --set table.id=table-7 …")
    else:
        try:
            interview(data, input)
        except EOFError as error:
            raise UsageError("The answers ended early: nothing was written.", way_out="Run it again.") from error
    _write(args.config, data)
    say(f"已写入 / written: {args.config}")
    say(f"下一步 / next: table-controller doctor --config {args.config}")
    say("桌垫 / the mat: table-controller camera check, 或启动后用 /setup 页面 / or the page /setup once it runs")
    return 0


def _present(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    text = read_text(path, "Mind its rights.")
    parse_config(text, str(path))
    return tomllib.loads(text)


def interview(data: dict[str, Any], ask: Ask) -> None:
    """Every question in turn; an answer that is not allowed is said to be so, and asked again."""
    say("回车保留现值，输入 - 清空 / Enter keeps what stands, - empties it.")
    for question in QUESTIONS:
        offers = question.offers()
        while True:
            now = _value(data, question.key)
            choice = f"  ({' · '.join(offers)})" if offers else ""
            answer = ask(f"{question.zh} / {question.en}{choice} [{now}]: ").strip()
            if not answer:
                break
            before = _value(data, question.key)
            put(data, question.key, "" if answer == EMPTY else answer)
            try:
                _check(data)
                break
            except TableError as error:
                put(data, question.key, str(before))
                say(error.line())


def _value(data: dict[str, Any], key: str) -> Any:
    section, name = key.split(".", 1)
    default = getattr(getattr(Config(), section), name)
    return data.get(section, {}).get(name, default)


def put(data: dict[str, Any], key: str, text: str) -> None:
    """Set one key from its text, in the kind that the key has; raises UsageError for a key that does not exist."""
    section, _, name = key.partition(".")
    default = getattr(getattr(Config(), section, None), name, None)
    if default is None:
        raise UsageError(f"There is no setting '{key}'.", way_out="docs/operating-guide.md lists them.")
    if not text.isprintable():
        raise UsageError(f"{key}: the answer holds characters that are no text.", way_out="Type it anew, as UTF-8.")
    value: Any = text
    if isinstance(default, bool):
        value = {"true": True, "false": False}.get(text.lower(), text)
    elif isinstance(default, int):
        value = int(text) if text.removeprefix("-").isdecimal() else text
    data.setdefault(section, {})[name] = value


def _check(data: dict[str, Any]) -> None:
    check_words(parse_config(as_toml(data), "the answers"))


def as_toml(data: dict[str, Any]) -> str:
    """Sections of plain values as TOML."""
    lines: list[str] = []
    for section, values in data.items():
        lines += [f"[{section}]", *(f"{key} = {_literal(value)}" for key, value in values.items()), ""]
    return "\n".join(lines)


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in escaped) + '"'


def _write(path: Path, data: dict[str, Any]) -> None:
    """Whole or not at all; what stood before is kept beside it, and at every moment one of them is in its place."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            write_whole(path.with_name(f"{path.name}.before"), path.read_bytes(), mode=path.stat().st_mode & 0o777)
        write_whole(path, as_toml(data))  # by sudo: whoever could read it still can, the table's service before all
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.", way_out=_way_out(error)) from error


def _way_out(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "Free some space (df -h), then run it again."
    if error.errno == errno.EROFS:
        return "Its disk cannot be written: make it writable (mount -o remount,rw), or name another file with --config."
    return "Run it with sudo."
