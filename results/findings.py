"""Findings of several groups, questions or terms, each with its interval and as a row of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from deniable.analysis.findings import Interval
from deniable.results.files import Row, Value
from deniable.results.rows import effective_row
from deniable.survey.questions import Answer


@dataclass(frozen=True)
class Difference:
    """The share of an answer in one group minus that in another; of means if `answer` is None.

    `span`: the range of the answers; 1 for a share. `n`: people in both groups, None in a simple
    random sample. `design_effect`: see `deniable.analysis.findings.Bounded`.
    """

    first: Answer
    second: Answer
    answer: Answer | None
    difference: float
    standard_error: float
    interval: Interval
    p_value: float
    span: float = 1.0
    n: int | None = None
    design_effect: float | None = None

    @property
    def narrow(self) -> bool:
        """Whether its interval misleads; see `Interval.misleads`."""
        return self.interval.reaching(self.difference).misleads(-self.span, self.span)

    def row(self, names: Row, level: float, method: str) -> Row:
        """Return the difference as a row of a file, after `names`, the cells that name it."""
        of_means = self.answer is None
        return {
            **names,
            "group": self.first.code,
            "minus": self.second.code,
            "answer": None if self.answer is None else self.answer.code,
            "statistic": "difference_of_means" if of_means else "difference",
            "estimate": self.difference,
            "standard_error": self.standard_error,
            **self.interval._asdict(),
            "level": level,
            "method": method,
            "outside": abs(self.difference) > self.span,
            "narrow": self.narrow,
            "p_value": self.p_value,
            **effective_row(self.n, self.design_effect),
        }


@dataclass(frozen=True)
class Cell:
    """The share of a pair of answers, among all people or among those with the first answer.

    `method`: the kind of interval. `design_effect`: see `deniable.analysis.findings.Bounded`.
    """

    first: Answer
    second: Answer
    estimate: float
    standard_error: float
    interval: Interval
    method: str
    outside: bool
    design_effect: float | None = None

    @property
    def narrow(self) -> bool:
        """Whether its interval misleads; see `Interval.misleads`."""
        return self.interval.reaching(self.estimate).misleads(0, 1, self.method)

    def row(self, names: Mapping[str, Value], level: float) -> Row:
        """Return the cell as a row of a file, after `names`, the cells that name it."""
        return {
            **names,
            "estimate": self.estimate,
            "standard_error": self.standard_error,
            **self.interval._asdict(),
            "outside": self.outside,
            "narrow": self.narrow,
            "level": level,
            "method": self.method,
        }


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of a regression.

    `answer`: "mean" for a number. `interval`: both ends nan if unknown. `is_log_odds`: whether the
    coefficient's exponential is an odds ratio. `n`, `design_effect`: as in `Difference`.
    """

    response: str
    answer: str
    term: str
    coefficient: float
    standard_error: float
    z: float
    p_value: float
    interval: Interval
    is_log_odds: bool
    n: int | None = None
    design_effect: float | None = None

    @property
    def name(self) -> str:
        """The term, after the answer unless that is yes or a mean."""
        return self.term if self.answer in ("yes", "mean") else f"{self.answer}: {self.term}"

    @property
    def odds_ratio(self) -> float | None:
        """The odds ratio; None if the coefficient is no log odds."""
        return _exp(self.coefficient) if self.is_log_odds else None

    @property
    def odds_interval(self) -> Interval | None:
        """The interval of the odds ratio; None if the coefficient is no log odds."""
        return Interval(*map(_exp, self.interval)) if self.is_log_odds else None

    def row(self, level: float) -> Row:
        """Return the coefficient as a row of a file."""
        odds = self.odds_interval or (None, None)
        return {
            "response": self.response,
            "answer": self.answer,
            "term": self.term,
            "coefficient": self.coefficient,
            "standard_error": self.standard_error,
            "z": self.z,
            "p_value": self.p_value,
            **self.interval._asdict(),
            "odds_ratio": self.odds_ratio,
            "odds_ratio_low": odds[0],
            "odds_ratio_high": odds[1],
            "level": level,
            **effective_row(self.n, self.design_effect),
        }


def _exp(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(value))
