"""Known words: all that matter are on the tapes, and whatever differs is found."""

from pathlib import Path

import pytest

from deniable.client.audit.tape import words_for_orders
from deniable.survey import Survey
from deniable.survey.questions import Answer
from deniable.survey_file import read
from tests import vectors
from tests.client.in_node import altered, failures
from tests.kit import first_of, panel, surveys
from tests.kit.surveys import DRAWN, IN_WAVES, TOGETHER, single, together

EXAMPLES = Path(__file__).parents[2] / "examples"
ABC = tuple(Answer(letter, letter) for letter in "abc")
ALIKE = surveys.survey(single("a", ABC), single("b"))
ASKING = read(vectors.asking_file()).survey
IN_ANY_ORDER = read(vectors.in_any_order_file()).survey
GROUPS = read(DRAWN).survey
SURVEYS = {
    "all": surveys.survey(single("a", ABC)),
    "a part, in any order": IN_ANY_ORDER,
    "a part": ASKING,
    "by a spinner": read((EXAMPLES / "shops.yaml").read_text()).survey,
}

MUTANTS = {
    "an off-by-one threshold": (ALIKE, ("core/channel.js", "sum > word", "sum >= word")),
    "a draw used twice": (ALIKE, ("core/report.js", "words[place]", "words[0]")),
    "a second draw": (
        ALIKE,
        (
            "core/report.js",
            "    randomness(drawn);",
            "    randomness(drawn); randomness(drawn);",
        ),
    ),
    "a header that tells": (
        ALIKE,
        (
            "core/submission.js",
            '"Content-Type": "application/json"',
            '"Content-Type": "application/json", "X-Last": body.slice(-4)',
        ),
    ),
    "asked or not by what is true": (
        IN_ANY_ORDER,
        (
            "core/report.js",
            "if (asked[place] === false) return NOT_DRAWN;",
            "if (asked[place] === false && truths[place] === 0) return NOT_DRAWN;",
        ),
    ),
    "an order drawn apart": (
        IN_ANY_ORDER,
        (
            "core/chance.js",
            "    ...shuffles.map(([, count]) => count),\n  ]);",
            (
                "    ...shuffles.map(([, count]) => count),\n  ]);\n"
                "  randomness(new Uint32Array(shuffles.length));"
            ),
        ),
    ),
    "each answer of a group drawn apart": (
        GROUPS,
        (
            "core/report.js",
            "survey.together ? withGroups(survey, truths, words, bytes, ready) :",
            "",
        ),
    ),
    "a cell kept by what is true": (
        GROUPS,
        (
            "core/together.js",
            "firstExceeding(row, words[first])]",
            "truth > 1 ? truth : firstExceeding(row, words[first])]",
        ),
    ),
}
"""What is changed: the survey where it shows, and the file, the text, and another."""


@pytest.mark.parametrize(
    "survey",
    [
        *first_of(SURVEYS.values(), 2),
        *(read(text).survey for text in (together(2, 2), TOGETHER, DRAWN, IN_WAVES)),
        *(panel(redraw) for redraw in ("0", "1/10")),
    ],
)
def test_the_modules_pass_in_node(survey: Survey) -> None:
    assert failures(survey) == []


@pytest.mark.parametrize(
    "path", first_of(sorted(EXAMPLES.glob("*.yaml"))), ids=lambda path: path.stem
)
def test_the_examples_pass(path: Path) -> None:
    assert failures(read(path.read_text()).survey) == []


def test_a_tape_has_words_for_random_orders() -> None:
    """Of four questions, three answers, three options and two rows."""
    assert words_for_orders(IN_ANY_ORDER) == [4, 3, 3, 2]
    assert words_for_orders(ASKING) == []


@pytest.mark.parametrize("mutant", MUTANTS)
def test_every_mutant_is_found_in_node(mutant: str, tmp_path: Path) -> None:
    survey, edit = MUTANTS[mutant]
    assert failures(survey, altered(tmp_path, edit)) != []
