"""``table-controller profile``: what a rule set says, where each setting comes from, and how two differ."""

from __future__ import annotations

import argparse
from typing import Any

from table_controller.errors import UsageError
from table_controller.games.guandan.profile import (
    as_text,
    named_rules,
    profile_names,
    profile_sections,
)
from table_controller.games.guandan.settings import SETTINGS

SHIPPED = ("huaian", "national", "default")
SECTIONS_ZH = {
    "hands": "牌型",
    "before": "开赛前",
    "trick": "出牌",
    "report": "报牌",
    "levels": "级数",
    "tribute": "贡还牌",
    "clocks": "计时（毫秒）",
    "round": "一轮用时",
    "officiating": "执裁方式",
    "penalties": "判罚",
    "scores": "计分",
    "record": "记录",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own subcommands."""
    commands = parser.add_subparsers(dest="profile_command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="the shipped rule sets")
    show = commands.add_parser("show", help="every setting of a rule set with its meaning and source")
    show.add_argument("name", metavar="NAME", help="default, national, huaian, or a file of your own (ours.toml)")
    diff = commands.add_parser("diff", help="what two rule sets settle differently")
    diff.add_argument("first", metavar="A")
    diff.add_argument("second", metavar="B")


def run(args: argparse.Namespace) -> int:
    """Print what was asked; raises ConfigError for a profile that is not there or not right."""
    if args.profile_command == "list":
        print("\n".join(name for name in profile_names() if name != "base"))
    elif args.profile_command == "show":
        _show(args.name)
    else:
        _diff(args.first, args.second)
    return 0


def sections_of(name: str) -> dict[str, dict[str, Any]]:
    """A shipped profile's sections, or those of a venue's own file; both checked."""
    if name == "base":
        raise UsageError("'base' is what the others inherit.", way_out=f"Profiles: {', '.join(SHIPPED)}.")
    return profile_sections(*named_rules(name))


def _show(name: str) -> None:
    for section, values in sections_of(name).items():
        print(f"[{section}] {SECTIONS_ZH[section]}")
        for key, value in values.items():
            known = SETTINGS[key]
            print(f"  {key} = {as_text(value)}\n      {known.zh} / {known.en} ({known.source})")


def _diff(first: str, second: str) -> None:
    a, b = sections_of(first), sections_of(second)
    lines = [
        f"{key}\n    {first}: {as_text(a[section][key])}\n    {second}: {as_text(value)}\n"
        f"    {SETTINGS[key].zh} / {SETTINGS[key].en} ({SETTINGS[key].source})"
        for section, values in b.items()
        for key, value in values.items()
        if a[section][key] != value
    ]
    print("\n".join(lines) if lines else f"{first} and {second} settle everything alike. / 两者相同")


def markdown_table() -> str:
    """Every setting with its meaning, its source and its value in each shipped profile, as it stands in the docs."""
    values = {name: profile_sections(name) for name in SHIPPED}
    heads = " | ".join(f"`{name}`" for name in SHIPPED)
    lines = [f"| setting | 含义 | meaning | source | {heads} |", "|---|---|---|---|---|---|---|"]
    for section, settings in values["default"].items():
        for key in settings:
            known = SETTINGS[key]
            cells = " | ".join(f"`{as_text(values[name][section][key])}`" for name in SHIPPED)
            lines.append(f"| `{key}` | {known.zh} | {known.en} | {known.source} | {cells} |")
    return "\n".join(lines)
