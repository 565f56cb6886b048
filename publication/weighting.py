"""weighted.csv: estimates of the population, weighted to its known margins.

A weight follows from direct answers, and reveals as much about a person as they do. So people are
weighted by the published groups, to margins that are put together alike: every weighted estimate
follows from reports.csv and margins.csv.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.counts.rows import Rows
from deniable.analysis.counts.tally import count_answers
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.results import summarise
from deniable.analysis.sampling.calibration import Margin
from deniable.analysis.sampling.design import SamplingDesign, sampling_design
from deniable.analysis.sampling.effective import kish
from deniable.analysis.sampling.of_items import SampledReports, weighed_results
from deniable.analysis.waves import Waves, waves_of
from deniable.publication.table import Table
from deniable.report import NOT_ASKED
from deniable.results.files import Export, Row
from deniable.survey import Survey
from deniable.survey.items import Item

Margins: TypeAlias = Mapping[str, Mapping[str, float]]
"""The part of the population with each answer, by direct item and by answer."""

COLUMN: Final = "Weight"
"""The column of weights in reports.csv; no item has this id, as ids have no capital letters."""


@dataclass(frozen=True, eq=False)
class Weighting:
    """The weighted estimates of each wave and their changes, and the weights.

    `weights`, shape (rows of reports.csv,): 1 on average in a wave; nan for a row without weight.
    """

    margins: Margins
    weights: FloatArray = field(repr=False)
    results: Waves

    @property
    def people(self) -> int:
        """The number of rows with a weight, over all waves."""
        return int((self.weights > 0).sum())

    @property
    def effective(self) -> float:
        """The effective sample size: how many people of equal weight tell as much."""
        return kish(self.weights[self.weights > 0])

    @property
    def export(self) -> Export:
        """The margins as a table."""
        rows: list[Row] = [
            {"question": name, "answer": answer, "people": part}
            for name, parts in self.margins.items()
            for answer, part in parts.items()
        ]
        return Export(("question", "answer", "people"), rows, {})


def weighting_of(
    rows: Rows, table: Table, asked: Survey, margins: Margins, level: float
) -> Weighting:
    """Weight the people of published rows to margins; `ValueError` says why it is impossible.

    `asked`: with the questions that are not published, whose changes hold together with the others.
    """
    survey = rows.survey
    shown, waves = rows.answers[table.order], rows.waves[table.order]
    column = {item.id: cells for item, cells in zip(survey.items, shown.T, strict=True)}
    codes = {item.id: [truth.code for truth in item.truths] for item in survey.items}
    known = np.logical_and.reduce([column[name] != NOT_ASKED for name in margins])
    if not known.any():
        raise ValueError(f"nobody was asked {' and '.join(margins)}")
    weights, results = np.full(len(shown), np.nan), {}
    reports: dict[int, Callable[[Item], SampledReports]] = {}
    for wave in np.unique(waves[known]).tolist():
        inside = known & (waves == wave)
        n = int(inside.sum())
        design = sampling_design(
            np.ones(n),
            margins=[
                Margin.of(
                    name,
                    [codes[name][cell] for cell in column[name][inside]],
                    {answer: part * n for answer, part in parts.items()},
                )
                for name, parts in margins.items()
            ],
        )
        weights[inside] = design.weights
        found = summarise(survey, count_answers([shown[inside]], survey), level)
        reports[wave] = partial(_reports_of, column, inside, design)
        results[wave] = weighed_results(
            replace(found, followed=()),
            lambda item, inside=inside: column[item.id][inside],  # type: ignore[misc]
            design,
        )
    told = waves_of(
        asked, results, lambda wave, item: reports[wave](item), level, intervals.DEFAULT
    )
    return Weighting(margins, weights, told)


def _reports_of(
    column: Mapping[str, npt.NDArray[np.uint8]],
    inside: npt.NDArray[np.bool_],
    design: SamplingDesign,
    item: Item,
) -> SampledReports:
    return SampledReports(item.channel, column[item.id][inside], design)
