"""Control questions: from the survey file to how many followed the instructions."""

import csv
import io
import json
import math

import numpy as np
import pytest

from deniable import Survey, open_study
from deniable.analysis import count_reports, summarise
from deniable.analysis.counts.pooling import match
from deniable.results.files import FORMATS
from deniable.results.rows import FOLLOWED, lay_out
from deniable.survey_file import SurveyFileError, read

TEXT = """\
version: 1
survey: ward
title: On the ward
questions:
  - {id: error, text: "An error?", type: single, answers: [No, Yes], flip: 1/5}
  - {id: born, text: "Born in January?", type: single, answers: [No, Yes], flip: 1/4, known: 1/12}
"""
BORN = "answers: [No, Yes], flip: 1/4, known: 1/12"


def survey(of_control: str = BORN) -> Survey:
    return read(TEXT.replace(BORN, of_control)).survey


@pytest.mark.parametrize(
    ("written", "known"),
    [
        (BORN, (916_667, 83_333)),
        ("answers: [No, Yes], flip: 1/4, known: 0.083", (917_000, 83_000)),
        ("answers: [No, Yes], flip: 1/4, known: 0", (1_000_000, 0)),
        ("answers: {a: A, b: B}, flip: 1/4, known: {b: 0.2}", (800_000, 200_000)),
        (
            "answers: [One, Two, Three], epsilon: 1, known: {one: 1/3, two: 1/2}",
            (333_333, 500_000, 166_667),
        ),
        (
            "answers: [A, B, C], epsilon: 1, known: {a: 1/4, b: 1/4, c: 1/2}",
            (250_000,) * 2 + (500_000,),
        ),
    ],
)
def test_shares_are_read_but_for_the_last(written: str, known: tuple[int, ...]) -> None:
    found = survey(written)
    assert found.question("born").known == known
    assert found.question("error").known == ()
    assert Survey.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("written", "key", "said"),
    [
        ("answers: [No, Yes], flip: 1/4, known: 1.2", "known", "a share from 0 to 1"),
        ("answers: [No, Yes], flip: 1/4, known: often", "known", "number"),
        ("answers: [No, Yes], flip: 1/4, known: {maybe: 0.1}", "known", "that of 'maybe'"),
        ("answers: [A, B], flip: 1/4, known: 0.1", "known", "a number alone"),
        ("answers: [A, B, C], epsilon: 1, known: {a: 0.1}", "known", "all but one"),
        ("answers: [No, Yes], flip: 1/4, known: {no: 0.5, yes: 0.6}", "known", "sum to 1.1"),
        ("answers: [No, Yes], flip: 1/4, known: 1/2", "known", "far from equal"),
        ("answers: [No, Yes], protection: direct, known: 0.1", "known", "direct"),
        (
            "answers: [No, Yes], prefer_not_to_say: true, epsilon: 1, known: 0.1",
            "prefer_not_to_say",
            "nobody knows how many would decline",
        ),
        (
            "answers: [No, Yes], ask_if: {error: yes}, epsilon: 1, known: 0.1",
            "ask_if",
            "to whom the question applies",
        ),
    ],
)
def test_mistakes_are_named_where_they_stand(written: str, key: str, said: str) -> None:
    with pytest.raises(SurveyFileError) as error:
        survey(written)
    (mistake,) = error.value.mistakes
    assert said in mistake.message
    line = TEXT.replace(BORN, written).splitlines()[5]
    assert mistake.line == 6
    assert line[mistake.column - 1 :].startswith(key) or key in line[: mistake.column]


def test_only_a_single_question_can_be_a_control() -> None:
    text = TEXT.replace("type: single, " + BORN, "type: number, min: 0, max: 3, known: 0.1")
    with pytest.raises(SurveyFileError, match="known"):
        read(text)


@pytest.mark.parametrize("known", [[1], [500_000] * 2, [0, 0], [1.0, 999_999], [-1, 1_000_001]])
def test_a_document_with_other_shares_is_refused(known: list[float]) -> None:
    document = json.loads(json.dumps(survey().document))
    document["questions"][1]["known"] = known
    with pytest.raises(ValueError, match="known share"):
        Survey.from_document(document)


def test_it_changes_nothing_asked_and_splits_no_data() -> None:
    plain, controlled = survey("answers: [No, Yes], flip: 1/4"), survey()
    assert plain.items == controlled.items
    assert plain.epsilon == controlled.epsilon
    assert match(controlled, plain).left_out == ()
    assert match(controlled, plain).is_pooled


@pytest.mark.parametrize("yes", [300, 280, 450])
def test_the_share_that_followed_is_of_two_kinds(yes: int) -> None:
    # Those who follow say yes with 1/12 · 3/4 + 11/12 · 1/4, the others with 1/2.
    n = 1000
    rows = bytes(b for k in range(n) for b in (k % 2, k < yes))
    (found,) = summarise(survey(), count_reports([rows], survey())).followed
    following = 83_333e-6 * 0.75 + 916_667e-6 * 0.25
    assert found.estimate == pytest.approx((yes / n - 0.5) / (following - 0.5), abs=1e-6)
    noisy = yes / n * (1 - yes / n) / (n - 1)
    least = following * (1 - following) / n
    assert found.standard_error == pytest.approx(
        math.sqrt(max(noisy, min(noisy, least))) / (0.5 - following), rel=0.05
    )
    assert None not in (found.low, found.estimate, found.high)
    assert found.low < found.estimate <= found.high  # type: ignore[operator]
    assert found.outside == (yes == 280)


def test_an_export_has_one_row_of_it() -> None:
    answers = np.array([[k % 2, k % 10 < 3] for k in range(200)], dtype=np.uint8)
    study = open_study(survey(), answers)
    results = summarise(study.survey, count_reports([answers.tobytes()], study.survey))
    written = FORMATS["csv"].write(lay_out(results))
    assert isinstance(written, str)
    rows = [*csv.DictReader(io.StringIO(written))]
    (row,) = [row for row in rows if row["statistic"] == FOLLOWED]
    assert (row["item"], row["answer"], row["n"]) == ("born", "", "200")
    assert float(row["estimate"]) == pytest.approx(results.followed[0].estimate)
    (line,) = [one for one in repr(study.shares()).splitlines() if "followed the inst" in one]
    assert "Born in January?" in line
    assert "8.3 %" in line


def test_without_reports_nothing_is_said() -> None:
    (found,) = summarise(survey(), count_reports([], survey())).followed
    assert (found.n, found.estimate, found.low) == (0, None, None)
