"""A result, as text, in a notebook, as a data frame and as a figure."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rich.console import RenderableType

from deniable.extras import MissingExtra
from deniable.results.files import Export, Value
from deniable.results.text import console

if TYPE_CHECKING:
    import pandas as pd

FIGURES = ("svg", "png", "pdf")
"""The formats of figures, by the ending of a file."""


class Draw(Protocol):
    """Draws a figure."""

    def __call__(self, form: str, *, narrow: bool = False) -> bytes:
        """Return a file in one of `FIGURES`; a `narrow` one is as wide as a phone's screen."""


@dataclass(frozen=True, repr=False)
class Result:
    """What was found, ready to be shown, kept or drawn.

    It prints as a table. In a notebook it is one.

    Parameters
    ----------
    table : sequence of renderables
        For people.
    export : Export
        For files.
    draw : Draw or None
        Draws the figure. None if there is none.
    """

    table: Sequence[RenderableType]
    export: Export
    draw: Draw | None = None

    def __repr__(self) -> str:
        """Print it, as wide as it must be."""
        text = io.StringIO()
        out = console(text)
        for part in self.table:
            out.print(part)
        return text.getvalue().rstrip("\n")

    def _repr_html_(self) -> str:
        """Show it in a notebook: the rows, with the digits that are worth reading."""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.export.columns)
        rows = "".join(
            "<tr>"
            + "".join(f"<td>{_short(row[name])}</td>" for name in self.export.columns)
            + "</tr>"
            for row in self.export.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a data frame of pandas, with all their digits.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        try:
            import pandas as pd  # noqa: PLC0415  an extra, which takes a while to load
        except ImportError:
            raise MissingExtra("a data frame needs the package pandas", "formula") from None
        return pd.DataFrame(list(self.export.rows), columns=list(self.export.columns))

    def figure(self, file: str | Path | None = None) -> Figure:
        """Draw it.

        Parameters
        ----------
        file : str or Path, optional
            Where to keep it, as SVG, PNG or PDF by its ending.

        Returns
        -------
        Figure
            Which a notebook shows.

        Raises
        ------
        ValueError
            If there is no figure of it, or the ending is not one of these.
        """
        if self.draw is None:
            raise ValueError("there is no figure of this: ask for one question")
        if file is not None:
            ending = Path(file).suffix.removeprefix(".")
            if ending not in FIGURES:
                raise ValueError(
                    f"expected a file that ends in .{', .'.join(FIGURES)}, found {str(file)!r}"
                )
            Path(file).write_bytes(self.draw(ending))
        return Figure(self.draw("svg").decode())


@dataclass(frozen=True)
class Figure:
    """A figure that a notebook shows.

    Parameters
    ----------
    svg : str
    """

    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg


def _short(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return html.escape(str(value))
