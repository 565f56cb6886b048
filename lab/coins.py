"""Coins, spinners and dice: many stories, one table."""

import math
from fractions import Fraction
from typing import Final

import numpy as np

from deniable import designs
from deniable.analysis.planning.widths import half_width
from deniable.channel import Channel
from deniable.estimator import least_variance
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Crowd, Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series
from deniable.lab.said import decimal, number, percent, points

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
    "forced": ("A die asks for the truth, or it forces a “yes” or a “no”, whatever is true."),
    "answers": "Heads: you tell the truth. Tails: you send any one of the answers, by chance.",
}

_CODE: Final = """\
{source}

channel = {channel}
table = channel.probabilities  # a row for each truth, a column for each report
if_true, if_false = table[1, 1], table[0, 1]
epsilon = channel.epsilon  # the logarithm of the largest ratio in a column
{estimator}"""

_ESTIMATOR: Final = """\
# The estimate is offset + slope × (share of the reports).
slope = 1 / (if_true - if_false)
offset = -if_false * slope
error = half_width(channel, n=1000)[1]
"""

_LIE_CODE: Final = 'Channel.from_probabilities([["{truth}", "{other}"], ["{other}", "{truth}"]])'
_STORY_CODE: Final = {
    "random": 'designs.truth_or_random(truth="{truth}")',
    "lie": _LIE_CODE,
    "spinner": _LIE_CODE,
    "forced": 'designs.forced_response(truth="{truth}", yes="{yes}")',
    "answers": 'designs.truth_or_random(truth="{truth}", k={k})',
}

_PEOPLE: Final = 100
_PLACES: Final = [Fraction(place, 100) for place in range(2, 99, 2)]


def _channel(story: str, truth: Fraction, yes: Fraction, k: int) -> Channel:
    """Return the table that a story comes to."""
    if story == "forced":
        return designs.forced_response(truth, yes)
    if story in ("lie", "spinner"):
        # Not `designs.warner`, which refuses 1/2: here one may see what is wrong with it.
        return Channel.from_probabilities([[truth, 1 - truth], [1 - truth, truth]])
    return designs.truth_or_random(truth, k if story == "answers" else 2)


def compute(settings: Settings) -> Shown:
    """Return the table of a story, its ε and its estimator."""
    story, truth, yes, k = typed(settings, story=str, truth=Fraction, yes=Fraction, k=int)
    channel = _channel(story, truth, yes, k)
    table = channel.probabilities
    if_true, if_false = float(table[1, 1]), float(table[0, 1])
    names = _names(channel.truths)
    report = names[1]
    values = [
        Value("if_true", f"“{report}” sent if it is true", if_true, percent(if_true)),
        Value("if_false", f"“{report}” sent if it is not", if_false, percent(if_false)),
        Value("epsilon", "ε", channel.epsilon, number(channel.epsilon)),
    ]
    said = [
        _TOLD[story],
        (
            f"Of 100 people for whom “{report}” is true, about {number(100 * if_true, 0)} send it; "
            f"of 100 others, about {number(100 * if_false, 0)} do."
        ),
        _privacy(channel),
    ]
    if channel.identifiable:
        slope = 1 / (if_true - if_false)
        offset = -if_false * slope
        error = float(half_width(channel, n=1000)[1])
        values += [
            Value("slope", "Slope of the estimate", slope, number(slope)),
            Value("offset", "Offset of the estimate", offset, number(offset)),
            Value("error", "95 % interval, 1,000 people", error, f"± {points(error)}"),
        ]
        said.append(
            f"Estimate: {number(slope)} × (share of “{report}” among the reports) "
            f"{'+' if offset >= 0 else '−'} {number(abs(offset))}."
        )
    else:
        said.append("Both groups send the same reports, so they say nothing of the share.")
    share = Fraction(settings["share"])
    return Shown(
        said=tuple(said),
        values=tuple(values),
        code=_code(channel, story, settings),
        pictures=(_reports(channel, names), *_along(story, truth, yes, k)),
        crowd=_crowd(channel, names, share) if channel.identifiable else None,
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


def _names(k: int) -> tuple[str, ...]:
    return ("No", "Yes") if k == 2 else tuple("ABCDEFGH"[:k])


def _reports(channel: Channel, names: tuple[str, ...]) -> Picture:
    table = channel.probabilities
    return Picture(
        id="reports",
        caption="How often each report is sent, by what is true of the sender.",
        x="Report",
        y="Probability",
        # Of several answers two truths are enough to see it: the others' rows look the same.
        series=Columns(
            names, {f"“{names[truth]}” is true": table[truth] for truth in range(2)}, mark="bars"
        ).series,
        table=Columns(
            names, {f"Sends “{name}”": table.T[at] for at, name in enumerate(names)}
        ).table("True answer", percent),
        y_range=(0, 1),
    )


def _along(story: str, truth: Fraction, yes: Fraction, k: int) -> tuple[Picture, ...]:
    """Draw ε along the slider; nothing, where it has no end all along."""
    epsilons = {place: _channel(story, place, yes, k).epsilon for place in _PLACES}
    finite = {place: epsilon for place, epsilon in epsilons.items() if math.isfinite(epsilon)}
    if not finite:
        return ()
    here = _channel(story, truth, yes, k).epsilon
    series = [*Columns([float(place) for place in finite], {"ε": [*finite.values()]}).series]
    if math.isfinite(here):
        series.append(Series("where the slider stands", "dots", (float(truth),), (here,), 1))
    picture = Picture(
        id="along",
        drag=Drag("truth"),
        caption="ε, as the chance of the truth changes. Small is private.",
        x="Chance that the first coin asks for the truth",
        y="ε",
        series=tuple(series),
        table=Columns([float(place) for place in epsilons], {"ε": [*epsilons.values()]}).table(
            "Chance of the truth", number, at=range(4, 49, 5), x=percent
        ),
        x_range=(0, 1),
        y_range=(0, 6),
    )
    return (picture,)


def _crowd(channel: Channel, names: tuple[str, ...], share: Fraction) -> Crowd:
    """Return 100 people; those for whom the second answer is not true share the other answers."""
    true = int(share * _PEOPLE)
    others = np.full(channel.truths - 1, (_PEOPLE - true) // (channel.truths - 1))
    others[: (_PEOPLE - true) % (channel.truths - 1)] += 1
    return Crowd(
        weights=channel.weights,
        people=(int(others[0]), true, *(int(each) for each in others[1:])),
        contributions=tuple(least_variance(channel)[1].tolist()),
        truth=1,
        names=names,
    )


def _code(channel: Channel, story: str, settings: Settings) -> str:
    other = decimal(1 - float(Fraction(settings["truth"])))
    line = fill(_STORY_CODE[story], settings, other=other)
    imports = ["from deniable.analysis.planning import half_width"] if channel.identifiable else []
    if line.startswith("Channel"):
        imports.append("from deniable.channel import Channel")
    else:
        imports.insert(0, "from deniable import designs")
    return _CODE.format(
        source="\n".join(imports),
        channel=line,
        estimator=_ESTIMATOR if channel.identifiable else "",
    )


_FORCED: Final = ("story", "forced")
_SEVERAL: Final = ("story", "answers")

PAGE: Final = Page(
    slug="coins",
    title="Coins",
    summary="Five ways to answer with a coin, a spinner or a die, and the one table behind them.",
    paragraphs=(
        (
            "You are asked something that you would rather not say. So you toss a coin, where "
            "nobody sees it. If it says so, you tell the truth. If not, chance answers for you. A "
            "“yes” from you then may be the coin’s, and nobody can tell."
        ),
        (
            "There are many such stories, and each comes to a table: how likely is each report, "
            "for each truth? The table decides everything. It says how much a report gives away, "
            "which is called ε (epsilon), and how to find the share of “yes” among all people."
        ),
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
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 2.3."
        ),
    ),
    inputs=(
        Choice("story", "Story", _STORIES),
        Slider("truth", "Chance of the truth", "0.02", "0.98", "0.01", "0.5"),
        Slider("yes", "Forced answers that are “yes”", "0", "1", "0.05", "0.5", _FORCED),
        Slider("k", "Number of answers", "2", "8", "1", "4", _SEVERAL),
        Slider("share", "True share of “yes” in the crowd", "0", "1", "0.05", "0.2"),
    ),
    compute=compute,
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
            "Which setting of “truth or lie” protects people perfectly? What does it cost?",
            "0.5: each report is then a fair coin, and ε is 0. But the reports say nothing about "
            "the share either. Below 0.5, people lie more often than not. That gives away as "
            "much as the mirror setting above 0.5.",
            {"story": "lie", "truth": "0.5"},
            check=Number(0.5, 0, "is the chance of the truth"),
        ),
        Exercise(
            "Let the die never force a “yes”. Why is ε without end now?",
            "Nobody sends “yes” unless it is true. So whoever sends “yes” is found out. One safe "
            "answer is not enough: each report must be possible for everybody.",
            {"story": "forced", "truth": "0.5", "yes": "0"},
            check=Pick(
                "A “yes” proves that it is true",
                ("A “no” proves that it is not true", "The die is thrown too often"),
            ),
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
    ),
    topics=(
        "randomised response, several stories",
        "the estimator",
    ),
    guess=Guess(
        "On heads you tell the truth, on tails a second coin answers for you. Of 100 people for "
        "whom “yes” is true, how many send “yes”?",
        "if_true",
        0,
        100,
        "of 100",
    ),
)
