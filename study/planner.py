"""Before anybody is asked: how wide intervals will be, and how many people to ask."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.console import RenderableType

from deniable.analysis.formats import Export, Row
from deniable.analysis.planning.advice import PLANNED, advice, is_too_wide
from deniable.analysis.planning.budgets import Precision, precision
from deniable.analysis.planning.power import sample_size_two_groups
from deniable.analysis.planning.significance import PlannedTest
from deniable.questions import Protection
from deniable.study.analysed import Analysed
from deniable.study.tables import table
from deniable.survey import Survey
from deniable.wording import quantity

__all__ = ["PLANNED", "plan"]


def plan(
    survey: Survey,
    respondents: int = PLANNED,
    *,
    within: float | None = None,
    detect: tuple[float, float] | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> Analysed:
    """Say of each item how precise it will be, and how many people it takes.

    Parameters
    ----------
    survey : Survey
    respondents : int
        How many are expected, at least 1.
    within : float, optional
        A half-width that is wanted: .05 is five percentage points, or five hundredths of what the
        answers of a number span. Then the fewest people are found who must take part.
    detect : tuple of two floats, optional
        Shares of the second answer in two groups. Then the fewest people are found, in both groups
        together, with whom the score test tells them apart. For items of two answers.
    power : float
        How often it then does, between the significance (1 − `level`) and 1.
    level : float
        Of the intervals, between 0 and 1.

    Returns
    -------
    Analysed
        Its rows have a half-width at the number of respondents, and the numbers that were asked
        for. People who are not asked every question count as respondents too.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from deniable.survey_file import read
    >>> survey = read('''version: 1
    ... survey: doping
    ... title: Doping
    ... questions:
    ...   - {id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}
    ... ''').survey
    >>> (row,) = plan(survey, 1000, within=.05, detect=(.1, .25)).export.rows
    >>> round(row["half_width"], 3), row["n_within"], row["n_detect"]
    (0.062, 1537, 1242)
    """
    if within is not None and not within > 0:
        raise ValueError(f"expected a half-width above 0, such as 0.05, found {within}")
    found = precision(survey, respondents, level)
    rows = [_row(one, respondents, within, detect, power, level) for one in found]
    return Analysed(
        table=list(_as_table(survey, found, rows, respondents, within, detect, power, level)),
        export=Export(
            tuple(rows[0]),
            rows,
            {
                "survey": survey.slug,
                "epsilon": survey.epsilon,
                "respondents": respondents,
                "level": level,
                "within": within,
                "detect": None if detect is None else list(detect),
                "power": power if detect is not None else None,
                "warnings": list(advice(survey, respondents)),
            },
            key="items",
        ),
    )


def _row(
    found: Precision,
    respondents: int,
    within: float | None,
    detect: tuple[float, float] | None,
    power: float,
    level: float,
) -> Row:
    asked = found.respondents / respondents
    row: dict[str, str | float | bool | None] = {
        "item": found.item.id,
        "epsilon": found.item.epsilon,
        "respondents": found.respondents,
        "half_width": found.widest,
        "too_wide": is_too_wide(found),
    }
    if within is not None:
        row["n_within"] = found.respondents_for(within, respondents)
    if detect is not None:
        row["n_detect"] = None
        if found.item.channel.truths == 2 and found.item.channel.identifiable:
            test = PlannedTest("score", significance=1 - level)
            each = sample_size_two_groups(found.item.channel, shares=detect, power=power, test=test)
            row["n_detect"] = math.ceil(sum(each.n) / asked)
    return row


def _as_table(  # noqa: PLR0913, PLR0917  what was asked
    survey: Survey,
    found: tuple[Precision, ...],
    rows: list[Row],
    respondents: int,
    within: float | None,
    detect: tuple[float, float] | None,
    power: float,
    level: float,
) -> Iterator[RenderableType]:
    numbers = ["ε", f"{100 * level:g} % interval"]
    numbers += [] if within is None else [f"People for ±{100 * within:g}"]
    numbers += [] if detect is None else ["People to tell the groups apart"]
    printed = table("Item", *numbers, numbers=numbers)
    for one, row in zip(found, rows, strict=True):
        direct = one.item.protection is Protection.DIRECT
        cells = ["–" if direct else f"{one.item.epsilon:.3f}", _width(one)]
        cells += [] if within is None else [f"{row['n_within']:,}"]
        if detect is not None:
            cells.append("–" if row["n_detect"] is None else f"{row['n_detect']:,}")
        printed.add_row(one.item.id + (" (direct)" if direct else ""), *cells)
    yield (
        f"{survey.title} ({survey.slug}): planned for {respondents:,} respondents, "
        f"ε {survey.epsilon:g}"
    )
    yield ""
    yield printed
    yield ""
    yield (
        "Interval: at worst, in percentage points to either side of a share, or of the mean of a "
        "number in its own units."
    )
    if within is not None and any(one.span is not None for one in found):
        yield f"±{100 * within:g} of a number: in hundredths of what its answers span."
    if detect is not None:
        low, high = (f"{100 * share:g} %" for share in detect)
        yield (
            f"Groups: of equal size, {low} of the one and {high} of the other say the second "
            f"answer. With so many people in both together, a test at {100 * (1 - level):.3g} % "
            f"finds the difference {100 * power:g} % of the time."
        )
    for warning in advice(survey, respondents):
        yield ""
        yield warning


def _width(found: Precision) -> str:
    wide = " (of no use)" if is_too_wide(found) else ""
    if found.span is None or found.mean is None:
        return f"±{100 * found.widest:.1f}{wide}"
    return f"mean ±{quantity(found.mean, found.span)}{wide}"
