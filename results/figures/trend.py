"""The figure of a question's estimates from wave to wave."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from deniable.analysis.findings import Mean, Share
from deniable.analysis.results import QuestionResults
from deniable.results.figures.caption import of_waves, people, shares_of
from deniable.results.figures.drawing import DASHES, ESTIMATE, FRAME, NARROW, WIDTH, drawn
from deniable.results.headlines import Headline, headlines

# Inches; a legend line is as high as a line of text.
_LEFT: Final = 0.7
_RIGHT: Final = 0.2
_HEIGHT: Final = 2.4
_BOTTOM: Final = 0.72
_LEGEND_LINE: Final = 0.22

_WRAP: Final = {False: 80, True: 36}

# Okabe and Ito's colours, each with a mark of its own shape, every other one hollow.
_LINES: Final = (
    (ESTIMATE, "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
)

_APART: Final = 0.06
"""The shift between lines, in waves, so that their intervals do not cover each other."""


@dataclass(frozen=True)
class _Line:
    label: str
    points: tuple[tuple[int, Share | Mean], ...]


def trend_figure(
    waves: Sequence[tuple[int, QuestionResults]], level: float, form: str, *, narrow: bool = False
) -> bytes:
    """Draw the estimates of a question, wave by wave, as lines."""
    lines = tuple(_lines(waves, _WRAP[narrow]))

    def make() -> Figure:
        dashed = any(told.narrow for line in lines for _, told in line.points)
        top = 0.12 + _LEGEND_LINE * (sum(line.label.count("\n") + 1 for line in lines) + dashed)
        height, width = top + _HEIGHT + _BOTTOM, WIDTH[narrow]
        figure = Figure(figsize=(width, height), facecolor="white")
        axes = figure.add_axes(
            (_LEFT / width, _BOTTOM / height, 1 - (_LEFT + _RIGHT) / width, _HEIGHT / height)
        )
        _draw_frame(axes, waves, lines)
        axes.set_xlabel(f"wave and n; with {100 * level:g} % intervals")
        for place, line in enumerate(lines):
            _draw_line(axes, line, place, len(lines))
        if dashed:
            axes.plot([], [], color=FRAME, linestyle=DASHES, label=NARROW)
        figure.legend(
            *axes.get_legend_handles_labels(),
            loc="upper left",
            bbox_to_anchor=(0.0, 1.0),
            frameon=False,
            fontsize=9,
            handlelength=1.8,
            labelspacing=0.3,
        )
        return figure

    return drawn(make, form, of_waves(waves, level))


def _lines(waves: Sequence[tuple[int, QuestionResults]], wrap: int) -> Iterator[_Line]:
    _, latest = waves[-1]
    of_some = latest.items[0].is_told_of_some
    for first in headlines(latest, both=False)[: len(_LINES)]:
        points = ((wave, _finding_in_wave(results, first, of_some)) for wave, results in waves)
        known = tuple((wave, told) for wave, told in points if told.estimate is not None)
        yield _Line(textwrap.fill(first.label, wrap), known)


def _finding_in_wave(question: QuestionResults, headline: Headline, of_some: bool) -> Share | Mean:
    """Return the share or the mean of a headline in another wave's results."""
    item = next(one for one in question.items if one.item.id == headline.item.id)
    if headline.answer is None:
        assert item.mean is not None  # noqa: S101  for the type checker: it has one in every wave
        return item.mean
    return next(
        share
        for share in (item.applicable if of_some else item.shares)
        if share.answer == headline.answer
    )


def _draw_frame(
    axes: Axes, waves: Sequence[tuple[int, QuestionResults]], lines: Sequence[_Line]
) -> None:
    numbers = [wave for wave, _ in waves]
    axes.set_xticks(numbers, [f"{wave}\n{people(one.items, '')}" for wave, one in waves])
    axes.set_xlim(numbers[0] - 0.4, numbers[-1] + 0.4)
    axes.spines[["right", "top"]].set_visible(False)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6, zorder=0)
    axes.tick_params(color=FRAME, length=3)
    if any(told.answer is not None for line in lines for _, told in line.points):
        axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0, symbol=" %"))
        axes.axhline(0, color=FRAME, linewidth=1, zorder=1)
        axes.set_ylabel(shares_of(waves[-1][1].items))
    else:
        axes.set_ylabel("mean")


def _draw_line(axes: Axes, line: _Line, place: int, lines: int) -> None:
    colour, mark = _LINES[place]
    shift = _APART * (place - (lines - 1) / 2)
    xs = [wave + shift for wave, _ in line.points]
    values = [told.estimate or 0.0 for _, told in line.points]
    face = "white" if place % 2 else colour
    axes.plot(
        *(xs, values, mark),
        linestyle="-",
        color=colour,
        markersize=6,
        markerfacecolor=face,
        label=line.label,
        zorder=4,
    )
    for x, (_, told) in zip(xs, line.points, strict=True):
        if told.low is not None and told.high is not None:
            style = DASHES if told.narrow else "-"
            ends = [told.low, told.high]
            axes.plot([x, x], ends, linestyle=style, color=colour, linewidth=1.6, zorder=3)
