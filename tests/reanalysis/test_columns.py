"""Several arms and scrambled numbers, by the columns of a data file."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from deniable.reanalysis import scrambled, several_arms
from deniable.study.collected import of_design
from deniable.study.study import Study
from deniable.study.tables import read_table

DETECTION = {"cheating_detection": {"yes": ["1/4", "3/4"]}}
SAHA = {"saha": {"multiplier": {"mean": "3/2", "sd": 0.3}, "addend": [2, 4]}}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Open 2,000 people in two arms, as in `deniable.reanalysis.arms.estimate_arms`."""
    rows = ["a,no"] * 700 + ["a,yes"] * 300 + ["b,no"] * 400 + ["b,yes"] * 600 + ["b,NA"]
    lines = [f"{row},{n % 7 + n / 8},{n % 2},{1 + n % 3}" for n, row in enumerate(rows)]
    (tmp_path / "data.csv").write_text("\n".join(["arm,said,z,sex,w", *lines]))
    return of_design(read_table(tmp_path / "data.csv"), "data.csv", None, "said")


def test_two_arms_have_the_paper_s_shares(study: Study) -> None:
    """Clark and Desharnais (1998): π = (p₂λ₁ − p₁λ₂)/(p₂ − p₁), β = (λ₂ − λ₁)/(p₂ − p₁)."""
    found = several_arms(
        study.beside, "data.csv", "said", arm="arm", design=DETECTION, arm_codes=["a", "b"]
    )
    rows = {row["share"]: row for row in found.export.rows}
    pi, beta = (0.75 * 0.3 - 0.25 * 0.6) / 0.5, (0.6 - 0.3) / 0.5
    expected = {"honest yes": pi, "honest no": beta, "cheater": 1 - pi - beta}
    assert {name: row["estimate"] for name, row in rows.items()} == pytest.approx(expected)
    error = np.sqrt(0.3 * 0.7 / 999 + 0.6 * 0.4 / 999) / 0.5
    assert rows["honest no"]["standard_error"] == pytest.approx(error)
    assert found.export.document["n"] == (1000, 1000)
    assert str(found).splitlines()[0].endswith("2,000 responses, 1 missing")
    fitted = several_arms(
        study.beside, "data.csv", "said ~ sex", arm="arm", design=DETECTION, arm_codes=["a", "b"]
    )
    assert [row["term"] for row in fitted.export.rows][:2] == ["Intercept", "sex"]


def test_scrambled_numbers_have_the_mean_of_the_formula(study: Study) -> None:
    z = np.array([float(cell) for cell in study.beside["z"]])
    w = np.array([float(cell) for cell in study.beside["w"]])
    true = z / 1.5 - 3  # z = W (y + U)
    (row,) = scrambled(study.beside, "data.csv", "z", SAHA).export.rows
    assert row["estimate"] == pytest.approx(true.mean())
    assert row["standard_error"] == pytest.approx(true.std(ddof=1) / np.sqrt(len(z)))
    weighed = scrambled(study.beside, "data.csv", "z", SAHA, sample=study.weights("w").sample)
    assert "Sample: weights w" in str(weighed)
    (row,) = weighed.export.rows
    mean, n = (w * true).sum() / w.sum(), len(z)
    variance = n / (n - 1) * (w**2 * (true - mean) ** 2).sum() / w.sum() ** 2
    assert (row["estimate"], row["standard_error"]) == pytest.approx((mean, np.sqrt(variance)))
    effect = variance / ((w * (true - mean) ** 2).sum() / w.sum() / (n - 1))
    assert (row["design_effect"], row["effective_n"]) == pytest.approx((effect, n / effect))
    assert "ε unbounded" in str(scrambled(study.beside, "data.csv", "z", SAHA))


def test_what_cannot_be_read_is_said(study: Study) -> None:
    detected = partial(several_arms, study.beside, "data.csv", arm="arm", design=DETECTION)
    numbers = partial(scrambled, study.beside, "data.csv")
    asked: list[tuple[Callable[[], object], str]] = [
        (lambda: detected("said"), "cannot tell which of the 2 arms"),
        (lambda: detected("said", arm="where"), "expected a column 'where', found 'arm'"),
        (
            lambda: detected("said", arm="sex", codes=["NA", "yes"]),
            "expected cells of 'NA', 'yes' or empty ones, found 'no'",
        ),
        (
            lambda: numbers("said", SAHA),
            "column 'said': expected a number",
        ),
        (
            lambda: numbers("z", {"saha": {}}),
            "expected the parameters multiplier, addend",
        ),
        (
            lambda: scrambled(
                study.beside, "data.csv", "z", {"saha": {"multiplier": {"mean": 1}, "addend": 0}}
            ),
            "expected mean and sd, or cards, found mean",
        ),
    ]
    for ask, said in asked:
        with pytest.raises(ValueError, match="expected") as mistake:
            ask()
        assert said in str(mistake.value)
