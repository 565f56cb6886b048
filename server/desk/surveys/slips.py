"""Codes for one report each, as they are handed out: a table, or slips of paper to print.

The adversary reads the logs of servers on the way. So a code stands in the fragment of a link,
which browsers do not send, and a slip's QR code holds that link.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import segno

from deniable.results.files import csv_of
from deniable.survey import Survey
from deniable.templates import PAGES

MOST_SLIPS: Final = 1_000
"""Maximum number of slips that are drawn at once: each holds a QR code."""

_AT_ONCE: Final = 1_000
"""Rows of a table that are in memory together."""

_STYLE: Final = Path(__file__).parents[1] / "static" / "slips.css"


def link_with(link: str, code: str) -> str:
    """Return a survey's link with a code in its fragment, after its check number if it has one."""
    return f"{link}{'&' if '#' in link else '#'}code={code}"


def codes_csv(codes: Sequence[str], link: str | None) -> Iterator[str]:
    """Write codes as a CSV, part by part, with links if the survey's link is known."""
    yield csv_of([["code"] if link is None else ["code", "link"]])
    for start in range(0, len(codes), _AT_ONCE):
        few = codes[start : start + _AT_ONCE]
        yield csv_of([code] if link is None else [code, link_with(link, code)] for code in few)


def slips_page(survey: Survey, codes: Sequence[str], link: str, style: str | None = None) -> str:
    """Write codes as a page of slips to print and cut; without `style` it contains its style."""
    drawn = [
        (code, segno.make(link_with(link, code), micro=False).svg_inline(border=2, omitsize=True))
        for code in codes
    ]
    return PAGES.get_template("slips.html").render(
        survey=survey,
        slips=drawn,
        address=link.partition("#")[0].partition("://")[2],
        style=style,
        written="" if style else _STYLE.read_text(encoding="utf-8"),
    )
