"""The result of one item: of all respondents, or of groups and their differences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from deniable.analysis.control import told
from deniable.analysis.findings import Contrast
from deniable.analysis.mean_of_waves import over_waves, people_said
from deniable.analysis.planning.efficiency import design_effect
from deniable.analysis.privacy.poisoning import poisoning
from deniable.analysis.results import ItemResults, QuestionResults, Results, verdict
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.effective import kish
from deniable.results.compared import Comparison, lead_of, moves_of, tries_said
from deniable.results.estimate import (
    EFFECTIVE_CELLS,
    ESTIMATE_CELLS,
    NARROW,
    cells,
    cells_of_test,
    estimate_columns,
    has_design_effect,
    row_of,
)
from deniable.results.figures.groups import as_question, as_rows
from deniable.results.files import Export, Row, Value
from deniable.results.headlines import Move
from deniable.results.numbers import number, p_said
from deniable.results.result import Result
from deniable.results.rows import lay_out, verdict_document
from deniable.results.shares import notes, said_to_apply, share_table
from deniable.results.source import Source
from deniable.results.table import Column, P, Section, Table
from deniable.roles import yes_that_counts
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Answer

_REPEATED: Final = (
    "Over waves: the mean of the waves' estimates. Its error and ends are the means of theirs, "
    "because the same {} may have answered each time."
)
_OTHERS: Final = (
    "Over waves: the mean of the waves' estimates. Its error is that of independent samples, "
    "because other people answered each time."
)
WEIGHED: Final = (
    "Weighted: estimates are of the population that the sample was drawn from. Errors and "
    "intervals count how people were drawn and how their answers were randomised."
)


@dataclass(frozen=True)
class Sample:
    """How the respondents were drawn, and the columns that say so.

    `designs`: the sampling design of each wave. `columns`: the names
    of the columns that the designs were made from, under ``weights``, ``strata`` and so on.
    """

    designs: Mapping[int, SamplingDesign]
    columns: Mapping[str, str]

    @property
    def named(self) -> str:
        """The columns and their roles, in words."""
        return ", ".join(f"{what} {name}" for what, name in self.columns.items())

    @property
    def words(self) -> str:
        """A line with the columns, the degrees of freedom and the effective sample size."""
        n, alike = self._least.n, self._effective
        of = f"all {n:,} people{over_waves(self.designs, ' of a wave')}"
        weighed = f" By their weights, {of} of the sample tell as much as {alike:,.0f}."
        told = weighed if alike < n - 0.5 else ""
        freedom = f"{self._degrees_of_freedom:,.4g}"
        return f"Sample: {self.named}.{told} Degrees of freedom: {freedom}."

    @property
    def document(self) -> dict[str, Any]:
        """The columns, degrees of freedom and effective sample size, for a file."""
        return {
            **self.columns,
            "degrees_of_freedom": self._degrees_of_freedom,
            "effective_n": self._effective,
        }

    def of(self, wave: int) -> Sample | None:
        """Return the sample of one wave alone; None if nobody answered."""
        design = self.designs.get(wave)
        return None if design is None else replace(self, designs={wave: design})

    @property
    def unlike(self) -> SamplingDesign | None:
        """The design of the only wave; None if that is a simple random sample of equal weights."""
        (design,) = self.designs.values()
        everybody = np.ones(len(design.weights), dtype=np.bool_)
        return None if design.is_simple_in(everybody) else design

    @property
    def _least(self) -> SamplingDesign:
        return min(self.designs.values(), key=lambda one: kish(one.weights, one.times))

    @property
    def _effective(self) -> float:
        return kish(self._least.weights, self._least.times)

    @property
    def _degrees_of_freedom(self) -> float:
        return min(one.degrees_of_freedom for one in self.designs.values())


@dataclass(frozen=True, eq=False)
class ItemEstimate:
    """Every estimate of an item.

    `asked`: the item. `by_item`: the one whose answers make the groups; None for a single one.
    `groups`: the results of each group, or of everybody. `names`: the groups' codes and texts.
    `n_by_wave`: responses that were used. `missing`: people without
    a response; over waves, the most in one. `effective`: how many people of equal weight tell as
    much. `comparisons`: of the groups, by their means and by their shares, as far as the design
    tells them. `sample`: how people were drawn, if not alike. `said`: a sentence on the groups, if
    they are randomised too, so that nobody knows who is in which.
    """

    source: Source
    asked: Item
    by_item: Item | None
    level: float
    method: str
    groups: tuple[ItemResults, ...]
    names: tuple[Answer, ...]
    n_by_wave: Mapping[int, int]
    missing: int
    effective: float | None = None
    comparisons: tuple[Comparison, ...] = ()
    sample: Sample | None = None
    said: str = ""

    @property
    def by(self) -> str | None:
        """The id of what the groups differ in, or the name of a column."""
        return None if self.by_item is None else self.by_item.id

    @property
    def result(self) -> Result:
        """The estimates in every form."""
        return Result(
            [*_parts(self)],
            Export.of(_columns(self), _rows(self), _document(self)),
            self.draw,
            self.lead,
        )

    @property
    def lead(self) -> str:
        """What the groups show, in a sentence; empty for a single one."""
        return lead_of(self._compared)

    @property
    def _compared(self) -> list[Move]:
        if not self.comparisons:
            return []
        return moves_of(self.comparisons[0], self.groups, self.source.yes_at)

    @property
    def n(self) -> int:
        """The number of responses that were used; over waves, the most in one."""
        return max(self.n_by_wave.values())

    def draw(self, form: str, *, narrow: bool = False) -> bytes:
        """Draw the shares or the mean of each group, with its number of people."""
        from deniable.results.figures.question import question_figure  # noqa: PLC0415  matplotlib is slow

        groups = self.groups
        if self.by_item is None:
            drawn = QuestionResults(as_rows(self.asked, self.asked.text, ()), groups)
            return question_figure(drawn, self.level, form, narrow=narrow)
        counts = ["" if self.said else f" (n = {one.n:,})" for one in groups]
        names = [
            Answer(name.code, f"{name.text}{n}") for name, n in zip(self.names, counts, strict=True)
        ]
        yes = self.source.yes_at if len(self.asked.truths) == 2 else None
        n = groups[0].n if self.said else self.n
        drawn = as_question((self.asked, self.by_item), names, groups, n, yes)
        return question_figure(drawn, self.level, form, narrow=narrow, by=self.by_item)


def names_of(item: str, by: str | None, group: Answer) -> Row:
    """Return the cells that name the item and the group of a row.

    A user's name is always a cell and never a column, so a question may have the name of a column.
    """
    of: dict[str, Value] = {"item": item}
    return of if by is None else {**of, "group_question": by, "group": group.code}


def ways_said(
    n_by_wave: Mapping[int, int], sample: Sample | None, repeated: str = ""
) -> Iterator[str]:
    """Say how waves were joined and how people were weighted, if they were.

    `repeated`: as `deniable.results.source.Source` has it.
    """
    if len(n_by_wave) > 1:
        yield _REPEATED.format(repeated) if repeated else _OTHERS
    if sample is not None:
        yield WEIGHED


def all_shares(
    results: Results, source: str, sample: Sample | None = None, repeated: str = ""
) -> Result:
    """Make the result of every estimate of a survey; over waves, of their means.

    `repeated`: as for `ways_said`.
    """
    people = people_said(results.n_by_wave)
    export = with_sample(lay_out(results), sample)
    heading = f"{results.survey.title}; {source}: {people}"
    return Result(overview_parts(results, heading, sample, repeated), export)


def with_sample(export: Export, sample: Sample | None) -> Export:
    """Return rows whose document says how people were drawn."""
    if sample is None:
        return export
    return replace(export, document={**export.document, "sample": sample.document})


def overview_parts(
    results: Results, heading: str, sample: Sample | None = None, repeated: str = ""
) -> list[Table | str]:
    """Make the table of every estimate of a survey, with its heading and notes."""
    items = [item for question in results.questions for item in question.items]
    return [
        heading,
        *_attached(results.survey),
        *([] if sample is None else [sample.words]),
        "",
        share_table("Item", items, results.level),
        "",
        *notes(items, results.level),
        *(sentence for _, sentence in said_to_apply(results)),
        *ways_said(results.n_by_wave, sample, repeated),
        *results.said_of_weights,
        *(told(one, results.level) for one in results.followed),
    ]


def _attached(survey: Survey) -> Iterator[str]:
    """Say which answer is the design's yes, for designs that treat yes and no differently."""
    named = {}
    for item in survey.randomised:
        yes = yes_that_counts(survey.question(item.question), item.channel)
        if yes:
            named[item.question] = f"{item.question} “{yes}”"
    if named:
        yield f"Yes of the design: {', '.join(named.values())}"


def difference_table(found: Sequence[Contrast], level: float, yes_at: int) -> Table:
    """Make the table of the differences of groups, a section for each pair of groups.

    `yes_at`: the place of the answer that is told, if there are two.
    """
    sections = []
    columns = estimate_columns("Difference", level, found, Column("p", P, of="p_value"))
    for (first, second), some in itertools.groupby(found, key=lambda one: (one.first, one.second)):
        rows = tuple(row_of(one, columns) for one in some)
        # With two answers, one difference is the negative of the other, so only one has a row.
        rows = rows[yes_at : yes_at + 1] if len(rows) == 2 else rows
        sections.append(Section(f"{first.text} − {second.text}", rows))
    return Table(("Groups", "Answer"), columns, tuple(sections), is_ruled=False)


def _columns(found: ItemEstimate) -> list[str]:
    is_weighed = any(has_design_effect(one.findings) for one in found.groups)
    of_groups = found.by is not None
    return [
        *names_of(found.asked.id, found.by, found.names[0]),
        *("answer", "statistic", *ESTIMATE_CELLS, "level", "method", "maximum_likelihood"),
        *("outside", "narrow", "observed", "n"),
        *(EFFECTIVE_CELLS if is_weighed else ()),
        "epsilon",
        *(("minus", "p_value") if of_groups else ()),
    ]


def _rows(found: ItemEstimate) -> Iterator[Row]:
    """Yield the rows of each group's shares and mean, then those of the differences and tests."""
    epsilon = {"epsilon": found.source.epsilon}
    for row in _rows_of_groups(found):
        yield {**row, "p_value": None, **epsilon}
    for row in _rows_of_differences(found):
        yield {**row, **epsilon}


def _rows_of_groups(found: ItemEstimate) -> Iterator[Row]:
    for name, group in zip(found.names, found.groups, strict=True):
        told = {
            "mean": () if group.mean is None else (group.mean,),
            "share": group.shares if group.tells_shares else (),
            "share_if_applies": group.applicable,
        }
        for statistic, some in told.items():
            for one in some:
                yield {
                    **names_of(found.asked.id, found.by, name),
                    "answer": None if one.answer is None else one.answer.code,
                    "statistic": statistic,
                    **cells(one, found.level),
                    "observed": one.observed,
                    "n": group.n,
                }


def _rows_of_differences(found: ItemEstimate) -> Iterator[Row]:
    names: Row = {"item": found.asked.id, "group_question": found.by}
    people = {name.code: one.n for name, one in zip(found.names, found.groups, strict=True)}
    for compared in found.comparisons:
        of_means, test = compared.is_of_means, compared.test
        for one in compared.differences:
            yield {
                **names,
                "group": one.first.code,
                "minus": one.second.code,
                "answer": None if one.answer is None else one.answer.code,
                "statistic": "difference_of_means" if of_means else "difference",
                **cells(one, found.level),
                "method": compared.method,
                "n": people[one.first.code] + people[one.second.code],
            }
        if test is not None:
            statistic = f"test_of_equal_{'means' if of_means else 'shares'}"
            told_of_all = cells_of_test(statistic, test["statistic"], test["p_value"])
            yield {**names, **told_of_all, "n": sum(people.values())}


def _parts(found: ItemEstimate) -> Iterator[Table | str]:
    of_groups = found.by is not None and not found.said
    said = people_said(found.n_by_wave, "response")
    if found.missing:
        most, each = (over_waves(found.n_by_wave, text) for text in ("up to ", " in a wave"))
        said += f", {most}{found.missing:,} missing{each}"
    yield f"{found.asked.id}; {found.source.name}: {said}"
    yield found.source.design_line
    if found.sample is not None:
        yield found.sample.words
    yield ""
    yield share_table(found.by or "Column", found.groups, found.level, of_groups=of_groups)
    yield ""
    yield from notes(found.groups, found.level, of_groups=of_groups)
    yield from ways_said(found.n_by_wave, found.sample, found.source.repeated)
    if found.said:
        yield found.said
    if found.by is None:
        yield from _worth(found)
    if found.lead:
        yield found.lead
    for compared in found.comparisons:
        yield ""
        yield from _comparison(compared, found.level, found.source.yes_at)


def _worth(found: ItemEstimate) -> Iterator[str]:
    """Give the equivalent number of direct answers, and what 1 % invented reports do."""
    channel = found.source.channel
    if channel.truths != 2 or not channel.identifiable:
        return
    yes = found.groups[0].shares[1]
    if yes.maximum_likelihood is None or not 0 < yes.maximum_likelihood < 1:
        return
    effect = float(design_effect(channel, [1 - yes.maximum_likelihood, yes.maximum_likelihood])[1])
    n = min(found.n_by_wave.values())
    these, each = (over_waves(found.n_by_wave, text) for text in ("the", " of a wave"))
    yield (
        f"Design effect {effect:.2f}: {these or 'these'} {n:,} responses{each} tell as much as "
        f"{(found.effective or n) / effect:,.0f} direct answers would, if those were honest"
        + (" and weighed alike." if found.effective else ".")
    )
    is_randomised = found.source.epsilon is not None
    if is_randomised and found.effective is None and yes.interval is not None:
        half = (yes.interval.high - yes.interval.low) / 2
        yield poisoning(channel, n).sentence(math.ceil(n / 100), half, truth=1)


def _comparison(compared: Comparison, level: float, yes_at: int) -> Iterator[Table | str]:
    """Make the table of the groups' differences, between what it means and its test."""
    table, test = difference_table(compared.differences, level, yes_at), compared.test
    yield f"Differences {'of the means' if compared.is_of_means else 'in percentage points'}."
    if test is not None:
        count = sum(len(section.rows) for section in table.sections)
        yield tries_said(count, level, "here", "no groups differ, {} tables show that any do")
    yield ""
    yield table
    yield ""
    if any(one.narrow for one in compared.differences):
        yield NARROW
    if test is None:
        return
    alike, p = "means" if compared.is_of_means else "groups", p_said(float(test["p_value"] or 0))
    yield (
        f"All {alike} alike? p {p}, the least of these."
        if test["statistic"] is None
        else f"All {alike} alike? χ² = {number(test['statistic'], 2)} on "
        f"{test['degrees_of_freedom']} df, p {p}."
    )


def _document(found: ItemEstimate) -> dict[str, Any]:
    document: dict[str, Any] = {
        "data": found.source.name,
        "item": found.asked.id,
        "group_question": found.by,
        "design": found.source.design,
        "epsilon": found.source.epsilon,
        "channel": found.source.channel.probabilities.tolist(),
        "n": found.n,
        "missing": found.missing,
        "level": found.level,
        "method": found.method,
        "design_followed": verdict_document(verdict(found.groups)),
    }
    if found.lead:
        document["lead"] = found.lead
    if len(found.n_by_wave) > 1:
        document["n_by_wave"] = {str(wave): n for wave, n in found.n_by_wave.items()}
    if found.sample is not None:
        document["sample"] = found.sample.document
    for one in reversed(found.comparisons):
        document[f"homogeneity{'_of_means' * one.is_of_means}"] = one.test
    return document
