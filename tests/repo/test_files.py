"""The repository's files: short, about the product alone, and with links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

TEXT = {".py", ".md", ".toml", ".c", ".h", ".js", ".html", ".css", ".json", ".yaml", ".service", ".txt", ".csv", ""}
LONG = {
    # generated from firmware/protocol.toml
    "table_controller/dealer/messages.py",
    # one contract for emulator and firmware, case by case
    "tests/dealer/test_contract.py",
}
MOST_LINES = 400


def test_python_files_are_short(root: Path, tracked: list[Path]) -> None:
    long = {
        str(path.relative_to(root))
        for path in tracked
        if path.suffix == ".py" and len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES
    }
    assert long - LONG == set()


def test_no_file_speaks_of_where_it_was_made(root: Path, tracked: list[Path]) -> None:
    places = re.compile("|".join(("(?<![a-z_./-])/wor" + "k/", "(?<![a-z_./-])/tm" + "p/", r"\.\./shar" + "ed")))
    found = [
        f"{path.relative_to(root)}:{number}"
        for path in tracked
        if path.suffix in TEXT and path.name not in ("LICENSE", "LICENSE-OFL.txt")
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if places.search(line)
    ]
    assert found == []


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and GitLab make them."""
    heads = re.findall(r"^#+ +(.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def test_links_of_pages_lead_somewhere(root: Path, tracked: list[Path]) -> None:
    pages = [path for path in tracked if path.suffix == ".md"]
    assert len(pages) >= 10
    broken = []
    for page in pages:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith(("http://", "https://", "mailto:")):
                continue
            name, _, anchor = target.partition("#")
            file = (page.parent / name) if name else page
            if not file.exists() or (anchor and anchor not in anchors(file.read_text(encoding="utf-8"))):
                broken.append(f"{page.relative_to(root)}: {target}")
    assert broken == []


def test_named_files_exist(root: Path, tracked: list[Path]) -> None:
    """A path in backticks in the pages for newcomers is a path of the repository."""
    broken = []
    for name in ("README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/rules.md"):
        text = (root / name).read_text(encoding="utf-8")
        for path in re.findall(r"`((?:table_controller|tests|firmware|hardware|docs|models|systemd)/[\w./-]+)`", text):
            if not (root / path).exists():
                broken.append(f"{name}: {path}")
    assert broken == []


def test_no_picture_is_heavy(tracked: list[Path]) -> None:
    pictures = [path for path in tracked if path.suffix in (".png", ".jpg", ".webp")]
    assert [path.name for path in pictures if path.stat().st_size > 400 * 1024] == []
