"""Rates as people write them, and the people that follow from them."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from deniable.client.population import RateMistake, read_population
from deniable.client.randomness import seeded_words
from deniable.survey import Survey


def shares(survey: Survey, item: str, *rates: str) -> list[Fraction]:
    place = [item.id for item in survey.items].index(item)
    return list(read_population(survey, rates).shares[place])


def test_without_rates_all_answers_are_equally_likely(survey: Survey) -> None:
    assert shares(survey, "doped") == [Fraction(1, 2)] * 2
    assert shares(survey, "mood") == [Fraction(1, 4)] * 4


@pytest.mark.parametrize(
    ("item", "rates", "expected"),
    [
        ("doped", ["doped.yes=20%"], ["4/5", "1/5"]),
        ("doped", [" doped.yes = 100/3% "], ["2/3", "1/3"]),
        ("doped", ["doped.no=100%"], ["1", "0"]),
        ("mood", ["mood.low=10%"], ["1/10", "3/10", "3/10", "3/10"]),
        ("mood", ["mood.low=10%", "mood.prefer_not_to_say=0%"], ["1/10", "9/20", "9/20", "0"]),
        ("mood", ["mood.low=50%", "mood.good=50%"], ["1/2", "0", "1/2", "0"]),
        ("substances.epo", ["substances.epo=10%"], ["9/10", "1/10"]),
        ("substances.epo", ["substances.epo.no=10%"], ["1/10", "9/10"]),
        ("substances.steroids", ["substances.epo=10%"], ["1/2", "1/2"]),
        ("knew.coach", ["knew.coach.yes=30%"], ["7/20", "7/20", "3/10"]),
        ("hours", ["hours.1.5=60%"], ["1/10", "1/10", "1/10", "6/10", "1/10"]),
        ("age", ["age.old=25%"], ["3/4", "1/4"]),
    ],
)
def test_named_answers_get_their_rate_and_the_others_share_the_rest(
    survey: Survey, item: str, rates: list[str], expected: list[str]
) -> None:
    assert shares(survey, item, *rates) == [Fraction(share) for share in expected]


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        (["doped.yes"], r"expected QUESTION\.ANSWER=RATE, such as doped\.yes=20%"),
        (["dopd.yes=20%"], r"no question 'dopd'; did you mean 'doped'\?"),
        (["zzz.yes=20%"], r"no question 'zzz'; there are doped, substances, mood"),
        (["doped.yess=20%"], r"no answer 'yess'; did you mean doped\.yes\?$"),
        (["doped=20%"], r"'doped' needs an answer after it; there are doped\.no, doped\.yes$"),
        (["substances.EPO=20%"], r"did you mean substances\.epo\?"),
        (["knew.yes=20%"], r"no answer 'yes'; did you mean knew\.\w+\.yes\?"),
        (["doped.42=20%"], r"no answer '42'; there are doped\.no, doped\.yes$"),
        (["doped.yes=150%"], r"doped\.yes: expected a rate in percent from 0 to 100, found '150%'"),
        (["doped.yes=-10"], r"expected a rate in percent from 0 to 100, found '-10'"),
        (["doped.yes=often"], r"doped\.yes: .* percent such as 20 or 20%, found 'often'"),
        (["doped.yes=nan"], r"percent such as 20 or 20%, found 'nan'"),
        (["doped.yes=0.2"], r"found '0\.2': did you mean 20%\? .* needs its sign: 0\.2%\."),
        (["doped.yes=1"], r"did you mean 100%\? A number up to 1 needs its sign: 1%\."),
        (["doped.yes=2/3"], r"found '2/3': did you mean 66\.67%\?$"),
        (["doped.yes=20%", "doped.yes=30%"], r"doped\.yes: .* found a second one"),
        (["substances.epo=20%", "substances.epo.yes=20%"], r"found a second one"),
        (["mood.low=60%", "mood.good=50%"], r"mood: .* at most 100%, found 110%"),
        (["doped.yes=20%", "doped.no=70%"], r"doped: .* add up to 100%, found 90%"),
    ],
)
def test_says_what_is_wrong_with_a_rate(survey: Survey, rates: list[str], message: str) -> None:
    with pytest.raises(RateMistake, match=message):
        read_population(survey, rates)


def test_draws_people_at_their_rates(survey: Survey) -> None:
    """A chi-square test of each item at 1e-6 in all; the seed is fixed."""
    population = read_population(survey, ["doped.yes=3%", "mood.low=70%", "knew.doctor.no=33.33%"])
    n = 300_000
    truths = population.draw(n, seeded_words(3))
    assert truths.shape == (n, len(survey.items))
    for column, expected in zip(truths.T, population.shares, strict=True):
        counts = np.bincount(column, minlength=len(expected))
        chances = [float(share) for share in expected]
        assert stats.chisquare(counts, np.multiply(n, chances)).pvalue > 1e-6 / 9


def test_draws_items_independently(survey: Survey) -> None:
    """All correlations are within 5.7 standard errors: 1e-8 each, under 1e-6 in all."""
    truths = read_population(survey).draw(300_000, seeded_words(4)).astype(float)
    correlations = np.corrcoef(truths.T)[np.triu_indices(truths.shape[1], k=1)]
    assert np.abs(correlations).max() < 5.7 / np.sqrt(300_000)


def test_a_share_of_nothing_never_comes(survey: Survey) -> None:
    edges = np.array([0, 1, 2**31, 2**32 - 2, 2**32 - 1], dtype=np.uint32)
    nobody = read_population(survey, ["doped.yes=0%", "mood.low=0%", "mood.prefer_not_to_say=0%"])
    truths = nobody.draw(5, lambda _: edges)
    assert set(truths[:, 0]) == {0}
    assert set(truths[:, 3]) == {1, 2}
