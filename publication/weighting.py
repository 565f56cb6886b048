"""weighted.csv: estimates of the population, weighted to its known margins.

A weight follows from direct answers, and reveals as much about a person as they do. So people are
weighted by published answers only, and people whose direct cells are left out get no weight: every
weighted estimate follows from reports.csv and margins.csv.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

from deniable.analysis.counts.rows import Rows
from deniable.analysis.counts.tally import count_answers
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.privacy.disclosure import published_answers
from deniable.analysis.results import Results, summarise
from deniable.analysis.sampling.calibration import Margin
from deniable.analysis.sampling.design import sampling_design
from deniable.analysis.sampling.effective import kish
from deniable.analysis.sampling.of_items import weighed_results
from deniable.publication.table import Table, places_of
from deniable.report import NOT_ASKED
from deniable.results.files import Export, Row

Margins: TypeAlias = Mapping[str, Mapping[str, float]]
"""The part of the population with each answer, by direct item and by answer."""

COLUMN: Final = "Weight"
"""The column of weights in reports.csv; no item has this id, as ids have no capital letters."""


@dataclass(frozen=True, eq=False)
class Weighting:
    """The weighted estimates of each wave, and their weights.

    `weights`, shape (rows of reports.csv,): 1 on average in a wave; nan for a row without weight.
    """

    margins: Margins
    weights: FloatArray = field(repr=False)
    results: Mapping[int, Results]

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
    rows: Rows, table: Table, direct: tuple[str, ...], margins: Margins, level: float
) -> Weighting:
    """Weight the people of a table to margins; `ValueError` says why that is impossible."""
    survey = rows.survey
    if hidden := [name for name in margins if name not in direct]:
        raise ValueError(
            "a weight tells the direct answers that it is made of: publish "
            f"{' and '.join(hidden)} too"
        )
    shown, waves = (
        published_answers(rows, places_of(survey, direct))[table.order],
        rows.waves[table.order],
    )
    column = {item.id: cells for item, cells in zip(survey.items, shown.T, strict=True)}
    codes = {item.id: [truth.code for truth in item.truths] for item in survey.items}
    known = (shown[:, places_of(survey, [*margins])] != NOT_ASKED).all(axis=1)
    if not known.any():
        raise ValueError(f"nobody's answers to {' and '.join(margins)} are published")
    weights, results = np.full(len(shown), np.nan), {}
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
        published = [
            replace(question, items=tuple(one for one in question.items if table.of(one.item)))
            for question in found.questions
        ]
        results[wave] = weighed_results(
            replace(found, questions=tuple(one for one in published if one.items), followed=()),
            lambda item, inside=inside: column[item.id][inside],  # type: ignore[misc]
            design,
        )
    return Weighting(margins, weights, results)
