"""What the documentation refers to exists: headings, words on pages, files in commands."""

import re
import shlex
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAPERS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
PAGES = [*(ROOT / name for name in PAPERS), *sorted((ROOT / "docs").glob("*.md"))]

BLOCK = re.compile(r"^```.*?^```|^(?: {4}deniable [^\n]*\n)+", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
ITALIC = re.compile(r"(?<![*\w])\*(?!\*)([A-Z][^*`]*[^*`\s])\*(?!\*)")
STARTS = re.compile(r"(?:^|\n)(?:- |\d+\. )?\Z")

OUTSIDE = {
    "Network",
    "View source",
    "Keep a Changelog",
    "Safest",
}
"""What a browser calls its own buttons and levels, and the name of a convention."""

SHOWN = ("templates", "client/browser", "server", "classroom", "lab", "study", "cli")


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


@cache
def shown() -> str:
    """Return the source of all that people see, and the texts of the examples, in one line."""
    files = [path for room in SHOWN for path in sorted((ROOT / room).rglob("*.*"))]
    files += (ROOT / "examples").rglob("*.yaml")
    kept = [path for path in files if path.suffix in {".html", ".js", ".po", ".py", ".yaml"}]
    texts = [path.read_text() for path in kept if "vendor" not in path.parts]
    return " ".join("\n".join(texts).split())


def unknown_names(text: str) -> list[str]:
    """Return the names in italics that no page shows, and no block of this page prints.

    A question at the start of a line is one that a reader asks, and no name.
    """
    blocks = " ".join("\n".join(BLOCK.findall(text)).split())
    found = []
    for match in ITALIC.finditer(BLOCK.sub("", text)):
        name = " ".join(match[1].split())
        bounded = rf"[>\"'`(}}:] ?{re.escape(name)} ?[<\"'`.):{{]"
        asked = name.endswith("?") and STARTS.search(match.string[: match.start()])
        known = name in OUTSIDE or re.search(bounded, shown()) or name in blocks
        if not asked and not known:
            found.append(name)
    return found


def unexplained_files(text: str) -> list[str]:
    """Return the survey and data files that a command reads and the page does not explain.

    A file is in the repository, is written by a command above it, or is named in a sentence there.
    """
    found: list[str] = []
    for block in BLOCK.finditer(text):
        told = set(re.findall(r"`([^`\s]+)`", BLOCK.sub("", text[: block.start()])))
        made = set(re.findall(r" -o (\S+?)[`\s]", text[: block.end()]))
        for command in block[0].replace("\\\n", " ").splitlines():
            if not re.match(r" *(?:\$ )?deniable ", command):
                continue
            for word in shlex.split(command, comments=True):
                read = word.endswith((".yaml", ".csv")) and "://" not in word
                if read and word not in told | made and not (ROOT / word).exists():
                    found.append(f"{command.strip()}: {word}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert broken_links(page, page.read_text()) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_name_in_italics_stands_on_a_page(page: Path) -> None:
    assert unknown_names(page.read_text()) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_command_reads_is_explained(page: Path) -> None:
    assert unexplained_files(page.read_text()) == []


def test_what_does_not_exist_is_found() -> None:
    page = ROOT / "docs" / "designs.md"
    text = "# One\n## One\n[a](#one-1) [b](#two) [c](none.md) [d](deploy.md#none) [e](deploy.md)\n"
    assert broken_links(page, text) == ["#two", "none.md", "deploy.md#none"]
    assert unknown_names("*Publish*, *Publish it*, *Network*\n*Why?* *Why?*") == [
        "Publish it",
        "Why?",
    ]
    command = "deniable check {0}\n".format
    read = f"```sh\n{command('examples/doping.yaml')}{command('my.yaml')}```\n"
    assert unexplained_files(read) == ["deniable check my.yaml: my.yaml"]
    assert unexplained_files(f"Save it as `my.yaml`:\n\n{read}") == []
    assert unexplained_files(f"```sh\ndeniable new -o my.yaml\n```\n{read}") == []
