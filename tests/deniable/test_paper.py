"""What sheets of paper can ask, and what coins, dice and discs do: all outcomes are counted."""

import math
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import Survey, coins, designs, disc, paper
from deniable.channel import ROW_SUM, Channel, identity
from deniable.coins import Procedure, Tool
from deniable.exact import Number
from deniable.paper import Asking
from deniable.survey.items import Item
from deniable.survey.questions import Answer
from deniable.survey_file import read
from tests import vectors
from tests.kit import surveys

pytestmark = pytest.mark.promise("noise")

THREE = (Answer("a", "A"), Answer("b", "B"), Answer("c", "C"))


def mixed() -> Survey:
    """Build a survey with two options by hand, an item that no hand can do, and a direct one."""
    return surveys.survey(
        surveys.many("offered", ["EPO", "Steroids"]),
        surveys.single("odd", channel=designs.warner(epsilon=4)),
        surveys.single("three", THREE, designs.k_ary(3, 5)),
        surveys.single("age", THREE, direct=True),
    )


def test_a_sheet_asks_what_hands_can_do() -> None:
    survey = mixed()
    found = [paper.asking(survey, question) for question in survey.questions]
    assert found == [
        Asking.BY_HAND,
        Asking.NOT_MAKEABLE,
        Asking.NOT_MAKEABLE,
        Asking.AS_IT_IS,
    ]
    assert paper.places_on_sheet(survey) == {0, 1, 4}


def test_what_hands_hardly_decide_is_said() -> None:
    channels = {"a": designs.warner(flip="1/26"), "b": designs.warner(flip="1/13")}
    survey = surveys.survey(
        *(surveys.single(id, channel=channel) for id, channel in channels.items())
    )
    (told,) = paper.rare_by_hand(survey)
    assert "less than once in 20 times: a." in told
    impossible = surveys.survey(surveys.single(channel=designs.warner(epsilon=4.5)))
    assert paper.rare_by_hand(impossible) == ()


def test_a_sheet_leaves_out_what_is_drawn() -> None:
    survey = read(vectors.asking_file()).survey
    found = {one.id: paper.asking(survey, one) for one in survey.questions}
    assert {id for id, how in found.items() if how is Asking.DRAWN} == {
        *("doped", "offered", "knew", "years")  # no hand makes this number's noise
    }
    question = "id: q, text: Q, type: many, answers: [a, b, c], ask: 1, flip: 1/4"
    waves = read(surveys.file_of(question, head="waves: {count: 2, redraw: 1/4}")).survey
    assert paper.asking(waves, waves.questions[0]) is Asking.DRAWN
    assert "each wave's sheet would be drawn anew" in paper.left_off_sheets(waves)[0]


DRAWN = surveys.file_of(
    "id: a, text: A, type: single, answers: [No, Yes]",
    "id: b, text: B, type: many, answers: [x, y]",
    "id: c, text: C, type: single, answers: [Never, Once, More]",
    "id: odd, text: O, type: single, answers: [No, Yes], epsilon: 4",
    "id: d, text: D, type: many, answers: [u, v, w], flip: 1/4, ask: 1",
    "id: age, text: Age, type: number, min: 18, max: 99, protection: direct",
    head="epsilon: 7\nask: 2",
)


def test_sheets_ask_as_often_as_devices() -> None:
    """By each set; a count further than 5.5 σ off in one of 12 sets comes in 5e-7 of the runs."""
    survey = read(DRAWN).survey
    assert survey.ask is not None
    assert survey.ask.chances
    n = 2000
    found = Counter(paper.draw_sheets(survey, n))
    odd, direct = survey.places["odd"][0], survey.places["age"][0]
    expected = {}
    for units in combinations(range(4), 2):
        for one in survey.places["d"]:
            own = {survey.draws[0].places[unit][0] for unit in units} | {one}
            expected[frozenset(own | {direct})] = float(survey.share_asked(own))
    assert sum(expected.values()) == pytest.approx(1)
    for asked, share in expected.items():
        assert odd not in asked
        assert abs(found[asked] - n * share) < 5.5 * math.sqrt(n * share * (1 - share))
    assert sum(found[asked] for asked in expected) == n


def law_by_disc(item: Item) -> list[list[Fraction]]:
    """Spin the disc for each truth, as the sheet tells people to."""
    parts = disc.disc_for(item)
    cells = item.channel.truths if item.group is None else len(item.group.cells)
    if not disc.has_steps(item):
        rest = 1 - sum(parts)
        return [
            [part + rest * (at == own) for at, part in enumerate(parts)] for own in range(cells)
        ]
    always, _, *steps = parts
    assert sum(parts) == 1
    high = [always + sum(steps[:truth]) for truth in range(cells)]
    return [[1 - one, one] for one in high]


@pytest.mark.parametrize(("name", "discs"), [("wellbeing", 2), ("exams", 3)])
def test_paper_draws_the_examples_very_channel(name: str, discs: int) -> None:
    survey = read((surveys.EXAMPLES / f"{name}.yaml").read_text()).survey
    items = [one for one in survey.items if disc.disc_for(one) and not coins.can_be_forced(one)]
    assert len(items) == discs
    for item in items:
        channel = item.channel if item.group is None else item.group.channel
        weights = [[weight / Fraction(ROW_SUM) for weight in row] for row in channel.weights]
        assert law_by_disc(item) == weights
    assert paper.places_on_sheet(survey) == frozenset(range(len(survey.items)))
    assert paper.left_off_sheets(survey) == ()


def test_what_no_disc_makes_is_left_out() -> None:
    """A part under 10 degrees; what needs an answer beside it."""
    text = (surveys.EXAMPLES / "exams.yaml").read_text()
    for old, new in [
        ("    max: 5\n", "    max: 30\n"),
        ("have you used help that was not allowed?\n    type: single", "H?\n    type: single"),
    ]:
        changed = text.replace(old, new, 1)
        if "H?" in new:
            changed = changed.replace("H?\n", "H?\n    ask_if: { year: [second, later] }\n")
        survey = read(changed).survey
        assert paper.draws_on_sheet(survey) == ()
        assert "no hand can randomise" in paper.left_off_sheets(survey)[0]


def test_a_sheet_names_reports_in_each_language() -> None:
    answers = "{a: {en: Gift, de: Geschenk}, b: {en: Poison, de: Gift}}"
    text = surveys.file_of(
        f"id: q, text: {{en: Q, de: Q}}, type: single, answers: {answers}",
        "id: odd, text: {en: Q, de: Q}, type: number, min: 0, max: 2, family: two_point",
        head="languages: [en, de]\nepsilon: 2",
    )
    survey = read(text).survey
    gift, boxes = survey.items
    assert paper.printed(survey, gift) == {"Geschenk": 0, "Poison": 1}
    assert {"A": 0, "B": 1}.items() <= paper.printed(survey, boxes).items()


# Everything that a procedure here can make: forced answers of these numbers of equal chances.
GRIDS = [(2, 1), (4, 2), (6, 3), (8, 4), (36, 17)]


def outcomes(procedure: Procedure) -> list[tuple[object, ...]]:
    """Return all that can come up, each as likely as any other."""
    sides = ["heads", "tails"] if procedure.tool is Tool.COIN else range(1, 7)
    words = {" twice": 2, " three times": 3}
    throws = next((n for word, n in words.items() if word in procedure.action()), 1)
    return [*product(sides, repeat=throws)]


def span(words: str, names: list[str]) -> list[str]:
    """Read "11 to 15", "1 or 2" or "6"."""
    first, _, last = words.partition(" to ")
    if last:
        return names[names.index(first) : names.index(last) + 1]
    return words.split(" or ")


def matches(words: str, came: tuple[object, ...], procedure: Procedure) -> bool:
    """Whether what came up is what the words say, as a person reads them."""
    if procedure.tool is Tool.COIN:
        alone = re.fullmatch(r"(heads|tails)( three times)?", words)
        if alone:
            return came == (alone[1],) * len(came)
        between = " then " if len(came) == 2 else "–"
        return between.join(map(str, came)) in re.split(", | or ", words)
    numbers = ["".join(map(str, one)) for one in product(range(1, 7), repeat=len(came))]
    return "".join(map(str, came)) in span(words, numbers)


def carried_out(procedure: Procedure) -> tuple[Fraction, Fraction]:
    """Follow the words for all that can come up; return P(yes | no) and P(no | yes)."""
    said = []
    every = outcomes(procedure)
    for truth in ("No", "Yes"):
        answers = []
        for came in every:
            forced = [say for words, say in procedure.cases() if matches(words, came, procedure)]
            assert len(forced) <= 1, "two instructions at once"
            answers.append(forced[0] if forced else truth)
        said.append(answers)
    return (
        Fraction(said[0].count("Yes"), len(every)),
        Fraction(said[1].count("No"), len(every)),
    )


def forced(yes: Number, no: Number) -> Channel:
    """Return the channel that forces yes and no with these probabilities."""
    one, other = Fraction(yes), Fraction(no)
    return Channel.from_probabilities([[1 - one, one], [other, 1 - other]])


@pytest.mark.parametrize(
    ("size", "most"),
    [pytest.param(*grid, marks=pytest.mark.slow if grid[0] == 36 else ()) for grid in GRIDS],
)
def test_a_procedure_makes_its_channel_exactly(size: int, most: int) -> None:
    for yes, no in product(range(1, most + 1), repeat=2):
        if yes + no >= size:
            continue
        channel = forced(Fraction(yes, size), Fraction(no, size))
        procedure = coins.procedure_for(channel)
        assert procedure
        assert carried_out(procedure) == (Fraction(yes, size), Fraction(no, size))
        assert procedure.channel == channel
        assert procedure.outcomes == len(outcomes(procedure))


TWICE = "toss a coin twice; tails then tails: No"
THRICE = "toss a coin three times"
ROLLS = "roll a die twice and read the two results as a number from 11 to 66"


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        (designs.truth_or_random(), f"{TWICE}; tails then heads: Yes"),
        (designs.warner("1/4"), f"{TWICE}; tails then heads: Yes"),
        (designs.forced_response(truth="2/3", yes="1/2"), "roll a die; 1: No; 6: Yes"),
        (designs.warner("1/6"), "roll a die; 1: No; 6: Yes"),
        (designs.warner("1/8"), f"{THRICE}; tails three times: No; tails–tails–heads: Yes"),
        (
            designs.forced_response(truth="1/4", yes="2/3"),
            f"{TWICE}; heads then tails or tails then heads: Yes",
        ),
        (designs.warner("5/36"), f"{ROLLS}; 11 to 15: No; 62 to 66: Yes"),
        (forced("1/2", 0), "toss a coin; tails: Yes"),
    ],
)
def test_the_simplest_way_comes_first(channel: Channel, words: str) -> None:
    procedure = coins.procedure_for(channel)
    assert procedure
    assert procedure.line() == f"{words}; otherwise the truth"


def test_the_throws_do_not_tell_the_outcome() -> None:
    for flip in ("1/4", "5/36"):
        procedure = coins.procedure_for(designs.warner(flip))
        assert procedure
        thrown = {len(came) for came in procedure.no.outcomes | procedure.yes.outcomes}
        assert thrown == {procedure.throws}


def test_channels_beyond_rounding_cannot_be_made() -> None:
    quarter = ROW_SUM // 4
    for off, expected in [(0, True), (1, True), (2, False)]:
        flip = quarter + off
        channel = Channel([[ROW_SUM - flip, flip], [flip, ROW_SUM - flip]])
        assert (coins.procedure_for(channel) is not None) is expected


@pytest.mark.parametrize("epsilon", [21, 22, 23, 50])
def test_rare_changes_are_not_for_hands(epsilon: int) -> None:
    """Its chances round to no outcome of any coin or die: it would be thrown for show."""
    assert coins.procedure_for(designs.warner(epsilon=epsilon)) is None
    assert min(coins.nearest_procedure(designs.warner(epsilon=epsilon)).chances) > 0


def test_one_forced_answer_hides_no_other_loss() -> None:
    lost = Channel([[ROW_SUM * 3 // 4, ROW_SUM // 4], [1, ROW_SUM - 1]])
    assert coins.procedure_for(lost) is None


def test_what_is_hardly_ever_forced_is_rare() -> None:
    procedures = [coins.procedure_for(designs.warner(flip)) for flip in ("1/18", "1/36")]
    assert [one is not None and one.rare for one in procedures] == [False, True]


def test_nothing_is_thrown_for_show() -> None:
    assert coins.procedure_for(identity(2)) is None


@given(
    st.integers(1, ROW_SUM // 2 - 1).flatmap(
        lambda yes: st.tuples(st.just(yes), st.one_of(st.just(yes), st.integers(1, ROW_SUM // 2)))
    )
)
def test_the_nearest_is_as_near_as_any(weights: tuple[int, int]) -> None:
    yes, no = weights
    channel = Channel([[ROW_SUM - yes, yes], [no, ROW_SUM - no]])
    found = coins.nearest_procedure(channel)
    assert carried_out(found) == found.chances
    assert found.channel.epsilon < float("inf")

    def distance(one: Fraction, other: Fraction) -> Fraction:
        return abs(one - Fraction(yes, ROW_SUM)) + abs(other - Fraction(no, ROW_SUM))

    for size, most in GRIDS:
        # The grids that are sure to be makeable; the schemes reach further where one is rare.
        for one, other in product(range(1, most + 1), repeat=2):
            if one + other >= size or (yes == no and one != other):
                continue
            assert distance(*found.chances) <= distance(Fraction(one, size), Fraction(other, size))


def test_the_nearest_of_equal_chances_has_equal_chances() -> None:
    # 0.4875 is between 17 and 18 of 36, and 18 for both would leave nothing for the truth.
    assert coins.nearest_procedure(designs.warner("0.4875")).setting() == "flip: 17/36"


def test_the_nearest_says_its_probabilities_and_epsilon() -> None:
    made = designs.forced_response(truth="2/3", yes="1/2")
    assert coins.nearest_procedure(made) == coins.procedure_for(made)
    channel = designs.warner(epsilon=1)
    assert coins.procedure_for(channel) is None
    found = coins.nearest_procedure(channel)
    # 10/36 = 0.2778 against 1/(1 + e) = 0.2689; ln(26/10) = 0.955512 rounded up.
    assert found.chances == (Fraction(10, 36), Fraction(10, 36))
    assert found.channel.epsilon == 0.955512


@pytest.mark.parametrize(
    "channel", [designs.warner(epsilon=1), designs.forced_response("7/10", "1/3")]
)
def test_a_survey_file_can_say_it(channel: Channel) -> None:
    found = coins.nearest_procedure(channel)
    (item,) = read(surveys.file_of(*surveys.yes_or_no(f", {found.setting()}"))).survey.items
    procedure = coins.procedure_for(item.channel)
    assert procedure
    assert carried_out(procedure) == found.chances


def test_only_two_named_answers_are_for_hands() -> None:
    two, three = surveys.YES_NO, (*surveys.YES_NO, surveys.YES_NO[0])
    assert coins.can_be_forced(surveys.single()[1][0])
    assert not coins.can_be_forced(surveys.single(direct=True)[1][0])
    assert not coins.can_be_forced(surveys.single(answers=three)[1][0])
    # Heads that stand for no answer: people would have to write down a code.
    upside_down = Channel.from_probabilities([["1/4", "3/4"], ["3/4", "1/4"]])
    assert not coins.can_be_forced(surveys.single(answers=two, channel=upside_down)[1][0])


@pytest.mark.parametrize(
    ("channel", "message"),
    [(designs.k_ary(3, 1), "3 truths"), (forced("3/4", "3/4"), r"P\(yes \| no\) = 0.75 and P\(no")],
)
def test_other_channels_are_refused(channel: Channel, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        coins.procedure_for(channel)
