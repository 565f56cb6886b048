"""A change from wave to wave, as the desk and the command line say it."""

from __future__ import annotations

import numpy as np

from deniable.analysis.results import numbers
from deniable.analysis.waves import Change
from deniable.text.wording import percentage_points, quantity


def change_words(change: Change) -> tuple[str, str, str]:
    """Write a change, its interval and its standard error, in points or in the item's units."""

    def number(value: float | None) -> str:
        if change.answer is not None:
            return percentage_points(value).removesuffix(" points")
        values = numbers(change.item)
        return quantity(value, float(np.nanmax(values) - np.nanmin(values)))

    return (
        number(change.estimate),
        "–" if change.low is None else f"{number(change.low)} to {number(change.high)}",
        number(change.standard_error),
    )
