"""The sentences of respondents are plain English, at or below grade 8."""

import re

import pytest

from tests.kit.readability import grade
from tools import words

HARDEST = 8
"""Grade of people of 13 or 14 years."""

LEAST_WORDS = 12
"""A shorter sentence has a grade that one long word decides: it counts with its page only."""

BOARDS = (
    "templates/desk/ethics",
    "templates/desk/preregistration",
    "publication/",
    "analysis/planning/",
)
"""Where the sentences of the ethics packet stand."""

CLASSES = ("classroom/", "lab/said.py", "server/desk/live/")
"""Where a teacher and a class read what odds are: phones are not among them."""


def read_aloud(sentence: str) -> str:
    """Put a short word in the place of each value, and end what has no end."""
    text = re.sub(r"\{\w+\}", "three", sentence)
    return text if text[-1] in ".?!:" else f"{text}."


def too_hard(sentences: list[str]) -> list[str]:
    """Return the sentences that are long enough to be graded, and above the grade."""
    texts = {sentence: read_aloud(sentence) for sentence in sentences}
    return [
        sentence
        for sentence, text in texts.items()
        if len(text.split()) >= LEAST_WORDS and grade(text) > HARDEST
    ]


def test_every_longer_sentence_is_at_grade_8() -> None:
    """Each entry of the catalogue of 12 words or more, alone, but for what boards alone read."""
    respondents = [
        sentence
        for sentence, files in words.sentences().items()
        if not all(file.startswith(BOARDS + CLASSES) for file in files)
    ]
    assert too_hard(respondents) == []


FIRST_SCREEN = ("opening", "trust", "tryout", "consent", "helpline", "odds", "sureness")


def test_the_first_screen_is_at_grade_6() -> None:
    """All sentences of 4 words or more of each module that speaks on it."""
    for module in FIRST_SCREEN:
        file = f"client/browser/page/{module}.js"
        said = [
            read_aloud(sentence)
            for sentence, files in words.sentences().items()
            if file in files and len(sentence.split()) >= 4
        ]
        assert said, file
        assert grade(" ".join(said)) <= 6, file


def test_people_read_parts_of_100_and_no_odds() -> None:
    said = {
        file
        for one, files in words.sentences().items()
        for file in files
        if "odds" in one and not file.startswith(CLASSES)
    }
    assert said <= {"client/browser/page/person.js", "client/browser/page/device.js"}


def test_the_grade_is_that_of_the_formula() -> None:
    # 0.39 × 13 words / 2 sentences + 11.8 × 21 syllables / 13 words - 15.59, by hand.
    text = "Your browser mixes chance into each randomised answer. It keeps nothing else private."
    assert grade(text) == pytest.approx(0.39 * 13 / 2 + 11.8 * 21 / 13 - 15.59)
