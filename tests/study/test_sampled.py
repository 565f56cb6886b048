"""A survey's own weights, strata and clusters, by the formulas of the textbooks."""

import csv
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import deniable
from deniable.results.files import Row
from deniable.results.result import Result
from deniable.study import Study
from deniable.survey_file import read
from tests.kit.surveys import file_of
from tests.study.test_study_waves import in_waves

SURVEY = file_of(
    "id: copied, text: Copied, type: single, answers: [No, Yes], flip: 1/4",
    "id: days, text: Days, type: number, min: 0, max: 4, epsilon: 2, family: k_ary",
    "id: region, text: Region, type: single, answers: [North, South], protection: direct",
    "id: size, text: Size, type: number, min: 1, max: 9, protection: direct",
)
N = 240


@pytest.fixture
def rows() -> list[dict[str, str]]:
    random = np.random.default_rng(6)
    return [
        {
            "copied_noisy": str(random.choice(["no", "yes"])),
            "days_noisy": str(random.integers(0, 5)),
            "region": str(random.choice(["north", "south"])),
            "size": str(random.integers(1, 10)),
            "w": f"{random.uniform(0.5, 3):.3f}",
            "school": str(random.integers(0, 12)),
        }
        for _ in range(N)
    ]


@pytest.fixture
def study(tmp_path: Path, rows: list[dict[str, str]]) -> Study:
    (tmp_path / "pupils.yaml").write_text(SURVEY)
    with (tmp_path / "reports.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    made: Study = deniable.open(
        tmp_path / "pupils.yaml", tmp_path / "reports.csv", beside=["w", "school"]
    )
    return made


def korn_and_graubard(
    rows: list[dict[str, str]], share: float, error: float
) -> tuple[float, float]:
    """Return Clopper and Pearson's interval at the effective sample size (1998, section 2)."""
    w = np.array([float(row["w"]) for row in rows])
    g = np.array([1.5 if row["copied_noisy"] == "yes" else -0.5 for row in rows])
    single = float(w @ (g - share) ** 2 / w.sum()) * N / (N - 1)
    n = min(w.sum() ** 2 / (w @ w), single / error**2)
    of: dict[tuple[str, str], float] = {}
    for row, weight in zip(rows, w, strict=True):
        unit = (row["region"], row["school"])
        of[unit] = of.get(unit, 0.0) + weight**2
    parts = np.array([*of.values()])
    d = parts.sum() ** 2 / (parts @ parts) - 2  # Satterthwaite's count of schools, less regions
    n *= (stats.t.ppf(0.975, N - 1) / stats.t.ppf(0.975, d)) ** 2
    yes = float(w @ (g > 0) / w.sum()) * n
    low, high = stats.beta.ppf(0.025, yes, n - yes + 1), stats.beta.ppf(0.975, yes + 1, n - yes)
    return 2 * float(low) - 0.5, 2 * float(high) - 0.5


def test_a_population_s_shares_have_the_exact_interval(
    study: Study, rows: list[dict[str, str]]
) -> None:
    """Its estimate and error have R's digits, see `tests/analysis/sampling/test_survey_of_r.py`."""
    found = study.weights("w", strata="region", clusters="school").shares("copied")
    yes: Any = next(row for row in found.export.rows if row["answer"] == "yes")
    ends = korn_and_graubard(rows, yes["estimate"], yes["standard_error"])
    assert (yes["low"], yes["high"]) == pytest.approx(ends)
    assert yes["method"] == "exact"
    assert f"{100 * yes['estimate']:.1f} %" in repr(found)
    assert "weights w, strata region, clusters school" in repr(found)


def test_a_direct_number_of_the_survey_weighs_too(study: Study, rows: list[dict[str, str]]) -> None:
    found = study.weights("size").shares().export.rows
    assert {row["item"] for row in found} == {"copied", "days", "region", "size"}
    weights = np.array([float(row["size"]) for row in rows])
    (mean,) = [row for row in found if (row["item"], row["statistic"]) == ("size", "mean")]
    assert mean["estimate"] == pytest.approx(weights @ weights / weights.sum())
    # Weights that are all alike change no estimate.
    rows_alike = study.weights(strata="region").shares("days").export.rows
    plain = {row["answer"]: row["estimate"] for row in study.shares("days").export.rows}
    assert {row["answer"]: row["estimate"] for row in rows_alike} == pytest.approx(plain)


def test_an_unknown_column_names_the_known(study: Study, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'weight'.*\(w, school, region, size\)"):
        study.weights("weight").shares()
    with pytest.raises(ValueError, match="'copied' was randomised"):
        study.weights(strata="copied").shares()
    with pytest.raises(ValueError, match="expected a weight"):
        study.weights("region").shares()
    nobody = replace(study, beside={**study.beside, "zero": ["0"] * N})
    with pytest.raises(ValueError, match=r"found '0' for respondent 1: .* leave the row out"):
        nobody.weights("zero").shares()
    said = str(study.weights("w").by("region", "copied"))
    assert f"all {N} people of the sample tell as much as" in said
    with pytest.raises(ValueError, match="randomised"):
        study.weights("w").by("days", "copied")
    with pytest.raises(ValueError, match="unknown column 'school'"):
        deniable.open(tmp_path / "pupils.yaml", tmp_path / "reports.csv", beside=["w"])
    with pytest.raises(ValueError, match="'v'"):
        deniable.open(
            tmp_path / "pupils.yaml", tmp_path / "reports.csv", beside=["w", "school", "v"]
        )


def test_somebody_without_a_weight_is_no_guess(study: Study) -> None:
    answers = study.answers.copy()
    answers[3, 2] = 255
    with pytest.raises(ValueError, match="1 empty, the first for respondent 4"):
        replace(study, answers=answers).weights(strata="region").shares()
    with pytest.raises(ValueError, match="found those of wave 1 alone"):
        study.changes()


CONDITIONAL = file_of(
    "id: erred, text: Erred, type: single, answers: [No, Yes], flip: 1/4",
    "id: told, text: Told, type: single, answers: [No, Yes], ask_if: {erred: yes}, epsilon: 2",
    "id: hours, text: Hours, type: number, min: 0, max: 4, epsilon: 2, family: k_ary, "
    "prefer_not_to_say: true",
    "id: sex, text: Sex, type: single, answers: [Woman, Man], protection: direct",
    "id: one, text: One, type: number, min: 1, max: 3, protection: direct",
)


def ward(weights: list[str], n: int = 90) -> Study:
    """Return a study with a conditional question and a number that may be kept back."""
    survey, random = read(CONDITIONAL).survey, np.random.default_rng(4)
    answers = np.stack(
        [random.integers(0, item.channel.reports, n) for item in survey.items], axis=1
    ).astype(np.uint8)
    answers[:, -1] = 0
    return replace(Study.of(survey, [answers.tobytes()], "from memory"), beside={"w": weights})


def numbers_of(found: Result) -> object:
    """Return all that a result says but how people were drawn; what is unknown equals itself."""
    document = {name: cell for name, cell in found.export.document.items() if name != "sample"}
    rows = [
        {name: "unknown" if cell != cell else cell for name, cell in row.items()}  # noqa: PLR0124  nan
        for row in found.export.rows
    ]
    return [rows, document, found.export.columns]


def test_weights_that_are_all_alike_change_no_digit() -> None:
    study = ward(["2.5"] * 90)
    for plain, weighed in (
        (study.shares(), study.weights("w").shares()),
        (study.shares("erred"), study.weights("w").shares("erred")),
        (study.shares("told"), study.weights("w").shares("told")),
        (study.shares("hours"), study.weights("w").shares("hours")),
        (study.by("sex", "erred"), study.weights("w").by("sex", "erred")),
        (study.by("sex", "hours"), study.weights("one").by("sex", "hours")),
        (study.ratios("sex", "erred"), study.weights("w").ratios("sex", "erred")),
    ):
        assert numbers_of(plain) == numbers_of(weighed)
        sample, weighs = "Sample:", "Weighted:"
        shown = [
            line for line in repr(weighed).splitlines() if not line.startswith((sample, weighs))
        ]
        assert shown == repr(plain).splitlines()
        assert repr(weighed).count(sample) == repr(weighed).count(weighs) == 1


def test_a_dot_takes_no_column_of_drawing(study: Study) -> None:
    sampled = study.weights("w", strata="region", clusters="school")
    left = {*study.read("copied ~ .").names} - {*sampled.read("copied ~ .").names}
    assert left == {"w", "region", "school"}
    assert sampled.read("copied ~ region").names == ("region",)


def test_what_has_no_weights_says_so() -> None:
    study = ward([f"{1 + place % 4}" for place in range(90)])
    assert repr(study.weights("w")).splitlines()[0].endswith("; weights w")
    with pytest.raises(ValueError, match="found weights: it is told of the respondents"):
        study.weights("w").correlation("erred", "sex")
    with pytest.raises(ValueError, match="found weights: it is told of the respondents"):
        study.weights("w").by("told", "erred")
    with pytest.raises(ValueError, match="a whole number of people"):
        study.weights("w").shares("erred", method="feldman-cousins")


def in_two_waves(weights: list[str]) -> Study:
    return replace(in_waves(9, (0, 40), (1, 40)), beside={"w": weights})


def test_each_wave_is_weighed_by_itself() -> None:
    study = in_two_waves([f"{1 + place % 3}" for place in range(80)])
    each = [study.weights("w").wave(wave).shares("doped").export.rows for wave in (1, 2)]
    for found in (study.weights("w").shares("doped"), study.weights("w").shares()):
        rows = [row for row in found.export.rows if row["item"] == "doped"]
        for row, *waves in zip(rows, *each, strict=True):
            for name in ("estimate", "standard_error", "low", "high"):
                expected = np.mean([float(str(one[name])) for one in waves])
                assert row[name] == pytest.approx(expected)


@pytest.mark.slow
def test_weighted_waves_and_their_differences() -> None:
    weighed = in_two_waves([f"{1 + place % 3}" for place in range(80)]).weights("w")
    rows, changed = weighed.waves().export.rows, 0

    @cache
    def alone(wave: int, comparisons: int) -> Sequence[Row]:
        return weighed.wave(wave).shares(level=1 - 0.05 / comparisons).export.rows

    for row in rows:
        named = [row[name] for name in ("item", "answer")]
        of = str(row["statistic"]).removeprefix("change_of_")
        since, now = (
            next(
                one
                for one in alone(wave, int(str(row.get("comparisons") or 1)))
                if [one["item"], one["answer"], one["statistic"]] == [*named, of]
            )
            for wave in (1, 2)
        )
        if row["since"] is None:
            assert row["design_effect"] == (since, now)[int(str(row["wave"])) - 1]["design_effect"]
            continue
        changed += 1
        first, second = (float(str(one["estimate"])) for one in (since, now))
        assert row["estimate"] == pytest.approx(second - first)
        errors = [float(str(one["standard_error"])) for one in (since, now)]
        assert row["standard_error"] == pytest.approx(math.hypot(*errors))
        low, high = float(str(now["low"])) - second, float(str(since["high"])) - first
        if row["method"] == "exact":
            assert row["low"] == pytest.approx(second - first - math.hypot(low, high))
    assert changed > 4
    assert list(weighed.changes().export.rows) == [row for row in rows if row["since"] is not None]
    assert "Sample: weights w" in repr(weighed.changes())
    assert "Effective n" in repr(weighed.waves("doped"))
    plain, alike = (in_two_waves(["2"] * 80), in_two_waves(["2"] * 80).weights("w"))
    for one, other in zip(plain.waves().export.rows, alike.waves().export.rows, strict=True):
        assert one.keys() == other.keys()
        for name, cell in one.items():
            # The p-values of weighted people are found between the levels of their intervals.
            near = 5e-3 if name == "p_value" else 1e-9
            is_number = isinstance(cell, float)
            assert other[name] == (pytest.approx(cell, abs=near) if is_number else cell), name


def with_column(study: Study, place: int, column: Any) -> Study:
    answers = study.answers.copy()
    answers[:, place] = column
    return replace(study, answers=answers)


MARGIN = {"sex": {"woman": 0.5, "man": 0.5}}


@pytest.mark.parametrize(
    ("weight", "sex", "how", "said"),
    [
        ("0", None, {}, "a weight above 0 for each respondent, found '0' for respondent 6"),
        ("x", None, {}, "a weight above 0 for each respondent, found 'x' for respondent 6"),
        ("2", None, {"margins": {"sex": {"woman": 1}}}, "nothing for 'man'"),
        ("2", None, {"margins": {"sex": {"woman": 1, "man": 0}}}, "above 0 for 'man', found 0"),
        ("2", None, {"margins": ["sex"]}, r"expected margins such as .*, found \['sex'\]"),
        ("2", None, {"margins": {"sex": 1}}, "expected margins such as .*, found {'sex': 1}"),
        ("2", None, {"margins": {"sex": {"woman": 0.5, "man": 0.6}}}, "margin 'sex': .* found 1.1"),
        (
            "2",
            None,
            {"margins": {**MARGIN, "w": {"2": 6, "1": 6.001}}},
            "same total, found 1 of 'sex'",
        ),
        (
            *("2", None, {"margins": {"sex": {"woman": 0.9, "man": 0.1}}, "trim": 1.2}),
            "no weight above 1.2 times the mean, found .* 'sex' is still off by .* 1,000 rounds",
        ),
        ("2", None, {"margins": MARGIN, "trim": 1}, "expected a trim above 1, .*, found 1"),
        ("2", [0] * 90, {"margins": MARGIN}, "margin 'sex': .*found none of 'man'"),
        ("2", [0] * 90, {}, "at least two groups of 'sex' with reports of 'erred', found 1"),
    ],
)
def test_what_cannot_be_weighed_says_where(
    weight: str, sex: list[int] | None, how: dict[str, Any], said: str
) -> None:
    study = ward(["2"] * 5 + [weight] + ["1"] * 84)
    if sex is not None:
        study = with_column(study, -2, sex)
    with pytest.raises(ValueError, match=said):
        study.weights("w", **how).ratios("sex", "erred")


def test_what_all_have_in_common_is_no_term() -> None:
    study = with_column(ward(["x"] * 90), -2, 0)
    for term, said in (("sex", "'sex', found 'woman' of all"), ("w", "'w', found 'x' of all")):
        with pytest.raises(ValueError, match=f"expected people who differ in {said}"):
            study.regress(f"erred ~ one + {term}")


def test_a_separated_weighted_regression_says_so() -> None:
    study = ward([f"{1 + place % 4}" for place in range(90)])
    study = with_column(study, 0, study.answers[:, -2])  # all men report a yes, no woman does
    said = repr(study.weights("w").regress("erred ~ sex"))
    assert "∞" in said
    assert "coefficients of Intercept, sex[T.man] run to infinity" in said


@pytest.mark.parametrize(("north", "south"), [(0.3, 0.7), (1, 1)])
def test_a_share_of_a_margin_has_no_interval(study: Study, north: float, south: float) -> None:
    """As survey's confint() of a post-stratified factor: from the share to the share."""
    told = study.weights(margins={"region": {"north": north, "south": south}}).shares()
    rows = [row for row in told.export.rows if row["item"] == "region"]
    found = [[row[cell] for cell in ("estimate", "low", "high")] for row in rows]
    shares = np.array([north, south]) / (north + south)
    assert np.allclose(found, shares[:, np.newaxis], atol=1e-12)  # type: ignore[arg-type]


def test_weights_without_arguments_count_each_alike_again(study: Study) -> None:
    weighed = study.weights("w")
    assert weighed.weights().shares("copied").export == study.shares("copied").export
    assert weighed.shares("copied").export != study.shares("copied").export


def test_margins_that_tell_are_worth_people(tmp_path: Path) -> None:
    """Of each ward nearly all say the same: the margins then know much of the answer."""
    counts = {"a,y": 90, "a,n": 10, "b,y": 10, "b,n": 90}
    rows = "".join(f"{row}\n" * count for row, count in counts.items())
    (tmp_path / "people.csv").write_text(f"ward,met\n{rows}")
    columns = "columns: {ward: {protection: direct}, met: {protection: direct}}"
    (tmp_path / "columns.yaml").write_text(columns)
    study = deniable.open(tmp_path / "people.csv", tmp_path / "columns.yaml")
    found = study.weights(margins={"ward": {"a": 0.5, "b": 0.5}}).shares("met")
    row = next(one for one in found.export.rows if one["answer"] == "y")
    # Only what differs within the wards is left: 0.09 of the variance 0.25.
    assert row["design_effect"] == pytest.approx(0.09 / 0.25, rel=0.02)
    assert float(str(row["effective_n"])) > 500
    assert "Above n, the strata, margins or weights" in repr(found)
