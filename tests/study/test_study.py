"""A survey with its reports: every number against one that was worked out otherwise."""

import csv
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deniable
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.mixed import regress_mixed
from deniable.analysis.regression.predictors import regress_on_randomised
from deniable.results.result import Result
from deniable.study import Study
from deniable.survey_file import read
from deniable.text.doors import at_command
from tests.kit.surveys import file_of, yes_or_no

NURSES = "{}\n".format(
    file_of(
        "id: error, text: Have you made an error?, type: single, answers: [No, Yes], flip: 1/5",
        "id: signed, text: Have you signed?, type: single, answers: [No, Yes], flip: 1/4",
        "id: ward, text: Which ward?, type: single, answers: {a: Ward A, b: Ward B, c: Ward C}, "
        "protection: direct",
        "id: years, text: How many years?, type: number, min: 0, max: 40, protection: direct",
        slug="nurses",
    )
)
N = 900
NO_YES = ("no", "yes")
FIFTH = deniable.designs.warner(flip="1/5")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    """Return rows of reports as an export writes them, without the project's own help."""
    random = np.random.default_rng(20)
    rows = [
        {
            "error_noisy": str(random.choice(["no", "yes"], p=[0.6, 0.4])),
            "signed_noisy": str(random.choice(["no", "yes"], p=[0.7, 0.3])),
            "ward": str(random.choice(["a", "b"], p=[0.4, 0.6])),
            "years": str(random.integers(0, 41)),
        }
        for _ in range(N)
    ]
    for row in rows[:7]:
        row["error_noisy"] = ""  # not asked
    return rows


@pytest.fixture(scope="module")
def files(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]
) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("nurses")
    survey, reports = folder / "nurses.yaml", folder / "reports.csv"
    survey.write_text(NURSES)
    with reports.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return survey, reports


@pytest.fixture(scope="module")
def study(files: tuple[Path, Path]) -> Study:
    opened: Study = deniable.open(*files)
    return opened


def test_groups_are_of_each_direct_answer(study: Study, rows: list[dict[str, str]]) -> None:
    found = study.by("ward", "error")
    of_yes: list[Any] = [row for row in found.export.rows if row["answer"] == "yes"]
    shares = {row["group"]: row["estimate"] for row in of_yes if row["statistic"] == "share"}
    assert list(shares) == ["a", "b"], "nobody is in the third"
    for code in ("a", "b"):
        asked = [r["error_noisy"] for r in rows if r["ward"] == code and r["error_noisy"]]
        expected = (asked.count("yes") / len(asked) - 0.2) / 0.6
        assert shares[code] == pytest.approx(expected, abs=1e-9)
    (apart,) = (row for row in of_yes if row["statistic"] == "difference")
    assert (apart["group"], apart["minus"]) == ("a", "b")
    assert apart["estimate"] == pytest.approx(shares["a"] - shares["b"])


def shares(found: Result) -> FloatArray:
    return np.array([r["estimate"] for r in found.export.rows if r["statistic"] == "share"])


def test_a_joint_table_undoes_both_noises(study: Study, rows: list[dict[str, str]]) -> None:
    found = study.cross("error", "signed")
    codes = ["no", "yes"]
    both = [r for r in rows if r["error_noisy"]]
    observed = np.zeros((2, 2))
    for row in both:
        observed[codes.index(row["error_noisy"]), codes.index(row["signed_noisy"])] += 1 / len(both)
    first = np.linalg.inv([[0.8, 0.2], [0.2, 0.8]])
    second = np.linalg.inv([[0.75, 0.25], [0.25, 0.75]])
    expected = first.T @ observed @ second
    assert shares(found).reshape(2, 2) == pytest.approx(expected, abs=1e-8)
    (test,) = (r for r in found.export.rows if r["statistic"] == "test_of_independence")
    assert found.export.document["independence"]["p_value"] == test["p_value"]
    assert found.export.document["n"] == N - 7


def asked(rows: list[dict[str, str]]) -> tuple[list[int], FloatArray]:
    """Return the reports of those who were asked; and ones, who is in b, and years."""
    some = [row for row in rows if row["error_noisy"]]
    X = np.array([[1, row["ward"] == "b", int(row["years"])] for row in some], dtype=float)
    return [NO_YES.index(row["error_noisy"]) for row in some], X


def test_a_regression_is_the_analysis_s_and_predicts(
    study: Study, rows: list[dict[str, str]]
) -> None:
    fit = regress(*asked(rows), FIFTH)
    found = study.regress("error ~ years + ward", level=0.9)
    coefficients = {row["term"]: row["coefficient"] for row in found.export.rows}
    names = ["Intercept", "ward[T.b]", "years"]
    expected = dict(zip(names, fit.coefficients, strict=True))
    assert coefficients == pytest.approx(expected, rel=1e-6)
    assert found.export.document["dropped"] == 7
    new = pd.DataFrame({"ward": ["b", "a"], "years": [3, 40.5]}, index=["new", "old"])
    told, by_hand = found.predict(new), fit.predict([[1, 1, 3], [1, 0, 40.5]])
    assert told.index.tolist() == ["new", "old"]
    assert told["answer"].tolist() == ["yes", "yes"]
    assert told["probability"].to_numpy() == pytest.approx(by_hand.theta, rel=1e-6)
    assert told["standard_error"].to_numpy() == pytest.approx(by_hand.standard_error, rel=1e-6)
    assert told[["low", "high"]].to_numpy() == pytest.approx(by_hand.interval(0.9), rel=1e-6)
    # A mapping is as good, and other columns do not matter.
    again = study.regress("error ~ ward").predict({"ward": ["a"], "age": ["?"]})
    assert 0 < again["low"].item() < again["probability"].item() < again["high"].item() < 1


def test_a_regression_of_a_number_predicts_its_mean(
    study: Study, rows: list[dict[str, str]]
) -> None:
    found = study.regress("years ~ ward").predict({"ward": ["a", "b"]})
    years = [[int(row["years"]) for row in rows if row["ward"] == ward] for ward in "ab"]
    assert found["mean"].to_numpy() == pytest.approx([np.mean(one) for one in years])
    errors = [np.std(one, ddof=1) / math.sqrt(len(one)) for one in years]
    assert found["standard_error"].to_numpy() == pytest.approx(errors, rel=1e-6)
    halves = (found["high"] - found["low"]).to_numpy() / 2
    assert (halves > 1.959 * np.array(errors)).all()


def test_predictions_of_a_sample_are_by_students_t(study: Study) -> None:
    towns = replace(study, beside={"town": [f"{place % 5}" for place in range(N)]})
    result = towns.weights(clusters="town").regress("error ~ ward")
    one = result.predict({"ward": ["a"]})
    logits = [math.log(x / (1 - x)) for x in one[["probability", "low", "high"]].to_numpy()[0]]
    (row,) = [row for row in result.export.rows if row["term"] == "Intercept"]
    assert logits == pytest.approx([row["coefficient"], row["low"], row["high"]])


@pytest.mark.parametrize(
    ("formula", "within", "new", "said"),
    [
        ("error ~ ward", None, {"ward": ["A"]}, "'ward' to be one of 'a', 'b'.*'A'.*mean 'a'"),
        ("error ~ ward", None, {"ward": [None]}, "a value of 'ward' in every row"),
        ("error ~ years", None, {"years": ["many"]}, "numbers in 'years'.*found 'many'"),
        ("years ~ error", None, {"error": ["yes"]}, "nobody's true answer to a predictor is"),
        ("error ~ years", "ward", {"years": [1]}, "each ward has an intercept of its own"),
    ],
)
def test_the_unknown_is_not_predicted(
    study: Study, formula: str, within: str | None, new: dict[str, list[Any]], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        study.regress(formula, within=within).predict(new)


def test_a_randomised_item_explains_what_was_asked_directly(
    study: Study, rows: list[dict[str, str]]
) -> None:
    found = study.regress("years ~ error + ward")
    X = np.array([[1, row["ward"] == "b"] for row in rows], dtype=float)
    reports = [["no", "yes", ""].index(row["error_noisy"]) for row in rows]
    fit = regress_on_randomised(
        [float(row["years"]) for row in rows],
        [255 if one == 2 else one for one in reports],
        FIFTH,
        X,
    )
    coefficients = {row["term"]: row["coefficient"] for row in found.export.rows}
    assert coefficients == pytest.approx(
        dict(zip(["Intercept", "ward[T.b]", "error[T.yes]"], fit.coefficients, strict=True)),
        rel=1e-4,
    )
    assert found.export.document["log_likelihood"] == pytest.approx(fit.log_likelihood)


def test_people_of_a_ward_share_a_random_intercept(
    study: Study, rows: list[dict[str, str]]
) -> None:
    found = study.regress("error ~ years", within="ward", level=0.9)
    reports, X = asked(rows)
    fit = regress_mixed(reports, X[:, [0, 2]], FIFTH, X[:, 1].tolist())
    said = found.export.document
    assert [row["coefficient"] for row in found.export.rows] == pytest.approx(
        list(fit.coefficients), rel=1e-6
    )
    assert (said["within"], said["groups"], said["dropped"]) == ("ward", 2, 7)
    (between,) = said["intercepts"]
    assert (between["low"], between["high"]) == pytest.approx(fit.variance_interval(0.9)[0])
    assert said["no_variance"]["p_value"] == pytest.approx(fit.no_variance().p_value)
    assert "Variance of the intercepts of 2 groups" in repr(found)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda study: study.regress("error ~ years", within="wart"), "did you mean 'ward'"),
        (lambda study: study.regress("error ~ years", within="error"), "other than the outcome"),
        (lambda study: study.regress("error ~ ward", within="ward"), "no term of the formula"),
        (lambda study: study.regress("error ~ years", within="signed"), "expected a direct item"),
        (lambda study: study.regress("years ~ ward", within="ward"), "'years' is a number"),
        (lambda study: study.regress("error ~ signed"), "was randomised"),
        (lambda study: study.regress("years ~ error:ward"), "randomised: expected it by itself"),
        (lambda study: study.regress("ward ~ error"), "a number or two answers to the left"),
        (lambda study: study.ratios("signed", "error"), "randomised, so nobody knows"),
        (lambda study: study.cross("error", "error"), "twice"),
    ],
)
def test_what_cannot_be_asked_is_explained(
    study: Study, ask: Callable[[Study], Result], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        ask(study)


def test_results_print_show_and_become_frames(study: Study) -> None:
    found = study.by("ward", "error")
    assert "Ward B" in repr(found)
    page = found._repr_html_()
    assert "Ward B (n = " in page
    assert page.count("<img ") == 1
    assert page.count("<table") == 2
    assert "<img" not in study.shares()._repr_html_()
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.estimate.tolist() == [row["estimate"] for row in found.export.rows]
    assert study.to_frame().error_noisy.value_counts().sum() == N - 7


def test_a_figure_is_shown_and_kept(study: Study, tmp_path: Path) -> None:
    figure = study.shares("error").figure(tmp_path / "error.svg")
    assert "<svg" in figure._repr_svg_()
    assert "<svg" in (tmp_path / "error.svg").read_text()
    with pytest.raises(ValueError, match=r"ends in \.svg"):
        study.shares("error").figure(tmp_path / "error.gif")
    with pytest.raises(ValueError, match="one question"):
        study.shares().figure()


def test_joint_tables_leave_unused_direct_answers_out() -> None:
    survey = read(NURSES).survey
    ward = next(place for place, item in enumerate(survey.items) if item.id == "ward")
    answers = np.zeros((40, len(survey.items)), dtype=np.uint8)
    answers[20:, ward] = 1
    found = deniable.open(survey, answers).cross("ward", "error")
    assert len({row["first_answer"] for row in found.export.rows} - {None}) == 2
    drawn = found.figure().svg
    assert all(truth.text in drawn for truth in survey.items[ward].truths[:2])
    answers[:, ward] = 0
    with pytest.raises(ValueError, match="different answers to 'ward'"):
        deniable.open(survey, answers).cross("ward", "error")


GAPS = file_of(
    *yes_or_no(", flip: 1/4"),
    "id: later, text: L, type: number, min: 0, max: 2, epsilon: 2, ask_if: {q0: yes}",
    "id: often, text: O, type: number, min: 0, max: 2, epsilon: 2, prefer_not_to_say: true",
    "id: years, text: Y, type: number, min: 0, max: 2, protection: direct, prefer_not_to_say: true",
)


@pytest.mark.parametrize(("item", "gap"), [("later", "Does not apply"), ("often", "Skipped")])
def test_a_number_that_not_everybody_gives_has_no_correlation(item: str, gap: str) -> None:
    survey = read(GAPS).survey
    answers = np.random.default_rng(3).integers(0, survey.report_counts, (300, 4)).astype(np.uint8)
    study = deniable.open(survey, answers)
    for two in (("q0", item), (item, "q0"), ("years", item)):
        with pytest.raises(ValueError, match=f"each person, and '{item}' has “{gap}”: by()") as no:
            study.correlation(*two)
        assert "--by" in at_command(no.value)


def test_the_correlation_of_a_direct_number_is_of_those_who_gave_it() -> None:
    survey = read(GAPS).survey
    answers = np.random.default_rng(3).integers(0, survey.report_counts, (300, 4)).astype(np.uint8)
    gave = answers[:, 3] != [one.code for one in survey.items[3].truths].index("prefer_not_to_say")
    assert 0 < gave.sum() < 300
    for two in (("q0", "years"), ("years", "q0")):
        found, alone = (
            deniable.open(survey, some).correlation(*two).export
            for some in (answers, answers[gave])
        )
        assert list(found.rows) == list(alone.rows)
        assert found.document["n"] == gave.sum()


def test_a_question_of_one_option_is_a_yes_or_no() -> None:
    """An option of several is ticked or not: alone it is a single question with two answers."""
    option, single = (
        read(file_of(*yes_or_no(", flip: 1/4"), f"id: q, text: Q, {more}, flip: 1/5")).survey
        for more in ("type: many, answers: [Forged]", "type: single, answers: [No, Yes]")
    )
    answers = np.random.default_rng(4).integers(0, 2, (300, 2)).astype(np.uint8)
    results: list[Callable[[Study], Result]] = [
        lambda study: study.shares("q"),
        lambda study: study.cross("q0", "q"),
        lambda study: study.by("q", "q0"),
        lambda study: study.correlation("q0", "q"),
    ]
    for result in results:
        one, other = (result(deniable.open(survey, answers)) for survey in (option, single))
        names = {"q.forged": "q", "Forged": "Q"}
        assert [
            {key: names.get(str(value), value) for key, value in row.items()}
            for row in one.export.rows
        ] == list(other.export.rows)
    assert deniable.open(option, answers).item("q").id == "q.forged"


def test_a_study_prints_the_texts_of_its_questions() -> None:
    many = "id: taken, text: Taken?, type: many, answers: {stim: Stimulants, sed: Sedatives}"
    years = "id: years, text: How long?, type: number, min: 0, max: 40, protection: direct"
    study = deniable.open(read(file_of(many, years, head="epsilon: 1")).survey)
    assert repr(study).splitlines()[1:] == [
        "  taken.stim: “Taken?”, “Stimulants”; ε 0.5; No, Yes",
        "  taken.sed: “Taken?”, “Sedatives”; ε 0.5; No, Yes",
        "  years: “How long?”; direct; 41 answers, 0 to 40",
    ]


def test_a_study_of_a_dictionary_prints_no_text_twice() -> None:
    entry = {"flip": "1/4", "answers": {"0": "never", "1": "once"}}
    study = deniable.open(pd.DataFrame({"q": [0, 1]}), {"columns": {"q": entry}})
    assert repr(study).splitlines() == [
        "the dictionary: 2 respondents, ε 1.09861; the data frame",
        "  q: ε 1.09861; never, once",
    ]


def test_a_plan_begins_with_the_file_s(tmp_path: Path) -> None:
    text, file = file_of(*yes_or_no(", flip: 1/4")), tmp_path / "s.yaml"
    file.write_text(f"{text}\nplan: {{people: 1000, within: 5, groups: [10, 25]}}\n")
    own, said = deniable.open(file), deniable.open(read(text).survey)
    assert own.plan().export == said.plan(1000, within=0.05, detect=(0.1, 0.25)).export
    assert own.plan(300, within=0.1).export.rows[0]["respondents"] == 300


def test_design_effects_and_priors_follow_their_formulas() -> None:
    study = deniable.open(read(NURSES).survey)
    plain = study.plan(1000, within=0.05, detect=(0.1, 0.25)).export.rows
    found = study.plan(2000, within=0.05, detect=(0.1, 0.25), design_effect=2, prior=0.1)
    for one, clustered in zip(plain, found.export.rows, strict=True):
        assert clustered["reach"] == pytest.approx(one["reach"])
        assert clustered["power"] == one["power"]
        assert clustered["n_within"] == pytest.approx(2 * int(one["n_within"] or 0), abs=2)
        epsilon = one["epsilon"]
        if isinstance(epsilon, float):
            odds = math.exp(epsilon) / 9
            assert clustered["posterior"] == math.ceil(100 * odds / (1 + odds) - 1e-4) / 100
            # (1 - 2p)^-2 times the worst variance of a share, which is 1/4.
            assert one["price"] == pytest.approx(1 / (1 - 2 * float(one["flip"] or 0)) ** 2)
