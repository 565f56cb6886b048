"""What the documentation links to exists: files, and headings in them."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAPERS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
PAGES = [*(ROOT / name for name in PAPERS), *sorted((ROOT / "docs").glob("*.md"))]

BLOCK = re.compile(r"^```.*?^```|^(?: {4}deniable [^\n]*\n)+", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    counted: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#+ (.*)$", BLOCK.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.add(f"{anchor}-{counted[anchor]}" if counted[anchor] else anchor)
        counted[anchor] += 1
    return found


def broken_links(page: Path, text: str) -> list[str]:
    """Return the links to files and headings that do not exist."""
    broken = []
    for target in LINK.findall(BLOCK.sub("", text)):
        if re.match(r"(https?|mailto):", target):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists() or (
            anchor and anchor not in anchors(text if file == page else file.read_text())
        ):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_has_file_and_heading(page: Path) -> None:
    assert broken_links(page, page.read_text()) == []


def test_what_does_not_exist_is_found() -> None:
    page = ROOT / "docs" / "designs.md"
    text = "# One\n## One\n[a](#one-1) [b](#two) [c](none.md) [d](verify.md#none) [e](verify.md)\n"
    assert broken_links(page, text) == ["#two", "none.md", "verify.md#none"]
