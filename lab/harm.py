"""Harm without taking part, and the price of taking part: what ε bounds and what it does not."""

from math import exp, expm1, inf, log1p, sqrt
from typing import Any, Final

import numpy as np
import scipy

from deniable import designs
from deniable.estimator import for_values
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, Table, here
from deniable.lab.said import number, percent, points

_CARA: Final = ("what", "cara")
_PRICE: Final = ("what", "price")
_SIZES: Final = {each: f"{int(each):,}" for each in ("3000", "100", "300", "1000", "10000")}
_MOST_PAY: Final = 50
_MOST_ERROR: Final = 0.15


def lines(  # noqa: PLR0913  an argument for each input
    *,
    what: str,
    among_fast: float,
    among_slow: float,
    n: int,
    flip: float,
    seed: int,
    pay: int,
    epsilon: float,
    harm: float,
) -> dict[str, Any]:
    """Compute what is believed of a person who stayed away, and what taking part can cost."""
    # What is believed of any sprinter before the study; 1 in 5 is under 10 seconds.
    before = 0.2 * among_fast + 0.8 * among_slow
    # The study: the sprinters under 10 seconds answer by coins. Cara is not among them.
    fast = n // 5
    chance = np.random.default_rng(seed)
    true = chance.random(fast) < among_fast
    reports = true ^ (chance.random(fast) < flip)
    channel = designs.warner(flip=flip)
    no, yes = for_values(channel, [0, 1])  # what each report adds to the estimate
    told = np.where(reports, yes, no).mean()
    # The same study with Cara, whichever report she sends.
    with_no, with_yes = ((told * fast + each) / (fast + 1) for each in (no, yes))
    her_part = with_yes - with_no
    her_epsilon = channel.epsilon
    # The same for studies of other sizes: the standard error, and what one report changes.
    sizes = [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]
    rate = flip + (1 - 2 * flip) * among_fast
    errors = [sqrt(rate * (1 - rate) / (size // 5)) / (1 - 2 * flip) for size in sizes]
    parts = [1 / ((1 - 2 * flip) * (size // 5 + 1)) for size in sizes]

    # You: a harm of 10,000 dollars may come anyway. If you are in a study, its chance is at most
    # e^ε times as large, and that of no harm at most e^ε times as small.
    anyway = harm / 100
    worst = min(exp(epsilon) * anyway, 1 - exp(-epsilon) * (1 - anyway))
    price = (worst - anyway) * 10_000
    affordable = log1p(pay / (anyway * 10_000))  # the ε at which e^ε - 1 times your cost is the pay
    # A thousand made-up people, in groups of ten: what the harm costs each of them anyway.
    costs = 100 * np.exp(0.8 * scipy.stats.norm.ppf((np.arange(100) + 0.5) / 100))
    prices = expm1(epsilon) * costs

    def learned(one: float) -> tuple[int, float]:
        people = 10 * int((expm1(one) * costs <= pay).sum())  # who takes part
        # Who is drawn varies, and so does the noise in the published share of these people.
        return people, sqrt(0.25 / people + 2 / (people * one) ** 2) if people else inf

    joined, error = learned(epsilon)
    paid = joined * pay
    epsilons = [place / 50 for place in range(1, 51)]
    along = [learned(one) for one in epsilons]
    best = min(epsilons, key=lambda one: learned(one)[1])
    return locals()


def _cara(found: Found) -> Shown:
    told = min(1.0, max(0.0, found.told))  # noise may push an estimate below 0 or above 1
    return Shown(
        said=(
            (
                "Before the study people believed of Cara what is true of all sprinters: "
                f"{percent(found.before)}. Now they know that she is under 10 seconds, and what "
                f"the study says of those: {percent(told)}. She had stayed away."
            ),
            (
                "Had she taken part, her report would have moved this by "
                f"{points(found.her_part, 2)} at most."
            ),
        ),
        values=values(
            found,
            ("before", "Belief before the study", percent),
            ("told", "The study’s estimate", percent),
            ("with_no", "The same if she sends “no”", percent, 2),
            ("with_yes", "If she sends “yes”", percent, 2),
            ("her_part", "What her report changes", points, 2),
            ("her_epsilon", "ε of her report", number),
        ),
        pictures=(_parts(found),),
    )


def _parts(found: Found) -> Picture:
    curves = Columns(
        found.sizes,
        {
            "standard error of the study": [100 * one for one in found.errors],
            "what one report changes": [100 * one for one in found.parts],
        },
        tones=(2, 0),
    )
    return Picture(
        id="sizes",
        caption="More people make the study more exact. Each axis multiplies.",
        finding="And each of them matters less. What it says of the group stays.",
        x="Sprinters in the study",
        y="Points",
        series=(
            *curves.series,
            here(found.n, round(100 * found.her_part, 6)),
        ),
        table=curves.table("Sprinters", number, 3, x="{:,}".format),
        logarithmic=True,
    )


def _price(found: Found) -> Shown:
    joined, pay = found.joined, found.pay
    worst, price = _money(10_000 * found.worst), _money(found.price)
    return Shown(
        said=(
            (
                f"For {pay} dollars, {joined:,} of 1,000 people take part. The study pays "
                f"{found.paid:,} dollars, and learns a share with a standard error of "
                f"{points(found.error)}."
                if joined
                else f"Nobody takes part for {pay} dollars: each asks for more."
            ),
            (
                f"The harm costs you {_money(100 * found.harm)} dollars on average anyway, and "
                f"{worst} at worst if you take part. So your price is {price}."
            ),
            "So you are in." if found.price <= pay else "So you stay away.",
        ),
        values=values(
            found,
            ("joined", "People who take part", number, 0),
            ("error", "Standard error of the share", points),
            ("paid", "Paid to all, dollars", number, 0),
            ("best", "ε that tells most, for this pay", number),
            ("worst", "Your chance of harm, at worst", percent, 3),
            ("price", "Your price", _money),
            ("affordable", "ε at which that is the pay", number),
        ),
        pictures=(_along(found),),
    )


def _money(value: float) -> str:
    return number(value, 2 if abs(value) < 1000 else 0)


def _along(found: Found) -> Picture:
    near = [
        (epsilon, people, error)
        for epsilon, (people, error) in zip(found.epsilons, found.along, strict=True)
        if error <= _MOST_ERROR
    ]
    curves = Columns(
        [epsilon for epsilon, _, _ in near],
        {
            "standard error": [100 * error for _, _, error in near],
            "if there were no noise": [50 / sqrt(people) for _, people, _ in near],
        },
    )
    at = [here(found.epsilon, 100 * found.error)] if found.error <= _MOST_ERROR else []
    return Picture(
        id="along",
        caption=(
            "What the study learns for this payment. A small ε drowns the share in noise, and a "
            "large one drives people away. The best lies between."
        ),
        x="ε",
        y="Standard error, points",
        series=(*curves.series, *at),
        table=Table(
            ("ε", "People", "Standard error"),
            tuple(
                (number(found.epsilons[at]), f"{found.along[at][0]:,}", points(found.along[at][1]))
                for at in (0, 1, 2, 3, 4, 7, 9, 14, 24, 49)
            ),
        ),
        x_range=(0, 1),
        y_range=(0, 100 * _MOST_ERROR),
    )


PAGE: Final = Page(
    slug="harm",
    title="Harm, and the price of taking part",
    summary="A study accuses one who was never asked. What does ε promise, and what is that worth?",
    idea=(
        "A study finds: of sprinters under 10 seconds, 90 % use steroids, of slower ones 50 %. "
        "Cara runs 9.9 seconds and was never asked. Now people suspect her. No method prevents "
        "this but never learning anything. So ε promises something else: what is learned is "
        "nearly the same, whether you take part or not."
    ),
    why=(
        "That has a price. Think of a harm, such as a dearer insurance. It may come anyway. If "
        "you take part, its chance grows by the factor e^ε at most. So taking part costs you "
        "at most e^ε − 1 times what the harm costs you anyway, and a study can pay for that. "
        "With a small ε many come, but the noise is large. With a large one they want more "
        "money. Which ε tells the study most?"
    ),
    sources=(
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "sections 1 and 2.3. (Smoking causes cancer; what ε promises.)"
        ),
        (
            "C. Dwork and M. Naor (2010). On the difficulties of disclosure prevention in "
            "statistical databases. Journal of Privacy and Confidentiality 2."
        ),
        (
            "S. Barocas and H. Nissenbaum (2014). Big data’s end run around anonymity and consent. "
            "In: Privacy, Big Data, and the Public Good. (What others tell about you.)"
        ),
        (
            "J. Hsu et al. (2014). Differential privacy: an economic method for choosing epsilon. "
            "IEEE Computer Security Foundations."
        ),
    ),
    inputs=(
        Choice(
            "what",
            "What is looked at",
            {"cara": "Cara, not asked", "price": "You, paid to take part"},
        ),
        Slider("among_fast", "Under 10 s: use steroids", "0", "1", "0.05", "0.9", _CARA, True),
        Choice("n", "Sprinters in the study (1 in 5 is under 10 s)", _SIZES, _CARA),
        Slider("flip", "p: chance that a report is flipped", "0.05", "0.45", "0.05", "0.25", _CARA),
        Slider("pay", "Paid for taking part (dollars)", "2", str(_MOST_PAY), "1", "10", _PRICE),
        Slider("epsilon", "ε", "0.02", "1", "0.02", "0.1", _PRICE),
        Slider(
            "among_slow",
            "Slower: use steroids",
            *("0", "1", "0.05", "0.5"),
            _CARA,
            percent=True,
            below=True,
        ),
        Slider(
            "harm",
            "You: chance of a harm of 10,000 dollars (%)",
            *("0.5", "50", "0.5", "1"),
            _PRICE,
            below=True,
        ),
        Slider(
            "seed",
            "Data (made up; each number is another study)",
            *("1", "200", "1", "1"),
            _CARA,
            below=True,
        ),
    ),
    lines=lines,
    show={"cara": _cara, "price": _price},
    exercises=(
        Exercise(
            "An insurance costs 1,000 a year, and each smoker costs it 1,500 more. A study finds "
            "that out. 20 % smoke. Who gains by the study, and who loses? Did anybody break a "
            "secret?",
            "Before, all pay 1,000 + 0.2 × 1,500 = 1,300: smoking raises everybody’s premium. "
            "After, smokers pay 2,500 and others 1,000. A smoker loses 1,200 if the insurance can "
            "see that they smoke. The study said nothing of any one person. But it also saves "
            "lives of those who stop.",
            check=Number(1200, 0, "lost by a smoker"),
        ),
        Exercise(
            "Would it have helped Cara if all reports had been encrypted, or p had been larger?",
            "No. Encryption hides reports on their way, not what a study finds. A larger p makes "
            "the study less exact, so that it needs more people. What it finds in the end is the "
            "same. Only a study that finds nothing would have spared her.",
            {"flip": "0.45", "n": "10000"},
            check=Pick("Neither", ("Encryption", "A larger p")),
        ),
        Exercise(
            "An insurance may become 10,000 dollars dearer for you. You think that this happens "
            "with 1 % anyway. What is the price of taking part in a study with ε = 0.1?",
            "It costs you 100 dollars on average anyway. With you it is e^0.1 × 100 = 110.5 "
            "dollars at worst, so the price is 10.52 dollars.",
            {"what": "price", "epsilon": "0.1", "harm": "1"},
            check=Number(10.52, 0.01, "dollars"),
        ),
        Exercise(
            "The harm comes with 50 % anyway. Can ε = 1 make it e = 2.7 times as likely?",
            "No: that would be 136 %. The chance of no harm is also bounded: it falls by e^ε at "
            "most, from 50 % to 18.4 %. So the harm comes with 81.6 % at worst.",
            {"what": "price", "epsilon": "1", "harm": "50"},
            check=Number(81.6, 0.1, "% at worst"),
        ),
        Exercise(
            "You can pay 10 dollars to each person. Which ε tells you most? And with 40 dollars?",
            "About 0.08. Then 590 people come, and a share has a standard error of 3.6 points. At "
            "0.02 nearly all come, but noise makes it 7.4. At 0.2 only 160 come: 5.9. With 40 "
            "dollars it is 0.16, where 850 people come. More money makes people take more risk, "
            "and then each tells more. Nearly twice the precision costs six times as much.",
            {"what": "price", "pay": "10", "epsilon": "0.08"},
            check=Number(0.08, 0.02, "with 10 dollars"),
        ),
        Exercise(
            "Discuss: does this capture the notion of privacy that matters to society? First "
            "say yes.",
            "Yes. It parts what is mine from what is true of the world. I decide on my own "
            "answer, and that decision costs me little, whatever anybody knows or will know. "
            "If facts about groups were secrets of their members, there could be no medicine. The "
            "promise can be proved and added up. Against unfair use of facts there are other "
            "means: laws on insurance and on work.",
            {"n": "10000"},
        ),
        Exercise(
            "Now say no, with the same page.",
            "No. Cara is hurt in the same way as if she had told, and nobody asked her. That many "
            "others speak decides what is known of me. People also care who learns a thing, and "
            "for what: that is not in any ε. Groups have secrets, too, and small ones are hit "
            "hardest. And ε is a bound for me alone: where all of a family or a team answer, it "
            "grows with their number. So ε is a part of privacy, and not all of it.",
            {"n": "100"},
        ),
    ),
    guess=Guess(
        "A study of 3,000 sprinters makes people suspect Cara. How far can her own report have "
        "moved that suspicion?",
        "her_part",
        (0, 20),
        "points",
        step=0.1,
        at=3000,
        seen=("standard error of the study",),
        factor=1,
        multiplies=True,
    ),
)
