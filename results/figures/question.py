"""The figure of a question: the observed shares, and the estimates of the true ones."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter

from deniable import exact
from deniable.analysis.findings import SET, Mean, Share
from deniable.analysis.results import QuestionResults
from deniable.results.figures.caption import of_question, people, shares_of
from deniable.results.figures.drawing import (
    DASHES,
    ESTIMATE,
    FRAME,
    NARROW,
    OBSERVED,
    OUTSIDE,
    POSSIBLE,
    WIDTH,
    drawn,
)
from deniable.results.headlines import MANY
from deniable.results.table import SHARE, quantities
from deniable.survey.items import Item
from deniable.survey.questions import NO_NUMBERS

_MARKS: Final[dict[str, dict[str, Any]]] = {
    "observed": {
        "marker": "o",
        "markersize": 6.5,
        "markerfacecolor": "white",
        "markeredgecolor": OBSERVED,
        "markeredgewidth": 1.4,
        "linestyle": "none",
    },
    "estimate": {"marker": "o", "markersize": 6.5, "color": ESTIMATE, "linestyle": "none"},
    "outside": {"marker": "D", "markersize": 6, "color": OUTSIDE, "linestyle": "none"},
    "interval": {"color": ESTIMATE, "linewidth": 2.2, "solid_capstyle": "butt"},
    "narrow": {"color": ESTIMATE, "linewidth": 2.2, "linestyle": DASHES},
}

_TOP: Final = 0.42
_BOTTOM: Final = 0.58
_LINE: Final = 0.17
_ROW: Final = 0.28
_PAD: Final = 0.075
_LEGEND_LINE: Final = 0.2

_SHORT: Final = 30
"""Most characters of a name beside an axis."""

_LETTER: Final = 0.07
"""Inches that a letter of a name takes on average, with room to spare."""

# Inches, for a histogram.
_HISTOGRAM_LEFT: Final = 0.82
_HISTOGRAM_RIGHT: Final = 0.15


@dataclass(frozen=True)
class _Layout:
    """The width of a figure, and the place of its answers.

    `width`, `left`, `right`: of the figure and its margins, in inches. `wrap`, `heading_wrap`:
    characters after which answers and headings are wrapped. `above`: whether an answer stands above
    its marks, and not beside them. `entries`: legend entries in a line.
    """

    width: float
    left: float
    right: float
    wrap: int
    heading_wrap: int
    above: bool
    entries: int


# The margins hold the answers and the estimates in numbers. In one column there is no room for them
# beside the marks, so both stand above these.
_WIDE: Final = _Layout(WIDTH[False], 2.1, 1.6, 28, 90, above=False, entries=9)
_NARROW: Final = _Layout(WIDTH[True], 0.22, 0.15, 26, 40, above=True, entries=2)


@dataclass(frozen=True)
class _Row:
    """A row of a figure: an answer and its share, a mean, or a heading (no share)."""

    lines: tuple[str, ...]
    share: Share | Mean | None
    above: bool

    @property
    def height(self) -> float:
        lines = len(self.lines) - (0 if self.above and self.share else 1)
        return _ROW + _LINE * lines + (0.0 if self.share else 0.12)

    @property
    def middle(self) -> float:
        """The distance of the marks from the row's top, in inches."""
        written = _LINE * len(self.lines) if self.above else 0.0
        return written + (self.height - written) / 2


def question_figure(
    question: QuestionResults,
    level: float,
    form: str,
    *,
    narrow: bool = False,
    by: Item | None = None,
) -> bytes:
    """Draw the results of a question; `by`: the item whose answers are its groups.

    May be called from several threads.
    """
    layout = _NARROW if narrow else _WIDE
    panels = tuple(_panels(question, layout))
    if not narrow:
        layout = replace(layout, left=_left(panels))
    text = question.question.text
    # A question in full is the caption's: beside an axis there is room for a name alone.
    of = "" if narrow or text.endswith("?") or len(text) > _SHORT else f"{text}: "

    rows = textwrap.wrap(f"rows: {by.text}", layout.heading_wrap) if by else []

    def make() -> Figure:
        figure = _figure(panels, question.items[0].direct, level, layout, len(rows))
        last = figure.axes[-1]
        label = f"{of}{last.get_xlabel()} ({people(question.items)})"
        last.set_xlabel("\n".join([label, *rows]))
        return figure

    return drawn(make, form, of_question(question, level, by))


def _left(panels: Sequence[_Panel | _Histogram]) -> float:
    """Return how wide a margin the names of all rows need, in inches."""
    rows = [row for panel in panels if isinstance(panel, _Panel) for row in panel.rows]
    longest = max((len(line) for row in rows if row.share for line in row.lines), default=0)
    return min(0.3 + _LETTER * longest, _WIDE.left)


@dataclass(frozen=True)
class _Panel:
    """Rows on one scale, with the possible range; `of`: of whom shares are, empty for means."""

    rows: tuple[_Row, ...]
    unknown: str
    of: str
    least: float = 0.0
    greatest: float = 1.0

    @property
    def estimated(self) -> list[Share | Mean]:
        return [row.share for row in self.rows if row.share]

    @property
    def height(self) -> float:
        return sum(row.height for row in self.rows) + 2 * _PAD

    @property
    def shown(self) -> list[float]:
        ends = ((one.observed, one.estimate, one.low, one.high) for one in self.estimated)
        return [x for x in itertools.chain(*ends) if x is not None]

    def draw(self, axes: Axes, layout: _Layout, *, direct: bool) -> None:
        _draw_frame(axes, self)
        position = _PAD
        for row in self.rows:
            top, middle = position, position + row.middle
            position += row.height
            if row.share is None:
                above = 0.0 if row is self.rows[0] else top
                axes.axhspan(above, position, color="white", zorder=2.5)
                _write(
                    axes, (top + position) / 2, row.lines, at=0.1 - layout.left, fontweight="bold"
                )
                continue
            if row.above:
                # The text crosses the line at 0 and the grid; this keeps it readable.
                behind = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.5}
                line = top + _LINE * len(row.lines) / 2 + 0.03
                _write(axes, line, row.lines, at=0.15, bbox=behind)
                at = top + _LINE / 2 + 0.03
            else:
                _write(axes, middle, row.lines, at=-0.12, horizontalalignment="right")
                at = middle
            _draw_share(axes, middle, row.share, self, direct)
            _write_numbers(axes, at, row.share, beside=not row.above)


@dataclass(frozen=True)
class _Histogram:
    """The shares of many numbers, side by side."""

    estimated: tuple[Share, ...]
    unknown: str
    of: str
    height: float = 2.2

    def draw(self, axes: Axes, layout: _Layout, *, direct: bool) -> None:
        # There are no answers beside it.
        box, left = axes.get_position(), _HISTOGRAM_LEFT / layout.width
        right = 1 - _HISTOGRAM_RIGHT / layout.width
        axes.set_position((left, box.y0, right - left, box.height))
        _draw_histogram(axes, self, direct)


def _panels(question: QuestionResults, layout: _Layout) -> Iterator[_Panel | _Histogram]:
    item, several = question.items[0], len(question.items) > 1
    of = shares_of(question.items)
    unknown = next((one.unknown for one in question.items if one.has_hidden), item.unknown)
    if item.mean is None:
        yield _Panel(tuple(_rows(question, layout)), unknown, of)
        return
    means = tuple(
        _row(one.item.text if several else "Mean", one.mean, layout)
        for one in question.items
        if one.mean
    )
    yield _Panel(means, unknown, "", item.mean.least, item.mean.greatest)
    numbers = tuple(one for one in item.told_first if one.answer.code not in NO_NUMBERS)
    if not item.tells_shares:
        return
    if len(numbers) <= MANY:
        yield _Panel(tuple(_rows(question, layout)), unknown, of)
    elif not several:  # groups are compared by their means: so many shares cannot be read
        yield _Histogram(numbers, unknown, of)
        others = [one for one in item.told_first if one.answer.code in NO_NUMBERS]
        if others:
            yield _Panel(tuple(_row(one.answer.text, one, layout) for one in others), unknown, of)


def _rows(question: QuestionResults, layout: _Layout) -> Iterator[_Row]:
    for item in question.items:
        if question.question.offers_yes_no:
            chosen = next(share for share in item.told_first if share.answer.code == "yes")
            yield _row(item.item.text, chosen, layout)
            continue
        if question.question.has_several_items:
            lines = textwrap.wrap(item.item.text, layout.heading_wrap)
            yield _Row(tuple(lines), None, layout.above)
        for share in item.told_first:
            yield _row(item.item.in_full(share.answer), share, layout)


def _row(text: str, share: Share | Mean, layout: _Layout) -> _Row:
    return _Row(tuple(textwrap.wrap(text, layout.wrap)), share, layout.above)


def _figure(
    panels: Sequence[_Panel | _Histogram],
    direct: bool,
    level: float,
    layout: _Layout,
    lines: int,
) -> Figure:
    # `lines`: those below the last panel's label.
    entries = _legend(panels, direct, level)
    # These two have long names, so a narrow figure has one entry in a line.
    is_long = not {"outside", "narrow"}.isdisjoint(entries)
    columns = 1 if layout.above and is_long else 3 if "narrow" in entries else layout.entries
    top = _TOP + _LEGEND_LINE * ((len(entries) - 1) // columns)
    height = top + sum(panel.height + _BOTTOM for panel in panels) + _LINE * lines
    figure = Figure(figsize=(layout.width, height), facecolor="white")
    bottom = height - top
    left, width = layout.left / layout.width, 1 - (layout.left + layout.right) / layout.width
    for panel in panels:
        bottom -= panel.height
        axes = figure.add_axes((left, bottom / height, width, panel.height / height))
        panel.draw(axes, layout, direct=direct)
        bottom -= _BOTTOM
    _draw_legend(figure, entries, columns)
    return figure


def _draw_frame(axes: Axes, panel: _Panel) -> None:
    """Draw everything behind the marks; the vertical axis is in inches, from the top down."""
    # Shares begin at 0, so that lengths can be compared; a mean is read off the scale of answers.
    fixed = [0.0] if panel.of and panel.shown else [panel.least, panel.greatest]
    low, high = min([*fixed, *panel.shown]), max([*fixed, *panel.shown])
    margin = 0.03 * ((high - low) or 1)
    axes.set_xlim(low - margin, high + margin)
    axes.set_ylim(panel.height, 0)
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.axvspan(panel.least, panel.greatest, color=POSSIBLE, linewidth=0, zorder=0)
    inches = axes.get_position().width * axes.get_figure(root=True).get_figwidth()  # type: ignore[union-attr]
    axes.xaxis.set_major_locator(
        MaxNLocator(nbins=min(8, max(3, round(1.6 * inches))), steps=[1, 2, 2.5, 5, 10])
    )
    if panel.of:
        axes.xaxis.set_major_formatter(_percents(high - low))
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6, zorder=1)
    axes.set_xlabel(panel.of or f"mean of answers from {panel.least:g} to {panel.greatest:g}")
    axes.tick_params(axis="x", length=3, color=FRAME)
    for end in (panel.least, panel.greatest):
        if low - margin <= end <= high + margin:
            axes.axvline(end, color=FRAME, linewidth=1, zorder=2)


def _percents(span: float) -> PercentFormatter:
    return PercentFormatter(xmax=1, decimals=0 if span > 0.08 else 1, symbol=" %")


def _draw_histogram(axes: Axes, panel: _Histogram, direct: bool) -> None:
    """Draw a bar for each number, with its interval."""
    told = [one for one in panel.estimated if one.estimate is not None]
    places = [float(exact.fraction(one.answer.code)) for one in panel.estimated]
    step = min(b - a for a, b in itertools.pairwise(places))
    axes.set_xlim(places[0] - step, places[-1] + step)
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]))
    axes.tick_params(length=3, color=FRAME)
    axes.set_xlabel("answer")
    axes.set_ylabel(panel.of)
    if not told:
        axes.set_yticks([])
        middle = (places[0] + places[-1]) / 2
        axes.text(middle, 0.5, panel.unknown, color=FRAME, ha="center", va="center")
        return
    for place, one in zip(places, panel.estimated, strict=True):
        if one.estimate is None:
            continue
        colour = OUTSIDE if one.outside else ESTIMATE
        axes.bar(place, one.estimate, 0.8 * step, color=colour, alpha=0.35, zorder=3)
        if one.low is not None and one.high is not None:
            line = _MARKS[_style(one)] | {"color": colour, "linewidth": 1.2}
            axes.plot([place, place], [one.low, one.high], zorder=4, **line)
        axes.plot(place, one.estimate, zorder=6, **_small("outside" if one.outside else "estimate"))
        if one.observed is not None and not direct:
            axes.plot(place, one.observed, zorder=5, **_small("observed"))
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(_percents(high - low))
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6, zorder=1)
    axes.axhline(0, color=FRAME, linewidth=1, zorder=2)
    axes.set_axisbelow(True)


def _style(one: Share | Mean) -> str:
    return "narrow" if one.narrow else "interval"


def _small(mark: str) -> dict[str, Any]:
    return _MARKS[mark] | {"markersize": 3.2, "markeredgewidth": 0.8}


def _write(
    axes: Axes, middle: float, lines: Sequence[str], *, at: float, of: int = 0, **properties: Any
) -> None:
    # `at`: inches from the left end of the axes, or from the right one if `of` is 1.
    axes.annotate(
        "\n".join(lines),
        xy=(of, middle),
        xycoords=("axes fraction", "data"),
        xytext=(72 * at, 0),
        textcoords="offset points",
        verticalalignment="center",
        annotation_clip=False,
        zorder=7,
        **properties,
    )


def _write_numbers(axes: Axes, middle: float, share: Share | Mean, *, beside: bool) -> None:
    """Write an estimate and its interval at the right, beside the axes or at their end."""
    if share.estimate is None:
        return
    kind = SHARE if share.answer is not None else quantities(share.span)
    written = kind.cell(share.estimate)
    if share.is_set:
        written += f", {SET}"
    elif share.interval is not None:
        written += f" ({kind.cell(share.interval).removesuffix(kind.unit)})"
    _write(
        axes,
        middle,
        [written],
        at=0.1 if beside else 0.0,
        of=1,
        horizontalalignment="left" if beside else "right",
        fontsize=9,
    )


def _draw_share(
    axes: Axes, middle: float, share: Share | Mean, panel: _Panel, direct: bool
) -> None:
    if share.estimate is None and share.interval is None:
        centre = sum(axes.get_xlim()) / 2
        axes.text(centre, middle, panel.unknown, color=FRAME, ha="center", va="center")
        return
    if share.observed is not None and not direct:
        axes.plot(share.observed, middle, zorder=5, **_MARKS["observed"])
    colour = OUTSIDE if share.outside else ESTIMATE
    if share.low is not None and share.high is not None and not share.is_set:
        axes.plot(
            [share.low, share.high],
            [middle, middle],
            zorder=4,
            **_MARKS[_style(share)] | {"color": colour},
        )
    if share.estimate is not None:
        mark = "outside" if share.outside else "estimate"
        axes.plot(share.estimate, middle, zorder=6, **_MARKS[mark])


def _legend(panels: Sequence[_Panel | _Histogram], direct: bool, level: float) -> dict[str, str]:
    """Return the name of each mark that is drawn."""
    shares = [share for panel in panels for share in panel.estimated]
    of_what = "share, mean" if len(panels) > 1 else "share"
    entries = {"estimate": of_what if direct else "estimate"}
    if any(share.interval is not None and not share.is_set for share in shares):
        entries["interval"] = f"{100 * level:g} % interval"
    if not direct and any(share.observed is not None for share in shares):
        entries = {"observed": "observed, with the noise", **entries}
    if any(share.outside for share in shares if share.answer is not None):
        entries["outside"] = "estimate outside 0 to 100 %"
    elif any(share.outside for share in shares):
        entries["outside"] = "mean beyond the answers"
    if any(one.narrow for one in shares):
        entries["narrow"] = NARROW
    return entries


def _draw_legend(figure: Figure, entries: Mapping[str, str], columns: int) -> None:
    figure.legend(
        handles=[Line2D([], [], label=label, **_MARKS[mark]) for mark, label in entries.items()],
        loc="upper left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=min(len(entries), columns),
        frameon=False,
        fontsize=9,
        handlelength=1.4,
        handletextpad=0.5,
        columnspacing=1.6,
    )
