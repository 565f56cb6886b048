"""Formulas give what the arrays give, hold what is listed, and run nothing else."""

import re
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deniable import designs
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.fit import Fit, MultinomialFit
from deniable.analysis.regression.formula import regress_formula
from deniable.analysis.regression.formulas.reader import (
    MOST_CHARACTERS,
    MOST_TERMS,
    Column,
    names_in,
    read,
    sides_of,
)
from deniable.analysis.regression.multinomial import regress_multinomial

pytestmark = pytest.mark.promise("formulas")

FORCED = designs.forced_response("2/3", "1/2")
N = 300


@pytest.fixture
def frame() -> Any:
    random = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "rr.q1": random.integers(0, 2, size=N),
            "cov.age": random.integers(18, 80, size=N),
            "cov.age.2": random.normal(size=N),
            "female": random.integers(0, 2, size=N),
            "region": random.choice(["north", "south", "east"], size=N),
            "how": random.integers(0, 2, size=N),
            "w": random.uniform(1, 2, size=N),
            "three": random.choice(["never", "once", "often"], size=N),
        },
        index=range(1000, 1000 + N),
    )


def same(fit: Fit | MultinomialFit, other: Fit | MultinomialFit) -> None:
    np.testing.assert_allclose(fit.coefficients, other.coefficients, rtol=1e-8)
    np.testing.assert_allclose(fit.covariance(), other.covariance(), rtol=1e-7)


def test_names_with_dots_squares_and_factors_are_understood(frame: Any) -> None:
    fit = regress_formula(
        "rr.q1 ~ cov.age + I((cov.age/10)^2) + cov.age.2 + female:`cov.age.2` + C(region)",
        frame,
        FORCED,
        link="probit",
    )
    columns = {
        "Intercept": np.ones(N),
        "C(region)[T.north]": frame["region"] == "north",
        "C(region)[T.south]": frame["region"] == "south",
        "cov.age": frame["cov.age"],
        "I((cov.age / 10) ** 2)": (frame["cov.age"] / 10) ** 2,
        "cov.age.2": frame["cov.age.2"],
        "female:cov.age.2": frame["female"] * frame["cov.age.2"],
    }
    assert set(fit.names) == set(columns)
    X = np.column_stack([np.asarray(columns[name], dtype=float) for name in fit.names])
    same(fit, regress(frame["rr.q1"].to_numpy(), X, FORCED, link="probit"))
    assert isinstance(fit, Fit)
    assert (fit.n, fit.dropped, fit.link) == (N, 0, "probit")
    assert fit.formula is not None
    assert fit.formula.startswith("rr.q1 ~ cov.age")


def test_rows_without_a_value_are_left_out(frame: Any) -> None:
    frame = frame.astype({"rr.q1": float, "cov.age": float})
    frame.iloc[3, 0] = np.nan
    frame.iloc[5, 1] = np.nan
    frame.iloc[5, 0] = np.nan
    frame.iloc[11, 4] = None
    frame.iloc[13, 2] = np.nan  # not used
    fit = regress_formula("rr.q1 ~ cov.age + region", frame, FORCED)
    kept = frame.drop(frame.index[[3, 5, 11]])
    X = np.column_stack(
        [np.ones(N - 3), kept["cov.age"], kept["region"] == "north", kept["region"] == "south"]
    )
    order = [
        fit.names.index(n) for n in ("Intercept", "cov.age", "region[T.north]", "region[T.south]")
    ]
    other = regress(kept["rr.q1"].astype(int), X, FORCED)
    np.testing.assert_allclose(fit.coefficients[order], other.coefficients, rtol=1e-8)
    assert (fit.n, fit.dropped) == (N - 3, 3)
    clusters = np.arange(N) % 30
    used = np.delete(clusters, [3, 5, 11])
    np.testing.assert_allclose(fit.covariance(clusters=clusters), fit.covariance(clusters=used))


def test_weights_may_be_a_column_or_an_array(frame: Any) -> None:
    small = frame[["rr.q1", "w", "female"]]
    one = regress_formula("rr.q1 ~ .", small, FORCED, weights="w")  # the dot leaves weights out
    same(one, regress_formula("rr.q1 ~ female", frame, FORCED, weights=list(frame["w"])))
    assert one.weighted


def test_codes_say_how_reports_are_written(frame: Any) -> None:
    plain = regress_formula("rr.q1 ~ female", frame, FORCED)
    written = frame.assign(answer=frame["rr.q1"].map({0: "no", 1: "yes"}))
    same(plain, regress_formula("answer ~ female", written, FORCED, codes=["no", "yes"]))
    same(plain, regress_formula("answer ~ female", written, FORCED, codes={"yes": 1, "no": 0}))
    same(plain, regress_formula("b ~ female", frame.assign(b=frame["rr.q1"] == 1), FORCED))
    with pytest.raises(ValueError, match=r"codes= that says how they are written, found 'no', 'ye"):
        regress_formula("answer ~ female", written, FORCED)
    with pytest.raises(ValueError, match="expected reports of 'no', found 'yes'"):
        regress_formula("answer ~ female", written, FORCED, codes=["no"])
    with pytest.raises(ValueError, match="expected a report from 0 to 1, found 2"):
        regress_formula("rr.q1 ~ female", frame.assign(**{"rr.q1": 2}), FORCED)


def test_three_answers_are_a_multinomial_regression(frame: Any) -> None:
    channel = designs.k_ary(3, epsilon=2)
    codes = ["never", "once", "often"]
    fit = regress_formula("three ~ female", frame, channel, codes=codes)
    assert isinstance(fit, MultinomialFit)
    assert fit.answers == ("never", "once", "often")
    reports = frame["three"].map(codes.index).to_numpy()
    X = np.column_stack([np.ones(N), frame["female"]])
    same(fit, regress_multinomial(reports, X, channel))
    mapped = {"often": 2, "never": 0, "once": 1}
    again = regress_formula("three ~ female", frame, channel, codes=mapped)
    same(fit, again)
    assert isinstance(again, MultinomialFit)
    assert again.answers == fit.answers
    with pytest.raises(ValueError, match="link logit for more than two truths, found 'probit'"):
        regress_formula("three ~ female", frame, channel, codes=codes, link="probit")


def test_it_predicts_for_data_frames(frame: Any) -> None:
    fit = regress_formula("rr.q1 ~ poly(cov.age, 2) + region", frame, FORCED)
    whole, first = fit.predict(frame), fit.predict(frame.head(3))
    np.testing.assert_allclose(whole.theta, fit.predict().theta, rtol=1e-9)
    np.testing.assert_allclose(first.interval(), whole.interval()[:3], rtol=1e-9)
    assert fit.predict(frame.assign(extra=np.nan)).theta.shape == (N,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"region": "North"}, "'region' to be one of 'east', 'north', 'south', .*found 'North' in"),
        ({"region": "North"}, "row 0 of the data to predict for; did you mean 'north'"),
        ({"region": 1}, "'region' to be one of .* found 1 in row 0"),
        ({"region": None}, "a value of 'region' in every row of .* found none in row 0"),
        ({"cov.age": np.nan}, "a value of 'cov.age' in every row"),
        ({"cov.age": "40"}, "expected numbers in 'cov.age', .* found '40' in row 0"),
        ({"edu": 4}, "'edu' to be one of 1, 2, 3, .* found 4 in row 0"),
        ({"edu": "2"}, "'edu' to be one of 1, 2, 3, .* found '2' in row 0"),
        ({"cov.age": 0}, "expected finite covariates, found -inf of log.cov.age. in row 0"),
    ],
)
def test_new_data_are_like_the_fit_s(frame: Any, changed: dict[str, Any], said: str) -> None:
    frame = frame.assign(edu=np.arange(N) % 3 + 1, flag=frame["female"] == 1)
    fit = regress_formula("rr.q1 ~ log(cov.age) + region + C(edu) + flag", frame, FORCED)
    assert "C(edu)[T.2]" in fit.names
    alike = frame.head(3).assign(edu=[1.0, 2.0, 3.0], flag=[0, 1, 1], region="north")
    np.testing.assert_allclose(
        fit.predict(alike).linear_predictor,
        fit.predict(alike.astype({"edu": int, "flag": bool})).linear_predictor,
    )
    with pytest.raises(ValueError, match=said), np.errstate(divide="ignore"):
        fit.predict(frame.head(2).assign(**changed))


def test_new_data_hold_the_fit_s_columns(frame: Any) -> None:
    fit = regress_formula("rr.q1 ~ cov.age + region", frame, FORCED)
    said = "expected the columns cov.age, region in the data .* no 'cov.age'; there are region"
    with pytest.raises(ValueError, match=said):
        fit.predict(frame[["region"]])


def test_frames_for_array_fits_go_by_name(frame: Any) -> None:
    X = np.column_stack([np.ones(N), frame["female"], frame["w"]])
    fit = regress(frame["rr.q1"].to_numpy(), X, FORCED, names=["one", "female", "w"])
    new = pd.DataFrame({"w": [1.2, 1.7], "one": 1, "female": [0, 1]})
    expected = fit.predict([[1, 0, 1.2], [1, 1, 1.7]]).theta
    np.testing.assert_allclose(fit.predict(new).theta, expected)
    with pytest.raises(ValueError, match="expected columns one, female, w, found w, one"):
        fit.predict(new[["w", "one"]])
    with pytest.raises(ValueError, match="expected numbers in the order one, female, w"):
        fit.predict([["1", "m", "2"]])


def test_powers_of_whole_numbers_do_not_overflow(frame: Any) -> None:
    frame = frame.assign(income=frame["cov.age"] * 1000)
    fit = regress_formula("rr.q1 ~ I((income)^5)", frame, FORCED)
    exact = fit.likelihood.X[:, 1]
    np.testing.assert_allclose(exact, frame["income"].to_numpy(dtype=float) ** 5)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("rr.q1 ~ ", "expected a formula such as 'report ~ age"),
        ("rr.q2 ~ female", "a column of the data to the left of ~, found 'rr.q2'; there are rr.q1"),
        ("rr.q1 ~ log(region)", "the formula 'rr.q1 ~ log.region.': Unable to evaluate factor"),
        ("rr.q1 ~ C(region, levels=['north'])", "hold all of its values, found 'east', 'south'"),
        ("rr.q1 ~ C(region, contr.treatment('n'))", "there is no 'n' in 'region'; there are"),
        ("rr.q1 ~ I(female/0)", "the formula|finite covariates"),
        (
            "rr.q1 ~ female + log(I(cov.age - 40))",
            r"found (nan|-inf) of log\(I\(cov.age - 40\)\) for \d\d\d of 300 people",
        ),
        ("rr.q1 ~ female + I(2 * female)", "found .*female.* to be a linear combination of"),
    ],
)
def test_formulas_that_cannot_be_read_are_refused(frame: Any, formula: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        regress_formula(formula, frame, FORCED)


def test_mistaken_columns_are_named(frame: Any) -> None:
    with pytest.raises(ValueError, match=r"expected weights to be a column .*, found 'group'"):
        regress_formula("rr.q1 ~ female", frame, FORCED, weights="group")
    with pytest.raises(ValueError, match="expected 300 values of weights"):
        regress_formula("rr.q1 ~ female", frame, FORCED, weights=[1, 2])
    with pytest.raises(ValueError, match="all values of the formula, found none: 'female' is"):
        regress_formula("rr.q1 ~ female", frame.assign(female=np.nan), FORCED)


COLUMNS = ["error", "years", "ward", "drugs.pain", "np", "a b", "größe", "class", "log"]


def terms(formula: str) -> list[str]:
    found = read(formula, COLUMNS)
    return [found.said(str(term)) for term in found.terms]


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("error ~ years", ["1", "years"]),
        ("error ~ 0 + years*ward", ["years", "ward", "years:ward"]),
        ("error~I((years/10)^2)+log(years + 1)-1", ["I((years / 10) ** 2)", "log(years + 1)"]),
        ("error ~ `drugs.pain` + drugs.pain:`a b`", ["1", "drugs.pain", "drugs.pain:a b"]),
        ("error ~ I(größe * class) + log", ["1", "log", "I(größe * class)"]),
        ("error ~ bs(years, df=4) + cr(years, 5)", ["1", "bs(years, df=4)", "cr(years, 5)"]),
        ("error ~ poly(years, degree=2, raw=True)", ["1", "poly(years, degree=2, raw=True)"]),
        ("error ~ C(ward, contr.treatment('b'))", ["1", "C(ward, contr.treatment('b'))"]),
        ("error ~ C(ward, contr.sum)", ["1", "C(ward, contr.sum)"]),
        ("error ~ C(ward, levels=['b^c', 'a'])", ["1", "C(ward, levels=['b^c', 'a'])"]),
        ("error ~ I(years ** -1) + I(-years)", ["1", "I(years ** -1)", "I(-years)"]),
        ("error ~ (years + ward)^2", ["1", "years", "ward", "years:ward"]),
        ("error ~ 1", ["1"]),
    ],
)
def test_what_a_formula_may_be(formula: str, found: list[str]) -> None:
    said = [one.replace("(-1)", "-1") for one in terms(formula)]
    assert sorted(said) == sorted(found)


def test_a_dot_is_every_other_column() -> None:
    columns = ["q", "age", "noisy", "sex"]
    assert read("q ~ .", columns, outside=["noisy"]).names == ("age", "sex")
    assert read("q ~ . - age", columns).names == ("noisy", "sex")
    assert read("sex ~ . + I(age^2)", columns).names == ("q", "age", "noisy")
    many = [f"x{place}" for place in range(MOST_TERMS + 2)]
    with pytest.raises(ValueError, match=r"expected a \. for at most 200 columns, found 201"):
        read("x0 ~ .", many)


def test_only_within_c_a_column_makes_groups() -> None:
    found = read("error ~ C(years) + years", COLUMNS)
    assert found.columns == (Column("years", grouped=True), Column("years", grouped=False))
    assert found.names == ("years",)


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("error ~ __import__('os').system('x')", "there is no function '__import__'"),
        ("error ~ np.loadtxt(years)", "there is no function 'np.loadtxt'"),
        ("error ~ offset(years)", "there is no function 'offset'; expected one of C, I, bs"),
        ("error ~ years.__class__", "there is no column 'years.__class__'"),
        ("error ~ I(years).real", "expected a sign such as + between ')' and '.'"),
        ("error ~ {years}", "found '{years}'"),
        ("error ~ I([years])", "brackets [ ] only around a list"),
        ("error ~ C(years)(1)", "expected a sign such as + between ')' and '('"),
        ("error ~ 'x'", "String literals are not valid"),
        ("error ~ I('x' * 9)", "found Constant in a call"),
        ("error ~ column_0_", "there is no column 'column_0_'"),
        ("error ~ \uff45xp(years)", "there is no function '\uff45xp'"),
        ("error ~ \uff59ears", "there is no column '\uff59ears'"),
        ("error ~ C(ward, contr.load('b'))", "there is no function 'contr.load'"),
        ("error ~ C(ward, contr.treatment(years))", "C(): expected a contrast"),
        ("error ~ C(ward, levels=[years])", "C(): expected a list"),
        ("error ~ C(ward, levels=['a\\'])", "found"),
        ("error ~ C(log(years))", "expected a column in C()"),
        ("error ~ I(C(ward))", "expected no C() there"),
        ("error ~ log(years, out=ward)", "log() has no 'out'"),
        ("error ~ bs(years, df=999999)", "bs(): expected a whole number from 1 to 50"),
        ("error ~ I(9**9)", "expected a power of a column, found one of a number alone"),
        ("error ~ I(999999^3^3^3)", "no power of a power"),
        ("error ~ I(2^years)", "expected a power that is a number"),
        ("error ~ I(years^11)", "expected a power that is a number of at most 10"),
        ("error ~ years**9999999", "expected a power from 1 to 10"),
        ("error ~ (years**2)**2", "another power"),
        ("error ~ I(12345678901234567)", "found '12345678901"),
        ("error ~ (years", "as many opening brackets as closing ones"),
        ("error ~ yers", "did you mean 'years'"),
        ("error + years", "expected a formula such as"),
        ("error ~ years ~ ward", "expected one ~"),
        ("log(error) ~ years", "expected a column by itself to the left"),
        ("error ~ error", "stands on both sides of ~"),
        ("error ~ years|ward", "no | in a formula: a random intercept for each group is asked"),
        ("error ~ years;ward", "found ';ward'"),
        ("error ~ I(+-+years)", "found '+ - +'"),
        ("error ~ years + +* ", "expected a column or number"),
        ("error ~ I(years:ward)", "a call in it cannot be read"),
        ("error ~ " + "(" * 90, "at most 20 brackets"),
        ("error ~ " + "x" * MOST_CHARACTERS, f"at most {MOST_CHARACTERS} characters"),
        ("error ~ (years + ward + np + log)^9", "at most 200 terms, found up to 1,953,125"),
    ],
)
def test_what_it_may_not_be(formula: str, found: str) -> None:
    with pytest.raises(ValueError, match=re.escape(found)):
        read(formula, COLUMNS)


def test_few_columns_come_of_crossed_groups_and_splines() -> None:
    groups = {Column(name, grouped=False): 20 for name in "abcdef"}
    for formula in ("q ~ a + b + c*d", "q ~ a:b", "q ~ (c + d)^2 - 1", "q ~ bs(x, df=20):a"):
        found = read(formula, [*"abcdefqx"])
        with pytest.raises(ValueError, match="at most 200 columns, found up to"):
            found.check_columns(groups, 200)
        found.check_columns(dict.fromkeys(groups, 5), 200)
    with pytest.raises(ValueError, match=r"up to 85,766,121:"):
        read("q ~ a*b*c*d*e*f", [*"abcdefq"]).check_columns(groups)
    read("q ~ a + b + c", [*"abcdefq"]).check_columns(groups, 200)


def test_names_are_columns_alone() -> None:
    found = names_in("years + C(ward, contr.treatment('b')):pay + bs(x.y, df=4) + `a b` + 1e3:z")
    assert found == ["years", "ward", "pay", "x.y", "a b", "z"]
    assert sides_of("`a b` ~ years") == ("a b", " years")


def test_nothing_of_a_refused_formula_reaches_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library runs what stands before a bracket as soon as it cuts a formula into pieces."""
    ran: list[str] = []
    monkeypatch.setattr(sys.modules["builtins"], "canary", lambda *_: ran.append("ran"), False)
    for formula in ("q ~ canary('x')(1)", "canary('x')(1) ~ q", "q ~ C(canary)(x)(1)"):
        with pytest.raises(ValueError, match=r"expected|there is no"):
            read(formula, ["q", "x"])
    assert not ran


AGES = [str(20 + place % 40) for place in range(795)] + ["unknown"] * 3 + ["45,5"] * 2
ANSWERS = [place * 7 % 3 % 2 for place in range(800)]
COINS = designs.warner(flip="1/10")


def test_texts_among_numbers_are_told_of() -> None:
    frame = pd.DataFrame({"q": ANSWERS, "age": AGES})
    said = r"5 of 800 cells of age are no numbers: 'unknown' \(3\), '45,5' \(2\); expected num"
    with pytest.raises(ValueError, match=said):
        regress_formula("q ~ age", frame, COINS)


def test_a_few_numbers_are_the_names_of_groups() -> None:
    ages = [*["1", "2", "3a"] * 266, "1", "2"]
    fit = regress_formula("q ~ age", pd.DataFrame({"q": ANSWERS, "age": ages}), COINS)
    assert fit.names == ("Intercept", "age[T.2]", "age[T.3a]")


def test_unnamed_columns_are_not_looked_at() -> None:
    frame = pd.DataFrame({"q": ANSWERS, "a": AGES, "age": range(800)})
    assert regress_formula("q ~ age", frame, COINS).names == ("Intercept", "age")


def test_spaces_group_nothing_and_case_is_warned_of() -> None:
    sex = [*["m", "f", "m ", " f"] * 200]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = regress_formula("q ~ sex", pd.DataFrame({"q": ANSWERS, "sex": sex}), COINS)
    assert fit.names == ("Intercept", "sex[T.m]")
    frame = pd.DataFrame({"q": ANSWERS, "sex": ["m", "f", "F", "m"] * 200})
    said = "column 'sex': 'F' and 'f' differ in case alone, and count as 2 groups"
    with pytest.warns(UserWarning, match=said):
        regress_formula("q ~ sex", frame, COINS)
