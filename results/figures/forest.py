"""A forest plot: estimates below one another, such as coefficients, each with its interval."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from deniable.analysis.findings import Finding
from deniable.results.figures.caption import Caption
from deniable.results.figures.drawing import DASHES, ESTIMATE, FRAME, NARROW, WIDTH, drawn

# Inches; in one column the names stand above the marks.
_LEFT: Final = {False: 2.5, True: 0.12}
_RIGHT: Final = 0.25
_TOP: Final = 0.15
_BOTTOM: Final = 0.65
_ROW: Final = 0.32
_ROW_BELOW_NAME: Final = 0.5
_LINE: Final = 0.17
_WRAP: Final = {False: 30, True: 40}

_BEYOND: Final = 1.5
"""The factor by which an axis of ratios reaches beyond everything that is drawn."""


def forest_figure(
    marks: Sequence[tuple[str, Finding]],
    label: str,
    form: str,
    *,
    narrow: bool = False,
    of_ratios: bool = False,
) -> bytes:
    """Draw named estimates, ratios on a logarithmic axis; an end beyond the axis has an arrow."""

    def make() -> Figure:
        lines = max(len(textwrap.wrap(name, _WRAP[narrow])) for name, _ in marks)
        row = (_ROW_BELOW_NAME if narrow else _ROW) + _LINE * max(lines - 1, 0)
        height = _TOP + row * (len(marks) + 0.5) + _BOTTOM
        width, left = WIDTH[narrow], _LEFT[narrow]
        figure = Figure(figsize=(width, height), facecolor="white")
        axes = figure.add_axes(
            (
                left / width,
                _BOTTOM / height,
                1 - (left + _RIGHT) / width,
                1 - (_TOP + _BOTTOM) / height,
            )
        )
        if of_ratios:
            _scale(axes, marks, narrow=narrow)
        _draw(axes, marks, of_ratios=of_ratios)
        _name(axes, marks, narrow=narrow)
        if narrow and not of_ratios:
            axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
        dotted = f"\ndotted: {NARROW}" if any(one.narrow for _, one in marks) else ""
        axes.set_xlabel(label + dotted)
        return figure

    line = 1 if of_ratios else 0
    said = f"Dots are estimates, lines their intervals; the upright line is at {line}."
    return drawn(make, form, Caption(f"{label[:1].upper()}{label[1:]}", said))


def _scale(axes: Axes, marks: Sequence[tuple[str, Finding]], *, narrow: bool) -> None:
    """Make an axis of ratios that holds 1 and every positive finite number of the marks."""
    numbers = [number for _, one in marks for number in (one.estimate, one.low, one.high)]
    there = [1.0, *(one for one in numbers if one is not None and 0 < one < math.inf)]
    axes.set_xscale("log")
    axes.set_xlim(min(there) / _BEYOND, max(there) * _BEYOND)
    wide = max(there) / min(there) > (5 if narrow else 20)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if wide else (1, 1.5, 2, 3, 5, 7)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda at, _: f"{at:g}"))
    axes.xaxis.set_minor_locator(NullLocator())


def _draw(axes: Axes, marks: Sequence[tuple[str, Finding]], *, of_ratios: bool) -> None:
    axes.axvline(float(of_ratios), color=FRAME, linewidth=1, zorder=1)
    least, greatest = axes.get_xlim() if of_ratios else (-math.inf, math.inf)
    for row, (_, one) in enumerate(marks):
        if one.estimate is None:
            pass
        elif least < one.estimate < greatest:
            axes.plot(one.estimate, row, "o", color=ESTIMATE, markersize=6.5, zorder=3)
        elif not of_ratios:
            arrow = ">" if one.estimate > 0 else "<"
            axes.plot(0, row, arrow, color=ESTIMATE, markersize=8, zorder=3)
        if one.interval is None:
            continue
        ends = [max(one.interval.low, least), min(one.interval.high, greatest)]
        if all(map(math.isfinite, ends)):
            line = DASHES if one.narrow else "-"
            axes.plot(ends, [row, row], color=ESTIMATE, linewidth=2.2, linestyle=line, zorder=2)
            for end, own, arrow in zip(ends, one.interval, "<>", strict=True):
                if end != own:
                    axes.plot(end, row, arrow, color=ESTIMATE, clip_on=False, zorder=3)
    axes.set_ylim(len(marks) - 0.25, -0.75)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6, zorder=0)
    axes.set_axisbelow(True)
    axes.spines[["left", "right", "top"]].set_visible(False)


def _name(axes: Axes, marks: Sequence[tuple[str, Finding]], *, narrow: bool) -> None:
    names = [textwrap.fill(name, _WRAP[narrow]) for name, _ in marks]
    axes.tick_params(axis="y", length=0)
    if not narrow:
        # As it is, a name would stand below its mark.
        axes.set_yticks(range(len(marks)), names, va="center")
        return
    axes.set_yticks([])
    across = axes.get_yaxis_transform()
    # A name crosses the grid and the upright line: this keeps it readable.
    behind = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.5}
    for row, name in enumerate(names):
        axes.text(0, row - 0.25, name, transform=across, va="bottom", zorder=4, bbox=behind)
