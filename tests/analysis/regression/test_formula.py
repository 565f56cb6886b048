"""Formulas give what the arrays give, and say what they cannot read."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from deniable import designs
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.fit import Fit, MultinomialFit
from deniable.analysis.regression.formula import regress_formula
from deniable.analysis.regression.multinomial import regress_multinomial

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


def test_rows_that_miss_a_value_are_left_out_and_counted(frame: Any) -> None:
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
    one = regress_formula("rr.q1 ~ female", frame, FORCED, weights="w")
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


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"region": "North"}, "'region' to be one of 'east', 'north', 'south', .*found 'North' in"),
        ({"region": "North"}, "row 0 of the data to predict for; did you mean 'north'"),
        ({"region": "west"}, "found 'west' in row 0 of the data to predict for"),
        ({"region": 1}, "'region' to be one of .* found 1 in row 0"),
        ({"region": None}, "a value of 'region' in every row of .* found none in row 0"),
        ({"cov.age": np.nan}, "a value of 'cov.age' in every row"),
        ({"cov.age": "40"}, "expected numbers in 'cov.age', .* found '40' in row 0"),
        ({"edu": 4}, "'edu' to be one of 1, 2, 3, .* found 4 in row 0"),
        ({"edu": "2"}, "'edu' to be one of 1, 2, 3, .* found '2' in row 0"),
        ({"cov.age": 0}, "expected finite covariates, found -inf of log.cov.age. in row 0"),
    ],
)
def test_new_data_must_be_like_those_of_the_fit(
    frame: Any, changed: dict[str, Any], said: str
) -> None:
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


def test_new_data_must_hold_the_columns_of_the_fit(frame: Any) -> None:
    fit = regress_formula("rr.q1 ~ cov.age + region", frame, FORCED)
    said = "expected the columns cov.age, region in the data .* no 'cov.age'; there are region"
    with pytest.raises(ValueError, match=said):
        fit.predict(frame[["region"]])


def test_a_data_frame_for_a_fit_of_arrays_is_read_by_its_names(frame: Any) -> None:
    X = np.column_stack([np.ones(N), frame["female"], frame["w"]])
    fit = regress(frame["rr.q1"].to_numpy(), X, FORCED, names=["one", "female", "w"])
    new = pd.DataFrame({"w": [1.2, 1.7], "one": 1, "female": [0, 1]})
    expected = fit.predict([[1, 0, 1.2], [1, 1, 1.7]]).theta
    np.testing.assert_allclose(fit.predict(new).theta, expected)
    with pytest.raises(ValueError, match="expected columns one, female, w, found w, one"):
        fit.predict(new[["w", "one"]])
    with pytest.raises(ValueError, match="expected numbers in the order one, female, w"):
        fit.predict([["1", "m", "2"]])


def test_a_dot_holds_no_column_that_the_design_uses(frame: Any) -> None:
    small = frame[["rr.q1", "w", "female"]]
    fit = regress_formula("rr.q1 ~ .", small, FORCED, weights="w")
    assert fit.names == ("Intercept", "female")


def test_powers_of_whole_numbers_do_not_overflow(frame: Any) -> None:
    frame = frame.assign(income=frame["cov.age"] * 1000)
    fit = regress_formula("rr.q1 ~ I((income)^5)", frame, FORCED)
    exact = fit.likelihood.X[:, 1]
    np.testing.assert_allclose(exact, frame["income"].to_numpy(dtype=float) ** 5)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("rr.q1", "expected a formula such as 'report ~ age"),
        ("~ female", "expected a formula such as"),
        ("rr.q1 ~ ", "expected a formula such as"),
        ("rr.q2 ~ female", "a column of the data to the left of ~, found 'rr.q2'; there are rr.q1"),
        ("rr.q1 ~ sex", "there is no column 'sex'; there are rr.q1"),
        ("rr.q1 ~ female + +* ", "expected a column or number"),
        ("rr.q1 ~ log(region)", "the formula 'rr.q1 ~ log.region.': Unable to evaluate factor"),
        ("rr.q1 ~ C(region, levels=['north'])", "hold all of its values, found 'east', 'south'"),
        ("rr.q1 ~ C(region, contr.treatment('n'))", "there is no 'n' in 'region'; there are"),
        ("rr.q1 ~ I(female/0)", "the formula|finite covariates"),
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
    with pytest.raises(ValueError, match="expected rows that have all values"):
        regress_formula("rr.q1 ~ female", frame.assign(female=np.nan), FORCED)
