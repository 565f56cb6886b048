"""Coins, spinners and dice: many stories, one table, and the estimates of a thousand classes."""

import math
from fractions import Fraction
from typing import Any, Final

import numpy as np
import scipy

from deniable import designs
from deniable.analysis.intervals.coverage import exact_coverage
from deniable.analysis.planning.reach import greatest_reach
from deniable.channel import Channel
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Mark, Picture, Records, Series, Table, steps, table_rows
from deniable.lab.said import number, percent, points

_STORIES: Final = {
    "random": "Truth or random",
    "lie": "Truth or lie",
    "spinner": "A spinner",
    "forced": "Forced answer",
    "answers": "Several answers",
}

_TOLD: Final = {
    "random": "Heads: you tell the truth. Tails: a second, fair coin says “yes” or “no” for you.",
    "lie": "The coin asks for the truth, or for the opposite of it: a lie.",
    "spinner": (
        "A spinner points to “I am one of them” or to “I am not”. You say whether it points to "
        "what is true. It points to “I am” with the chance on the slider."
    ),
    "forced": "A die asks for the truth, or it forces a “yes” or a “no”, whatever is true.",
    "answers": "Heads: you tell the truth. Tails: you send any one of the answers, by chance.",
}

_SIZES: Final = {size: f"{int(size):,}" for size in ("30", "10", "100", "300", "1000", "3000")}


def channel_of(story: str, truth: float, yes: float, k: int) -> Channel:
    """Return the table of a story: a row for each truth, a column for each report."""
    if story == "forced":
        return designs.forced_response(truth, yes)
    if story in ("lie", "spinner"):
        # Not `designs.warner`, which rejects 1/2: this page shows what is wrong with it.
        keep = Fraction(str(truth))
        return Channel.from_probabilities([[keep, 1 - keep], [1 - keep, keep]])
    return designs.truth_or_random(truth, k if story == "answers" else 2)


def lines(
    story: str, truth: float, yes: float, k: int, n: int, share: float, seed: int
) -> dict[str, Any]:
    """Compute the table of a story, its ε, its estimate, and those of a thousand classes."""
    channel = channel_of(story, truth, yes, k)
    if_true, if_false = channel.probabilities[1, 1], channel.probabilities[0, 1]
    epsilon = channel.epsilon  # the logarithm of the largest ratio in a column
    if if_true != if_false:
        # The estimate is offset + slope × (share of the reports).
        slope = 1 / (if_true - if_false)
        offset = -if_false * slope

        # A thousand classes of n people. Each person sends it with the probability `rate`.
        rate = if_false + (if_true - if_false) * share
        sent = np.random.default_rng(seed).binomial(n, rate, size=1000)
        estimates = offset + slope * sent / n
        average, spread = estimates.mean(), estimates.std()

        # The same by formulas: with the coins, without them, and if one knew who told the truth.
        error = abs(slope) * math.sqrt(rate * (1 - rate) / n)
        error_direct = math.sqrt(share * (1 - share) / n)
        error_known = math.sqrt(share * (1 - share) * abs(slope) / n)

        # How far the interval of the results pages reaches at most, to either side.
        reach = greatest_reach(channel, n)[1]

        # How often the textbook's interval holds the truth: Wald's, which is 1.96 errors wide.
        a = np.arange(n + 1) / n
        half = 1.959963984540054 * np.sqrt(a * (1 - a) / n)
        holds = abs(a - rate) <= half + 1e-12
        wald = scipy.stats.binom.pmf(np.arange(n + 1), n, rate) @ holds
        if n <= 100 and channel.truths == 2:  # others take long
            default = exact_coverage(channel, n, [share]).coverage[0]
    return locals()


def _show(found: Found) -> Shown:
    """Show the table of a story, and the estimates of a thousand classes."""
    names = ("No", "Yes") if found.channel.truths == 2 else tuple("ABCDEFGH"[: found.k])
    report = names[1]
    rows: list[tuple[Any, ...]] = [
        ("if_true", f"“{report}” sent if it is true", percent),
        ("if_false", f"“{report}” sent if it is not", percent),
        ("epsilon", "ε", number),
    ]
    said = [
        _TOLD[found.story],
        (
            f"Of 100 people for whom “{report}” is true, about {number(100 * found.if_true, 0)} "
            f"send it; of 100 others, about {number(100 * found.if_false, 0)} do."
        ),
        _privacy(found.channel),
    ]
    pictures: tuple[Picture, ...] = (_people(found, report),)
    if found.channel.identifiable:
        rows += _ESTIMATED if hasattr(found, "default") else _ESTIMATED[:-1]
        said += _sentences(found, report)
        pictures += (_classes(found, report),)
    else:
        said.append("Both groups send the same reports, so they say nothing of the share.")
    return Shown(
        said=tuple(said),
        values=values(found, *rows),
        pictures=pictures,
        records=(_table(found.channel, names),),
    )


_ESTIMATED: Final = (
    ("slope", "Slope of the estimate", number),
    ("offset", "Offset of the estimate", number),
    ("average", "Average of 1,000 estimates", percent),
    ("spread", "Their spread (standard deviation)", points),
    ("error", "Spread by the formula", points),
    ("error_direct", "Spread if all said the truth", points),
    ("error_known", "Spread if one knew who did", points),
    ("reach", "95 % interval reaches at most ±", points),
    ("wald", "Wald’s interval holds the truth", percent),
    ("default", "The results’ interval holds it", percent),
)


def _privacy(channel: Channel) -> str:
    if channel.ratio is None:
        return (
            "There is a report that only one group ever sends. It gives its sender away: "
            "ε has no end."
        )
    if channel.ratio == 1:
        return "A report says nothing about its sender: ε is 0."
    return (
        f"No report is more than {number(float(channel.ratio), 2)} times as likely from one group "
        f"as from another. That is e to the power of ε, so ε is {number(channel.epsilon)}."
    )


def _sentences(found: Found, report: str) -> tuple[str, ...]:
    sign = "+" if found.offset >= 0 else "−"
    return (
        (
            f"Estimate: {number(found.slope)} × (share of “{report}” among the reports) {sign} "
            f"{number(abs(found.offset))}."
        ),
        (
            f"The truth is {percent(found.share)}. The estimates of 1,000 classes of {found.n:,} "
            f"average to {percent(found.average)}, and one class is typically "
            f"{points(found.spread)} off. The 95 % interval of the results pages reaches "
            f"{points(found.reach)} at most."
        ),
    )


def _table(channel: Channel, names: tuple[str, ...]) -> Records:
    return Records(
        id="table",
        caption="The table: how often each report is sent, by what is true of the sender.",
        table=Columns(
            names,
            {f"Sends “{name}”": channel.probabilities.T[at] for at, name in enumerate(names)},
        ).table("True answer", percent),
    )


def _people(found: Found, report: str) -> Picture:
    """Draw a hundred people for whom the report is true beside a hundred others."""
    sending = [round(100 * found.if_true), round(100 * found.if_false)]
    marks: tuple[tuple[str, Mark], ...] = (
        (f"sends “{report}”", "dots"),
        ("sends another answer", "rings"),
    )
    series = []
    for name, mark in marks:
        who = [
            (11 * group + at % 10, 9 - at // 10)
            for group, count in enumerate(sending)
            for at in range(100)
            if (at < count) == (mark == "dots")
        ]
        if who:
            across, up = zip(*who, strict=True)
            series.append(Series(name, mark, across, up, 1))
    return Picture(
        id="people",
        caption=(
            f"Left: 100 people for whom “{report}” is true. Right: 100 others. Each tosses coins, "
            f"and a full dot sends “{report}”."
        ),
        x="",
        y="",
        series=tuple(series),
        table=Table(
            ("True answer", f"Of 100 send “{report}”"),
            tuple(zip((f"“{report}”", "Another"), map(str, sending), strict=True)),
        ),
        x_range=(-0.5, 20.5),
        y_range=(-0.5, 9.5),
    )


def _classes(found: Found, report: str) -> Picture:
    # So many counts of “yes” to a column that about six columns make up the spread on each side.
    together = max(1, round(math.sqrt(found.n * found.rate) / 6))
    first, last = int(found.sent.min()) // together, int(found.sent.max()) // together
    counts = np.bincount(found.sent // together - first, minlength=last - first + 1)
    # A column ends halfway between two possible estimates. A negative slope reverses the columns.
    ends = found.offset + found.slope * (np.arange(first, last + 2) * together - 0.5) / found.n
    ends, counts = (ends, counts) if found.slope > 0 else (ends[::-1], counts[::-1])
    outside = int(np.sum((found.estimates < 0) | (found.estimates > 1)))
    return Picture(
        id="classes",
        caption=(
            "The estimates of a thousand classes, and the truth as an upright line. "
            + (
                f"{outside:,} of them are below 0 % or above 100 %. They are kept: else the "
                "average would be wrong."
                if outside
                else "None of them is below 0 % or above 100 %."
            )
        ),
        x=f"Estimated share of “{report}”",
        y="Classes",
        series=(
            steps("estimates", ends, counts, 0),
            Series("the truth", "upright", (found.share,), (0.0,), 2),
        ),
        table=Table(
            ("Estimate from", "to", "Classes"),
            table_rows(ends, counts, write=percent),
        ),
        x_range=(min(0.0, float(ends[0])), max(1.0, float(ends[-1]))),
        x_shares=True,
    )


_FORCED: Final = ("story", "forced")
_SEVERAL: Final = ("story", "answers")

PAGE: Final = Page(
    slug="coins",
    title="Coins",
    summary="Five ways to answer by chance, the one table behind them, and the truth about all.",
    idea=(
        "You are asked something that you would rather not say. So you toss a coin, where "
        "nobody sees it. If it says so, you tell the truth. If not, chance answers for you. A "
        "“yes” from you then may be the coin’s, and nobody can tell. There are many such "
        "stories, and each comes to a table: how likely is each report, for each truth? The "
        "table says how much a report gives away, which is called ε (epsilon)."
    ),
    why=(
        "The table also says how to find the share of “yes” among all. Nobody knows which "
        "reports are true, but the coins mislead in a known way, so it can be taken away. On "
        "average the estimate is the truth. One class may be far off: let a thousand made-up "
        "classes answer, turn up the number of people, and watch their estimates draw near."
    ),
    sources=(
        (
            "S. L. Warner (1965). Randomized response: a survey technique for eliminating evasive "
            "answer bias. Journal of the American Statistical Association 60."
        ),
        (
            "R. F. Boruch (1971). Assuring confidentiality of responses in social research. "
            "American Sociologist 6."
        ),
        (
            "G. J. Feldman and R. D. Cousins (1998). Unified approach to the classical statistical "
            "analysis of small signals. Physical Review D 57. (The interval of the results pages.)"
        ),
    ),
    inputs=(
        Choice("story", "Story", _STORIES),
        Slider("truth", "Chance of the truth", "0.02", "0.98", "0.01", "0.5"),
        Slider("yes", "Forced answers that are “yes”", "0", "1", "0.05", "0.5", _FORCED, True),
        Slider("k", "Number of answers", "2", "8", "1", "4", _SEVERAL),
        Choice("n", "People in each class", _SIZES, below=True),
        Slider("share", "True share of “yes”", "0", "1", "0.01", "0.2", percent=True, below=True),
        Slider(
            "seed",
            "Data (made up; each number is other classes)",
            *("1", "200", "1", "1"),
            below=True,
        ),
    ),
    lines=lines,
    show=_show,
    exercises=(
        Exercise(
            "Two fair coins: on heads you tell the truth, on tails the second coin answers. What "
            "is ε, and what is the estimate if 40 % of the reports are “yes”?",
            "Those for whom it is true send “yes” in 3 of 4 cases, the others in 1 of 4. The "
            "ratio is 3, so ε = ln 3 ≈ 1.099. The estimate is 2 × 0.4 − 0.5 = 0.3.",
            {"story": "random", "truth": "0.5"},
            check=Number(30, 0, "% is the estimate"),
        ),
        Exercise(
            "Find the setting of “truth or lie” that has the same table. Would people notice the "
            "difference?",
            "Set the chance of the truth to 0.75: tell a lie only if two coins both show tails. "
            "The tables are equal, so ε and the estimator are too. People may feel a difference: "
            "the one story asks them to lie, and the other never does.",
            {"story": "lie", "truth": "0.75"},
            check=Number(0.75, 0, "is the chance of the truth"),
        ),
        Exercise(
            "With the same coin, ask for one of eight answers and not of two. Does a report give "
            "more away?",
            "Yes. Half of the reports are true. The other half is spread over eight answers, so "
            "each wrong one comes in 1 of 16 cases. The ratio is (1/2 + 1/16) ÷ 1/16 = 9, and ε = "
            "ln 9 ≈ 2.197.",
            {"story": "answers", "truth": "0.5", "k": "8"},
            check=Pick("Yes, ε grows to ln 9", ("No, the coin is the same", "It gives less away")),
        ),
        Exercise(
            "A textbook calls a private answer a stochastic algorithm π: it maps each truth x to "
            "a point of the probability simplex Δ(A) over the set A of reports. Another way to "
            "write it is a(ω, x). Where are π, Δ(A) and ω on this page?",
            "π is the table: π(a | x) is how often x sends a. A row is a list of numbers that are "
            "not negative and add up to 1, and the set of all such lists is the simplex Δ(A). In "
            "a(ω, x) the chance comes first: ω is what the coins show. A phone draws one random "
            "number ω before you answer. Then the report follows from ω and x without any chance.",
            {"story": "random", "truth": "0.5"},
            check=Pick(
                "A row of the table is a point of Δ(A)",
                ("A column of the table is a point of Δ(A)", "ω is a row of the table"),
            ),
        ),
        Exercise(
            "Each report is flipped with probability p. Show that (ā − p) ÷ (1 − 2p) is unbiased.",
            "Let θ be the true share. Somebody sends “yes” with probability λ = θ(1 − p) + "
            "(1 − θ)p = p + (1 − 2p)θ. So the average of (ā − p) ÷ (1 − 2p) over all classes is "
            "(λ − p) ÷ (1 − 2p) = θ, for each number of people.",
            {"story": "lie", "truth": "0.75"},
            check=Pick(
                "p + (1 − 2p)θ is the chance of a “yes”",
                ("ā is θ on average", "The number of people must be large"),
            ),
        ),
        Exercise(
            "A share c of the coins says “truth”. How does the error depend on c and on the "
            "number n of people?",
            "c is the difference of the two chances of a “yes”. If one knew which cn people told "
            "the truth, one would ask only them, and the error would be about 1/√(cn). But one "
            "does not know. The others’ coins are noise that stays in, and the error is "
            "√(λ(1 − λ)) ÷ (c√n). Half of the coins then cost as much as three quarters of the "
            "people: four times as many are needed.",
            {"story": "random", "truth": "0.5", "share": "0.5", "n": "1000"},
            check=Pick("As 1 ÷ (c√n)", ("As 1 ÷ √(cn)", "As 1 ÷ (cn)")),
        ),
        Exercise(
            "Does more data make privacy easier?",
            "Yes. The error is about 1 ÷ (2c√n). With four times as many people c may be half as "
            "large, and the error stays the same. A small c means a small ε, as ε = ln((1 + c) ÷ "
            "(1 − c)) is about 2c. So a large survey can protect each person better. A class of "
            "30 cannot.",
            check=Pick("Yes", ("No",)),
        ),
        Exercise(
            "A textbook’s 95 % interval (Wald’s) is 1.96 times √(ā(1 − ā) ÷ n) to either side of "
            "ā, and then as the estimate. Ten people answer with two coins, and the truth is 8 %. "
            "How often does it hold the truth?",
            "In 79 of 100 classes. Ten reports give eleven intervals, and where one of them stops "
            "holding the truth, there are many classes that miss it. The interval of Feldman and "
            "Cousins holds each share in 95 of 100 classes at least, for any n. That is why the "
            "results pages of real surveys use it, although it reaches further.",
            {"story": "random", "truth": "0.5", "n": "10", "share": "0.08"},
            check=Number(79, 1, "of 100 classes"),
        ),
    ),
    guess=Guess(
        "On heads you tell the truth, on tails a second coin answers for you. Of 100 people for "
        "whom “yes” is true, how many send “yes”?",
        "if_true",
        (0, 100),
        "of 100",
        factor=1,
    ),
)
