"""Shares, means and comparisons of groups, of the responses to one question."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from rich.console import RenderableType

from deniable.analysis import intervals
from deniable.analysis.counts.data_file import MISSING, ReportColumn, code_reports, read_columns
from deniable.analysis.joint.association import ChiSquareTest, homogeneity
from deniable.analysis.joint.groups import Pairwise, pairwise
from deniable.analysis.mean_of_waves import (
    level_of_each,
    mean_of_items,
    people_said,
    waves_named,
)
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.inverting import inverted_p_values
from deniable.analysis.planning.efficiency import design_effect
from deniable.analysis.privacy.poisoning import poisoning
from deniable.analysis.results import (
    ItemResults,
    Mean,
    QuestionResults,
    Share,
    item_results,
    results_of,
    verdict,
)
from deniable.channel import Channel
from deniable.estimator import least_variance
from deniable.items import Item, name_reports
from deniable.questions import Answer, Protection, Question, QuestionType
from deniable.results import share_table
from deniable.results.files import Export, Row, Value
from deniable.results.numbers import interval_heading, number, p_said, p_value
from deniable.results.result import Result
from deniable.results.rows import verdict_document
from deniable.results.text import table
from deniable.study.source import DataFile, Source

Mask: TypeAlias = npt.NDArray[np.bool_]


class Sample(Protocol):
    """How people were drawn."""

    @property
    def words(self) -> str:
        """The same in a line."""

    @property
    def document(self) -> dict[str, Any]:
        """The same for a file."""


EVERYBODY: Final = Answer("", "")
"""The group of all, where groups are not compared."""

OVER_WAVES: Final = (
    "Over waves: the mean of the waves' estimates. Its error and ends are the means of theirs, "
    "because the same people may have answered each time."
)
WEIGHED: Final = (
    "Weighted: estimates are of the population that the sample was drawn from. Errors and "
    "intervals count how people were drawn and how their answers were randomised."
)

_MOST_GROUPS: Final = 40
"""More are a sign that the column is no grouping but a measurement."""


class GroupDifference(Protocol):
    """The shares in one group less those in another."""

    @property
    def difference(self) -> FloatArray:
        """Shape (truths,)."""

    @property
    def standard_error(self) -> FloatArray:
        """Shape (truths,)."""

    def interval(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> FloatArray:
        """Shape (truths, 2)."""


@dataclass(frozen=True, eq=False)
class Part:
    """What the responses of one wave, or all of them, say of an item in groups of people.

    Parameters
    ----------
    groups : tuple of ItemResults
        One a group, or a single one.
    differences : tuple of GroupDifference
        Of every two groups, in the order of `itertools.combinations`; empty if there is a single
        one, or the shares cannot be told.
    pairwise : Pairwise or None
        The same with p-values, where each person counts for one.
    test : ChiSquareTest or None
        Whether the groups are alike, where each person counts for one and there are several
        differences.
    """

    groups: tuple[ItemResults, ...]
    differences: tuple[GroupDifference, ...] = ()
    pairwise: Pairwise | None = None
    test: ChiSquareTest | None = None


class Responses(Protocol):
    """The responses of one wave to an item, in groups of people."""

    @property
    def n_by_group(self) -> Mapping[Answer, int]:
        """How many responses each group has."""

    @property
    def missing(self) -> int:
        """How many people gave none."""

    @property
    def effective(self) -> float | None:
        """How many people of equal weight tell as much; None where each counts for one."""

    def estimate(self, asked: Asking, groups: Sequence[Answer], level: float, method: str) -> Part:
        """Estimate the item in these groups."""


@dataclass(frozen=True, eq=False)
class Asking:
    """What was asked, and what is to be estimated of it.

    Parameters
    ----------
    item : Item
    values : sequence of float or None
        What each truth counts for, if a mean is wanted.
    question : Question or None
        The item's, in a survey.
    by : str or None
        What the groups differ in; None for a single one.
    population : int or None
        Size of the population.
    """

    item: Item
    values: Sequence[float] | None
    question: Question | None = None
    by: str | None = None
    population: int | None = None

    def of(self, group: Answer) -> Item:
        """Return the item as that of a group, under whose name it is shown."""
        return self.item if self.by is None else replace(self.item, id=group.text, text=group.text)


@dataclass(frozen=True, eq=False)
class Counted:
    """Responses of people who count alike, each by themselves.

    Parameters
    ----------
    counts : mapping of Answer to ndarray of int, shape (reports,)
        How often each report came in each group.
    missing : int
        How many people gave none.
    """

    counts: Mapping[Answer, npt.NDArray[np.int64]]
    missing: int = 0

    @property
    def effective(self) -> None:
        """None: each counts for one."""
        return

    @property
    def n_by_group(self) -> Mapping[Answer, int]:
        """How many responses each group has."""
        return {group: int(each.sum()) for group, each in self.counts.items()}

    def estimate(self, asked: Asking, groups: Sequence[Answer], level: float, method: str) -> Part:
        """Estimate the item in these groups."""
        counts, channel = [self.counts[group] for group in groups], asked.item.channel
        found = tuple(
            item_results(
                asked.of(group),
                each,
                level,
                method,
                values=asked.values,
                population=asked.population,
            )
            if asked.question is None
            else results_of(asked.question, asked.of(group), each, level, method)
            for group, each in zip(groups, counts, strict=True)
        )
        if len(groups) < 2 or not channel.identifiable:
            return Part(found)
        pairs = pairwise(counts, channel)
        # Of a single difference it would be another test of the same, with another p.
        single = len(groups) == 2 and channel.truths == 2
        test = None if single else homogeneity(counts, channel)
        return Part(found, pairs.differences, pairs, test)


@dataclass(frozen=True, eq=False)
class Compared:
    """The differences of groups; over waves, their means.

    Parameters
    ----------
    waves : tuple of Part
        Each with the differences of every two groups.
    level, method
        Of the intervals.
    """

    waves: tuple[Part, ...]
    level: float
    method: str

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Positions of the groups compared, first and second."""
        return [*itertools.combinations(range(len(self.waves[0].groups)), 2)]

    @property
    def difference(self) -> FloatArray:
        """Shape (pairs, truths)."""
        return self._mean(lambda one: one.difference)

    @property
    def standard_error(self) -> FloatArray:
        """Shape (pairs, truths); of a mean over waves, at most that whoever answered."""
        return self._mean(lambda one: one.standard_error)

    @cached_property
    def ends(self) -> FloatArray:
        """Intervals that hold together (Bonferroni); shape (pairs, truths, 2)."""
        return self._ends(self.level, self.comparisons)

    @cached_property
    def p_value(self) -> FloatArray:
        """Adjusted as the intervals are: the least error at which they leave 0 out.

        Of shape (pairs, truths).
        """
        (first, *others) = self.waves
        if first.pairwise is not None and not others:
            return first.pairwise.p_value(self.method)
        alone = inverted_p_values(
            lambda level: self._ends(level, 1),
            self.difference,
            intervals.bonferroni(self.level, self.comparisons),
        )
        return np.asarray(np.minimum(alone * self.comparisons, 1))

    @property
    def test(self) -> dict[str, float | None] | None:
        """Whether the groups are alike; None if a single difference tells it.

        Where people do not count alike, or once a wave, it is the least of the p-values, which are
        adjusted.
        """
        if self.comparisons == 1:
            return None
        found = self.waves[0].test if len(self.waves) == 1 else None
        return {
            "statistic": None if found is None else found.statistic,
            "degrees_of_freedom": None if found is None else found.degrees_of_freedom,
            "p_value": float(np.nanmin(self.p_value)) if found is None else found.p_value,
        }

    @property
    def comparisons(self) -> int:
        """How many intervals hold together."""
        truths = len(self.waves[0].groups[0].item.truths)
        return len(self.pairs) * (truths if truths > 2 else 1)

    def _ends(self, level: float, comparisons: int) -> FloatArray:
        each = level_of_each(intervals.bonferroni(level, comparisons), self.method, len(self.waves))
        return self._mean(lambda one: one.interval(each, self.method))

    def _mean(self, of: Callable[[GroupDifference], FloatArray]) -> FloatArray:
        found = np.array([[of(one) for one in wave.differences] for wave in self.waves])
        return np.asarray(found[0] if len(found) == 1 else found.mean(axis=0))


@dataclass(frozen=True, eq=False)
class _Findings:
    """Everything that was estimated from the responses to a question.

    Parameters
    ----------
    groups : tuple of ItemResults
        One a group, or a single one.
    names : tuple of Answer
        The groups' codes and texts.
    n_by_wave : dict of (int: int)
        How many responses were used, under 0 if there are no waves.
    effective : float or None
        How many people of equal weight tell as much.
    compared : Compared or None
        The differences of the groups, if there are groups and the shares can be told.
    sample : Sample or None
        How people were drawn, if not alike.
    """

    source: Source
    column: str
    missing: int
    by: str | None
    level: float
    method: str
    groups: tuple[ItemResults, ...]
    names: tuple[Answer, ...]
    n_by_wave: Mapping[int, int]
    effective: float | None
    compared: Compared | None
    sample: Sample | None

    @property
    def n(self) -> int:
        """Number of responses that were used; over waves, the most in one."""
        return max(self.n_by_wave.values())

    @property
    def said(self) -> str:
        """Who answered, in a few words."""
        if len(self.n_by_wave) > 1:
            missing = f", up to {self.missing:,} missing in a wave" if self.missing else ""
            return f"{people_said(self.n_by_wave)}{missing}"
        return f"{self.n:,} responses" + (f", {self.missing:,} missing" if self.missing else "")


def analyse(  # noqa: PLR0913  each is an option of the command
    file: DataFile,
    column: str,
    codes: Sequence[str] | None,
    *,
    by: str | None,
    values: Sequence[float] | None,
    population: int | None,
    level: float,
    method: str,
) -> Result:
    """Estimate the shares of a column's truths, or the mean of their values.

    Parameters
    ----------
    file : DataFile
    column : str
        Of the responses.
    codes : sequence of str or None
        What the column's cells are called, see `deniable.analysis.counts.data_file.code_reports`.
    by : str or None
        A column of groups to estimate in and to compare.
    values : sequence of float or None
        What each truth counts for, if a mean is wanted.
    population : int or None
        Size of the population.
    level : float
    method : str
        Of the shares' intervals.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        If the file or the column is not as expected, or neither shares nor mean are identifiable.
    """
    channel = file.channel
    columns = read_columns(io.StringIO(file.text, newline=""), [column, *([by] if by else [])])
    try:
        reports = code_reports(columns[column], channel.reports, codes)
    except ValueError as mistake:
        raise ValueError(f"column {column!r}: {mistake}") from None
    if not reports.answered.any():
        raise ValueError(f"column {column!r}: expected responses, found none")
    groups = dict(_groups(columns[by], reports)) if by else {EVERYBODY: reports.answered}
    counts = {name: reports.counts(rows) for name, rows in groups.items()}
    return compare(
        file,
        Asking(_item(column, channel, reports.codes), values=values, by=by, population=population),
        {0: Counted(counts, reports.missing)},
        level=level,
        method=method,
    )


def compare(
    source: Source,
    asked: Asking,
    waves: Mapping[int, Responses],
    *,
    level: float,
    method: str,
    sample: Sample | None = None,
) -> Result:
    """Estimate an item in groups of people, and compare the groups.

    Parameters
    ----------
    source : Source
    asked : Asking
    waves : mapping of int to Responses
        Of each wave that has some, whose mean is estimated; under 0 if there are no waves.
    level : float
        Of the intervals.
    method : str
        Of the shares' intervals.
    sample : Sample, optional
        How people were drawn.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        If neither shares nor mean are identifiable, fewer than two groups that are to be compared
        have responses, or no wave has responses of all groups.
    """
    channel = asked.item.channel
    if asked.values is None and not channel.identifiable:
        least_variance(channel)  # which says why there is nothing to estimate
    groups, seen = _seen(asked, waves)
    each = level_of_each(level, method, len(seen))
    parts = tuple(one.estimate(asked, groups, each, method) for one in seen.values())
    effective = [one.effective for one in seen.values() if one.effective is not None]
    found = _Findings(
        source=source,
        column=asked.item.id,
        missing=max(one.missing for one in seen.values()),
        by=asked.by,
        level=level,
        method=method,
        groups=tuple(mean_of_items(of) for of in zip(*(one.groups for one in parts), strict=True)),
        names=groups,
        n_by_wave={wave: sum(one.n_by_group.values()) for wave, one in seen.items()},
        effective=min(effective, default=None),
        compared=Compared(parts, level, method) if parts[0].differences else None,
        sample=sample,
    )
    rows = list(_rows(found))
    return Result(
        table=list(_as_table(found)),
        export=Export(tuple(rows[0]), rows, _document(found)),
        draw=lambda form, narrow=False: _figure(found, form, narrow=narrow),
    )


def _seen(
    asked: Asking, waves: Mapping[int, Responses]
) -> tuple[tuple[Answer, ...], Mapping[int, Responses]]:
    """Return the groups that have responses, and the waves in which all of these have."""
    if asked.by is None:
        some = {wave: one for wave, one in waves.items() if any(one.n_by_group.values())}
        return (EVERYBODY,), some or dict(itertools.islice(waves.items(), 1))
    groups = tuple(
        dict.fromkeys(group for one in waves.values() for group, n in one.n_by_group.items() if n)
    )
    if len(groups) < 2:
        raise ValueError(
            f"expected at least two groups of {asked.by!r} with reports of {asked.item.id!r}, "
            f"found {len(groups)}"
        )
    groups = tuple(sorted(groups, key=[*next(iter(waves.values())).n_by_group].index))
    whole = {
        wave: one for wave, one in waves.items() if all(one.n_by_group[group] for group in groups)
    }
    if not whole:
        raise ValueError(
            f"expected a wave in which all groups of {asked.by!r} have reports of "
            f"{asked.item.id!r}, found none among the waves {waves_named([*waves])}: name one"
        )
    return groups, whole


def _groups(cells: Sequence[str], reports: ReportColumn) -> Iterator[tuple[Answer, Mask]]:
    """Yield each group that has responses, in order, and which rows are its."""
    labels = np.array(cells)
    names = {str(name) for name in labels[reports.answered] if str(name).lower() not in MISSING}
    if not 2 <= len(names) <= _MOST_GROUPS:
        raise ValueError(f"expected 2 to {_MOST_GROUPS} groups, found {len(names)}")
    for name in sorted(names, key=_in_order):
        yield Answer(name, name), labels == name


def _in_order(name: str) -> tuple[float, str]:
    """Sort numbers by size, and before words."""
    try:
        return float(name), name
    except ValueError:
        return math.inf, name


def _item(column: str, channel: Channel, codes: tuple[str, ...]) -> Item:
    """Describe the column as an item of a survey, so that it is shown as one."""
    if channel.truths == 2:
        names: Sequence[str] = ("no", "yes")
    elif channel.truths == channel.reports:
        names = codes
    else:
        names = [f"truth {truth}" for truth in range(channel.truths)]
    truths = tuple(Answer(name, name) for name in names)
    return Item(
        id=column,
        question=column,
        text=column,
        truths=truths,
        reports=name_reports(truths, channel),
        channel=channel,
        protection=Protection.RANDOMISED,
    )


def as_question(
    id: str, groups: Sequence[Answer], results: tuple[ItemResults, ...]
) -> QuestionResults:
    """Describe what was found in groups as the results of a question, with a row for each group.

    Parameters
    ----------
    id : str
    groups : sequence of Answer
        None if there is a single one.
    results : tuple of ItemResults
    """
    question = Question(
        id=id,
        text=id,
        type=QuestionType.GRID if groups else QuestionType.SINGLE,
        answers=results[0].item.truths,
        rows=tuple(groups),
    )
    return QuestionResults(question, results)


def _figure(found: _Findings, form: str, *, narrow: bool) -> bytes:
    from deniable.results.figures import question_figure  # noqa: PLC0415  matplotlib loads slowly

    groups = found.groups
    if found.by:
        groups = tuple(
            replace(one, item=replace(one.item, text=f"{one.item.text} (n = {one.n:,})"))
            for one in groups
        )
    drawn = as_question(found.column, found.names if found.by else (), groups)
    return question_figure(drawn, found.level, form, narrow=narrow)


def _rows(found: _Findings) -> Iterator[Row]:
    """Lay everything out in rows of the same columns."""
    for name, group in zip(found.names, found.groups, strict=True):
        of = names_of(found.column, found.by, name)
        if group.mean is not None:
            yield {**of, "answer": None, "statistic": "mean", **_row(found, group, group.mean)}
        for share in group.shares if group.tells_shares else ():
            answer = share.answer.code
            yield {**of, "answer": answer, "statistic": "share", **_row(found, group, share)}
        for share in group.applicable:
            of_some = {**of, "answer": share.answer.code, "statistic": "share_if_applies"}
            yield {**of_some, **_row(found, group, share)}


def names_of(item: str, by: str | None, group: Answer) -> Row:
    """Name the item and the group of a row.

    What a user called something is a cell and never a column, so a question may be called as a
    column is.
    """
    of: dict[str, Value] = {"item": item}
    return of if by is None else {**of, "group_question": by, "group": group.code}


def _row(found: _Findings, group: ItemResults, each: Share | Mean) -> Row:
    return {
        "estimate": each.estimate,
        "standard_error": each.standard_error,
        "low": each.low,
        "high": each.high,
        "level": found.level,
        "method": each.method,
        "maximum_likelihood": each.maximum_likelihood,
        "outside": each.outside,
        "observed": each.observed if isinstance(each, Share) else None,
        "n": group.n,
        "epsilon": found.source.channel.epsilon,
    }


def _as_table(found: _Findings) -> Iterator[RenderableType]:
    first = found.by or "Column"
    printed = share_table.make(first, found.level)
    for group in found.groups:
        share_table.add(printed, group, of_group=found.by is not None)
    yield f"{found.column}; {found.source.name}: {found.said}"
    yield found.source.law
    if found.sample is not None:
        yield found.sample.words
    yield ""
    yield printed
    yield ""
    yield from share_table.notes(found.groups, found.level, of_groups=found.by is not None)
    yield from ways_said(found.n_by_wave, found.sample)
    if not found.by:
        yield from _worth(found)
    if found.compared is not None:
        yield ""
        yield from _comparison(found, found.compared)


def ways_said(n_by_wave: Mapping[int, int], sample: Sample | None) -> Iterator[str]:
    """Say how waves were joined, and how people were weighed, where they were."""
    if len(n_by_wave) > 1:
        yield OVER_WAVES
    if sample is not None:
        yield WEIGHED


def _worth(found: _Findings) -> Iterator[str]:
    """Say how many direct answers would have told as much, and what a hundredth who lie can do."""
    channel = found.source.channel
    if channel.truths != 2 or not channel.identifiable:
        return
    yes = found.groups[0].shares[1]
    if yes.maximum_likelihood is None or not 0 < yes.maximum_likelihood < 1:
        return
    effect = float(design_effect(channel, [1 - yes.maximum_likelihood, yes.maximum_likelihood])[1])
    n = min(found.n_by_wave.values())
    of = f"these {n:,} responses" if len(found.n_by_wave) == 1 else f"the {n:,} responses of a wave"
    yield (
        f"Design effect {effect:.2f}: {of} tell as much as "
        f"{(found.effective or n) / effect:,.0f} direct answers would, if those were honest"
        + (" and weighed alike." if found.effective else ".")
    )
    if found.effective is None and yes.low is not None and yes.high is not None:
        one_percent = math.ceil(n / 100)
        yield poisoning(channel, n).sentence(one_percent, (yes.high - yes.low) / 2, truth=1)


def _comparison(found: _Findings, compared: Compared) -> Iterator[RenderableType]:
    """Show the differences of the groups, and whether there are any."""
    truths = found.groups[0].item.truths
    of = range(1, 2) if len(truths) == 2 else range(len(truths))
    numbers = ("Difference", interval_heading(found.level), "SE", "p")
    printed = table("Groups", "Answer", *numbers, numbers=numbers)
    for place, (i, j) in enumerate(compared.pairs):
        for truth in of:
            low, high = compared.ends[place, truth]
            printed.add_row(
                f"{found.names[i].text} − {found.names[j].text}" if truth == of[0] else "",
                truths[truth].text,
                _points(compared.difference[place, truth]),
                f"{_points(low)} to {_points(high)}",
                _points(compared.standard_error[place, truth]),
                p_value(float(compared.p_value[place, truth])),
            )
    yield printed
    yield ""
    test = compared.test
    yield (
        "Difference: in percentage points"
        + ("; its intervals hold together, and so do the p (Bonferroni)." if test else ".")
    )
    if test is not None:
        p = p_said(float(test["p_value"] or 0))
        yield (
            f"All groups alike? p {p}, the least of these."
            if test["statistic"] is None
            else f"All groups alike? χ² = {number(test['statistic'], 2)} on "
            f"{test['degrees_of_freedom']} df, p {p}."
        )


def _points(difference: float) -> str:
    return number(100 * difference, 1)


def _document(found: _Findings) -> dict[str, Any]:
    document: dict[str, Any] = {
        "data": found.source.name,
        "item": found.column,
        "group_question": found.by,
        "design": found.source.design,
        "epsilon": found.source.channel.epsilon,
        "channel": found.source.channel.probabilities.tolist(),
        "n": found.n,
        "missing": found.missing,
        "level": found.level,
        "method": found.method,
        "design_followed": verdict_document(verdict(found.groups)),
    }
    if len(found.n_by_wave) > 1:
        document["n_by_wave"] = {str(wave): n for wave, n in found.n_by_wave.items()}
    if found.sample is not None:
        document["sample"] = found.sample.document
    if found.compared is not None:
        compared = found.compared
        document["differences"] = [
            {
                "first": found.names[i].code,
                "second": found.names[j].code,
                "answer": truth.code,
                "difference": float(compared.difference[place, index]),
                "standard_error": float(compared.standard_error[place, index]),
                "low": float(compared.ends[place, index, 0]),
                "high": float(compared.ends[place, index, 1]),
                "p_value": float(compared.p_value[place, index]),
            }
            for place, (i, j) in enumerate(compared.pairs)
            for index, truth in enumerate(found.groups[0].item.truths)
        ]
        document["homogeneity"] = compared.test
    return document
