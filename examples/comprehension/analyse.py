"""Test the hypotheses of the study: ``python analyse.py protected.csv direct.csv``.

The files are the reports of the two arms, as ``deniable export`` and ``deniable simulate`` write
them. Beside this file are the surveys, whose packets say what H1, H2 and H3 are.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import erfc, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Final

import deniable
from deniable.study import Study

if TYPE_CHECKING:
    import pandas as pd

ARMS: Final = ("protected", "direct")

KEY: Final = {
    "changed": "tf",
    "certain": "ft",
    "innocent": "tf",
    "proof": "ft",
    "sure": "ft",
    "rate": "tt",
    "people": "ff",
    "name": "ff",
    "before": "tt",
    "deleted": "ff",
    "seen": "tt",
    "program": "tt",
}
"""What is right of each statement, in the protected and in the direct arm."""

ENOUGH: Final = 9
"""Right statements of twelve that count as understanding."""


@dataclass(frozen=True)
class Estimate:
    """A share or a difference of shares, with its standard error."""

    value: float
    standard_error: float

    def __str__(self) -> str:
        reach = 1.96 * self.standard_error
        low, high = self.value - reach, self.value + reach
        return f"{100 * self.value:.1f} ({100 * low:.1f} to {100 * high:.1f})"

    def __sub__(self, other: "Estimate") -> "Estimate":
        """Return the difference of estimates of different people."""
        error = sqrt(self.standard_error**2 + other.standard_error**2)
        return Estimate(self.value - other.value, error)

    def p(self, expected: float = 0) -> float:
        """Return the p-value, two-sided, by the normal distribution."""
        return erfc(abs(self.value - expected) / self.standard_error / sqrt(2))


def mean(values: "pd.Series[float]") -> Estimate:
    """Return the mean of numbers, one for each person."""
    return Estimate(float(values.mean()), float(values.std()) / sqrt(len(values)))


def share_of_yes(study: Study) -> Estimate:
    """Return the share of yes, with the noise removed in the arm that has any."""
    rows = study.shares("helped").to_frame()
    (yes,) = rows[rows["answer"] == "yes"].to_dict("records")
    return Estimate(yes["estimate"], yes["standard_error"])


def right(study: Study, arm: int) -> "pd.DataFrame":
    """Return for each person which statements they judged rightly, as 0 and 1."""
    answers, key = study.to_frame(), {f"clear.{name}": both[arm] for name, both in KEY.items()}
    return answers[list(key)].eq(list(key.values())).astype(float)


def lines(files: tuple[str, str]) -> Iterator[str]:
    """Yield what is found, a line each; shares in percent, with their 95 % intervals."""
    here = Path(__file__).parent
    studies = [
        deniable.open(here / f"{arm}.yaml", file) for arm, file in zip(ARMS, files, strict=True)
    ]
    judged = [right(study, arm) for arm, study in enumerate(studies)]
    for name, study, one in zip(ARMS, studies, judged, strict=True):
        yield f"{name}: {study.n} people, {one.sum(axis=1).mean():.1f} of 12 right on average"
        yield from (f"  {name}: {mean(one[f'clear.{name}'])} % right" for name in KEY)
    protected = judged[0]
    understood = mean((protected.sum(axis=1) >= ENOUGH).astype(float))
    yield f"H1: {understood} % have {ENOUGH} or more right; p of one half: {understood.p(0.5):.4f}"
    yes = [share_of_yes(study) for study in studies]
    more = yes[0] - yes[1]
    yield f"H2: yes, protected: {yes[0]} %; direct: {yes[1]} %"
    yield f"    difference: {more} points; p: {more.p():.4f}"
    fewer = mean(protected["clear.proof"] - protected["clear.rate"])
    yield f"H3: “proof” less “rate”: {fewer} points; p: {fewer.p():.4f}"


if __name__ == "__main__":
    sys.stdout.writelines(f"{one}\n" for one in lines((sys.argv[1], sys.argv[2])))
