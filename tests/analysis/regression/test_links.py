"""Each link is a distribution function, with its tails, derivatives and quantiles."""

import numpy as np
import pytest
from scipy import stats

from deniable.analysis.regression.links import LINKS, find_link
from tests.analysis.regression.data import distribution

ETA = np.array([-3.0, -1.2, -0.1, 0.0, 0.4, 1.7, 2.5])
STEP = 1e-100


@pytest.mark.parametrize("name", LINKS)
def test_its_derivatives_are_those_of_the_distribution_function(name: str) -> None:
    link = LINKS[name]
    np.testing.assert_allclose(link.cdf(ETA), distribution(name, ETA + 0j).real, rtol=1e-13)
    first = distribution(name, ETA + STEP * 1j).imag / STEP
    np.testing.assert_allclose(link.density(ETA), first, rtol=1e-12)
    h = 1e-5
    second = (link.density(ETA + h) - link.density(ETA - h)) / (2 * h)
    np.testing.assert_allclose(link.slope(ETA), second, atol=1e-9)


@pytest.mark.parametrize("name", LINKS)
def test_its_quantile_undoes_it(name: str) -> None:
    link = LINKS[name]
    np.testing.assert_allclose(link.quantile(link.cdf(ETA)), ETA, atol=1e-12)
    np.testing.assert_allclose(link.cdf(ETA) + link.survival(ETA), 1, rtol=1e-14)


def test_tails_are_accurate_where_one_less_the_other_would_be_zero() -> None:
    far = np.array([30.0])
    logistic, normal, cauchy = stats.logistic, stats.norm, stats.cauchy
    for name, law in (("logit", logistic), ("probit", normal), ("cauchit", cauchy)):
        link = LINKS[name]
        np.testing.assert_allclose(link.survival(far), law.sf(far), rtol=1e-12)
        np.testing.assert_allclose(link.cdf(-far), law.cdf(-far), rtol=1e-12)
    very_far = np.array([1e12])
    np.testing.assert_allclose(LINKS["cauchit"].survival(very_far), 1e-12 / np.pi, rtol=1e-12)
    np.testing.assert_allclose(LINKS["cauchit"].cdf(-very_far), 1e-12 / np.pi, rtol=1e-12)
    assert LINKS["cloglog"].survival(np.array([3.0]))[0] == pytest.approx(np.exp(-np.exp(3)))
    assert LINKS["cloglog"].cdf(-far)[0] == pytest.approx(np.exp(-30), rel=1e-12)


def test_nothing_overflows_far_out() -> None:
    far = np.array([-1e100, -1e4, 1e4, 1e100])
    for link in LINKS.values():
        for function in (link.cdf, link.survival, link.density, link.slope):
            assert np.isfinite(function(far)).all()


def test_an_unknown_link_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a link of logit, .*found 'log'"):
        find_link("log")
