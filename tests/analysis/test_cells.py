"""Columns beside the reports: what is no number is told of, and no space makes a group."""

import warnings

import pandas
import pytest

from deniable import designs
from deniable.analysis.regression.formula import regress_formula

AGES = [str(20 + place % 40) for place in range(795)] + ["unknown"] * 3 + ["45,5"] * 2
ANSWERS = [place * 7 % 3 % 2 for place in range(800)]
COINS = designs.warner(flip="1/10")


def test_texts_among_numbers_are_told_of() -> None:
    frame = pandas.DataFrame({"q": ANSWERS, "age": AGES})
    said = r"5 of 800 cells of age are no numbers: 'unknown' \(3\), '45,5' \(2\); expected num"
    with pytest.raises(ValueError, match=said):
        regress_formula("q ~ age", frame, COINS)


def test_a_few_numbers_are_the_names_of_groups() -> None:
    ages = [*["1", "2", "3a"] * 266, "1", "2"]
    fit = regress_formula("q ~ age", pandas.DataFrame({"q": ANSWERS, "age": ages}), COINS)
    assert fit.names == ("Intercept", "age[T.2]", "age[T.3a]")


def test_unnamed_columns_are_not_looked_at() -> None:
    frame = pandas.DataFrame({"q": ANSWERS, "a": AGES, "age": range(800)})
    assert regress_formula("q ~ age", frame, COINS).names == ("Intercept", "age")


def test_spaces_group_nothing_and_case_is_warned_of() -> None:
    sex = [*["m", "f", "m ", " f"] * 200]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = regress_formula("q ~ sex", pandas.DataFrame({"q": ANSWERS, "sex": sex}), COINS)
    assert fit.names == ("Intercept", "sex[T.m]")
    frame = pandas.DataFrame({"q": ANSWERS, "sex": ["m", "f", "F", "m"] * 200})
    said = "column 'sex': 'F' and 'f' differ in case alone, and count as 2 groups"
    with pytest.warns(UserWarning, match=said):
        regress_formula("q ~ sex", frame, COINS)
