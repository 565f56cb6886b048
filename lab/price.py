"""Choosing ε: what it can cost you to take part, and what δ may do."""

from __future__ import annotations

import math
from typing import Any, Final

from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import (
    Columns,
    Drag,
    Exercise,
    Guess,
    Number,
    Page,
    Pick,
    Picture,
    Series,
    Settings,
    Shown,
    Table,
    Value,
    fill,
    typed,
)
from deniable.lab.said import decimal, number, percent, points

_DELTAS: Final = {"0": "none", **{f"1e-{power}": f"1 in {10**power:,}" for power in range(3, 10)}}
_PEOPLE: Final = {n: f"{int(n):,}" for n in ("10000", "100", "1000", "100000", "1000000")}
_SIZES: Final = tuple(10**power for power in range(2, 8))

_CODE: Final = """\
from math import exp, log1p

epsilon, delta, harm, cost, n, pay = {epsilon}, {delta}, {harm}, {cost}, {n}, {pay}
without = harm * cost  # what one must reckon with who does not take part
# With you, the chance is at most e^ε times as large, and that of no harm e^ε times as small.
chance = min(exp(epsilon) * harm, 1 - exp(-epsilon) * (1 - harm)) + delta
simple = exp(epsilon) * without  # the rule of thumb
most = chance * cost
extra = most - without
affordable = log1p(pay / without)  # the ε at which the rule of thumb asks for that payment
named = n * delta  # people on average, if δ is used to name people
error = 3 / (n * epsilon)  # of a share in a central release, 19 times of 20
"""


def worst_chance(epsilon: float, harm: float) -> float:
    """Return the largest chance of a harm that ε allows."""
    return min(math.exp(epsilon) * harm, 1 - math.exp(-epsilon) * (1 - harm))


def compute(settings: Settings) -> Shown:
    """Return what taking part can cost at worst."""
    read = typed(
        settings,
        epsilon=float,
        delta=float,
        cost=float,
        n=int,
        pay=float,
        harm=lambda share: float(share) / 100,
    )
    without = read.harm * read.cost
    chance = worst_chance(read.epsilon, read.harm) + read.delta
    simple, most = math.exp(read.epsilon) * without, chance * read.cost
    affordable = math.log1p(read.pay / without)
    named = read.n * read.delta
    error = 3 / (read.n * read.epsilon)
    return Shown(
        said=(
            (
                f"A harm of {_money(read.cost)} dollars comes with {percent(read.harm)} anyway. "
                f"That is {_money(without)} on average. With you it is {_money(most)} at worst."
            ),
            (
                f"So {_money(most - without)} would make up for it. For a payment of "
                f"{_money(read.pay)}, ε may be {number(affordable, 3)} by the rule of thumb."
            ),
            *([_fails(named, read.n)] if read.delta else []),
        ),
        values=(
            Value("without", "Cost without you", without, _money(without)),
            Value("chance", "Chance of harm, at worst", chance, percent(chance, 3)),
            Value("most", "Cost with you, at worst", most, _money(most)),
            Value("simple", "Rule of thumb: e^ε times", simple, _money(simple)),
            Value("extra", "Price of taking part", most - without, _money(most - without)),
            Value("affordable", "ε for the payment", affordable, number(affordable)),
            Value("named", "People whom δ may name", named, number(named, 5)),
            Value("error", "A published share: ±", error, points(error, 2)),
        ),
        code=fill(_CODE, settings, harm=decimal(read.harm)),
        pictures=(_costs(read), _both(read), _named()),
    )


def _fails(named: float, n: int) -> str:
    if named >= 1:
        return f"A mechanism that names people with δ would name {number(named, 0)} of {n:,}."
    return (
        f"A mechanism that names people with δ would name one of {n:,} in "
        f"{number(1 / named, 0)} releases."
    )


def _money(value: float) -> str:
    return number(value, 2 if abs(value) < 1000 else 0)


_EPSILONS: Final = tuple(place / 20 for place in range(61))


def _costs(read: Any) -> Picture:
    most = [(worst_chance(one, read.harm) + read.delta) * read.cost for one in _EPSILONS]
    simple = [math.exp(one) * read.harm * read.cost for one in _EPSILONS]
    top = min(simple[-1], 1.5 * most[-1])
    drawn = sum(value <= top for value in simple)
    here = (worst_chance(read.epsilon, read.harm) + read.delta) * read.cost
    without = read.harm * read.cost
    return Picture(
        id="costs",
        drag=Drag("epsilon"),
        caption=(
            "What you must reckon with, at worst. A small ε adds little: about ε times what the "
            "harm costs anyway. A large ε promises nothing."
        ),
        x="ε",
        y="Cost on average",
        series=(
            Series("rule of thumb: e^ε times", "line", _EPSILONS[:drawn], tuple(simple[:drawn]), 3),
            Series("at worst, if you take part", "line", _EPSILONS, tuple(most), 1),
            Series("if you do not", "line", (0.0, _EPSILONS[-1]), (without, without), 0),
            Series("", "dots", (read.epsilon,), (here,), 1),
        ),
        table=Table(
            ("ε", "At worst, if you take part", "e^ε times", "If you do not"),
            tuple(
                (number(_EPSILONS[at], 2), *map(_money, (most[at], simple[at], without)))
                for at in (0, 1, 2, 5, 10, 20, 30, 40, 60)
            ),
        ),
        x_range=(0, _EPSILONS[-1]),
    )


def _both(read: Any) -> Picture:
    epsilons = _EPSILONS[1:]
    price = [read.n * read.harm * read.cost * math.expm1(one) for one in epsilons]
    error = [100 * 3 / (read.n * one) for one in epsilons]
    here = (
        read.n * read.harm * read.cost * math.expm1(read.epsilon),
        100 * 3 / (read.n * read.epsilon),
    )
    return Picture(
        id="both",
        caption=(
            "What a study gets for its money, if it pays each person the price by the rule of "
            "thumb: a smaller ± costs more. Each axis multiplies."
        ),
        x="Paid to all people together",
        y="± of a published share, in points",
        series=(
            Series("", "line", tuple(price), tuple(error), 0),
            Series("as set", "dots", (here[0],), (here[1],), 1),
        ),
        table=Table(
            ("ε", "Paid to all", "± points"),
            tuple(
                (number(epsilons[place], 2), _money(price[place]), number(error[place], 4))
                for place in (0, 1, 4, 9, 19, 39, 59)
            ),
        ),
        logarithmic=True,
    )


def _named() -> Picture:
    deltas = {f"1 in {number(1 / delta, 0)}": delta for delta in (1e-3, 1e-5, 1e-7)}
    lines = Columns(
        _SIZES,
        {f"δ is {name}": [n * delta for n in _SIZES] for name, delta in deltas.items()},
        tones=(1, 3, 0),
    )
    return Picture(
        id="named",
        caption=(
            "People who may be named, if a mechanism uses its δ for that. Keep δ far below 1 in "
            "the number of people. Each axis multiplies."
        ),
        x="People in the table",
        y="Named, on average",
        series=lines.series,
        table=lines.table(
            ("People", *(f"δ: {name}" for name in deltas)), number, 5, x="{:,}".format
        ),
        logarithmic=True,
    )


PAGE: Final = Page(
    slug="price",
    title="Choosing ε and δ",
    summary="What it can cost you to take part, in money, and what a δ may do.",
    paragraphs=(
        (
            "Which ε is small enough? Think of a harm, such as a dearer insurance. It may come "
            "whether or not you take part, with some chance. If you take part, that chance grows "
            "by the factor e^ε at most, whatever anybody does with what is published. So the most "
            "that it can cost you is e^ε times what it costs you anyway."
        ),
        (
            "That is a price, so one can pay it. It also shows what ε does not do: the harm that "
            "comes without you stays. And a δ is a chance that all of this fails. With it, a "
            "mechanism may name a few people and still keep its promise."
        ),
    ),
    sources=(
        (
            "J. Hsu et al. (2014). Differential privacy: an economic method for choosing epsilon. "
            "IEEE Computer Security Foundations."
        ),
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 2.3. (What it promises, and δ.)"
        ),
    ),
    inputs=(
        Slider("epsilon", "ε", "0.05", "3", "0.05", "0.1"),
        Slider("harm", "Chance of the harm anyway (percent)", "0.5", "50", "0.5", "1"),
        Slider("cost", "What it costs (dollars)", "500", "100000", "500", "10000"),
        Slider("pay", "Paid for taking part (dollars)", "1", "100", "1", "10"),
        Choice("delta", "δ", _DELTAS),
        Choice("n", "People", _PEOPLE),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "An insurance may become 10,000 dollars dearer for you. You think that this happens "
            "with 1 % anyway. What is the price of taking part in a study with ε = 0.1?",
            "You must reckon with 100 dollars anyway. With you it is e^0.1 × 100 = 110.5 dollars "
            "at worst, so the price is 10.52 dollars.",
            {"epsilon": "0.1", "harm": "1", "cost": "10000"},
            check=Number(10.52, 0.01, "dollars"),
        ),
        Exercise(
            "A study pays 10 dollars to each person. Which ε can it choose for these people?",
            "(e^ε − 1) × 100 = 10, so ε = ln 1.1 = 0.095. For a small ε that is about the payment "
            "over what the harm costs anyway.",
            {"pay": "10", "harm": "1", "cost": "10000"},
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
            "A mechanism names each person with the chance δ = 1 in 1,000, and says nothing else. "
            "There are 10,000 people. Is it private?",
            "It keeps (0, δ), and it names ten people. For them nothing was private. That is why δ "
            "must be far below 1/n, such as 1 in a billion here.",
            {"delta": "1e-3", "n": "10000"},
            check=Pick("No, it names ten people", ("Yes", "Only with more people")),
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
    topics=("Gaussian, (ε, δ), zCDP",),
    guess=Guess(
        "A harm costs you 100 dollars on average. With ε = 0.1 you take part in a study: what "
        "must you reckon with, at worst?",
        "most",
        100,
        200,
        "dollars",
        scale=1,
    ),
)
