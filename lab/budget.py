"""Spending a budget: questions, noisy answers, the rest of ε, and the cost of many answers."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from deniable import designs
from deniable.analysis.privacy.composition import compose
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Cells, Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Picture, Records, Series, Table, here
from deniable.lab.said import number

_ASKED: Final = {
    "n": "nothing",
    "s": "smokers",
    "o": "smokers, not Ada",
    "b": "cyclists",
    "a": "average age",
    "y": "average salary",
}
_DELTAS: Final = {f"1e-{power}": f"1 in {10**power:,}" for power in (6, 3, 4, 5, 7, 8, 9)}
_PLACES: Final = (1, 2, 5, 10, 20, 30, 50, 75, 100, 125, 150, 175, 200)
_SEEN: Final = 50  # the most steps of each walk that are drawn


@lru_cache(maxsize=4096)
def totals(each: float, k: int, delta: float) -> dict[str, float]:
    """Return the total ε of k answers with ε each, by several theorems of composition."""
    rho, chance = k * each**2 / 2, math.log(1 / delta)
    # No ε-private answer reveals more than Warner's: each other one is Warner's, processed.
    together = compose([designs.warner(epsilon=each)], waves=k)
    return {
        "basic": k * each,
        "advanced": each * math.sqrt(2 * k * chance) + k * each * (math.exp(each) - 1),
        "course": each * math.sqrt(6 * k * chance),  # a simpler form, for small ε
        "concentrated": rho + 2 * math.sqrt(rho * chance),
        "by_renyi": together.epsilon_at(delta, method="renyi"),
        "exact": together.epsilon_at(delta, method="optimal"),
    }


def lines(
    each: float, asked: str, budget: float, k: int, delta: float, seed: int
) -> dict[str, Any]:
    """Compute noisy answers and what is left, and what k answers with this ε cost together."""
    chance = np.random.default_rng(seed)
    smokes = chance.random(1000) < 0.3  # made-up people; the first one is Ada
    smokes[0] = True
    truth = {
        "s": smokes.sum(),
        "o": smokes[1:].sum(),
        "b": (chance.random(1000) < 0.4).sum(),
        "a": chance.normal(45, 15, 1000).clip(0, 100).mean(),
        "y": (40 * np.exp(0.6 * chance.standard_normal(1000))).clip(0, 200).mean(),
    }
    step = {"s": 1, "o": 1, "b": 1, "a": 0.1, "y": 0.2}  # of one person
    left, cost = [Fraction(str(budget))], Fraction(str(each))  # after each question, exactly
    questions = asked.replace("n", "")
    answers = []
    for place, one in enumerate(questions, 1):
        fresh = np.random.default_rng([seed, place])  # even for the same question
        noisy = truth[one] + fresh.laplace(scale=step[one] / each)
        enough = cost <= left[-1]
        answers.append(noisy if enough else None)
        left.append(left[-1] - (cost if enough else 0))
    remaining, spent = float(left[-1]), float(left[0] - left[-1])

    # Thirty people answer. Who sends the truth loses ε, and who sends the opposite wins it back.
    coin = designs.warner(epsilon=each).probabilities
    told = np.random.default_rng(31).random((30, 200)) < coin[0, 0]
    losses = each * (2 * told - 1).cumsum(axis=1)
    largest = losses[:, k - 1].max()
    ways = totals(each, k, delta)
    basic, exact = ways["basic"], ways["exact"]

    # The average privacy loss (Kullback and Leibler), of one answer, and of two together.
    kl_one = coin[0] @ np.log(coin[0] / coin[1])
    pair = np.kron(coin, coin)
    kl_two = pair[0] @ np.log(pair[0] / pair[3])
    return locals()


_SAID: Final = {
    "basic": "Sum of all ε",
    "advanced": "Advanced composition",
    "course": "The same, for small ε",
    "concentrated": "By way of ρ (zCDP)",
    "by_renyi": "By Rényi, best order",
    "exact": "Exactly",
}


def _show(found: Found) -> Shown:
    refused = sum(answer is None for answer in found.answers)
    return Shown(
        said=(
            f"Of ε = {number(found.budget, 2)}, {number(found.remaining, 2)} is left.",
            f"{refused} of {len(found.answers)} questions got no answer." if refused else "",
            (
                f"Answers: {found.k}, with ε = {number(found.each)} each. Of 30 people the one who "
                f"loses most has lost {number(found.largest)}, and the sum says "
                f"{number(found.basic)}."
            ),
            (
                "The sum is exact, too, without δ."
                if found.basic < 1.005 * found.exact
                else f"If that may fail with a chance of 1 in {1 / found.delta:,.0f}, the total is "
                f"{number(found.exact)} exactly: {number(found.basic / found.exact, 1)} times less."
                if found.exact
                else "With this δ the answers may be free."
            ),
        ),
        values=values(
            found,
            ("remaining", "ε that is left", number, 2),
            ("spent", "ε spent", number, 2),
            ("largest", "Largest loss of 30 people", number),
            ("basic", f"Sum of {found.k} ε", number),
            ("exact", "Exactly, with δ", number),
            ("kl_one", "Average loss of one answer", number, 5),
            ("kl_two", "Of two: it adds up", number, 5),
        ),
        pictures=(_walks(found),),
        records=(_asked(found), _ways(found)),
    )


def _asked(found: Found) -> Records:
    rows = [("at first", "", "", number(found.budget, 2))]
    given = zip(found.questions, found.answers, found.left[1:], strict=True)
    for place, (one, answer, left) in enumerate(given, 1):
        within = found.step[one] / found.each * math.log(20)  # so far off at most, 19 times of 20
        noisy = "none" if answer is None else f"{number(answer, 1)} ± {number(within, 1)}"
        row = (f"{place}. {_ASKED[one]}", noisy, number(found.truth[one], 1))
        rows.append((*row, number(float(left), 2)))
    return Records(
        id="asked",
        caption=(
            "What was asked, and what is left of the budget. Each answer has noise anew. Only this "
            "page knows the truth: who asks does not see it."
        ),
        table=Table(("Question", "Answer", "Truth", "Left"), tuple(rows)),
    )


def _walks(found: Found) -> Picture:
    seen = np.unique(np.linspace(0, found.k, min(found.k, _SEEN) + 1).round().astype(int))
    paths = np.pad(found.losses, ((0, 0), (1, 0)))
    most, x = paths[:, found.k].argmax(), tuple(seen.tolist())
    edge = 200 * found.each
    exact = {k: totals(found.each, k, found.delta)["exact"] for k in _PLACES}
    return Picture(
        id="walks",
        caption="Thirty people answer again and again. Who sends the truth loses ε, and who sends "
        "the opposite wins it back.",
        finding="To lose the sum, all that one sends would have to be true.",
        x="Answers",
        y="Privacy loss so far",
        series=(
            *(
                Series("", "line", x, tuple(path[seen].round(4).tolist()), 0)
                for place, path in enumerate(paths)
                if place != most
            ),
            Series("who of 30 loses most", "line", x, tuple(paths[most][seen].tolist()), 0),
            Series("exact ε, with δ", "line", (0, *exact), (0.0, *exact.values()), 3),
            Series("sum of all ε", "line", (200, 0, 200), (-edge, 0.0, edge), 2),
            here(found.k, found.largest),
        ),
        table=Table(
            ("Answers", "Least of them", "On average", "Largest", "Exactly", "Sum"),
            tuple(
                (str(k), *map(number, (at.min(), at.mean(), at.max(), exact[k], k * found.each)))
                for k, at in ((k, paths[:, k]) for k in _PLACES)
            ),
        ),
        x_range=(0, 200),
        y_range=(-edge, edge),
    )


def _ways(found: Found) -> Records:
    places = sorted({1, 2, 10, 50, 200, found.k})
    rows = [found.ways if k == found.k else totals(found.each, k, found.delta) for k in places]
    return Records(
        id="ways",
        caption=(
            f"What the textbooks say for so many answers, and for your {found.k}. The sum grows "
            "with their number and the others with its root: for few answers the sum is least."
        ),
        table=Table(
            ("ε in all, by", *(str(k) for k in places)),
            tuple((said, *(number(row[name]) for row in rows)) for name, said in _SAID.items()),
        ),
        marked=([*_SAID].index("exact"),),
    )


PAGE: Final = Page(
    slug="budget",
    title="Spending a budget",
    summary="Ask a secret table until the budget is gone, and see what many answers cost together.",
    idea=(
        "Here is a table of 1,000 made-up people, which you cannot see. You may ask about it. "
        "Each answer has noise and costs some ε, as much as you like to pay: pay more, and the "
        "noise is less. You may choose each question after you have seen the answers so far. "
        "Answers with ε₁, ε₂ … cost ε₁ + ε₂ + … That is composition, and it always holds. When "
        "the budget is gone, the table is closed, for you and for everybody else."
    ),
    why=(
        "But to lose all of kε, each of k answers would have to be the worst one. That hardly "
        "ever happens if there are many: some point to the truth and some away from it. So "
        "allow the loss to be greater with a tiny chance δ. The total then grows with the root "
        "of k only. Textbooks have formulas for it: advanced composition, and concentrated "
        "privacy, whose ρ adds up. Today’s programs compute the whole distribution of the loss."
    ),
    sources=(
        (
            "F. McSherry (2009). Privacy integrated queries: an extensible platform for "
            "privacy-preserving data analysis. SIGMOD."
        ),
        (
            "C. Dwork, G. N. Rothblum and S. Vadhan (2010). Boosting and differential privacy. "
            "FOCS. (Advanced composition.)"
        ),
        (
            "P. Kairouz, S. Oh and P. Viswanath (2015). The composition theorem for differential "
            "privacy. ICML. (The exact one.)"
        ),
        (
            "M. Bun and T. Steinke (2016). Concentrated differential privacy: simplifications, "
            "extensions, and lower bounds. TCC."
        ),
        "I. Mironov (2017). Rényi differential privacy. IEEE Computer Security Foundations.",
        (
            "C. Canonne, G. Kamath and T. Steinke (2020). The discrete Gaussian for differential "
            "privacy. NeurIPS. (From Rényi’s divergence to ε: Mironov’s own way gives more, 5.58 "
            "instead of 5.07 for a hundred answers.)"
        ),
    ),
    inputs=(
        Slider("each", "ε of each answer", "0.05", "1", "0.05", "0.1"),
        Slider("k", "Answers in the picture", "1", "200", "1", "100"),
        Choice("delta", "δ", _DELTAS),
        Cells(
            "asked",
            "Asked of 1,000 made-up people",
            ("1st", "2nd", "3rd", "4th", "5th"),
            ("",),
            _ASKED,
            "sonnn",
            below=True,
        ),
        Slider("budget", "Budget ε in all", "0.2", "3", "0.1", "1", below=True),
        Slider(
            "seed",
            "Data (made up; each number is other people)",
            *("1", "200", "1", "1"),
            below=True,
        ),
    ),
    lines=lines,
    show=_show,
    exercises=(
        Exercise(
            "Find out whether Ada smokes: ask how many smoke, then how many without her. Does it "
            "work?",
            "No. Without noise the difference would be 1 or 0. But each answer has noise of ± 15, "
            "and the difference has more. With the whole budget on these two questions, it is "
            "still ± 6 each.",
            {"asked": "sonnn", "each": "0.2"},
            check=Pick("No, the noise is larger than the difference", ("Yes",)),
        ),
        Exercise(
            "Ask the same question five times with ε = 0.2 and take the average. Or ask it once "
            "with ε = 1. Which is better, for the same budget?",
            "Once. The average of five has noise of the variance 2 × 5² ÷ 5 = 10, and the one "
            "answer of 2 × 1² = 2. Noise that is averaged away is paid for, too. But the table may "
            "keep its first answer and give it again: that tells nothing new, so it is free. "
            "A budget that k counts share leaves ± 3k/ε for each, so ask few questions.",
            {"asked": "sssss", "each": "0.2"},
            check=Pick("Once with ε = 1", ("Five times with ε = 0.2", "Both are the same")),
        ),
        Exercise(
            "Show that the sum always holds: two answers with ε₁ and ε₂ cost ε₁ + ε₂.",
            "Both answers together come with the product of their chances. Each factor changes by "
            "e^ε₁ and e^ε₂ at most from one table to its neighbour. The product changes by "
            "e^(ε₁ + ε₂) at most. If the second question depends on the first answer, fix that "
            "answer: the same holds for each. With δ₁ and δ₂, those add up as well.",
            {"k": "2"},
            check=Pick(
                "Chances multiply, so their logarithms add up",
                ("The noise of both is added", "It holds without δ only"),
            ),
        ),
        Exercise(
            "A hundred answers with ε = 0.1 each, and δ = 1 in a million. Compare the totals.",
            "The sum is 10. Advanced composition: 0.1 × √(200 ln 1,000,000) + 10 × (e^0.1 − 1) = "
            "5.26 + 1.05 = 6.31. By ρ = 0.5: 0.5 + 2√(0.5 × 13.8) = 5.76. By Rényi’s best order, "
            "with the conversion of Canonne, Kamath and Steinke: 5.07. Exactly: 4.77. So programs "
            "that answer thousands of questions use a δ, far below 1 in the number of people.",
            {"each": "0.1", "k": "100", "delta": "1e-6"},
            check=Number(4.77, 0.01, "exactly"),
        ),
        Exercise(
            "A simpler form of advanced composition is ε√(6k ln 1/δ). When is it of use?",
            "It is √3 = 1.7 times the first part of the longer formula, and that must cover the "
            "second part. So it holds if ε is small: with ε = 0.1 for up to 1,300 answers. It is "
            "easy to remember, and costs much: for a hundred answers it says 9.1, where the sum "
            "is 10.",
            {"each": "0.1", "k": "100", "delta": "1e-6"},
            check=Pick("To compute in one’s head, if ε is small", ("Never", "For few answers")),
        ),
        Exercise(
            "Call an answer KL-private with κ if its average loss (Kullback and Leibler) is κ at "
            "most. Show that two answers have 2κ. Is that as good a promise as ε?",
            "The loss of both is the sum of the two losses, as the logarithm of a product is a "
            "sum, and the average of a sum is the sum of the averages. So it is 2κ, and kκ for k "
            "answers. But κ is about the average loss, and ε is about the worst one. Somebody who "
            "is given away in one of a million cases hardly shows in the average. Each ε gives a "
            "κ: at most ε times (e^ε − 1) ÷ (e^ε + 1), about ε²/2.",
            {"each": "0.5", "k": "2"},
            check=Pick(
                "It adds up, and promises less than ε",
                ("It doubles the largest loss", "It promises as much as ε"),
            ),
        ),
        Exercise(
            "Some notes print Rényi’s divergence with dQ/dP where this page has P/Q, under an "
            "average over P. What comes out of that?",
            "A misprint: it is upside down. At α → ∞ the average of (P/Q)^(α − 1) over P leads to "
            "the largest ln P/Q, which is ε. With dQ/dP the logarithm is below zero at α → 1: it "
            "is minus Kullback and Leibler’s divergence. A divergence is never below zero.",
            {"each": "0.5"},
            check=Pick(
                "A number below zero at α → 1", ("The same number", "Twice the right number")
            ),
        ),
    ),
    guess=Guess(
        "30 people give 100 answers each, with ε = 0.1 for each. At worst somebody loses 10. How "
        "much does the one lose who loses most?",
        "largest",
        (0, 10),
        "",
        factor=1,
        step=0.1,
        at=100,
        seen=("sum of all ε",),
    ),
)
