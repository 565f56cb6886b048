"""Lists and scrambled numbers: printed digits, laws enumerated, the papers' variances."""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from deniable.reanalysis import scrambled, several_arms
from deniable.reanalysis.lists import CombinedList, combined_list, double_list, list_share
from deniable.reanalysis.methods import Asked, Cells
from deniable.reanalysis.scrambling import (
    Scrambler,
    Scrambling,
    bar_lev,
    chaudhuri_christofides,
    diana_perri_1,
    diana_perri_2,
    eichhorn_hayre,
    eriksson,
    estimate_mean,
    saha,
)
from deniable.reanalysis.told import list_result
from deniable.study.collected import of_design
from deniable.study.study import Study
from deniable.study.tables import read_table

# By the direct answer, and by the count: how many had the short list, and how many the long one.
FIRST = {
    0: {1: (3, 0), 2: (30, 26), 3: (36, 31), 4: (27, 17), 5: (0, 2)},
    1: {1: (2, 0), 2: (35, 7), 3: (69, 42), 4: (53, 40), 5: (0, 80)},
}
ROWS = np.array(
    [
        (count, long, direct)
        for direct, counts in FIRST.items()
        for count, people in counts.items()
        for long in (0, 1)
        for _ in range(people[long])
    ]
)


def both() -> CombinedList:
    return combined_list(*ROWS.T)


def test_the_digits_are_those_of_the_package_list() -> None:
    found = both()
    printed = {
        "combined": (0.6656184210526, 0.0484034315117),
        "direct": (0.656, 0.021265758038),
        "conventional": (0.7477390956383, 0.0844101001122),
        "among_yes": (1.05396151985, 0.0945273379852),
        "of_list": (0.0662665066026, 0.0424397471855),
    }
    for name, digits in printed.items():
        one = getattr(found, name)
        assert (one.theta, one.standard_error) == pytest.approx(digits, abs=1e-11), name
    assert found.among_yes is not None
    assert found.among_yes.p_value(1) == pytest.approx(0.568097102604, abs=1e-11)
    assert found.of_list.p_value() == pytest.approx(0.118423371726, abs=1e-11)
    # t.test(list1N ~ list1treat)
    assert found.conventional.degrees_of_freedom == pytest.approx(455.4910166831289)
    ends = found.conventional.interval()
    assert list(ends) == pytest.approx([0.5818575673484, 0.9136206239281], abs=1e-11)
    assert list(list_share(*ROWS.T[:2]).interval()) == list(ends)


def test_a_double_list_is_half_a_t_test() -> None:
    """``t.test((y1 - y2)[T == 1], (y1 - y2)[T == 0])`` of R 4.2.2, halved."""
    apart = {-2: (6, 0), -1: (31, 22), 0: (42, 33), 1: (19, 34), 2: (0, 13)}
    pairs = [(d, t) for d, people in apart.items() for t in (0, 1) for _ in range(people[t])]
    difference, long = np.array(pairs).T
    found = double_list(difference + 3, np.full(len(long), 3), long)
    assert (found.theta, found.standard_error, found.degrees_of_freedom) == pytest.approx(
        (0.3087234893958, 0.0637876819324, 196.0706292695919), abs=1e-12
    )
    assert list(found.interval()) == pytest.approx([0.1829254539324, 0.4345215248591], abs=1e-11)


@pytest.mark.parametrize(
    ("columns", "wrong"),
    [
        (([1, 2.5, 3, 1], [0, 1, 0, 1]), "found 2.5"),
        (([1, 2, 3, 1], [0, 1, 2, 1]), "found 2"),
        (([1, 2, 3, 1], [0, 1, 0]), "expected 4 lists, one a count, found 3"),
        (([1, 2, 3, 1], [0, 0, 0, 1]), "found 3 with the short one and 1 with the long one"),
        (([1, 2, 3, 1], [0, 1, 0, 1], [1, 1, 1, 0]), "who said no to the direct question"),
    ],
)
def test_what_is_no_list_experiment_is_refused(columns: tuple[list[int], ...], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        (list_share if len(columns) == 2 else combined_list)(*columns)


def test_counts_that_are_all_alike_have_no_interval() -> None:
    found = list_share([2, 2, 2, 2], [0, 1, 0, 1])
    assert np.isnan(found.interval()).all()
    assert "No interval" in str(list_result("a.csv", "count", 0, found, 0.95))


def test_a_failed_assumption_is_said() -> None:
    changed = ROWS.copy()
    changed[:, 2] = np.where(ROWS[:, 1] == 1, 0, ROWS[:, 2])  # nobody admits after the long list
    shown = str(list_result("a.csv", "count", 0, combined_list(*changed.T), 0.95))
    assert shown.count("do not use both together") == 1
    assert "do not use both together" not in str(list_result("a.csv", "count", 0, both(), 0.95))


DETECTION = {"cheating_detection": {"yes": ["1/4", "3/4"]}}
SAHA = {"saha": {"multiplier": {"mean": "3/2", "sd": 0.3}, "addend": [2, 4]}}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Open 2,000 people in two arms, as in `deniable.reanalysis.arms.estimate_arms`."""
    rows = ["a,no"] * 700 + ["a,yes"] * 300 + ["b,no"] * 400 + ["b,yes"] * 600 + ["b,NA"]
    lines = [f"{row},{n % 7 + n / 8},{n % 2},{1 + n % 3}" for n, row in enumerate(rows)]
    (tmp_path / "data.csv").write_text("\n".join(["arm,said,z,sex,w", *lines]))
    return of_design(read_table(tmp_path / "data.csv"), "data.csv", None, "said")


@pytest.mark.slow
def test_two_arms_have_the_paper_s_shares(study: Study) -> None:
    """Clark and Desharnais (1998): π = (p₂λ₁ − p₁λ₂)/(p₂ − p₁), β = (λ₂ − λ₁)/(p₂ − p₁)."""
    asked = Asked(design=DETECTION, column="said", arm="arm", arms=["a", "b"])
    found = several_arms(study.beside, "data.csv", asked)
    rows = {row["share"]: row for row in found.export.rows}
    pi, beta = (0.75 * 0.3 - 0.25 * 0.6) / 0.5, (0.6 - 0.3) / 0.5
    expected = {"honest yes": pi, "honest no": beta, "cheater": 1 - pi - beta}
    assert {name: row["estimate"] for name, row in rows.items()} == pytest.approx(expected)
    error = np.sqrt(0.3 * 0.7 / 999 + 0.6 * 0.4 / 999) / 0.5
    assert rows["honest no"]["standard_error"] == pytest.approx(error)
    assert found.export.document["n"] == (1000, 1000)
    assert str(found).splitlines()[0].endswith("2,000 responses, 1 missing")
    fitted = several_arms(study.beside, "data.csv", replace(asked, formula="said ~ sex"))
    assert [row["term"] for row in fitted.export.rows][:2] == ["Intercept", "sex"]


def test_scrambled_numbers_have_the_mean_of_the_formula(study: Study) -> None:
    z = np.array([float(cell) for cell in study.beside["z"]])
    w = np.array([float(cell) for cell in study.beside["w"]])
    true = z / 1.5 - 3  # z = W (y + U)
    asked = Asked(design=SAHA, column="z")
    (row,) = scrambled(study.beside, "data.csv", asked).export.rows
    assert row["estimate"] == pytest.approx(true.mean())
    assert row["standard_error"] == pytest.approx(true.std(ddof=1) / np.sqrt(len(z)))
    sample = study.weights("w").sample
    weighed = scrambled(study.beside, "data.csv", replace(asked, sample=sample))
    assert "Sample: weights w" in str(weighed)
    (row,) = weighed.export.rows
    mean, n = (w * true).sum() / w.sum(), len(z)
    variance = n / (n - 1) * (w**2 * (true - mean) ** 2).sum() / w.sum() ** 2
    assert (row["estimate"], row["standard_error"]) == pytest.approx((mean, np.sqrt(variance)))
    effect = variance / ((w * (true - mean) ** 2).sum() / w.sum() / (n - 1))
    assert (row["design_effect"], row["effective_n"]) == pytest.approx((effect, n / effect))
    assert "ε unbounded" in str(scrambled(study.beside, "data.csv", asked))


def test_what_cannot_be_read_is_said(study: Study) -> None:
    detected = Asked(design=DETECTION, column="said", arm="arm")
    numbers = Asked(design=SAHA, column="z")
    mean_alone = {"saha": {"multiplier": {"mean": 1}, "addend": 0}}
    coded = replace(detected, arm="sex", codes=["NA", "yes"])
    asked: list[tuple[Callable[[Cells, str, Asked], object], Asked, str]] = [
        (several_arms, detected, "cannot tell which of the 2 arms"),
        (several_arms, replace(detected, arm="where"), "expected a column 'where', found 'arm'"),
        (several_arms, coded, "or empty ones, found 'no'"),
        (scrambled, replace(numbers, column="said"), "column 'said': expected a number"),
        (scrambled, replace(numbers, design={"saha": {}}), "the parameters multiplier, addend"),
        (scrambled, replace(numbers, design=mean_alone), "mean and sd, or cards, found mean"),
    ]
    for analyse, of, said in asked:
        with pytest.raises(ValueError, match="expected") as mistake:
            analyse(study.beside, "data.csv", of)
        assert said in str(mistake.value)


Law: TypeAlias = Callable[[float], Iterator[tuple[float, float]]]
"""The true value in; every possible response with its chance out."""

W_CARDS = [1.0, 2.0, 4.0]
U_CARDS = [0.0, 1.0, 3.0, 5.0, 8.0]
W, U = Scrambler.cards(W_CARDS), Scrambler.cards(U_CARDS)


def _mixed(direct: float, otherwise: Callable[[float, float, float], float]) -> Law:
    def law(y: float) -> Iterator[tuple[float, float]]:
        yield y, direct
        for w, u in itertools.product(W_CARDS, U_CARDS):
            yield otherwise(y, w, u), (1 - direct) / len(W_CARDS) / len(U_CARDS)

    return law


DESIGNS = [
    pytest.param(eichhorn_hayre(W), _mixed(0, lambda y, w, u: w * y), id="Eichhorn and Hayre"),
    pytest.param(bar_lev(0.6, W), _mixed(0.6, lambda y, w, u: w * y), id="Bar-Lev"),
    pytest.param(eriksson(0.5, U), _mixed(0.5, lambda y, w, u: u), id="Eriksson"),
    pytest.param(
        chaudhuri_christofides(W, U),
        _mixed(0, lambda y, w, u: w * y + u),
        id="Chaudhuri and Christofides",
    ),
    pytest.param(saha(W, U), _mixed(0, lambda y, w, u: w * (y + u)), id="Saha"),
    pytest.param(
        diana_perri_1(0.3, W, U), _mixed(0.3, lambda y, w, u: w * (y + u)), id="Diana and Perri 1"
    ),
    pytest.param(
        diana_perri_2(0.8, W, U),
        _mixed(0, lambda y, w, u: w * (0.8 * u + 0.2 * y)),
        id="Diana and Perri 2",
    ),
]


@pytest.mark.parametrize(("scrambling", "law"), DESIGNS)
@pytest.mark.parametrize("population", [[0.0], [2.5], [-7.0], [1.0, 2.0, 2.0, 7.0]])
def test_each_mean_and_variance_is_unbiased(
    scrambling: Scrambling, law: Law, population: list[float]
) -> None:
    responses, chances = np.array([pair for y in population for pair in law(y)]).T
    r, chances = scrambling.unscramble(responses), chances / len(population)
    mean, sd = float(np.mean(population)), float(np.std(population))
    assert chances @ r == pytest.approx(mean, abs=1e-9)
    assert scrambling.variance(mean, sd) == pytest.approx(chances @ (r - mean) ** 2)


S, T = Scrambler(1.2, 0.5), Scrambler(5.5, 2.6)


def test_the_estimators_of_the_papers() -> None:
    # RRTCS: the transformations in its manual, its standard error s_z / (sqrt(n) |scale|).
    z = np.array([12.0, 31.5, 8.0, 55.0, 20.0])
    s = z.std(ddof=1) / math.sqrt(5)
    for scrambling, scale, shift in [
        (saha(S, T), 1.2, 1.2 * 5.5),
        (diana_perri_1(0.6, S, T), 0.6 + 0.4 * 1.2, 0.4 * 1.2 * 5.5),
        (diana_perri_2(0.8, S, T), 0.2 * 1.2, 0.8 * 1.2 * 5.5),
        (eichhorn_hayre(S), 1.2, 0),
        (bar_lev(0.6, S), 0.6 + 0.4 * 1.2, 0),
        (eriksson(0.5, T), 0.5, 0.5 * 5.5),
        (chaudhuri_christofides(S, T), 1.2, 5.5),
    ]:
        result = estimate_mean(z, scrambling)
        assert result.theta == pytest.approx((z.mean() - shift) / scale)
        assert result.standard_error == pytest.approx(s / scale)
        half = 1.6448536269514722 * result.standard_error
        assert result.interval(0.9) == pytest.approx([result.theta - half, result.theta + half])


def test_one_response_has_no_standard_error() -> None:
    assert math.isnan(estimate_mean([5.0], saha(S, T)).standard_error)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scrambler(1, -1), "at least 0 of a scrambling variable, found 1 and -1"),
        (lambda: Scrambler(math.nan, 1), "found nan and 1"),
        (lambda: Scrambler.cards([]), "at least one card"),
        (lambda: eriksson(0, T), "mean slope of 0"),
        (lambda: eichhorn_hayre(Scrambler(0, 1)), "found a mean slope of 0"),
        (lambda: diana_perri_2(1, S, T), "depend on the true value"),
        (lambda: bar_lev(1.5, S), "between 0 and 1, found 1.5"),
        (lambda: eriksson(-1, T), "between 0 and 1, found -1"),
        (lambda: saha(S, T).variance(1, -1), "standard deviation of at least 0, found -1"),
        (lambda: estimate_mean([], saha(S, T)), r"row of responses, found .* shape \(0,\)"),
        (lambda: estimate_mean([[1.0]], saha(S, T)), r"shape \(1, 1\)"),
        (lambda: estimate_mean([1, math.nan], saha(S, T)), "found nan at position 1"),
        (lambda: estimate_mean([1, 2], saha(S, T)).interval(95), "between 0 and 1, such as"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
