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
    """The share of an answer in one group less that in another, or the mean if `answer` is None.

    `span`: how far the answers reach: 1 of a share. `n`: people of both groups, where they count
    unlike. `design_effect`: see `deniable.analysis.findings.Bounded`.
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
        """Return it as a row of a file, after the names of what is compared."""
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
    """The share of a pair of answers: of all, or of the people with the first answer.

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
        """Return it as a row of a file, after its names."""
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

    `answer`: "mean" of a number. `interval`: of nan where there is none. `is_log_odds`: whether its
    exponential is a ratio of odds. `n`, `design_effect`: as of `Difference`.
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
        """The term, after the answer if it is another one than yes."""
        return self.term if self.answer in ("yes", "mean") else f"{self.answer}: {self.term}"

    @property
    def odds_ratio(self) -> float | None:
        """The ratio of odds, if it is one."""
        return _exp(self.coefficient) if self.is_log_odds else None

    @property
    def odds_interval(self) -> Interval | None:
        """The interval of that."""
        return Interval(*map(_exp, self.interval)) if self.is_log_odds else None

    def row(self, level: float) -> Row:
        """Return it as a row of a file."""
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
