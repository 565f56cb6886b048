"""``docs/coverage.md``, as it is published."""

from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[2] / "docs" / "coverage.md"


def section(title: str) -> str:
    """Return what stands below a heading, to the next one of its kind."""
    text = PAGE.read_text(encoding="utf-8")
    return text[text.index(f"## {title}\n") :].partition("\n\n## ")[0]


def tables(text: str) -> list[str]:
    """Return the lines of all tables."""
    return [line for line in text.splitlines() if line.startswith("|")]


def cells_of(line: str) -> list[str]:
    """Return the cells of a line of a table."""
    return [cell.strip() for cell in line.strip("|").split("|")]
