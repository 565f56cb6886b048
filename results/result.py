"""A result: as text, in a notebook, as rows of a file, as a data frame and as a figure."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from deniable.results.files import Export
from deniable.results.html import parts_html
from deniable.results.table import Table
from deniable.results.text import written

if TYPE_CHECKING:
    import pandas as pd

    from deniable.analysis.findings import Finding

FIGURES: Final = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "txt": "text/plain",
}
"""The media types of figures, by the ending of a file; a text is the caption alone."""


Draw: TypeAlias = Callable[..., bytes]
"""Draws a figure in one of `FIGURES`; with ``narrow=True`` as wide as one column of a journal."""


def plain_term(term: str) -> str:
    """Name a term of a regression as in a sentence, if it names the level of a group.

    >>> plain_term("age:C(sport)[T.team]")
    'age × sport: team'
    """
    if "[T." not in term:
        return term
    # A colon between names, and not one within the brackets of a level.
    apart = re.sub(r":(?=\S)(?![^\[]*\])", " × ", term)
    return re.sub(r"(?:C\(([\w.]+)\)|([\w.]+))\[T\.([^\]]+)\]", r"\1\2: \3", apart)


def forest(marks: Sequence[tuple[str, Finding]], label: str, *, of_ratios: bool = False) -> Draw:
    """Return the function that draws estimates below one another, each with its name."""
    return partial(_forest, marks, label, of_ratios)


def _forest(
    marks: Sequence[tuple[str, Finding]],
    label: str,
    of_ratios: bool,
    form: str,
    *,
    narrow: bool = False,
) -> bytes:
    from deniable.results.figures.forest import forest_figure  # noqa: PLC0415  matplotlib is slow

    return forest_figure(marks, label, form, narrow=narrow, of_ratios=of_ratios)


@dataclass(frozen=True, repr=False)
class Result:
    """Findings in every form: as text, in a notebook, as rows, as a data frame and as a figure.

    It prints as text. A notebook shows its tables with its figure.

    Parameters
    ----------
    parts : sequence of Table and str
        Tables and sentences in their order.
    export : Export
        Rows for files.
    draw : Draw or None
        Draws the figure. None if the result has no figure.
    lead : str
        What it shows, in a sentence, which may be one of the parts; empty if that takes a table.
    """

    parts: Sequence[Table | str]
    export: Export
    draw: Draw | None = None
    lead: str = ""

    def __repr__(self) -> str:
        """Return the result as text, as wide as its tables need."""
        return written(self.parts).rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the result as HTML for a notebook: the tables, and the figure below."""
        shown = parts_html(self.parts)
        if self.draw is None:
            return shown
        drawn = base64.b64encode(self.draw("svg")).decode()
        alt = html.escape(f"Figure of {self.parts[0]}")
        return f'{shown}<img alt="{alt}" src="data:image/svg+xml;base64,{drawn}">'

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a data frame of pandas, with all their digits."""
        import pandas as pd  # noqa: PLC0415  it takes a while to load

        return pd.DataFrame(list(self.export.rows), columns=list(self.export.columns))

    def figure(self, file: str | Path | None = None, *, narrow: bool = False) -> Figure:
        """Draw the figure.

        Parameters
        ----------
        file : str or Path, optional
            File to save it to, as SVG, PNG or PDF by its ending, or its caption as TXT.
        narrow : bool, default=False
            Whether it is as wide as one column of a journal (84 mm), and not as two (183 mm).
        """
        if self.draw is None:
            raise ValueError("there is no figure of this: ask for one question")
        if file is not None:
            ending = Path(file).suffix.removeprefix(".")
            if ending not in FIGURES:
                raise ValueError(
                    f"expected a file that ends in .{', .'.join(FIGURES)}, found {str(file)!r}"
                )
            Path(file).write_bytes(self.draw(ending, narrow=narrow))
        return Figure(self.draw("svg", narrow=narrow).decode())


@dataclass(frozen=True)
class Figure:
    """A figure that a notebook shows."""

    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg
