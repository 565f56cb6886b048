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
from deniable.analysis.sampling.debiased import direct_values
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.design_based import mean
from deniable.designs.arms import Arms
from deniable.results.arms import arms_result, scrambled_result
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
    named = Source(source, written(design), arms.channels[0], arms)
    return InArms(named, columns[0], arms, reports, arm)


def scrambled(
    cells: Sequence[str],
    source: str,
    column: str,
    design: Mapping[str, Any],
    level: float,
    sample: SamplingDesign | None,
    population: int | None,
) -> Result:
    """Estimate the mean of scrambled numbers, perhaps of a population."""
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
    if sample is None:
        plain = scrambling.estimate_mean(numbers[there], law, population=population)
        value, error, ends = plain.mean, plain.standard_error, plain.interval(level)
    else:
        truths = np.full(len(numbers), np.nan)
        truths[there] = law.unscramble(numbers[there])
        whole = mean(direct_values(truths), sample)
        value, error = float(whole.theta[0]), float(whole.standard_error[0])
        ends = whole.interval(level, "wald")[0]
    found = Told("mean", value, error, Interval(*map(float, ends)))
    n = int(there.sum())
    return scrambled_result(source, written(design), column, found, n, len(cells) - n, level)


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
