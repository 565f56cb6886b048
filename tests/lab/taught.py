"""Print where the lab teaches what five texts teach: `python -m tests.lab.taught`."""

from collections.abc import Iterator

import click

from deniable.lab.inputs import Choice
from deniable.lab.page import Page
from deniable.lab.pages import PAGES
from deniable.lab.taught import ROWS


def parts(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the parts of a page that teach, and what each is called."""
    yield "text", " ".join((page.title, *page.paragraphs))
    for number, one in enumerate(page.exercises, 1):
        yield f"exercise {number}", f"{one.question} {one.answer}"
    for choice in page.inputs:
        if isinstance(choice, Choice):
            yield f"“{choice.label}”", " ".join(choice.options.values())


def places(page: Page, words: str) -> list[str]:
    """Return the parts of a page in which words stand."""
    return [name for name, part in parts(page) if words.lower() in part.lower()]


def table() -> str:
    """Return all rows as a table in Markdown."""
    lines = ["| Texts | What they teach | Where |", "|---|---|---|"]
    for row in ROWS:
        where = (
            f"`/lab/{slug}`: {', '.join(places(PAGES[slug], words)[:3])}"
            for slug, words in row.pages.items()
        )
        lines.append(f"| {', '.join(row.texts)} | {row.what} | {'; '.join(where)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    click.echo(table())
