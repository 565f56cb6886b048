"""Spending a budget: what is left, and each total against its formula and against all reports."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.budget import PAGE, lines, totals
from tests.lab.shown import picture, values


def answered(asked: str, each: float, budget: float, seed: int) -> dict[str, Any]:
    return lines(each, asked, budget, 1, 1e-6, seed)


def test_answers_are_paid_until_the_budget_ends() -> None:
    found = answered("sanby", 0.4, 1, 1)
    assert found["left"] == [Fraction(left, 10) for left in (10, 6, 2, 2, 2)]
    assert [one is None for one in found["answers"]] == [False, False, True, True]
    assert (found["remaining"], found["spent"]) == (0.2, 0.8)
    asked, _ = PAGE.shown(PAGE.read({"asked": "sanby", "each": "0.4"})).records
    assert [row[-1] for row in asked.table.rows] == ["1", "0.6", "0.2", "0.2", "0.2"]
    assert [row[1] == "none" for row in asked.table.rows] == [False, False, False, True, True]


def test_tenths_add_up_exactly() -> None:
    # As floating-point numbers three tenths are more than 0.3, and the last would get no answer.
    assert None not in answered("aaann", 0.1, 0.3, 1)["answers"]


def test_later_questions_leave_earlier_answers_as_they_were() -> None:
    first = answered("snnnn", 0.2, 1, 1)["answers"]
    later = answered("ssann", 0.2, 1, 1)["answers"]
    assert later[0] == first[0]
    assert later[1] != later[0]  # the same question: noise anew


@pytest.mark.slow
@pytest.mark.parametrize(("question", "scale"), [("s", 5), ("o", 5), ("a", 0.5), ("y", 1)])
def test_noise_has_the_scale_of_one_person_s_step(question: str, scale: float) -> None:
    noise = []
    for seed in range(1, 101):
        found = answered(question * 5, 0.2, 1, seed)
        noise += [one - found["truth"][question] for one in found["answers"]]
    # Mean absolute noise is the scale, known to 1/√500 of it; five of these.
    assert np.abs(noise).mean() == pytest.approx(scale, rel=5 / math.sqrt(500))
    asked, _ = PAGE.shown(PAGE.read({"asked": f"{question}nnnn", "each": "0.2"})).records
    within = float(asked.table.rows[1][1].partition("± ")[2])
    assert within == pytest.approx(scale * math.log(20), abs=0.06)


def test_a_hundred_answers_of_a_tenth() -> None:
    found = totals(0.1, 100, 1e-6)
    chance = math.log(1e6)
    assert found["basic"] == pytest.approx(10)
    assert found["advanced"] == pytest.approx(
        0.1 * math.sqrt(200 * chance) + 10 * (math.exp(0.1) - 1)
    )
    assert found["course"] == pytest.approx(0.1 * math.sqrt(600 * chance))
    assert found["concentrated"] == pytest.approx(0.5 + 2 * math.sqrt(0.5 * chance))
    assert found["exact"] < found["by_renyi"] < found["concentrated"] < found["advanced"]
    assert [round(found[name], 2) for name in ("advanced", "concentrated")] == [6.31, 5.76]
    assert [round(found[name], 2) for name in ("by_renyi", "exact")] == [5.07, 4.77]


def test_two_answers_lose_twice_on_average() -> None:
    for epsilon in ("0.1", "0.5", "1"):
        e = float(epsilon)
        found = values(PAGE, each=epsilon, k="50")
        assert found["kl_one"] == pytest.approx(e * math.tanh(e / 2), rel=1e-5)
        assert found["kl_two"] == pytest.approx(2 * found["kl_one"], rel=1e-9)


def walks(each: float) -> FloatArray:
    """Return the loss of each person after 0, 1, 2 … answers."""
    return np.pad(lines(each, "", 1, 1, 1e-6, 1)["losses"], ((0, 0), (1, 0)))


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_each_walk_has_the_loss_of_its_reports(epsilon: str) -> None:
    e, paths = float(epsilon), walks(float(epsilon))
    assert paths.shape == (30, 201)
    steps = np.diff(paths, axis=1)
    assert np.abs(steps) == pytest.approx(np.full(steps.shape, e))
    keep = 1 / (1 + math.exp(-e))
    # 6,000 answers: five standard errors, 6e-7.
    assert (steps > 0).mean() == pytest.approx(keep, abs=5 * math.sqrt(keep * (1 - keep) / 6000))


@pytest.mark.parametrize(("epsilon", "k"), [("0.1", 1), ("0.5", 7), ("1", 120)])
def test_the_picture_has_each_walk_within_bounds(epsilon: str, k: int) -> None:
    *people, exact, wedge, at = picture(PAGE, "walks", each=epsilon, k=str(k)).series
    paths, found = walks(float(epsilon)), values(PAGE, each=epsilon, k=str(k))
    drawn = sorted((one.y for one in people), key=lambda y: y[-1])
    assert len(drawn) == 30
    assert [y[-1] for y in drawn] == pytest.approx(np.sort(paths[:, k]), abs=1e-4)
    assert all(one.x[0] == 0 and one.x[-1] == k for one in people)
    assert found["largest"] == pytest.approx(people[-1].y[-1]) == pytest.approx(max(paths[:, k]))
    assert (at.x, at.y) == ((k,), (found["largest"],))
    assert [bool(one.name) for one in people] == [False] * (30 - 1) + [True]
    e = float(epsilon)
    assert wedge.y == pytest.approx((-200 * e, 0, 200 * e))
    for one in people:
        assert all(abs(y) <= float(x) * e + 1e-4 for x, y in zip(one.x, one.y, strict=True))
    assert all(y <= float(x) * e + 1e-4 for x, y in zip(exact.x, exact.y, strict=True))


@pytest.mark.parametrize("k", [1, 37, 200])
def test_the_table_has_the_slider_s_totals(k: int) -> None:
    _, ways = PAGE.shown(PAGE.read({"k": str(k)})).records
    column = ways.table.columns.index(str(k))
    found = totals(0.1, k, 1e-6)
    said = [float(row[column].replace(",", "")) for row in ways.table.rows]
    names = ("basic", "advanced", "course", "concentrated", "by_renyi", "exact")
    assert said == pytest.approx([found[name] for name in names], abs=6e-4)
    assert ways.table.rows[ways.marked[0]][0] == "Exactly"
