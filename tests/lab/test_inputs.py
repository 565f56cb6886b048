"""What can be turned on a page has its places, and nothing else is computed."""

from dataclasses import replace
from fractions import Fraction

import pytest

from deniable.lab.inputs import Cells, Choice, Input, Slider, read_all
from deniable.lab.pages import PAGES

FLIP = Slider("flip", "Flip", "0.01", "0.5", "0.01", "0.25")
STORY = Choice("story", "Story", {"coin": "Coin", "die": "Die"})


def test_what_is_not_given_stands_as_at_first() -> None:
    assert read_all([FLIP, STORY], {}) == {"flip": Fraction(1, 4), "story": "coin"}
    assert read_all([FLIP, STORY], {"flip": "0.50", "story": "die"}) == {
        "flip": Fraction(1, 2),
        "story": "die",
    }


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "0",
        "0.51",
        "0.255",
        "-0.1",
        "1e-1",
        "nan",
        "inf",
        "0.1.2",
        ".",
        "1/4",
        "\u0661",
        "0" * 99,
    ],
)
def test_a_slider_stands_at_one_of_its_places(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"flip: expected a number from 0\.01 to 0\.5 in steps"):
        read_all([FLIP], {"flip": wrong})


def test_choices_are_options_and_other_names_pass() -> None:
    with pytest.raises(ValueError, match="story: expected one of coin, die"):
        read_all([STORY], {"story": "card"})
    assert read_all([STORY], {"utm_source": "moodle"}) == read_all([STORY], {})


CELLS = Cells("tables", "Tables", ("Ada", "Ben"), ("A", "B"), {"y": "yes", "n": "no"}, "yynn")


def test_cells_are_letters_row_by_row() -> None:
    assert read_all([CELLS], {}) == {"tables": "yynn"}
    assert read_all([CELLS], {"tables": "ynny"}) == {"tables": "ynny"}


@pytest.mark.parametrize("wrong", ["", "yyn", "yynnn", "yynx", "YYNN", "y" * 99])
def test_cells_have_no_other_letters(wrong: str) -> None:
    with pytest.raises(ValueError, match="tables: expected 4 letters of yn"):
        read_all([CELLS], {"tables": wrong})


def test_sliders_have_few_places() -> None:
    for page in PAGES.values():
        for one in page.inputs:
            assert one.read(one.start) is not None
            if isinstance(one, Slider):
                one.read(one.high)
                assert (Fraction(one.high) - Fraction(one.low)) / Fraction(one.step) <= 200
            if isinstance(one, Slider | Choice) and one.only is not None:
                name, option = one.only
                (choice,) = (each for each in page.inputs if each.name == name)
                assert isinstance(choice, Choice)
                assert option in choice.options


def test_the_hidden_stands_where_it_began() -> None:
    inputs: list[Input] = [STORY, replace(FLIP, only=("story", "die"))]
    assert read_all(inputs, {"story": "die", "flip": "0.1"})["flip"] == 0.1
    assert read_all(inputs, {"flip": "0.1"})["flip"] == float(FLIP.start)
    with pytest.raises(ValueError, match="flip: expected a number"):
        read_all(inputs, {"flip": "9"})
