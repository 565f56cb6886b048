"""Shares and means of a population, from a sample with weights, strata or clusters.

The estimates are those of `deniable.analysis.sampling.design_based`: their errors count how people
were drawn and how their answers were randomised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import RenderableType

from deniable.analysis.formats import Export, Row
from deniable.analysis.results import ItemResults, Mean, Share
from deniable.analysis.sampling.debiased import Debiased, debiased_shares, debiased_values
from deniable.analysis.sampling.design_based import DesignEstimate, SamplingDesign, mean
from deniable.items import Item
from deniable.questions import Answer
from deniable.study.analysed import Analysed, Draw
from deniable.study.printed import interval_heading, number
from deniable.study.shares import EVERYBODY, as_question, names_of
from deniable.study.tables import table
from deniable.wording import quantity

NOTE = (
    "Estimate: of the population that the sample was drawn from. SE and interval count how people "
    "were drawn and how their answers were randomised (t distribution)."
)


@dataclass(frozen=True)
class Sampled:
    """How the respondents were drawn, and from which columns that is known.

    Parameters
    ----------
    design : SamplingDesign
    columns : mapping of str to str
        The names of the columns, under ``weights``, ``strata`` and ``clusters``.
    """

    design: SamplingDesign
    columns: Mapping[str, str]

    @property
    def words(self) -> str:
        """Say in a line where it comes from."""
        named = ", ".join(f"{what} {name}" for what, name in self.columns.items())
        return f"Sample: {named}; {self.design.degrees_of_freedom:,} degrees of freedom."


@dataclass(frozen=True, eq=False)
class Variable:
    """An item and what people reported of it.

    Parameters
    ----------
    item : Item
    reports : ndarray of uint8, shape (n,)
    values : list of float or None
        What each truth counts for, if it is a number.
    """

    item: Item
    reports: npt.NDArray[np.uint8]
    values: list[float] | None


@dataclass(frozen=True, eq=False)
class _Found:
    """What was estimated of an item in a group."""

    variable: Variable
    group: Answer
    shares: DesignEstimate | None
    mean: DesignEstimate | None


def estimate(
    variables: Sequence[Variable],
    sampled: Sampled,
    source: str,
    level: float,
    groups: Mapping[Answer, npt.NDArray[np.bool_]] | None = None,
    by: str | None = None,
) -> Analysed:
    """Estimate shares and means.

    Parameters
    ----------
    variables : sequence of Variable
    sampled : Sampled
    source : str
        Where the reports come from.
    level : float
        Of each interval.
    groups : mapping of Answer to ndarray of bool, shape (n,), optional
        Who belongs to which group.
    by : str, optional
        What the groups differ in.

    Returns
    -------
    Analysed

    Raises
    ------
    ValueError
        If a stratum has a single unit, nothing can be estimated, or the level is not valid.
    """
    domains: Mapping[Answer, npt.NDArray[np.bool_] | None] = groups or {EVERYBODY: None}
    found = [
        _estimate(variable, group, domain, sampled.design)
        for variable in variables
        for group, domain in domains.items()
    ]
    rows = [row for one in found for row in _rows(one, level, by)]
    document = {
        "data": source,
        "group_question": by,
        "level": level,
        "sample": dict(sampled.columns),
        "degrees_of_freedom": sampled.design.degrees_of_freedom,
    }
    return Analysed(
        [*_as_table(found, sampled, source, level, by)],
        Export(tuple(rows[0]), rows, document),
        _drawing(found, level, by) if len(variables) == 1 else None,
    )


def _estimate(
    variable: Variable,
    group: Answer,
    domain: npt.NDArray[np.bool_] | None,
    design: SamplingDesign,
) -> _Found:
    channel, reports = variable.item.channel, variable.reports
    shares = (
        _mean(debiased_shares(reports, channel), design, domain) if channel.identifiable else None
    )
    found = None
    if variable.values is not None:
        found = _mean(debiased_values(reports, channel, variable.values), design, domain)
    return _Found(variable, group, shares, found)


def _mean(
    variable: Debiased, design: SamplingDesign, domain: npt.NDArray[np.bool_] | None
) -> DesignEstimate:
    return mean(variable, design, domain=domain)


def _lines(found: _Found, level: float) -> Iterator[tuple[Answer | None, Row]]:
    """Yield each answer of an item with its numbers; the mean is of no answer."""
    of: Sequence[tuple[DesignEstimate | None, Sequence[Answer | None]]] = (
        (found.mean, [None]),
        (found.shares, found.variable.item.truths),
    )
    for estimate_, answers in of:
        if estimate_ is None:
            continue
        ends = estimate_.interval(level)
        for place, answer in enumerate(answers):
            yield (
                answer,
                {
                    "estimate": float(estimate_.theta[place]),
                    "standard_error": float(estimate_.standard_error[place]),
                    "low": float(ends[place, 0]),
                    "high": float(ends[place, 1]),
                    "outside": bool(estimate_.outside[place]),
                    "n": estimate_.n,
                },
            )


def _rows(found: _Found, level: float, by: str | None) -> Iterator[Row]:
    of = names_of(found.variable.item.id, by, found.group)
    for answer, numbers in _lines(found, level):
        yield {
            **of,
            "answer": None if answer is None else answer.code,
            "statistic": "mean" if answer is None else "share",
            **numbers,
            "level": level,
        }


def _as_table(
    found: Sequence[_Found], sampled: Sampled, source: str, level: float, by: str | None
) -> Iterator[RenderableType]:
    columns = ("Estimate", interval_heading(level), "SE")
    printed = table(by or "Item", "Answer", *columns, numbers=columns)
    for one in found:
        for place, (answer, row) in enumerate(_lines(one, level)):
            span = None
            if answer is None and one.variable.values is not None:
                span = max(one.variable.values) - min(one.variable.values)
            estimate_, low, high, error = (
                _written(float(row[key] or 0), span)
                for key in ("estimate", "low", "high", "standard_error")
            )
            outside = " (impossible)" if row["outside"] else ""
            name = one.group.text if by else one.variable.item.id
            printed.add_row(
                "" if place else name,
                "Mean" if answer is None else answer.text,
                estimate_ + outside,
                f"{low} to {high}",
                error,
            )
        printed.add_section()
    ids = ", ".join(dict.fromkeys(one.variable.item.id for one in found))
    yield f"{ids}; {source}: {max((_n(one) for one in found), default=0):,} responses"
    yield sampled.words
    yield ""
    yield printed
    yield ""
    yield NOTE


def _drawing(found: Sequence[_Found], level: float, by: str | None) -> Draw:
    """Make what draws one item, with a row for each group."""
    item = found[0].variable.item
    question = as_question(
        item.id,
        [one.group for one in found] if by else (),
        tuple(_results(one, level) for one in found),
    )

    def draw(form: str, *, narrow: bool = False) -> bytes:
        from deniable.analysis.figures import question_figure  # noqa: PLC0415  loads slowly

        return question_figure(question, level, form, narrow=narrow)

    return draw


def _results(found: _Found, level: float) -> ItemResults:
    """Return the estimates as those of an item whose people were counted alike."""
    item = found.variable.item
    told = dict(_lines(found, level))
    shares = tuple(
        Share(answer, **_numbers(told[answer])) if found.shares else Share(answer)
        for answer in item.truths
    )
    values = found.variable.values
    middle = None
    if values is not None and found.mean is not None:
        middle = Mean(min(values), max(values), **_numbers(told[None]))
    group = found.group.text
    named = item if found.group is EVERYBODY else replace(item, id=group, text=group)
    return ItemResults(named, _n(found), shares, middle)


def _numbers(row: Row) -> dict[str, Any]:
    wanted = ("estimate", "standard_error", "low", "high", "outside")
    return {**{key: row[key] for key in wanted}, "method": "t"}


def _n(found: _Found) -> int:
    estimate_ = found.shares or found.mean
    return 0 if estimate_ is None else estimate_.n


def _written(value: float, span: float | None) -> str:
    return f"{number(100 * value, 1)} %" if span is None else quantity(value, span)
