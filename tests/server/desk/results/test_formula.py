"""Terms of a regression in the words of the survey."""

from dataclasses import replace

import pytest

from deniable.server.desk.results.formula import term_in_words
from deniable.survey.questions import Answer
from tests.kit import surveys


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("Intercept", "Intercept"),
        ("years", "Years"),
        ("ward[T.night]", "Which ward? Night"),
        ("C(years)[T.2]", "Years: 2"),
        ("C(years)[T.2]:sex.self[man]", "Years: 2 × Sex: Man"),
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
