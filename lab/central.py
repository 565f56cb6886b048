"""Whom to trust: an office that adds the noise, or nobody."""

from math import exp, log, log1p, sqrt
from typing import Any, Final

import numpy as np

from deniable import designs
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, here
from deniable.lab.said import number, three_digits

_SIZES: Final = ("1000", "30", "100", "300", "10000")


def clones(epsilon: float, n: int, delta: float) -> float:
    """Return the ε of n shuffled reports, by the theorem of Feldman, McMillan and Talwar."""
    if exp(epsilon) > n / (16 * log(4 / delta)):
        return epsilon  # the theorem says nothing of so few people
    far = 8 * sqrt(exp(epsilon) * log(4 / delta) / n) + 8 * exp(epsilon) / n
    return log1p((exp(epsilon) - 1) / (exp(epsilon) + 1) * far)


def lines(*, epsilon: float, n: int, most: int, seed: int) -> dict[str, Any]:
    """Compute how far off an average is."""
    # Salaries, in dollars a year.
    chance = np.random.default_rng(seed)
    salaries = 40_000 * np.exp(0.6 * chance.standard_normal(n))  # made up
    clipped = salaries.clip(0, most)
    true_mean, clipped_mean = salaries.mean(), clipped.mean()
    # Local: each person adds noise. Central: somebody who knows all adds noise to the mean.
    local_mean = (clipped + chance.laplace(scale=most / epsilon, size=n)).mean()
    central_mean = clipped_mean + chance.laplace(scale=most / (epsilon * n))
    # Standard deviations. Laplace noise of the scale b has the variance 2b².
    sizes = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]
    at = np.array([n, *sizes])
    local = sqrt(2) * most / epsilon / np.sqrt(at)
    central = sqrt(2) * most / epsilon / at
    # The best local design of this project, on 21 levels, in its worst case.
    worst = designs.worst_case_variance(designs.best_numeric(21, epsilon))
    best = most / 20 * np.sqrt(worst / at)
    local_error, central_error, best_error = local[0], central[0], best[0]
    people = n**2  # so many people make the local error as small as the central one of n
    # Between the two: a shuffler. Its promise may fail with a chance of one in a million.
    shuffled = clones(epsilon, n, 1e-6)

    return locals()


def show(found: Found) -> Shown:
    """Show an average salary."""
    ratio = number(found.local_error / found.central_error, 1)
    return Shown(
        said=(
            (
                f"The average is {three_digits(found.true_mean)}. If each person adds noise, "
                f"{three_digits(found.local_mean)} comes out. If somebody who knows all salaries "
                f"adds it, {three_digits(found.central_mean)}."
            ),
            (
                f"The local noise is {ratio} times as large, which is the root of {found.n:,}. "
                f"{found.people:,} people would make up for it."
            ),
            (
                "Between the two, somebody only shuffles local reports before anybody sees them. "
                f"The heap tells of one person with an ε of {number(found.shuffled)}, which may "
                "fail once in a million times (δ). If they do not shuffle, the ε of each report "
                "still holds."
            ),
        ),
        values=values(
            found,
            ("true_mean", "True average", three_digits),
            ("clipped_mean", "Average after clipping", three_digits),
            ("local_mean", "Local estimate", three_digits),
            ("central_mean", "Central estimate", three_digits),
            ("local_error", "Local noise, standard deviation", three_digits),
            ("central_error", "Central noise", three_digits),
            ("best_error", "This project’s local design", three_digits),
            ("people", "People for the same, locally", number),
            ("shuffled", "ε if a shuffler mixes local reports", number),
        ),
        pictures=(_noise(found),),
    )


def _noise(found: Found) -> Picture:
    curves = Columns(
        found.sizes,
        {
            "local": found.local[1:],
            "central": found.central[1:],
            "this project’s local design": found.best[1:],
        },
        tones=(1, 0, 3),
    )
    return Picture(
        id="noise",
        caption="The noise in the average. Each axis multiplies.",
        finding="Ten times as many people make the central noise ten times as small, and the local "
        "noise only three times.",
        x="People",
        y="Noise in the average (standard deviation, dollars a year)",
        series=(*curves.series, here(found.n, found.central_error, found.local_error)),
        table=curves.table("People", three_digits, x="{:,}".format),
        logarithmic=True,
    )


PAGE: Final = Page(
    slug="central",
    title="Whom to trust",
    summary="Who adds the noise, and what it takes to trust nobody.",
    idea=(
        "What is the average salary? Local: each person adds noise and sends the sum. "
        "Central: everybody sends the truth to one office, and the office adds noise to the "
        "average. ε is the same to all who see the result. But the office knows everything, "
        "and can be robbed, sued or bought. In the local model nobody has to be trusted. The "
        "price is noise, which only more people make up for. Surveys of this project are local."
    ),
    why=(
        "Between the two, somebody mixes noisy reports and knows nothing else. Then less noise "
        "is enough, as long as they do mix. In all three you trust somebody to add the noise, "
        "if only a program. That can be tested: “deniable audit” answers a survey often and "
        "counts how often the truth comes out, and “deniable verify” compares the program "
        "with one that people have read."
    ),
    sources=(
        (
            "C. Dwork, F. McSherry, K. Nissim and A. Smith (2006). Calibrating noise to "
            "sensitivity in private data analysis. TCC."
        ),
        (
            "J. C. Duchi, M. I. Jordan and M. J. Wainwright (2013). Local privacy and statistical "
            "minimax rates. FOCS."
        ),
        (
            "V. Feldman, A. McMillan and K. Talwar (2021). Hiding among the clones: a simple and "
            "nearly optimal analysis of privacy amplification by shuffling. FOCS. A. Bittau et al. "
            "(2017). Prochlo. SOSP. (A shuffler at Google.)"
        ),
        (
            "Who uses which: Ú. Erlingsson, V. Pihur and A. Korolova (2014). RAPPOR. CCS. Apple "
            "(2017). Learning with privacy at scale. B. Ding, J. Kulkarni and S. Yekhanin (2017). "
            "Collecting telemetry data privately. NeurIPS. (Microsoft.) J. M. Abowd (2018). The "
            "U.S. Census Bureau adopts differential privacy. KDD. N. Johnson, J. P. Near and D. "
            "Song (2018). Towards practical differential privacy for SQL queries. VLDB. (Uber.)"
        ),
    ),
    inputs=(
        Slider("epsilon", "ε", "0.1", "5", "0.1", "1"),
        Choice("n", "People", {n: f"{int(n):,}" for n in _SIZES}),
        Slider("most", "Salaries are clipped at (dollars)", "20000", "200000", "10000", "100000"),
        Slider(
            "seed",
            "Data (made up; each number is other data)",
            *("1", "200", "1", "1"),
            below=True,
        ),
    ),
    lines=lines,
    show=show,
    exercises=(
        Exercise(
            "A hundred people, salaries up to B = 100,000 dollars, ε = 1. How large is the noise "
            "in the average, locally and centrally?",
            "Local: the standard deviation is √2 × B/(ε√n) = 1.414 × 100,000 ÷ 10 = 14,142 "
            "dollars. Central: √2 × B/(εn) = 1.414 × 100,000 ÷ 100 = 1,414 dollars. The ratio is "
            "√n = 10.",
            {"n": "100", "most": "100000", "epsilon": "1"},
            check=Number(14_142, 100, "dollars, locally"),
        ),
        Exercise(
            "How many people does the local model need to be as precise as the central one?",
            "The square: 2B²/(ε²N) = 2B²/(ε²n²) gives N = n². What 1,000 people tell an office "
            "that they trust takes a million who trust nobody.",
            {"n": "1000"},
            check=Pick("The square of them", ("Ten times as many", "Twice as many")),
        ),
        Exercise(
            "The office says that all salaries are sent to it encrypted. Does that make the "
            "central model local?",
            "No. Encryption hides the salaries on their way, from everybody but the office. The "
            "office reads them, as a pharmacy reads what a doctor sends it. It also does not hide "
            "what the published average tells: noise does that. Chance helps in both. A one-time "
            "key of coin tosses hides a message from all who have not the key. Noise hides a "
            "person from all who read the answer.",
            check=Pick("No, the office reads them", ("Yes",)),
        ),
        Exercise(
            "10,000 people send reports of ε = 1 through a shuffler. Which ε does the theorem "
            "promise to each of them?",
            "ln(1 + (e − 1) ÷ (e + 1) × (8√(e × ln(4/δ) ÷ n) + 8e ÷ n)) = ln(1 + 0.462 × 0.516) = "
            "0.214, with δ = one in a million. With a hundred times as many people it is about a "
            "tenth of that.",
            {"epsilon": "1", "n": "10000"},
            check=Number(0.214, 0.01, "is ε"),
        ),
        Exercise(
            "Who would use which model?",
            "A census office has a law, and people whom it can hold to it: the United States used "
            "the central model for its census of 2020, and Uber for what its analysts may ask of "
            "trips. Makers of phones, browsers and systems are not trusted with everything, and "
            "have millions of users: Google (RAPPOR), Apple and Microsoft have used the local "
            "one. A survey on what nobody may know is local, too.",
            check=Pick(
                "The local one, where nobody is trusted",
                ("The central one, always", "Neither with many people"),
            ),
        ),
    ),
    guess=Guess(
        "If 1,000 people each add noise to their salary, the average is off by 4,472 dollars. If "
        "one trusted person adds it to the sum?",
        "central_error",
        (0, 5000),
        "dollars",
        factor=1,
        multiplies=True,
        step=10,
        at=1000,
        seen=("local", "this project’s local design"),
    ),
)
