"""Designs that only data from elsewhere have, by columns: several arms, and scrambled numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml

from deniable import designs, exact
from deniable.analysis import scrambling
from deniable.analysis.arms import estimate_arms
from deniable.analysis.counts.data_file import MISSING, ReportColumn, code_reports
from deniable.analysis.findings import Interval
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.results import number_or_none
from deniable.analysis.sampling.debiased import direct_values
from deniable.analysis.sampling.design_based import mean
from deniable.designs.arms import Arms
from deniable.results.arms import arms_result, scrambled_result
from deniable.results.item import Sample
from deniable.results.lists import Told
from deniable.results.result import Result
from deniable.results.source import Source


@dataclass(frozen=True)
class InArms:
    """Reports by a design with several arms, and in which arm each person was."""

    source: Source
    column: str
    arms: Arms
    reports: ReportColumn
    arm: ReportColumn

    @property
    def together(self) -> tuple[FloatArray, FloatArray]:
        """The reports and the arms, nan where one is missing."""
        columns = (self.reports, self.arm)
        reports, arm = (np.where(one.answered, one.reports, np.nan) for one in columns)
        return reports, arm

    def shares(self, level: float) -> Result:
        """Estimate the shares of the population."""
        there = self.reports.answered & self.arm.answered
        counts = [
            self.reports.counts(there & (self.arm.reports == place))
            for place in range(len(self.arms.channels))
        ]
        if not all(one.any() for one in counts):
            empty = self.arm.codes[[bool(one.any()) for one in counts].index(False)]
            raise ValueError(f"expected responses in each arm, found none in {empty!r}")
        found = estimate_arms(counts, self.arms)
        return arms_result(self.source, self.column, found, int((~there).sum()), level)


def in_arms(
    cells: Callable[[str], Sequence[str]],
    source: str,
    columns: tuple[str, str],
    design: Mapping[str, Any],
    codes: tuple[Sequence[str] | None, Sequence[str] | None],
) -> InArms:
    """Read the columns of the reports and of the arms."""
    arms = designs.arms_from_mapping(design)
    sizes = (arms.channels[0].reports, len(arms.channels))
    reports, arm = (
        coded(cells(column), column, size, of, what)
        for column, size, of, what in zip(columns, sizes, codes, ("report", "arm"), strict=True)
    )
    yes = reports.codes[1] if arms.channels[0].reports == 2 else ""
    named = Source(source, written(design), arms.channels[0], arms, yes)
    return InArms(named, columns[0], arms, reports, arm)


def scrambled(
    cells: Sequence[str],
    source: str,
    column: str,
    design: Mapping[str, Any],
    level: float,
    sample: Sample | None,
) -> Result:
    """Estimate the mean of scrambled numbers."""
    law = scrambling.from_mapping(design)
    try:
        numbers = np.array(
            [np.nan if one.lower() in MISSING else float(exact.fraction(one)) for one in cells]
        )
    except ValueError as mistake:
        raise ValueError(f"column {column!r}: {mistake}") from None
    there = ~np.isnan(numbers)
    if not there.any():
        raise ValueError(f"column {column!r}: expected responses, found none")
    design_of = None if sample is None else sample.unlike
    if design_of is None:
        plain = scrambling.estimate_mean(numbers[there], law)
        found = Told("mean", plain.mean, plain.standard_error, _interval(plain.interval(level)))
    else:
        truths = np.full(len(numbers), np.nan)
        truths[there] = law.unscramble(numbers[there])
        whole = mean(direct_values(truths), design_of)
        found = Told(
            "mean",
            float(whole.theta[0]),
            float(whole.standard_error[0]),
            _interval(whole.interval(level, "wald")[0]),
            n=whole.n,
            design_effect=number_or_none(float(whole.design_effect[0])),
        )
    n = int(there.sum())
    return scrambled_result(
        *(source, written(design), column, found),
        n=n,
        missing=len(cells) - n,
        level=level,
        sample=sample,
    )


def _interval(ends: FloatArray) -> Interval:
    return Interval(*map(float, ends))


def coded(
    cells: Sequence[str],
    column: str,
    reports: int,
    codes: Sequence[str] | None,
    of: str = "report",
) -> ReportColumn:
    """Find what the cells stand for; a mistake names their column."""
    try:
        return code_reports(cells, reports, codes, of)
    except ValueError as mistake:
        raise ValueError(f"column {column!r}: {mistake}") from None


def written(design: Mapping[str, Any]) -> str:
    """Write a design in a line, as a survey file has it."""
    said = yaml.safe_dump(dict(design), default_flow_style=True, sort_keys=False, width=10**6)
    return said.strip().removeprefix("{").removesuffix("}").replace("'", "")
