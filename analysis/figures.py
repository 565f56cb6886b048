"""A figure a question: what was observed, and what it says about the truth."""

from __future__ import annotations

import io
import textwrap
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter
from matplotlib.typing import RcKeyType

from deniable.analysis.results import Mean, QuestionResults, Share

# Okabe and Ito's colours, told apart by every kind of colour vision; the marks differ in shape
# too. Okabe, M. and Ito, K. (2008). Color universal design.
ESTIMATE: Final = "#0072B2"
_OUTSIDE: Final = "#D55E00"
_OBSERVED: Final = "#767676"
_POSSIBLE: Final = "#F1F5F8"
FRAME: Final = "#444444"

_MARKS: Final[dict[str, dict[str, Any]]] = {
    "observed": {
        "marker": "o",
        "markersize": 6.5,
        "markerfacecolor": "white",
        "markeredgecolor": _OBSERVED,
        "markeredgewidth": 1.4,
        "linestyle": "none",
    },
    "estimate": {"marker": "o", "markersize": 6.5, "color": ESTIMATE, "linestyle": "none"},
    "outside": {"marker": "D", "markersize": 6, "color": _OUTSIDE, "linestyle": "none"},
    "interval": {"color": ESTIMATE, "linewidth": 2.2, "solid_capstyle": "butt"},
}

STYLE: Final[dict[RcKeyType, Any]] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": 10,
    "text.parse_math": False,  # a question about $5 or $10 is no formula
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and enlarged
    "svg.hashsalt": "deniable",  # the same figure is the same file
    "pdf.fonttype": 42,  # letters as a font that other programs can edit, and not as drawings
}
"""matplotlib's settings for every figure."""

FORMATS: Final[dict[str, dict[str, str | None]]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""What a figure can be saved as, with what matplotlib would write of itself and of the time."""

# Dots an inch of a PNG, as journals ask for.
_DOTS: Final = 300

# To be held while a figure is drawn: matplotlib's settings belong to the process, and a server
# draws in many threads.
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
    """One line of a figure: an answer and its share, a mean, or a heading, which has neither."""

    lines: tuple[str, ...]
    share: Share | Mean | None

    @property
    def height(self) -> float:
        return _ROW + _LINE * (len(self.lines) - 1) + (0.0 if self.share else 0.12)


def drawn(make: Callable[[], Figure], form: str) -> bytes:
    """Draw a figure and save it.

    Parameters
    ----------
    make : callable
        Makes the figure; called under the settings of all figures.
    form : str
        One of `FORMATS`.

    Returns
    -------
    bytes
        A file, the same for the same figure.

    Raises
    ------
    ValueError
        If a PNG or PDF would have boxes in place of letters, as the font does not have them.

    Notes
    -----
    May be called from several threads.
    """
    file = io.BytesIO()
    with _DRAWING, mpl.rc_context(STYLE), warnings.catch_warnings():
        # An SVG's reader has fonts for scripts that matplotlib's own font lacks.
        action: Literal["ignore", "error"] = "ignore" if form == "svg" else "error"
        warnings.filterwarnings(action, message="Glyph", category=UserWarning)
        try:
            make().savefig(file, format=form, dpi=_DOTS, metadata=FORMATS[form])
        except UserWarning as lack:
            raise ValueError(
                f"the font of a figure in {form.upper()} has not all letters of its texts "
                f"({str(lack).partition(' missing')[0]}); expected an SVG, whose letters are its "
                "reader's"
            ) from None
    return file.getvalue()


def question_svg(question: QuestionResults, level: float) -> str:
    """Draw the results of a question as SVG; see `question_figure`."""
    return question_figure(question, level, "svg").decode()


def question_figure(question: QuestionResults, level: float, form: str) -> bytes:
    """Draw the results of a question.

    Parameters
    ----------
    question : QuestionResults
    level : float
        Of its intervals, to be named in the legend.
    form : str
        One of `FORMATS`.

    Returns
    -------
    bytes
        A file, the same for the same results. A row an answer: a hollow mark for the share of
        the reports, a filled one for the estimate, a line for the interval; a `many` question has
        a row an option, for yes, and a `grid` its rows one below the other. What is possible, 0 to
        100 %, is shaded; an estimate beyond it has a mark of its own and the axis follows it. The
        mean of a number stands above its shares, on a scale of the numbers themselves, and alone
        where the design does not tell the shares. It has no title, as it is shown below the
        question.

    Raises
    ------
    ValueError
        As `drawn`.

    Notes
    -----
    May be called from several threads.
    """
    return drawn(lambda: _figure(tuple(_panels(question)), question.items[0].direct, level), form)


@dataclass(frozen=True)
class _Panel:
    """Rows on one scale, the range on it that is possible, and what to say of no estimate."""

    rows: tuple[_Row, ...]
    unknown: str
    least: float = 0.0
    greatest: float = 1.0
    percent: bool = True

    @property
    def estimated(self) -> list[Share | Mean]:
        return [row.share for row in self.rows if row.share]

    @property
    def height(self) -> float:
        return sum(row.height for row in self.rows) + 2 * _PAD


def _panels(question: QuestionResults) -> Iterator[_Panel]:
    item = question.items[0]
    unknown = "not told by these reports" if item.n else "no reports yet"
    if item.mean:
        rows = (_Row(("Mean",), item.mean),)
        yield _Panel(rows, unknown, item.mean.least, item.mean.greatest, percent=False)
    if item.tells_shares or not item.mean:
        yield _Panel(tuple(_rows(question)), unknown)


def _rows(question: QuestionResults) -> Iterator[_Row]:
    for item in question.items:
        if question.question.offers_yes_no:
            chosen = next(share for share in item.shares if share.answer.code == "yes")
            yield _row(item.item.text, chosen)
            continue
        if question.question.has_several_items:
            yield _Row(tuple(textwrap.wrap(item.item.text, _HEADING_WRAP)), None)
        for share in item.shares:
            yield _row(share.answer.text, share)


def _row(text: str, share: Share) -> _Row:
    return _Row(tuple(textwrap.wrap(text, _WRAP)), share)


def _figure(panels: Sequence[_Panel], direct: bool, level: float) -> Figure:
    height = _TOP + sum(panel.height + _BOTTOM for panel in panels)
    figure = Figure(figsize=(_WIDTH, height), facecolor="white")
    bottom = height - _TOP
    for panel in panels:
        bottom -= panel.height
        axes = figure.add_axes(
            (
                _LEFT / _WIDTH,
                bottom / height,
                1 - (_LEFT + _RIGHT) / _WIDTH,
                panel.height / height,
            )
        )
        _draw_panel(axes, panel, direct)
        bottom -= _BOTTOM
    _draw_legend(figure, panels, direct, level)
    return figure


def _draw_panel(axes: Axes, panel: _Panel, direct: bool) -> None:
    _draw_frame(axes, panel)
    position = _PAD
    for row in panel.rows:
        middle = position + row.height / 2
        position += row.height
        if row.share:
            _write_left(axes, middle, row.lines, at=-0.12, horizontalalignment="right")
            _draw_share(axes, middle, row.share, panel, direct)
        else:
            above = 0.0 if row is panel.rows[0] else position - row.height
            axes.axhspan(above, position, color="white", zorder=2.5)
            _write_left(axes, middle, row.lines, at=0.1 - _LEFT, fontweight="bold")


def _draw_frame(axes: Axes, panel: _Panel) -> None:
    """Draw everything that lies behind the marks; downwards, the axis is in inches."""
    ends = [panel.least, panel.greatest]
    for share in panel.estimated:
        ends += [
            x for x in (_observed(share), share.estimate, share.low, share.high) if x is not None
        ]
    margin = 0.03 * (max(ends) - min(ends))
    axes.set_xlim(min(ends) - margin, max(ends) + margin)
    axes.set_ylim(panel.height, 0)
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.axvspan(panel.least, panel.greatest, color=_POSSIBLE, linewidth=0, zorder=0)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]))
    if panel.percent:
        axes.xaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0, symbol=" %"))
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6, zorder=1)
    axes.tick_params(axis="x", length=3, color=FRAME)
    for end in (panel.least, panel.greatest):
        axes.axvline(end, color=FRAME, linewidth=1, zorder=2)


def _observed(share: Share | Mean) -> float | None:
    return share.observed if isinstance(share, Share) else None


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


def _draw_share(
    axes: Axes, middle: float, share: Share | Mean, panel: _Panel, direct: bool
) -> None:
    if share.estimate is None:
        centre = (panel.least + panel.greatest) / 2
        axes.text(centre, middle, panel.unknown, color=_OBSERVED, ha="center", va="center")
        return
    observed = _observed(share)
    if observed is not None and not direct:
        axes.plot(observed, middle, zorder=5, **_MARKS["observed"])
    colour = _OUTSIDE if share.outside else ESTIMATE
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


def _draw_legend(figure: Figure, panels: Sequence[_Panel], direct: bool, level: float) -> None:
    shares = [share for panel in panels for share in panel.estimated]
    of_what = "share, mean" if len(panels) > 1 else "share"
    entries = {
        "estimate": of_what if direct else "estimate",
        "interval": f"{100 * level:g} % interval",
    }
    if not direct and any(_observed(share) is not None for share in shares):
        entries = {"observed": "observed share (noisy)", **entries}
    if any(share.outside for share in shares if isinstance(share, Share)):
        entries["outside"] = "estimate outside 0 to 100 %"
    elif any(share.outside for share in shares):
        entries["outside"] = "mean beyond the answers"
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
