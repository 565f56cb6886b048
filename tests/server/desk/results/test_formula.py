"""A formula of the desk holds items, numbers, signs and a few functions, and runs nothing else."""

import re
from dataclasses import replace

import pytest

from deniable.server.desk.results.formula import (
    MOST_CHARACTERS,
    check_columns,
    check_formula,
    term_in_words,
)
from deniable.survey.questions import Answer
from tests import surveys

pytestmark = pytest.mark.promise("formulas")

ITEMS = ["error", "years", "ward", "drugs.pain", "np"]


@pytest.mark.parametrize(
    "formula",
    [
        "error ~ years",
        "error ~ 0 + years*ward + C(years):ward",
        "error~I((years/10)^2)+log(years + 1)-1",
        "drugs.pain ~ `drugs.pain` + scale( years )",
        "error ~ I(years ** 2)",
        "error ~ 1",
    ],
)
def test_what_a_formula_may_be(formula: str) -> None:
    check_formula(formula, ITEMS)


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("error ~ __import__('os').system('x')", "there is no function '__import__'"),
        ("error ~ np.loadtxt(years)", "there is no function 'np.loadtxt'"),
        ("error ~ np .load", "found '.load'"),
        ("error ~ years.__class__", "there is no item 'years.__class__'"),
        ("error ~ I(years).real", "found '.real'"),
        ("error ~ I(().__class__)", "found '.__class__)'"),
        ("error ~ {years}", "found '{years}'"),
        ("error ~ years[0]", "found '[0]'"),
        ("error ~ 'x'", "found"),
        ("error ~ `__import__`", "there is no item '__import__'"),
        ("error ~ lambda: years", "there is no item 'lambda'"),
        ("error ~ Q(years)", "there is no function 'Q'"),
        ("error ~ C(years, contr.sum)", "found ', contr.sum)'"),
        ("error ~ I(9**9)", "found '**9)'"),
        ("error ~ I(9^3^3^3^3)", "at most 3 powers, found 4"),
        ("error ~ I(9^33)", "found '^33)'"),
        ("error ~ I(12345678)", "found '12345678)'"),
        ("error ~ (years", "as many opening brackets as closing ones"),
        ("error ~ yers", "did you mean 'years'"),
        ("error + years", "expected one ~"),
        ("error ~ years ~ ward", "expected one ~"),
        ("error ~ " + "(" * MOST_CHARACTERS, f"at most {MOST_CHARACTERS} characters"),
        ("error ~ years;ward", "found ';ward'"),
        ("error ~ years @ ward", "found '@ ward'"),
        ("error ~ .", "found '.'"),
    ],
)
def test_what_it_may_not_be(formula: str, found: str) -> None:
    with pytest.raises(ValueError, match=re.escape(found)):
        check_formula(formula, ITEMS)


def test_a_formula_comes_to_few_columns_before_it_is_expanded() -> None:
    levels = dict.fromkeys("abcdef", 20)
    for terms in ("a + b + c*d", " a:b ", "I(a - b) + (c + d)^2 - 1"):
        with pytest.raises(ValueError, match="at most 200 columns"):
            check_columns(terms, levels)
        check_columns(terms, dict.fromkeys("abcdef", 5))
    with pytest.raises(ValueError, match="up to 64,000,000:"):
        check_columns("*".join("abcdef"), levels)
    check_columns(" + ".join("abcdef"), levels)


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("Intercept", "Intercept"),
        ("years", "Years"),
        ("ward[T.night]", "Which ward? Night"),
        ("C(years)[T.2]", "Years: 2"),
        ("C(years)[T.2.0]:sex.self[man]", "Years: 2 × Sex: Man"),
        ("I(years ** 2)", "I(Years ** 2)"),
        ("log(years):scale(years)", "log(Years) × scale(Years)"),
    ],
)
def test_a_term_in_the_words_of_the_survey(term: str, said: str) -> None:
    answers = {
        ("ward", "Which ward?"): ["day", "night"],
        ("sex.self", "Sex"): ["woman", "man"],
        ("years", "Years"): ["0", "1", "2"],
    }
    items = {}
    for (id, text), codes in answers.items():
        asked = surveys.single("x", [Answer(code, code.title()) for code in codes], direct=True)
        items[id] = replace(asked[1][0], id=id, text=text)
    assert term_in_words(term, items) == said
