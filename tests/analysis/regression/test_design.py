"""What is no data for a regression is refused, with what was expected and where."""

import warnings
from typing import Any

import numpy as np
import pytest

from deniable import designs
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.design import covariates_of, variance_inflation
from deniable.channel import Channel

FORCED = designs.forced_response("2/3", "1/2")
X = np.column_stack([np.ones(6), [0.0, 1, 2, 3, 4, 5]])
REPORTS = [0, 1, 0, 1, 1, 0]
DEPENDENT = np.column_stack([X, 3 * X[:, 1] - 2, X[:, 1] ** 2])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reports": [0, 1, 2, 1, 1, 0]}, "a report from 0 to 1, found 2 in row 2"),
        ({"reports": [0, 1, -1, 1, 1, 0]}, "a report from 0 to 1, found -1 in row 2"),
        ({"reports": [0.5] * 6}, "reports that are integers, found float64"),
        ({"reports": [[0, 1]] * 6}, "expected 6 reports"),
        ({"X": X[:5]}, r"covariates of shape \(6, p\)"),
        ({"X": X[:, 0]}, r"covariates of shape \(6, p\)"),
        ({"X": np.where(X == 3, np.nan, X)}, "found nan in row 3, column 1"),
        ({"X": np.where(X == 3, np.inf, X)}, "found inf in row 3, column 1"),
        ({"X": DEPENDENT}, "found x2 to be a linear combination of intercept, x1"),
        ({"X": np.column_stack([X, np.zeros(6)])}, "found x2 to be 0"),
        ({"X": np.eye(6)[:3], "reports": [0, 1, 1]}, "at least 6 respondents, .* found 3"),
        ({"names": ["a"]}, "expected 2 names, one for each column, found 1"),
        ({"names": ["a", "a"]}, "names that differ"),
        ({"link": "log"}, "expected a link of"),
        ({"weights": [1, 2]}, "expected 6 weights"),
        ({"weights": [1, 2, 0, 1, 1, 1]}, "weights above 0, found 0.0 in row 2"),
    ],
)
def test_mistakes_are_named(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"reports": REPORTS, "X": X, "channel": FORCED} | change
    with pytest.raises(ValueError, match=message):
        regress(**arguments)


def test_a_channel_that_tells_nothing_is_refused() -> None:
    silent = Channel.from_probabilities([["1/2", "1/2"], ["1/2", "1/2"]])
    with pytest.raises(ValueError, match="the coefficients are not identifiable"):
        regress(REPORTS, X, silent)


def test_a_report_that_no_truth_can_send_is_refused() -> None:
    narrow = Channel.from_probabilities([["3/4", "1/4", 0], ["1/4", "3/4", 0]])
    with pytest.raises(ValueError, match="no report 2, which no truth can send, found it in row 4"):
        regress([0, 1, 0, 1, 2, 0], X, narrow)


LONGLEY = """\
83 88.5 88.2 89.5 96.2 98.1 99 100 101.2 104.6 108.4 110.8 112.6 114.2 115.7 116.9
234.289 259.426 258.054 284.599 328.975 346.999 365.385 363.112 397.469 419.18 442.769 444.546 \
482.704 502.601 518.173 554.894
235.6 232.5 368.2 335.1 209.9 193.2 187 357.8 290.4 282.2 293.6 468.1 381.3 393.1 480.6 400.7
159 145.6 161.6 165 309.9 359.4 354.7 335 304.8 285.7 279.8 263.7 255.2 251.4 257.2 282.7
107.608 108.632 109.773 110.929 112.075 113.27 115.094 116.219 117.388 118.734 120.445 121.95 \
123.366 125.368 127.852 130.081
1947 1948 1949 1950 1951 1952 1953 1954 1955 1956 1957 1958 1959 1960 1961 1962
"""
"""Longley's (1967) columns, which R has as `longley`; R's diag(solve(cor(longley[1:6])))."""
OF_R = [135.532438280, 1788.513482718, 33.618890596, 3.588930193, 399.151022313, 758.980597407]


def test_covariates_that_are_nearly_dependent_are_warned_of() -> None:
    columns = [np.array(line.split(), dtype=float) for line in LONGLEY.splitlines()]
    X = np.column_stack([np.ones(16), *columns])
    np.testing.assert_allclose(variance_inflation(X), [0, *OF_R], rtol=1e-8)
    names = ["Intercept", "deflator", "GNP", "unemployed", "forces", "people", "year"]
    said = r"GNP is nearly a linear combination of .*year.*42 times as wide.*inflation 1,789\)"
    with pytest.warns(UserWarning, match=said):
        covariates_of(X, np.zeros(16), names)
    years = np.arange(18.0, 70.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        covariates_of(np.column_stack([np.ones(52), years, years**2]), np.zeros(52), None)
