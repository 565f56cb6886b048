"""Choosing ε: what it can cost to take part, who does so for a payment, and what is learned."""

import math
from typing import Any, Final

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.heaps import stacked
from deniable.lab.inputs import Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import decimal, number, percent, points

COST: Final = 10_000
"""What the harm costs you, in dollars."""

EACH: Final = 10
"""So many people are alike: a hundred dots stand for a thousand people."""

_MOST_PAY: Final = 50
_MOST_ERROR: Final = 0.3
_EPSILONS: Final = tuple(place / 50 for place in range(1, 51))

_CODE: Final = """\
from math import exp, expm1, inf, log1p, sqrt

import numpy as np
from scipy.stats import norm

epsilon, pay, harm = {epsilon}, {pay}, {harm}

# You: the harm may come anyway. With you in the study, its chance is at most e^ε times as large,
# and that of no harm at most e^ε times as small.
chance = min(exp(epsilon) * harm, 1 - exp(-epsilon) * (1 - harm))
price = (chance - harm) * {cost}
affordable = log1p(pay / (harm * {cost}))  # the ε at which e^ε - 1 times your cost is the payment

# A thousand made-up people: what the harm costs each of them anyway, in groups of ten.
anyway = 100 * np.exp(0.8 * norm.ppf((np.arange(100) + 0.5) / 100))


def learned(epsilon):
    n = 10 * (expm1(epsilon) * anyway <= pay).sum()  # who takes part
    # Who is drawn varies, and so does the noise in the published share of n people.
    return n, 1.96 * sqrt(0.25 / n + 2 / (n * epsilon) ** 2) if n else inf


joined, error = learned(epsilon)
paid = joined * pay
best = min([place / 50 for place in range(1, 51)], key=lambda one: learned(one)[1])
"""


def worst_chance(epsilon: float, harm: float) -> float:
    """Return the largest chance of a harm that ε allows."""
    return min(math.exp(epsilon) * harm, 1 - math.exp(-epsilon) * (1 - harm))


def asked(epsilon: float) -> FloatArray:
    """Return the price that each of a hundred made-up kinds of people asks for taking part."""
    anyway = 100 * np.exp(0.8 * scipy.stats.norm.ppf((np.arange(100) + 0.5) / 100))
    return np.asarray(math.expm1(epsilon) * anyway)


def learned(epsilon: float, pay: float) -> tuple[int, float]:
    """Return how many people take part, and the ± of the share that is published of them."""
    n = EACH * int((asked(epsilon) <= pay).sum())
    return n, 1.96 * math.sqrt(0.25 / n + 2 / (n * epsilon) ** 2) if n else math.inf


def compute(settings: Settings) -> Shown:
    """Return who takes part at a price, what it costs, and what is learned."""
    read = typed(settings, epsilon=float, pay=int, harm=lambda share: float(share) / 100)
    chance = worst_chance(read.epsilon, read.harm)
    price = (chance - read.harm) * COST
    affordable = math.log1p(read.pay / (read.harm * COST))
    joined, error = learned(read.epsilon, read.pay)
    best = min(_EPSILONS, key=lambda one: learned(one, read.pay)[1])
    return Shown(
        said=(
            (
                f"For {_money(read.pay)} dollars, {joined:,} of 1,000 people take part. The study "
                f"pays {joined * read.pay:,} dollars, and learns a share to ± {points(error)}."
                if joined
                else f"Nobody takes part for {_money(read.pay)} dollars: each asks for more."
            ),
            (
                f"You reckon with {_money(read.harm * COST)} dollars anyway, and with "
                f"{_money(chance * COST)} at worst if you take part. So your price is "
                f"{_money(price)}."
            ),
            "So you are in." if price <= read.pay else "So you stay away.",
        ),
        values=(
            Value("joined", "People who take part", joined, f"{joined:,}"),
            Value("error", "A published share: ±", error, points(error)),
            Value("paid", "Paid to all, dollars", joined * read.pay, f"{joined * read.pay:,}"),
            Value("best", "ε that tells most, for this pay", best, number(best)),
            Value("chance", "Your chance of harm, at worst", chance, percent(chance, 3)),
            Value("price", "Your price", price, _money(price)),
            Value("affordable", "ε at which that is the pay", affordable, number(affordable)),
        ),
        code=fill(_CODE, settings, harm=decimal(read.harm), cost=COST),
        pictures=(_people(read, price), _along(read)),
    )


def _money(value: float) -> str:
    return number(value, 2 if abs(value) < 1000 else 0)


def _people(read: Any, price: float) -> Picture:
    prices = asked(read.epsilon)
    seen = prices[prices <= _MOST_PAY]
    x, y = (np.array(each) for each in stacked(seen, 0, 1))
    beyond = EACH * (len(prices) - len(seen))
    series = [
        Series(name, "dots", tuple(x[which]), tuple(map(float, y[which])), tone)
        for name, which, tone in (
            ("take part", seen <= read.pay, 0),
            (
                f"stay away, {beyond} of them beyond the end" if beyond else "stay away",
                seen > read.pay,
                2,
            ),
        )
        if which.any()
    ]
    if price <= _MOST_PAY:
        series.append(Series("you", "upright", (price,), (0.0,), 1))
    return Picture(
        id="people",
        drag=Drag("pay"),
        caption=(
            f"A thousand people by the price that they ask, each dot for {EACH} of them. Drag the "
            "payment over them: who asks for less takes part. A larger ε drives all to the right."
        ),
        x="Price of taking part, and what is paid (dollars)",
        y="People, in tens",
        series=(*series, Series("the payment", "upright", (read.pay,), (0.0,), 3)),
        table=Table(
            ("Dollars above", "up to", "People"),
            tuple(
                (
                    str(low),
                    str(low + 5),
                    str(EACH * int(((prices > low) & (prices <= low + 5)).sum())),
                )
                for low in range(0, _MOST_PAY, 5)
            ),
        ),
        x_range=(0, _MOST_PAY),
        y_range=(0, 20),
    )


def _along(read: Any) -> Picture:
    found = [learned(one, read.pay) for one in _EPSILONS]
    at = [place for place, (_, error) in enumerate(found) if error <= _MOST_ERROR]
    lines = Columns(
        [_EPSILONS[place] for place in at],
        {
            "± in all": [100 * found[place][1] for place in at],
            "± if there were no noise": [98 / math.sqrt(found[place][0]) for place in at],
        },
        tones=(0, 2),
    )
    error = learned(read.epsilon, read.pay)[1]
    return Picture(
        id="along",
        drag=Drag("epsilon"),
        caption=(
            "What the study learns for this payment. A small ε drowns the share in noise, and a "
            "large one drives people away. The best lies between."
        ),
        x="ε",
        y="± points (95 %)",
        series=(
            *lines.series,
            *(
                [Series("", "dots", (read.epsilon,), (100 * error,), 1)]
                if error <= _MOST_ERROR
                else []
            ),
        ),
        table=Table(
            ("ε", "People", "±"),
            tuple(
                (number(_EPSILONS[place]), f"{found[place][0]:,}", points(found[place][1]))
                for place in (0, 1, 2, 4, 7, 9, 14, 24, 49)
            ),
        ),
        x_range=(0, 1),
        y_range=(0, 100 * _MOST_ERROR),
    )


PAGE: Final = Page(
    slug="price",
    title="Choosing ε",
    summary="Pay a thousand people to take part, and find the ε that tells a study most.",
    paragraphs=(
        (
            "Which ε is small enough? Think of a harm, such as a dearer insurance. It may come "
            "whether or not you take part. If you do, its chance grows by the factor e^ε at most, "
            "whatever anybody does with what is published. So taking part costs you at most "
            "e^ε − 1 times what the harm costs you anyway. That is a price, and can be paid."
        ),
        (
            "Now you are the study. Each person asks for their price, and those who get it come. "
            "Promise a small ε, and many come, but the noise is large. Promise a large one, and "
            "they want more money. Find the ε that tells you most. The harm that comes without "
            "anybody’s part in it stays: ε says nothing of that."
        ),
    ),
    sources=(
        (
            "J. Hsu et al. (2014). Differential privacy: an economic method for choosing epsilon. "
            "IEEE Computer Security Foundations."
        ),
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 2.3. (What it promises.)"
        ),
    ),
    inputs=(
        Slider("pay", "Paid for taking part (dollars)", "2", str(_MOST_PAY), "1", "10"),
        Slider("epsilon", "ε", "0.02", "1", "0.02", "0.1"),
        Slider("harm", "You: chance of a harm of 10,000 dollars (%)", "0.5", "50", "0.5", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "An insurance may become 10,000 dollars dearer for you. You think that this happens "
            "with 1 % anyway. What is the price of taking part in a study with ε = 0.1?",
            "You must reckon with 100 dollars anyway. With you it is e^0.1 × 100 = 110.5 dollars "
            "at worst, so the price is 10.52 dollars.",
            {"epsilon": "0.1", "harm": "1"},
            check=Number(10.52, 0.01, "dollars"),
        ),
        Exercise(
            "A study pays 10 dollars to each person. Which ε can it choose for people like you?",
            "(e^ε − 1) × 100 = 10, so ε = ln 1.1 = 0.095. For a small ε that is about the payment "
            "over what the harm costs anyway.",
            {"pay": "10", "harm": "1"},
            check=Number(0.095, 0.001),
        ),
        Exercise(
            "The harm comes with 50 % anyway. Can ε = 1 make it e = 2.7 times as likely?",
            "No: that would be 136 %. The chance of no harm is also bounded: it falls by e^ε at "
            "most, from 50 % to 18.4 %. So the harm comes with 81.6 % at worst.",
            {"epsilon": "1", "harm": "50"},
            check=Number(81.6, 0.1, "% at worst"),
        ),
        Exercise(
            "You can pay 10 dollars to each person. Which ε tells you most?",
            "About 0.08. Then 590 people come, and a share is known to ± 7.1 points. At 0.02 "
            "nearly all come, but noise makes it ± 14.5. At 0.2 only 160 come: ± 11.6.",
            {"pay": "10", "epsilon": "0.08"},
            check=Number(0.08, 0.02),
        ),
        Exercise(
            "You now have 40 dollars for each. Is the best ε larger or smaller?",
            "Larger: 0.16, where 850 people come. More money makes people take more risk, and then "
            "each tells more. Nearly twice the precision costs six times as much.",
            {"pay": "40", "epsilon": "0.16"},
            check=Pick("Larger", ("Smaller", "The same")),
        ),
        Exercise(
            "A study finds that smokers become ill, and your insurance asks more of all smokers. "
            "You smoke, and you took part. Did the study break its promise?",
            "No. The same would have been found without you. ε bounds the harm that comes from "
            "your part in it, not what the world learns. Is that the privacy that people care "
            "about? One side: yes, else nothing could ever be learned. The other side: what is "
            "learned about a group may harm each of them, and ε does not see that.",
            {"epsilon": "0.1"},
            check=Pick("No", ("Yes",)),
        ),
    ),
    topics=("choosing ε",),
    guess=Guess(
        "Half of 1,000 people reckon with a harm of 100 dollars or more anyway. For a study with "
        "ε = 0.1 they get 10 dollars each. How many take part?",
        "joined",
        0,
        1000,
        "people",
        scale=1,
        step=10,
    ),
)
