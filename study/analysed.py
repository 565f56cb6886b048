"""Where randomised responses come from, and what was found in them, in every form."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rich.console import RenderableType

from deniable.analysis.formats import Export, Value
from deniable.channel import Channel
from deniable.designs.arms import Arms
from deniable.extras import MissingExtra
from deniable.study.tables import console

if TYPE_CHECKING:
    import pandas as pd

FIGURES = ("svg", "png", "pdf")
"""The formats of figures, by the ending of a file."""


@dataclass(frozen=True)
class Source:
    """Where responses to one question come from, and how they were randomised.

    Parameters
    ----------
    name : str
        Of the file, or of the survey.
    design : str
        How they were randomised, in a few words.
    channel : Channel
        Of a design with several arms, that of the first one.
    arms : Arms, optional
        A design with several arms.
    """

    name: str
    design: str
    channel: Channel
    arms: Arms | None = None

    @property
    def epsilon(self) -> float:
        """What a report may cost, at most, in any arm."""
        channels = [self.channel] if self.arms is None else self.arms.channels
        return max(channel.epsilon for channel in channels)

    @property
    def law(self) -> str:
        """The design in a line: its name, how often each truth sends yes, and ε."""
        epsilon = self.epsilon
        cost = "ε unbounded" if math.isinf(epsilon) else f"ε {epsilon:.6f}"
        table = self.channel.probabilities
        if self.arms is not None:
            yes = [each.probabilities[:, 1] for each in self.arms.channels]
            rates = "; ".join(
                f"P(yes | {name}) {' or '.join(f'{arm[index]:.4f}' for arm in yes)}"
                for index, name in enumerate(self.arms.classes)
            )
        elif table.shape == (2, 2):
            rates = f"P(yes | no) {table[0, 1]:.4f}, P(yes | yes) {table[1, 1]:.4f}"
        else:
            rates = f"{self.channel.truths} truths, {self.channel.reports} reports"
        return f"{self.design.strip()}; {rates}; {cost}"


@dataclass(frozen=True)
class DataFile(Source):
    """A CSV of randomised responses.

    Parameters
    ----------
    text : str
        Its content.
    """

    text: str = field(default="", repr=False)


class Draw(Protocol):
    """Draws a figure."""

    def __call__(self, form: str, *, narrow: bool = False) -> bytes:
        """Return a file in one of `FIGURES`; a `narrow` one is as wide as a phone's screen."""


@dataclass(frozen=True, repr=False)
class Analysed:
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
