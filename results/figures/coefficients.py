"""A figure of a regression: its coefficients with their intervals."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from deniable.results.figures.drawing import ESTIMATE, FRAME, drawn
from deniable.results.findings import Coefficient

# Inches; on a phone the names stand above the marks.
_WIDTH: Final = {False: 7.2, True: 3.3}
_LEFT: Final = {False: 2.5, True: 0.12}
_RIGHT: Final = 0.25
_TOP: Final = 0.15
_BOTTOM: Final = 0.65
_ROW: Final = 0.32
_ROW_BELOW_NAME: Final = 0.5
_LINE: Final = 0.17
_WRAP: Final = {False: 30, True: 40}


def coefficients_figure(
    coefficients: Sequence[Coefficient],
    level: float,
    link: str,
    form: str,
    *,
    narrow: bool = False,
) -> bytes:
    """Draw coefficients below one another, each with its interval."""
    shown = [each for each in coefficients if not each.name.endswith("Intercept")]
    shown = shown or list(coefficients)

    def make() -> Figure:
        lines = max(len(textwrap.wrap(each.name, _WRAP[narrow])) for each in shown)
        row = (_ROW_BELOW_NAME if narrow else _ROW) + _LINE * max(lines - 1, 0)
        height = _TOP + row * (len(shown) + 0.5) + _BOTTOM
        width, left = _WIDTH[narrow], _LEFT[narrow]
        figure = Figure(figsize=(width, height), facecolor="white")
        axes = figure.add_axes(
            (
                left / width,
                _BOTTOM / height,
                1 - (left + _RIGHT) / width,
                1 - (_TOP + _BOTTOM) / height,
            )
        )
        _draw(axes, shown)
        _name(axes, shown, narrow=narrow)
        axes.set_xlabel(f"coefficient ({link}), {100 * level:g} % interval")
        return figure

    return drawn(make, form)


def _draw(axes: Axes, coefficients: Sequence[Coefficient]) -> None:
    axes.axvline(0, color=FRAME, linewidth=1, zorder=1)
    for row, each in enumerate(coefficients):
        if math.isfinite(each.coefficient):
            axes.plot(each.coefficient, row, "o", color=ESTIMATE, markersize=6.5, zorder=3)
        else:
            arrow = ">" if each.coefficient > 0 else "<"
            axes.plot(0, row, arrow, color=ESTIMATE, markersize=8, zorder=3)
        if all(map(math.isfinite, each.interval)):
            axes.plot(each.interval, [row, row], color=ESTIMATE, linewidth=2.2, zorder=2)
    axes.set_ylim(len(coefficients) - 0.25, -0.75)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6, zorder=0)
    axes.set_axisbelow(True)
    axes.spines[["left", "right", "top"]].set_visible(False)


def _name(axes: Axes, coefficients: Sequence[Coefficient], *, narrow: bool) -> None:
    names = [textwrap.fill(each.name, _WRAP[narrow]) for each in coefficients]
    axes.tick_params(axis="y", length=0)
    if not narrow:
        axes.set_yticks(range(len(coefficients)), names)
        return
    axes.set_yticks([])
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
    across = axes.get_yaxis_transform()
    for row, name in enumerate(names):
        axes.text(0, row - 0.25, name, transform=across, va="bottom", zorder=4)
