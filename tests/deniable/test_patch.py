"""Keys that are written into a survey file: what they change, and that nothing else does."""

import pytest

from deniable.survey_file import read
from deniable.survey_file.located import Path
from deniable.survey_file.patch import patched
from tests.surveys import EXAMPLES

BLOCK = """\
# first
version: 1
survey: s
title: T
epsilon: 2   # agreed
chances: # of what is drawn
  a: 2

  b: 3 # more often
# about the split
split: even # wide
ask: 1
questions:
  - id: a
    text: >-
      Folded
      text
    type: single # one
    answers: [No, Yes]
    # of b
  - { id: b, text: B, type: single, answers: [No, Yes], flip: 1/4 }
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({("epsilon",): "1.5"}, "epsilon: 2 ", "epsilon: 1.5 "),
        ({("split",): None}, "split: even # wide\n", ""),
        (
            {("chances",): None},
            "chances: # of what is drawn\n  a: 2\n\n  b: 3 # more often\n",
            "",
        ),
        (
            {("chances",): "{ a: 9 }"},
            "chances: # of what is drawn\n  a: 2\n\n  b: 3",
            "chances: { a: 9 } # of what is drawn",
        ),
        ({("together",): "[a, b]"}, "ask: 1\n", "ask: 1\ntogether: [a, b]\n"),
        (
            {("questions", 0, "family"): "best"},
            "[No, Yes]\n    # of b",
            "[No, Yes]\n    family: best\n    # of b",
        ),
        ({("questions", 1, "flip"): None}, ", flip: 1/4", ""),
        ({("questions", 1, "id"): None}, "id: b, ", ""),
        ({("questions", 1, "family"): "best"}, "1/4 }", "1/4, family: best }"),
        ({("comprehension",): None}, "", ""),
    ],
)
def test_only_what_is_named_changes(
    changes: dict[Path, str | None], old: str, new: str, newline: str
) -> None:
    text, old, new = (one.replace("\n", newline) for one in (BLOCK, old, new))
    assert old in text
    assert patched(text, changes) == text.replace(old, new, 1)


def test_a_new_key_stands_as_in_the_schema() -> None:
    text = BLOCK.replace("epsilon: 2   # agreed\n", "")
    made = patched(text, {("epsilon",): "1"})
    assert made == text.replace("title: T\n", "title: T\nepsilon: 1\n")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_keeps_its_other_lines(path: object) -> None:
    text = (EXAMPLES / str(path)).read_text(encoding="utf-8")
    changes: dict[Path, str | None] = {("epsilon",): "7", ("ask",): None, ("split",): None}
    made = patched(text, changes)
    assert read(made).survey.epsilon == 7
    keys = ("epsilon:", "ask:", "split:")
    before, after = (
        [line for line in one.split("\n") if not line.startswith(keys)] for one in (text, made)
    )
    assert after == before
