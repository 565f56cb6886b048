"""A data frame through every door: its dtypes say what is a number, a date, a group or a gap."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from click.testing import CliRunner

import deniable
from deniable import designs
from deniable.analysis.regression.fit import Fit
from deniable.analysis.regression.formula import regress_formula
from deniable.cli.main import commands
from deniable.study import Study
from deniable.study.collected import of_design
from deniable.study.tables import read_table
from deniable.survey_file import SurveyFileError

N = 240
COINS = designs.warner(flip="1/4")
ANSWERS = {"q": {"flip": "1/4", "answers": {"0": "no", "1": "yes"}}}
PLACES = np.arange(N)
X = pd.Series(PLACES * 7 % 3 + 1.0)
Q = pd.Series(PLACES * 5 % 7 % 2 + PLACES % 2 * (PLACES % 5 == 0)).clip(upper=1)
FEW = PLACES % 11 == 0
"""Rows with a gap."""


def opened(frame: pd.DataFrame, **columns: Any) -> Study:
    return deniable.open(frame, {"columns": {**ANSWERS, **columns}})


def fitted(x: Any, formula: str = "q ~ x") -> dict[str, float]:
    """Return the coefficients by their terms, the same through both doors."""
    frame = pd.DataFrame({"q": Q, "x": x})
    fit = regress_formula(formula, frame, COINS)
    assert isinstance(fit, Fit)
    rows = opened(frame).regress(formula).export.rows
    found = dict(zip(fit.names, fit.coefficients.tolist(), strict=True))
    assert [str(row["term"]) for row in rows] == list(found)
    told = [float(str(row["coefficient"])) for row in rows]
    assert told == pytest.approx(list(found.values()), rel=1e-6)
    return found


GROUPS: dict[str, Any] = {
    "text": X.astype(int).astype(str),
    "string": X.astype(int).astype("string"),
    "category": X.astype(int).astype("category"),
    "category of texts": X.astype(int).astype(str).astype("category"),
    "objects": X.astype(int).astype(str).astype(object),
}


@pytest.mark.parametrize("kind", GROUPS)
def test_texts_and_categories_of_digits_are_groups(kind: str) -> None:
    expected = fitted("abc"[0] + X.astype(int).astype(str))
    found = fitted(GROUPS[kind])
    assert [*found] == ["Intercept", "x[T.2]", "x[T.3]"]
    assert [*found.values()] == pytest.approx([*expected.values()], rel=1e-6)


NUMBERS: dict[str, Any] = {
    "Int64": X.astype("Int64"),
    "Float64": X.astype("Float64"),
    "uint8": X.astype("uint8"),
    "objects": X.astype(int).astype(object),
    "decimals": X.map(lambda one: Decimal(int(one))),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_are_numbers_in_every_dtype(kind: str) -> None:
    expected, found = fitted(X), fitted(NUMBERS[kind])
    assert [*found] == ["Intercept", "x"]
    assert [*found.values()] == pytest.approx([*expected.values()], rel=1e-6)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "object", "boolean", "category", "string"])
def test_a_gap_is_a_gap_in_every_dtype(dtype: str) -> None:
    x = (X > 1).astype(int) if dtype == "boolean" else X.astype(int)
    full = pd.DataFrame({"q": Q.astype("Int64"), "x": x.astype(pd.api.types.pandas_dtype(dtype))})
    gaps = full.copy()
    gaps.loc[FEW, "x"] = None if dtype == "object" else pd.NA
    gaps.loc[PLACES % 13 == 0, "q"] = pd.NA
    kept = gaps.dropna().astype({"q": int})
    for formula in ("q ~ x", "q ~ C(x)"):
        fit, same = (regress_formula(formula, one, COINS) for one in (gaps, kept))
        assert (fit.n, fit.dropped) == (len(kept), N - len(kept))
        assert fit.coefficients == pytest.approx(same.coefficients)
        found, expected = (opened(one).regress(formula).export.rows for one in (gaps, kept))
        assert [row["coefficient"] for row in found] == [row["coefficient"] for row in expected]
        assert [row["term"] for row in found] == list(fit.names)
    shares = opened(gaps).shares("q").export.rows
    answered = opened(pd.DataFrame({"q": gaps["q"].dropna().astype(int)})).shares("q").export.rows
    assert [row["estimate"] for row in shares] == [row["estimate"] for row in answered]


def test_a_gap_among_weights_is_told_of_or_left_out() -> None:
    weights: Any = pd.Series(1 + PLACES % 2).astype("Int64")
    weights[FEW] = pd.NA
    frame = pd.DataFrame({"q": Q, "x": X, "w": weights})
    kept = frame.dropna().astype({"w": float})
    fit, same = (regress_formula("q ~ x", one, COINS, weights="w") for one in (frame, kept))
    given = regress_formula("q ~ x", frame, COINS, weights=weights.array)
    assert fit.coefficients == pytest.approx(same.coefficients)
    assert given.coefficients == pytest.approx(same.coefficients)
    with pytest.raises(ValueError, match=r"column 'w': expected something for each .* 22 empty"):
        opened(frame).weights("w")
    assert opened(kept).weights("w").shares("q").export.rows


@pytest.mark.parametrize("ordered", [True, False])
def test_the_first_category_is_the_reference(ordered: bool) -> None:
    x = pd.Categorical(np.array([*"abc"])[PLACES % 3], ["c", "b", "a", "unused"], ordered=ordered)
    assert [*fitted(x)] == ["Intercept", "x[T.b]", "x[T.a]"]
    assert [*fitted(x, "q ~ C(x)")] == ["Intercept", "C(x)[T.b]", "C(x)[T.a]"]
    frame = pd.DataFrame({"q": Q, "x": x})
    declared = opened(frame, x={"protection": "direct"})
    assert [answer.code for answer in declared.item("x").truths] == ["c", "b", "a"]
    terms = [row["term"] for row in declared.regress("q ~ x").export.rows]
    assert terms == ["Intercept", "x[T.b]", "x[T.a]"]


DAYS = 19_000 + PLACES % 40
DATES = pd.to_datetime(DAYS, unit="D")
SPANS: dict[str, Any] = {
    "datetime64": pd.Series(DATES),
    "in Kiritimati": pd.Series(DATES).dt.tz_localize("UTC").dt.tz_convert("Pacific/Kiritimati"),
    "date": pd.Series([one.date() for one in DATES], dtype=object),
    "datetime": pd.Series([one.to_pydatetime() for one in DATES], dtype=object),
}


@pytest.mark.parametrize("kind", SPANS)
def test_dates_are_days(kind: str) -> None:
    expected, found = fitted(DAYS), fitted(SPANS[kind])
    assert [*found] == ["Intercept", "x[days since 1970-01-01]"]
    assert [*found.values()] == pytest.approx([*expected.values()], rel=1e-4)
    terms = [*fitted(SPANS[kind], "q ~ I((x - 19000)/10)")]
    assert terms == ["Intercept", "I((x[days since 1970-01-01] - 19000) / 10)"]


def test_times_are_days_and_half_days() -> None:
    half = pd.to_timedelta(PLACES % 40 * 12, unit="h")
    expected, found = fitted(PLACES % 40 / 2), fitted(half)
    assert [*found] == ["Intercept", "x[days]"]
    assert [*found.values()] == pytest.approx([*expected.values()], rel=1e-6)


def test_months_are_groups() -> None:
    months: Any = pd.Series(pd.PeriodIndex(np.array(["2024-01", "2024-02"])[PLACES % 2], freq="M"))
    assert [*fitted(months)] == ["Intercept", "x[T.2024-02]"]
    months[0] = pd.NaT
    assert [*fitted(months)] == ["Intercept", "x[T.2024-02]"]


def test_a_column_that_is_there_twice_is_refused_if_it_is_used() -> None:
    frame = pd.DataFrame(np.column_stack([Q, X, X, PLACES % 5]), columns=[*"qxxz"])
    assert regress_formula("q ~ z", frame, COINS).names == ("Intercept", "z")
    with pytest.raises(ValueError, match="expected a column 'x', found 2 of that name"):
        regress_formula("q ~ x", frame, COINS)


def test_dates_make_groups_where_that_is_asked() -> None:
    x = pd.Series(pd.to_datetime("2024-01-31") + pd.to_timedelta(PLACES % 3, unit="D"))
    assert [*fitted(x, "q ~ C(x)")] == ["Intercept", "C(x)[T.2024-02-01]", "C(x)[T.2024-02-02]"]


def test_new_dates_are_those_of_the_fit() -> None:
    frame = pd.DataFrame({"q": Q, "x": DATES, "g": X.astype("Int64")})
    fit = regress_formula("q ~ x + C(g)", frame, COINS)
    np.testing.assert_allclose(fit.predict(frame).theta, fit.predict().theta)
    fifth = fit.predict(frame.iloc[4:5]).theta
    np.testing.assert_allclose(fifth, fit.predict().theta[4:5])
    with pytest.raises(ValueError, match=r"expected 'x' in days since 1970-01-01, .* found int64"):
        fit.predict(frame.assign(x=DAYS))


@pytest.mark.parametrize("kind", ["int", "float", "text", "truth", "category of floats", "date"])
def test_a_study_predicts_for_its_own_frame(kind: str) -> None:
    x: dict[str, Any] = {
        "int": X.astype(int),
        "float": X,
        "text": X.astype(int).astype(str),
        "truth": (X > 1).astype(object),
        "category of floats": X.astype("category"),
        "date": DATES,
    }
    frame = pd.DataFrame({"q": Q, "x": x[kind]})
    formulas = ["q ~ x", "q ~ C(x)"] if kind != "date" else ["q ~ x"]
    fit = regress_formula("q ~ x", frame, COINS)
    for direct in ({}, {"x": {"protection": "direct"}}):
        for formula in formulas:
            study = opened(frame, **direct)
            told = study.regress(formula).predict(frame.head(5))
            assert len(told) == 5
            if not direct and formula == "q ~ x":
                theta = fit.predict(frame.head(5)).theta
                np.testing.assert_allclose(told["probability"].to_numpy(), theta, rtol=1e-5)


def test_a_csv_s_column_is_a_number_if_all_cells_are(tmp_path: Path) -> None:
    def terms(cells: list[str]) -> list[str]:
        rows = [f"{q},{cells[place % len(cells)]}" for place, q in enumerate(Q)]
        (tmp_path / "data.csv").write_text("\n".join(["q,x", *rows, ""]), encoding="utf-8")
        study = deniable.open(tmp_path / "data.csv", {"columns": ANSWERS})
        return [str(row["term"]) for row in study.regress("q ~ x").export.rows]

    assert terms(["1", "-2.50", ".5", "1e+05", "NA", ""]) == ["Intercept", "x"]
    for code in ("01", "1_0", "1e3", "\u0663"):
        assert len(terms(["1", "2", code])) == 3, code
    padded = [f"{one:02}" for one in range(1, 25)]  # more of them without zeros than with
    assert len(terms(padded)) == 24
    with pytest.raises(ValueError, match=r"cells of x are no numbers: '1_0'"):
        terms([*map(str, range(20, 45)), "1_0"])


IDS: dict[str, Callable[[], Any]] = {
    "ids": lambda: [f"p{place}" for place in PLACES],
    "numbers as texts": lambda: [str(place // 2) for place in PLACES + 1],
    "C of dates": lambda: pd.date_range("2024-01-01", periods=N),
}


@pytest.mark.parametrize("kind", IDS)
def test_an_id_is_refused_by_name_before_anything_is_built(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deniable.analysis.regression.formulas.table._build", None)
    frame = pd.DataFrame({"q": Q, "x": IDS[kind]()})
    groups = 121 if kind.startswith("numbers") else N
    said = f"{groups} groups for 240 people: is 'x' a date or an id"
    formula = "q ~ C(x)" if kind == "C of dates" else "q ~ x"
    for refused in (
        lambda: regress_formula(formula, frame, COINS),
        lambda: opened(frame).regress(formula),
    ):
        with pytest.raises(ValueError, match=said):
            refused()


def test_too_many_crossed_groups_are_refused_by_name() -> None:
    frame = pd.DataFrame(
        {"q": Q, "x": [f"a{p % 20}" for p in PLACES], "z": [f"b{p // 12}" for p in PLACES]}
    )
    said = "expected at most 240 columns for 240 people, found at least 400: x:z alone makes 361"
    with pytest.raises(ValueError, match=said):
        regress_formula("q ~ x*z", frame, COINS)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("q ~ log(x)", r"found nan of log\(x\) for 6 of 240 people, first where x is -2"),
        ("q ~ log(z)", r"found -inf of log\(z\) for 24 of 240 people, first where z is 0"),
        ("q ~ I(x / z)", r"found -?inf of I\(x / z\) for 24 of 240 people, first where x is .* z"),
        ("q ~ x + none", "expected rows that have all values .*: 'none' is empty throughout"),
        ("q ~ one", "expected people who differ in 'one', found 'a' of all"),
        ("q ~ C(one)", "expected people who differ in 'one', found 'a' of all"),
        ("q ~ x + C(same)", "expected people who differ in 'same', found '3.*' of all"),
        ("q ~ x:one", "expected people who differ in 'one'"),
        ("none ~ x", "'none' is empty throughout|expected responses|no reports"),
    ],
)
def test_a_column_that_tells_nothing_is_named(formula: str, said: str) -> None:
    x = np.where(PLACES % 40 == 7, -2.0, PLACES % 9 + 1)
    frame = pd.DataFrame({"q": Q, "x": x, "z": PLACES % 10, "none": np.nan, "one": "a", "same": 3})
    with pytest.raises(ValueError, match=said):
        regress_formula(formula, frame, COINS)
    if not formula.startswith("none"):
        with pytest.raises(ValueError, match=said):
            opened(frame).regress(formula)


def labelled(folder: Path, q: list[float], g: list[float]) -> Path:
    place = np.arange(len(q))
    frame = pd.DataFrame({"q": q, "g": g, "age": place % 30 + 20.0, "arm": place // 3 % 2 * 1.0})
    labels: dict[str, dict[int | float, str]] = {
        "q": {0: "No", 1: "No", 2: "Maybe"},
        "g": {1: "North", 3: "Other", 4: " Other"},
    }
    pyreadstat.write_sav(frame, folder / "data.sav", variable_value_labels=labels)
    pyreadstat.write_dta(frame, folder / "data.dta", variable_value_labels=labels)
    return folder


@pytest.mark.parametrize("name", ["data.sav", "data.dta"])
def test_two_codes_of_one_label_are_refused(tmp_path: Path, name: str) -> None:
    data = labelled(tmp_path, [0.0, 1.0] * 30, [1.0, 3.0, 4.0] * 20) / name
    said = "the codes 0 and 1 of the column 'q' have one label, 'No': give its answers by code, as"
    for entry in ({"flip": "1/4"}, {"flip": "1/4", "answers": ["No", "Yes"]}):
        with pytest.raises(SurveyFileError, match=said):
            deniable.open(data, {"columns": {"q": entry}})
    study = deniable.open(data, {"columns": ANSWERS})
    yes = study.shares("q").export.rows[1]
    assert yes["observed"] == 0.5
    others = "the codes 3 and 4 of the column 'g' have one label, 'Other'"
    for refused in (
        lambda: study.regress("q ~ g"),
        lambda: study.weights(clusters="g"),
        lambda: study.weights(margins={"g": {"North": 1, "Other": 1}}),
        lambda: study.regress("q ~ age", within="g"),
        lambda: opened_with(data, {"protection": "direct"}),
    ):
        with pytest.raises(ValueError, match=others):
            refused()
    by_code = {"protection": "direct", "answers": {"1": "North", "3": "East", "4": "West"}}
    found = opened_with(data, by_code).shares("g").export.rows
    assert [row["estimate"] for row in found] == pytest.approx([1 / 3] * 3)


def test_commands_refuse_them_too(tmp_path: Path) -> None:
    data = labelled(tmp_path, [0.0, 1.0] * 30, [1.0, 3.0, 4.0] * 20) / "data.sav"
    table, design = read_table(data), {"warner": {"flip": "1/4"}}
    with pytest.raises(ValueError, match=r"one label, 'No': .* in a dictionary"):
        of_design(table, "data.sav", design, "q")
    with pytest.raises(ValueError, match=r"one label, 'Other': .* in a dictionary"):
        of_design(table, "data.sav", design, "q", codes=["0", "1"], by="g")
    study = of_design(table, "data.sav", design, "q", codes=["0", "1"])
    assert study.shares("q").export.rows[1]["observed"] == 0.5
    options = ["--design", "cheating_detection: {yes: [1/4, 3/4]}", "--arm", "arm"]
    for formula, codes, label in (("q ~ age", [], "No"), ("q ~ g", ["--codes", "0,1"], "Other")):
        said = CliRunner().invoke(
            commands, ["analyse", str(data), *options, *codes, "--formula", formula]
        )
        assert said.exit_code == 1, said.output
        assert f"have one label, '{label}'" in said.output


def opened_with(data: Path, entry: dict[str, Any]) -> Study:
    return deniable.open(data, {"columns": {**ANSWERS, "g": entry}})


def test_a_label_s_other_codes_may_be_unused_or_missing(tmp_path: Path) -> None:
    data = labelled(tmp_path, [0.0, 1.0] * 30, [1.0, 3.0, 3.0] * 20) / "data.sav"
    study = opened_with(data, {"protection": "direct"})
    assert {answer.text for answer in study.item("g").truths} == {"North", "Other"}
    frame = pd.DataFrame({"q": [0.0, 1.0] * 30, "g": [1.0, 2.0, 8.0, 9.0] * 15})
    labels: dict[str, dict[int | float, str]] = {"g": {1: "N", 2: "S", 8: "None", 9: "None"}}
    pyreadstat.write_sav(
        *(frame, tmp_path / "m.sav"), variable_value_labels=labels, missing_ranges={"g": [8, 9]}
    )
    study = opened_with(tmp_path / "m.sav", {"protection": "direct"})
    assert {answer.text for answer in study.item("g").truths} == {"N", "S"}


def test_an_empty_label_is_none(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": [0.0, 1.0] * 30, "g": [1.0, 2.0, 3.0] * 20})
    labels: dict[str, dict[int | float, str]] = {"g": {1: "North", 2: " ", 3: ""}}
    pyreadstat.write_sav(frame, tmp_path / "data.sav", variable_value_labels=labels)
    study = opened_with(tmp_path / "data.sav", {"protection": "direct"})
    assert {answer.text for answer in study.item("g").truths} == {"North", "2", "3"}


def test_a_column_that_is_not_used_may_hold_anything() -> None:
    here, there = (datetime.timezone(datetime.timedelta(hours=one)) for one in (1, 9))
    days = [
        datetime.datetime(2024, 1, 1 + p % 28, tzinfo=(here, there, None)[p % 3]) for p in PLACES
    ]
    odd = {"days": days, "lists": [[1, 2]] * N, "mixed": [(1, "a", None)[p % 3] for p in PLACES]}
    frame = pd.DataFrame(
        {"q": Q, "x": X} | {name: pd.Series(of, dtype=object) for name, of in odd.items()}
    )
    assert opened(frame).regress("q ~ x").export.rows
    assert [*fitted(frame["days"])] == ["Intercept", "x[days since 1970-01-01]"]


def test_types_of_spss_are_those_of_a_frame(tmp_path: Path) -> None:
    dates = [datetime.date(2024, 1, 1 + place % 28) for place in range(N)]
    codes = [str(place % 3 + 1) for place in range(N)]
    frame = pd.DataFrame({"q": Q.astype(float), "x": codes, "d": dates})
    pyreadstat.write_sav(frame, tmp_path / "data.sav")
    rows = deniable.open(tmp_path / "data.sav", {"columns": ANSWERS}).regress("q ~ x + d")
    terms = [row["term"] for row in rows.export.rows]
    assert terms == ["Intercept", "x[T.2]", "x[T.3]", "d[days since 1970-01-01]"]


@pytest.mark.slow
def test_pyarrow_s_types_are_the_same(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    of_four = pd.Series(PLACES // 2 % 4).astype(str)
    frame = pd.DataFrame({"q": Q, "x": X.astype(int), "t": of_four, "d": DATES})
    arrow = frame.convert_dtypes(dtype_backend="pyarrow")
    gaps = arrow.copy()
    gaps.loc[FEW, ["x", "d"]] = pd.NA
    plain = frame[~FEW]
    formula = "q ~ x + t + d"
    for one, other in ((arrow, frame), (gaps, plain)):
        fit, same = (regress_formula(formula, of, COINS) for of in (one, other))
        assert fit.names == same.names
        assert fit.coefficients == pytest.approx(same.coefficients, rel=1e-4)
        found = opened(one).regress(formula).export.rows
        assert [row["term"] for row in found] == list(same.names)
    last = "d[days since 1970-01-01]"
    frame.drop(columns="t").assign(c=of_four.astype("category")).to_parquet(
        tmp_path / "data.parquet"
    )
    study = deniable.open(tmp_path / "data.parquet", {"columns": ANSWERS})
    terms = [row["term"] for row in study.regress("q ~ x + c + d").export.rows]
    assert terms == ["Intercept", "x", "c[T.1]", "c[T.2]", "c[T.3]", last]
