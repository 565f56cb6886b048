"""The tally of a class as a file: what was written is read, and nothing else is."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.classroom.tally_file import read_kept, write_kept
from tests.classroom.classes import FOUR, a_class, survey


def test_what_was_kept_is_shown_beside_a_class_with_other_coins() -> None:
    shown = a_class(17, 11, paper=(1, 1), law="flip: 1/10")
    kept = read_kept(write_kept(shown, "Monday"), survey())
    assert (kept.name, kept.counts, kept.channel) == ("Monday", (18, 12), shown.channel)


def test_it_holds_totals_and_nothing_of_anybody() -> None:
    document = json.loads(write_kept(a_class(17, 11, direct=(20, 8), joined=30), "Monday"))
    assert document.keys() == {"tally", "name", "question", "answers", "channel", "counts"}
    assert document["counts"] == [17, 11]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tally", "other"),
        ("name", ""),
        ("name", "x" * 101),
        ("name", "a\u202eb"),
        ("answers", ["no", "maybe"]),
        ("channel", 1),
        ("channel", [[1, 2], [3, 4]]),
        ("channel", [[2**31, 2**31], [2**31, 2**31]]),
        ("channel", [[0.5, 0.5], [0.5, 0.5]]),
        ("counts", [1, -1]),
        ("counts", [1, 2.0]),
        ("counts", [1, True]),
        ("counts", [1, 10**7]),
        ("more", 1),
    ],
)
def test_what_was_changed_is_refused_with_a_reason(key: str, value: object) -> None:
    document = {**json.loads(write_kept(a_class(1, 2), "Monday")), key: value}
    with pytest.raises(ValueError, match=r"[Ee]xpected"):
        read_kept(json.dumps(document), survey())


def test_a_class_that_was_asked_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="spring"):
        read_kept(write_kept(a_class(1, 2), "Monday"), survey(FOUR))


@settings(max_examples=20)
@given(st.text() | st.recursive(st.none() | st.integers(), st.lists).map(json.dumps))
def test_any_other_file_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"[Ee]xpected"):
        read_kept(text, survey())
