"""The whole way: people with known rates, noise, the rates again, and errors as they should be.

Every run has a fixed seed, so that these tests always say the same. Before the seed was chosen,
each comparison had a chance of 6e-5 (4 standard errors) or 3.4e-7 (5.1) to fail for nothing.
"""

import csv
import io
import math

import pytest

from tests.cli.conftest import Run

N = 100_000
RATES = {
    "doped.yes": 0.2,
    "substances.steroids": 0.05,
    "substances.epo": 0.6,
    "mood.low": 0.1,
    "mood.prefer_not_to_say": 0.3,
    "knew.coach.yes": 0.5,
    "knew.doctor.no": 0.9,
    "hours.0.5": 0.7,
    "forced.yes": 0.15,
    "age.old": 0.4,
}
ANSWERS = {"doped": 2, "substances": 2, "mood": 4, "knew": 3, "hours": 5, "forced": 2, "age": 2}

Row = dict[str, str]


def rates(**changed: float) -> list[str]:
    return [
        word
        for name, rate in (RATES | changed).items()
        for word in ("--rate", f"{name}={100 * rate:g}%")
    ]


def shares_of(row: Row) -> float:
    """Work out the share that a population of `RATES` has of a row's answer."""
    named = {name: rate for name, rate in RATES.items() if name.startswith(f"{row['item']}.")}
    if row["question"] == "substances":
        yes = RATES[row["item"]]
        return yes if row["answer"] == "yes" else 1 - yes
    name = f"{row['item']}.{row['answer']}"
    if name in named:
        return named[name]
    return (1 - sum(named.values())) / (ANSWERS[row["question"]] - len(named))


def closed_form(row: Row, share: float, n: int) -> float:
    """Return the textbook's standard error: the binomial's of the reports, over the slope.

    Warner (1965) and its k-ary relative: λ = q + (p − q)θ and SE² = λ(1 − λ) / (n (p − q)²), with p
    the chance of keeping the answer and q that of reporting it for another one.
    """
    if row["item"] == "age":
        p, q = 1.0, 0.0
    elif row["item"] == "forced":  # truth 2/3; forced yes 1/3 · 1/4, forced no 1/3 · 3/4
        p, q = (3 / 4, 1 / 12) if row["answer"] == "yes" else (11 / 12, 1 / 4)
    else:
        k, epsilon = ANSWERS[row["question"]], float(row["epsilon"])
        q = 1 / (math.exp(epsilon) + k - 1)
        p = math.exp(epsilon) * q
    reported = q + (p - q) * share
    return math.sqrt(reported * (1 - reported) / n) / (p - q)


def closed_form_of_a_mean(row: Row, rows: list[Row], n: int) -> tuple[float, float]:
    """Return the mean of a number and its textbook's standard error.

    The values of the reports, from which noise takes the same on average whatever the truth, are
    spread p − q times as far apart by the truth as they are by themselves.
    """
    levels = [other for other in rows if other["item"] == row["item"] and other is not row]
    k, epsilon = ANSWERS[row["question"]], float(row["epsilon"])
    q = 1 / (math.exp(epsilon) + k - 1)
    p = math.exp(epsilon) * q
    values = [float(level["answer"]) for level in levels]
    shares = [shares_of(level) for level in levels]
    reported = [q + (p - q) * share for share in shares]
    mean = sum(rate * value for rate, value in zip(reported, values, strict=True))
    square = sum(rate * value**2 for rate, value in zip(reported, values, strict=True))
    truth = sum(share * value for share, value in zip(shares, values, strict=True))
    return truth, math.sqrt((square - mean**2) / n) / (p - q)


def assert_recovers(table: str, n: int, within: float, error_within: float) -> None:
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == 2 + 2 * 2 + 4 + 2 * 3 + (5 + 1) + 2 + 2
    for row in rows:
        if row["statistic"] == "mean":
            share, expected = closed_form_of_a_mean(row, rows, n)
        else:
            share = shares_of(row)
            expected = closed_form(row, share, n)
        assert int(row["n"]) == n
        assert abs(float(row["estimate"]) - share) < within * expected, row
        assert float(row["standard_error"]) == pytest.approx(expected, rel=error_within), row


def test_100_000_respondents_by_way_of_a_csv(run: Run) -> None:
    run("simulate", "every-type.yaml", "-n", N, "--seed", 1, "-o", "noise.csv", *rates())
    table = run("estimate", "every-type.yaml", "--reports", "noise.csv", "--format", "csv").stdout
    assert_recovers(table, N, within=4, error_within=0.02)
