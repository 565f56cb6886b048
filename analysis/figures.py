"""A figure a question: what was received, and what it says about the truth."""

from __future__ import annotations

import io
import textwrap
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter
from matplotlib.typing import RcKeyType

from deniable.analysis.results import QuestionResults, Share
from deniable.survey import QuestionType

# Okabe and Ito's colours, told apart by every kind of colour vision; the marks differ in shape
# too. Okabe, M. and Ito, K. (2008). Color universal design.
_ESTIMATE: Final = "#0072B2"
_OUTSIDE: Final = "#D55E00"
_RECEIVED: Final = "#767676"
_POSSIBLE: Final = "#F1F5F8"
_FRAME: Final = "#444444"

_MARKS: Final[dict[str, dict[str, Any]]] = {
    "received": {
        "marker": "o",
        "markersize": 6.5,
        "markerfacecolor": "white",
        "markeredgecolor": _RECEIVED,
        "markeredgewidth": 1.4,
        "linestyle": "none",
    },
    "estimate": {"marker": "o", "markersize": 6.5, "color": _ESTIMATE, "linestyle": "none"},
    "outside": {"marker": "D", "markersize": 6, "color": _OUTSIDE, "linestyle": "none"},
    "interval": {"color": _ESTIMATE, "linewidth": 2.2, "solid_capstyle": "butt"},
}

_STYLE: Final[dict[RcKeyType, Any]] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": 10,
    "text.parse_math": False,  # a question about $5 or $10 is no formula
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and enlarged
    "svg.hashsalt": "deniable",  # the same figure is the same file
}

# matplotlib's settings belong to the process, and a server draws in many threads.
_DRAWING: Final = threading.Lock()

# Inches. The wide left margin holds the answers, wrapped after so many characters.
_WIDTH: Final = 7.2
_LEFT: Final = 2.5
_RIGHT: Final = 0.25
_TOP: Final = 0.42
_BOTTOM: Final = 0.4
_LINE: Final = 0.17
_ROW: Final = 0.28
_PAD: Final = 0.075
_WRAP: Final = 28
_HEADING_WRAP: Final = 75


@dataclass(frozen=True)
class _Row:
    """One line of a figure: an answer and its share, or a heading, which has none."""

    lines: tuple[str, ...]
    share: Share | None

    @property
    def height(self) -> float:
        return _ROW + _LINE * (len(self.lines) - 1) + (0.0 if self.share else 0.12)


def question_svg(question: QuestionResults, level: float) -> str:
    """Draw the results of a question.

    Parameters
    ----------
    question : QuestionResults
    level : float
        Of its intervals, to be named in the legend.

    Returns
    -------
    str
        An SVG file, the same for the same results. A row an answer: a hollow mark for the share of
        the reports, a filled one for the estimate, a line for the interval; a `many` question has
        a row an option, for yes, and a `grid` its rows one below the other. What is possible, 0 to
        100 %, is shaded; an estimate beyond it has a mark of its own and the axis follows it. It
        has no title, as it is shown below the question.

    Notes
    -----
    May be called from several threads.
    """
    file = io.StringIO()
    with _DRAWING, mpl.rc_context(_STYLE), warnings.catch_warnings():
        # The reader's browser has fonts for scripts that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)
        figure = _figure(tuple(_rows(question)), question.items[0].direct, level)
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _rows(question: QuestionResults) -> Iterator[_Row]:
    kind = question.question.type
    for item in question.items:
        if kind is QuestionType.MANY:
            chosen = next(share for share in item.shares if share.answer.code == "yes")
            yield _row(item.item.text, chosen)
            continue
        if kind is QuestionType.GRID:
            yield _Row(tuple(textwrap.wrap(item.item.text, _HEADING_WRAP)), None)
        for share in item.shares:
            yield _row(share.answer.text, share)


def _row(text: str, share: Share) -> _Row:
    return _Row(tuple(textwrap.wrap(text, _WRAP)), share)


def _figure(rows: Sequence[_Row], direct: bool, level: float) -> Figure:
    heights = [row.height for row in rows]
    plot = sum(heights) + 2 * _PAD
    height = _TOP + plot + _BOTTOM
    figure = Figure(figsize=(_WIDTH, height), facecolor="white")
    axes = figure.add_axes(
        (_LEFT / _WIDTH, _BOTTOM / height, 1 - (_LEFT + _RIGHT) / _WIDTH, plot / height)
    )
    _draw_frame(axes, plot, [row.share for row in rows if row.share])
    position = _PAD
    for row, row_height in zip(rows, heights, strict=True):
        middle = position + row_height / 2
        position += row_height
        if row.share:
            _write_left(axes, middle, row.lines, at=-0.12, horizontalalignment="right")
            _draw_share(axes, middle, row.share, direct)
        else:
            above = 0.0 if row is rows[0] else position - row_height
            axes.axhspan(above, position, color="white", zorder=2.5)
            _write_left(axes, middle, row.lines, at=0.1 - _LEFT, fontweight="bold")
    _draw_legend(figure, [row.share for row in rows if row.share], direct, level)
    return figure


def _draw_frame(axes: Axes, plot: float, shares: Sequence[Share]) -> None:
    """Draw everything that lies behind the marks; downwards, the axis is in inches."""
    ends = [0.0, 1.0]
    for share in shares:
        ends += [
            x for x in (share.observed, share.estimate, share.low, share.high) if x is not None
        ]
    margin = 0.03 * (max(ends) - min(ends))
    axes.set_xlim(min(ends) - margin, max(ends) + margin)
    axes.set_ylim(plot, 0)
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.axvspan(0, 1, color=_POSSIBLE, linewidth=0, zorder=0)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0, symbol=" %"))
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6, zorder=1)
    axes.tick_params(axis="x", length=3, color=_FRAME)
    for end in (0, 1):
        axes.axvline(end, color=_FRAME, linewidth=1, zorder=2)


def _write_left(
    axes: Axes, middle: float, lines: Sequence[str], *, at: float, **properties: Any
) -> None:
    """Write lines beside the axes, `at` so many inches from their left end."""
    axes.annotate(
        "\n".join(lines),
        xy=(0, middle),
        xycoords=("axes fraction", "data"),
        xytext=(72 * at, 0),
        textcoords="offset points",
        verticalalignment="center",
        annotation_clip=False,
        **properties,
    )


def _draw_share(axes: Axes, middle: float, share: Share, direct: bool) -> None:
    if share.estimate is None:
        axes.text(
            0.5, middle, "no reports yet", color=_RECEIVED, ha="center", va="center", zorder=3
        )
        return
    if share.observed is not None and not direct:
        axes.plot(share.observed, middle, zorder=5, **_MARKS["received"])
    colour = _OUTSIDE if share.outside else _ESTIMATE
    if share.low is not None and share.high is not None:
        axes.plot(
            [share.low, share.high],
            [middle, middle],
            zorder=4,
            **_MARKS["interval"] | {"color": colour},
        )
    axes.plot(
        share.estimate, middle, zorder=6, **_MARKS["outside" if share.outside else "estimate"]
    )


def _draw_legend(figure: Figure, shares: Sequence[Share], direct: bool, level: float) -> None:
    entries = {
        "estimate": "share" if direct else "estimate",
        "interval": f"{100 * level:g} % interval",
    }
    if not direct and any(share.observed is not None for share in shares):
        entries = {"received": "what was received (noisy)", **entries}
    if any(share.outside for share in shares):
        entries["outside"] = "estimate outside 0 to 100 %"
    figure.legend(
        handles=[Line2D([], [], label=label, **_MARKS[mark]) for mark, label in entries.items()],
        loc="upper left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=len(entries),
        frameon=False,
        fontsize=9,
        handlelength=1.4,
        handletextpad=0.5,
        columnspacing=1.6,
    )
