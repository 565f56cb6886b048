"""Every page: what can be turned, the lines that compute it, and links to settings it has."""

import ast
import json
import math
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest
from click.testing import CliRunner

from deniable.cli.main import commands
from deniable.lab.code import code_of
from deniable.lab.exercises import Pick
from deniable.lab.inputs import Cells, Choice, Input, Slider, read_all
from deniable.lab.page import Page
from deniable.lab.pages import PAGES, PATHS
from deniable.lab.pictures import Series
from deniable.lab.taught import COURSES, ROWS, Row, places
from tests.kit import first_of

pytestmark = pytest.mark.promise("lab")


def corners(page: Page) -> Iterator[dict[str, str]]:
    """Yield the first settings, every exercise's, and each option at both ends of all sliders."""
    yield {}
    yield from (dict(one.settings) for one in page.exercises if one.settings)
    sliders = [one for one in page.inputs if isinstance(one, Slider)]
    lows, highs = {one.name: one.low for one in sliders}, {one.name: one.high for one in sliders}
    yield from (lows, highs)
    for one in page.inputs:
        if isinstance(one, Choice):
            shown = dict([one.only] if one.only else [])
            for option in one.options:
                yield from (ends | shown | {one.name: option} for ends in (lows, highs))
        if isinstance(one, Cells):
            yield from ({one.name: letter * len(one.start)} for letter in one.letters)


@pytest.mark.parametrize("page", first_of(PAGES.values(), 2), ids=PAGES)
def test_the_code_computes_values_and_pictures(page: Page) -> None:
    for given in corners(page):
        shown = page.shown(page.read(given))
        found: dict[str, Any] = {}
        above, below = page.code
        program = "\n".join((above, shown.code, below))
        exec(program, found)  # noqa: S102  the project's own lines
        assert shown.values
        for value in shown.values:
            assert float(found[value.name]) == pytest.approx(value.number, rel=1e-12, abs=1e-12), (
                given,
                value.name,
            )
        tree = list(ast.walk(ast.parse(program)))
        imported = {
            (alias.asname or alias.name).split(".")[0]
            for node in tree
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        assert imported <= {node.id for node in tree if isinstance(node, ast.Name)}, given
        assert shown.said
        ids = [picture.id for picture in shown.pictures]
        assert len(set(ids)) == len(ids)
        assert ids or shown.records  # coins that tell nothing have their table alone
        for picture in shown.pictures:
            assert picture.table.rows
            assert {len(row) for row in picture.table.rows} == {len(picture.table.columns)}
            for series in picture.series:
                assert len(series.x) == len(series.y) > 0
                if picture.logarithmic:
                    assert min(map(float, (*series.x, *series.y))) > 0
        pictures = [asdict(picture) for picture in shown.pictures]
        json.dumps([pictures, [asdict(one) for one in shown.records]], allow_nan=False)


def test_a_path_has_pages_and_settings() -> None:
    assert PATHS
    for path in PATHS:
        for stop in path.stops:
            PAGES[stop.slug].read(stop.settings)
    short = {stop.slug for path in PATHS for stop in path.stops}
    assert short | {slug for _, slugs in COURSES for slug in slugs} == PAGES.keys()


@pytest.mark.parametrize("row", ROWS, ids=[row.what for row in ROWS])
def test_each_text_stands_where_it_is_taught(row: Row) -> None:
    assert row.pages
    assert set(row.texts) <= set("12345")
    for slug, words in row.pages.items():
        assert places(PAGES[slug], words), (slug, words)


def test_each_exercise_is_among_the_rows() -> None:
    assert len(ROWS) == 39
    whats = " ".join(row.what for row in ROWS)
    assert set(re.findall(r"Textbook (\d)", whats)) == set("123456")
    assert whats.count("Slides: ") == 4


def height(series: Series, at: float | str | None, *, logarithmic: bool) -> float:
    """Return how high a series is at a place, or how many of its people are on the left."""
    if at is None:
        return sum(float(x) < 10 for x in series.x)
    if isinstance(at, str):
        return series.y[series.x.index(at)]
    scale = np.log if logarithmic else np.asarray
    across, up = scale(np.array(series.x, float)), scale(series.y)
    found = float(np.interp(scale(at), across, up))
    return math.exp(found) if logarithmic else found


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_guess_and_answer_are_of_the_page(page: Page) -> None:
    shown = page.shown(page.read({}))
    (right,) = (value for value in shown.values if value.name == page.guess.value)
    low, high = page.guess.range
    said = float(re.sub("[^0-9.]", "", right.text))
    assert low <= said <= high
    # The picture draws the answer where the guess stands, in a series that waits for the guess.
    picture, answer = shown.pictures[0], said * page.guess.factor
    assert page.guess.multiplies == picture.logarithmic
    names = {one.name for one in picture.series}
    assert {*page.guess.seen} < names
    waiting = [one for one in picture.series if one.name not in page.guess.seen]
    heights = [height(one, page.guess.at, logarithmic=picture.logarithmic) for one in waiting]
    assert min(abs(one - answer) for one in heights) <= 0.01 * max(1, answer)
    checks = [one.check for one in page.exercises if one.check]
    assert len(checks) >= len(page.exercises) - 2
    for check in checks:
        if isinstance(check, Pick):
            assert len({*check.options}) == len(check.options) > 1
        else:
            assert check.within < abs(check.right) or check.right == 0


def of_first_figure(page: Page, given: dict[str, str]) -> str:
    shown = page.shown(page.read(given))
    return repr((*shown.pictures, *shown.records)[0])


def turned(one: Input) -> list[str]:
    """Return other settings of an input."""
    if isinstance(one, Slider):
        return [one.low, one.high]
    if isinstance(one, Choice):
        return [*one.options]
    return [letter + one.start[1:] for letter in one.letters]


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_what_moves_only_numbers_stands_below(page: Page) -> None:
    assert [one.below for one in page.inputs] == sorted(one.below for one in page.inputs)
    for one in page.inputs:
        # An option may be needed for it to matter, and some need several things, such as people.
        modes = [dict([one.only])] if one.only else [{}]
        modes += [
            mode | {other.name: option}
            for mode in modes
            for other in page.inputs
            if isinstance(other, Choice) and other.name not in (one.name, *mode)
            for option in other.options
        ]
        moved = (
            of_first_figure(page, mode | {one.name: value}) != of_first_figure(page, mode)
            for mode in modes
            for value in turned(one)
        )
        assert any(moved) is not one.below, one.name


def test_exact_counts_are_one_line() -> None:
    totals = PAGES["totals"]
    exact, inexact = (
        [one.name for one in totals.shown(totals.read({"off": off})).pictures[0].series]
        for off in "04"
    )
    assert exact == ["exact counts", "noise for ε = 1 in all", "what is set"]
    assert inexact == [exact[0], "counts off by 4 at most", *exact[1:]]


def test_the_command_lists_the_pages() -> None:
    listed = CliRunner().invoke(commands, ["lab"])
    assert re.findall(r"^/lab/(\w+) ", listed.output, re.MULTILINE) == list(PAGES)


FLIP = Slider("flip", "Flip", "0.01", "0.5", "0.01", "0.25")
STORY = Choice("story", "Story", {"coin": "Coin", "die": "Die"})
CELLS = Cells("tables", "Tables", ("Ada", "Ben"), ("A", "B"), {"y": "yes", "n": "no"}, "yynn")


def test_what_is_not_given_stands_as_at_first() -> None:
    assert read_all([FLIP, STORY], {}) == {"flip": Fraction(1, 4), "story": "coin"}
    assert read_all([FLIP, STORY], {"flip": "0.50", "story": "die"}) == {
        "flip": Fraction(1, 2),
        "story": "die",
    }
    assert read_all([CELLS], {}) == {"tables": "yynn"}
    assert read_all([CELLS], {"tables": "ynny"}) == {"tables": "ynny"}


PLACES = ["", "0", "0.51", "0.255", "-0.1", "1e-1", "nan", "inf", "0.1.2", ".", "1/4"]


@pytest.mark.parametrize(
    ("one", "wrong", "said"),
    [
        (FLIP, [*PLACES, "\u0661", "0" * 99], r"expected a number from 0\.01 to 0\.5 in steps"),
        (STORY, ["card"], "expected one of coin, die"),
        (CELLS, ["", "yyn", "yynnn", "yynx", "YYNN", "y" * 99], "expected 4 letters of yn"),
    ],
)
def test_each_input_takes_its_own_values_only(
    one: Slider | Choice | Cells, wrong: list[str], said: str
) -> None:
    for value in wrong:
        with pytest.raises(ValueError, match=f"{one.name}: {said}"):
            read_all([one], {one.name: value})


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


FACTOR: Final = 2
OTHER: Final = os.sep


def twice(x: float) -> float:
    """Return twice as much."""
    return FACTOR * x


def other(x: float) -> float:
    return x


def lines(*, start: float, name: str) -> dict[str, Any]:
    """Compute something."""
    # Why it is so.
    end = twice(math.floor(start))

    if name == "third":
        end /= 3
    return locals()


def test_lines_are_shown_with_what_they_use() -> None:
    above, below = code_of(lines)
    assert above == (
        "import math\n\nFACTOR = 2\n\n"
        'def twice(x: float) -> float:\n    """Return twice as much."""\n    return FACTOR * x'
    )
    assert below == (
        '# Why it is so.\nend = twice(math.floor(start))\n\nif name == "third":\n    end /= 3'
    )
