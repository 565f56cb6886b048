"""What the questions of a survey file cost, and how they share its epsilon."""

from fractions import Fraction

import pytest

from deniable import Channel, Survey, budget, designs
from deniable.budget import Claim
from deniable.designs import Family, two_point
from deniable.survey.questions import Ask
from deniable.survey_file import SurveyFileError, read
from tests.deniable.test_survey_file import FIVE, MANY, NUMBER, SINGLE, mistakes, survey_of
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("clear-errors")

BEST_OF_7 = Family("best", 7)


@pytest.mark.parametrize(
    ("cost", "channel"),
    [
        ("flip: 0.3", designs.warner("3/10")),
        ("epsilon: 0.7", designs.k_ary(2, "0.7")),
        ("design: {forced_response: {truth: 2/3, yes: 1/2}}", designs.forced_response("2/3", 0.5)),
        ("design: {custom: {table: [[.8,.2], [.3,.7]]}}", designs.custom([[0.8, 0.2], [0.3, 0.7]])),
    ],
)
def test_each_way_to_say_what_a_question_costs(cost: str, channel: Channel) -> None:
    survey = survey_of(f"{SINGLE}, {cost}")
    assert survey.items[0].channel == channel
    assert survey.epsilon_millionths == channel.epsilon_millionths


@pytest.mark.parametrize(
    ("question", "family"),
    [
        (SINGLE, Family("k_ary", 2)),
        (f"{SINGLE}, family: k_ary", Family("k_ary", 2)),
        (f"{SINGLE}, prefer_not_to_say: true", Family("k_ary", 2, besides=1)),
        ("id: q, text: T, type: single, answers: [a, b, c, d, e, f, g], family: best", BEST_OF_7),
        (f"{NUMBER}, min: 0, max: 9", Family("best", 10, 10)),
        (f"{NUMBER}, min: 0, max: 21", Family("best", 22, 21)),
        (f"{NUMBER}, min: 0, max: 25.3, step: 0.1", Family("best", 254, 21)),
        (f"{NUMBER}, min: 0, max: 100, levels: 11", Family("best", 101, 11)),
        (f"{NUMBER}, min: 0, max: 30, family: two_point", Family("two_point", 31, 21)),
        (f"{NUMBER}, min: 0, max: 9, family: k_ary, levels: 4", Family("k_ary", 10, 4)),
        (f"{NUMBER}, min: 0, max: 9, prefer_not_to_say: true", Family("k_ary", 10, 10, 1)),
    ],
)
def test_an_epsilon_picks_the_channel_of_the_family(question: str, family: Family) -> None:
    for survey in (survey_of(question, head="epsilon: 2"), survey_of(f"{question}, epsilon: 2")):
        assert survey.items[0].channel == family.channel(2)
        assert survey.spent_millionths <= survey.epsilon_millionths == 2_000_000 or (
            survey.spent_millionths == survey.epsilon_millionths <= 2_000_000
        )


def test_options_and_rows_have_a_family_too() -> None:
    grid = "id: g, text: T, type: grid, rows: [r, s], answers: [a, b, c, d, e, f, g]"
    survey = survey_of(f"{grid}, family: best", f"{MANY}, family: best", head="epsilon: 2")
    assert [item.channel for item in survey.items[:2]] == [BEST_OF_7.channel("0.5")] * 2
    assert survey.items[0].reports[0].text == "Report 1"
    assert [item.channel.reports for item in survey.items[2:]] == [2] * 3
    assert survey.items[2].reports == survey.items[2].truths


def test_a_number_of_means_may_be_asked() -> None:
    survey = survey_of(f"{NUMBER}, min: 0, max: 100, epsilon: 1")
    (item,) = survey.items
    assert not item.channel.identifiable
    assert len(item.truths) == 101
    assert item.reports[0].text == "Report 1"
    assert Survey.from_document(survey.document) == survey
    named = survey_of(f"{NUMBER}, min: 0, max: 10, design: {{two_point: {{epsilon: 1}}}}")
    assert named.items[0].channel == two_point(11, 1)


@pytest.mark.parametrize(
    "question",
    [
        # The same design for answers that are no numbers, or of which one is none.
        "id: q, text: T, type: single, answers: [a, b, c], design: {two_point: {epsilon: 1}}",
        f"{NUMBER}, min: 0, max: 2, design: {{two_point: {{epsilon: 1}}}}, prefer_not_to_say: true",
        # 0 and 2 send the same reports, so that the mean is not told either.
        f"{NUMBER}, min: 0, max: 2, design: {{custom: {{table: [[.6, .4], [.5, .5], [.6, .4]]}}}}",
    ],
)
def test_a_design_without_a_mean_is_refused(question: str) -> None:
    assert "nothing could be learned" in mistakes(file_of(question))[0][2]


OWN = "id: own, text: T, type: single, answers: [a, b], epsilon: 0.5"
DIRECT = "id: open, text: T, type: single, answers: [a, b], protection: direct"


@pytest.mark.parametrize(
    ("questions", "head", "costs", "asked"),
    [
        ([f"{FIVE[0]}, weight: 3", FIVE[1], OWN], "epsilon: 2.5\nsplit: weight", [15, 5, 5], None),
        (FIVE, "epsilon: 1\nask: 1", [10] * 5, 1),
        ([*FIVE[:3], OWN, DIRECT], "epsilon: 2\nask: 2", [7.5] * 3 + [5, 0], 2),
        # Weights say what the dearest may cost.
        (
            [f"{FIVE[0]}, weight: 3", *FIVE[1:3]],
            "epsilon: 2\nask: 2\nsplit: weight",
            [15, 5, 5],
            2,
        ),
    ],
)
def test_questions_share_what_is_left_and_drawn(
    questions: list[str], head: str, costs: list[float], asked: int | None
) -> None:
    survey = survey_of(*questions, head=head)
    assert [item.epsilon_millionths / 100_000 for item in survey.items] == costs
    drawn = tuple(item.id for item in survey.items if item.id.startswith("q"))
    assert survey.ask == (asked and Ask(asked, drawn))
    assert survey.spent_millionths == survey.epsilon_millionths


@pytest.mark.parametrize(
    ("cost", "asked", "each", "whole"),
    [
        ("epsilon: 1", None, 333_333, 999_999),
        ("flip: 1/4", None, 1_098_613, 3_295_839),
        ("ask: 2, epsilon: 1", 2, 500_000, 1_000_000),
        ("ask: 2, flip: 1/4", 2, 1_098_613, 2_197_226),
    ],
)
def test_options_share_an_epsilon(cost: str, asked: int | None, each: int, whole: int) -> None:
    survey = survey_of(f"{MANY}, {cost}")
    assert [item.epsilon_millionths for item in survey.items] == [each] * 3
    assert survey.epsilon_millionths == survey.spent_millionths == whole
    assert survey.questions[0].ask == asked


def test_a_question_s_share_is_of_what_it_asks() -> None:
    grid = "id: g, text: T, type: grid, rows: [r, s, t, u], answers: [a, b], ask: 1"
    survey = survey_of(f"{MANY}, ask: 2", grid, head="epsilon: 2")
    assert [item.epsilon_millionths for item in survey.items] == [*[500_000] * 3, *[1_000_000] * 4]
    survey = survey_of(f"{MANY}, ask: 2", grid, FIVE[0], head="epsilon: 2\nask: 1")
    assert [item.epsilon_millionths for item in survey.items] == [1_000_000] * 3 + [2_000_000] * 5
    assert survey.spent_millionths == 2_000_000


def test_255_reports_leave_no_byte_for_undrawn() -> None:
    wide = f"{NUMBER}, min: 0, max: 253, prefer_not_to_say: true, family: k_ary, levels: 254"
    assert survey_of(wide, FIVE[0], head="epsilon: 2").items[0].channel.reports == 255
    with pytest.raises(SurveyFileError, match="at most 254 reports, found 255"):
        read(file_of(wide, FIVE[0], head="epsilon: 2\nask: 1"))
    # Nor where a question draws among its own rows, with or without a shared epsilon.
    answers = ", ".join(f"A{place}" for place in range(254))
    grid = f"id: g, text: T, type: grid, rows: [r, s, t], answers: [{answers}], ask: 1"
    with pytest.raises(SurveyFileError, match="at most 254 reports, found 255"):
        read(file_of(f"{grid}, prefer_not_to_say: true, flip: 1/3"))


def test_asking_all_is_noted_and_draws_nothing() -> None:
    file = read(file_of(f"{MANY}, ask: 3", FIVE[0], head="epsilon: 2\nask: 4"))
    assert [(note.line, note.column) for note in file.notes] == [(5, 6), (7, 59)]
    assert all("no effect" in note.message for note in file.notes)
    assert file.survey.draws == ()
    assert file.survey == survey_of(MANY, FIVE[0], head="epsilon: 2")


def test_optimal_shares_are_those_of_the_budget() -> None:
    ten = "id: t, text: T, type: single, answers: [a, b, c, d, e, f, g, h, i, j], weight: 2"
    file = read(
        file_of(SINGLE, ten, f"{MANY}, ask: 2".replace("q", "m"), head="epsilon: 3\nsplit: optimal")
    )
    claims = [
        Claim(Family("k_ary", 2)),
        Claim(Family("k_ary", 10), weight=Fraction(2)),
        Claim(Family("k_ary", 2), items=3, asked=2),
    ]
    one, two, three = budget.optimal(3_000_000, claims)
    found = [item.epsilon_millionths for item in file.survey.items]
    assert found == [one, two, three, three, three]
    assert file.notes == ()
    assert file.split == "optimal"


def test_even_shares_heed_no_weights() -> None:
    ten = "id: t, text: T, type: single, answers: [a, b, c, d, e, f, g, h, i, j], weight: 2"
    file = read(file_of(SINGLE, ten, head="epsilon: 3\nsplit: even"))
    claims = [Claim(Family("k_ary", 2)), Claim(Family("k_ary", 10))]
    assert [item.epsilon_millionths for item in file.survey.items] == budget.even(3_000_000, claims)
    (note,) = file.notes
    assert note.message == "this weight has no effect: the survey has 'split: even'"
    # With ask the units get equal parts, and the less precise of them the greater chance.
    drawn = survey_of(SINGLE, ten, head="epsilon: 3\nsplit: even\nask: 1")
    assert drawn.spent_millionths <= 3_000_000
    assert drawn.ask == Ask(1, ("q", "t"), (8, 15))


def test_a_file_can_be_compiled_under_another_budget() -> None:
    file = read(file_of(*FIVE, f"{SINGLE}, flip: 1/4", head="epsilon: 3\nask: 2"))
    assert file.sharing == tuple(f"q{number}" for number in range(5))
    equal = file.under("equal")
    assert equal.ask is None
    assert {item.epsilon_millionths for item in equal.items[:5]} == {(3_000_000 - 1_098_613) // 5}
    assert (
        file.under("equal", 1)
        == read(file_of(*FIVE, f"{SINGLE}, flip: 1/4", head="epsilon: 3\nask: 1")).survey
    )
    assert file.under("equal", 2) == file.survey
