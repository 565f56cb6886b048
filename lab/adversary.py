"""The adversary: what somebody who sees a report can conclude, and what nobody can."""

from fractions import Fraction
from typing import Final

import numpy as np

from deniable.analysis.privacy.adversary import belief, posterior_bounds, posteriors
from deniable.analysis.privacy.divergence import kullback_leibler
from deniable.channel import Channel
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import decimal, number, percent

_RULES: Final = {
    "most": "Do half say yes?",
    "threes": "How many, in full threes?",
    "count": "How many say yes?",
}

_CODE: Final = """\
from deniable.analysis.privacy import belief, kullback_leibler, posterior_bounds
from deniable.channel import Channel

flip, prior = {flip}, {prior}
channel = Channel.from_probabilities([["{keep}", "{flip}"], ["{flip}", "{keep}"]])
epsilon = channel.epsilon
after_yes = belief(channel, [1 - prior, prior], 1).posterior[1]
after_no = belief(channel, [1 - prior, prior], 0).posterior[1]
lowest, highest = posterior_bounds(prior, epsilon)
false_alarm, miss = channel.probabilities[0, 1], channel.probabilities[1, 0]
mean_loss = kullback_leibler(channel)
"""

_BELIEFS: Final = tuple(place / 50 for place in range(51))


def _channel(flip: Fraction) -> Channel:
    # Not `designs.warner`, which refuses 1/2: here one may see that nothing is learned by it.
    return Channel.from_probabilities([[1 - flip, flip], [flip, 1 - flip]])


def compute(settings: Settings) -> Shown:
    """Return what an adversary believes before and after a report, and what no report can do."""
    flip, prior = Fraction(settings["flip"]), float(Fraction(settings["prior"]))
    rule = str(settings["rule"])
    channel = _channel(flip)
    before = [1 - prior, prior]
    after_yes = float(belief(channel, before, 1).posterior[1])
    after_no = float(belief(channel, before, 0).posterior[1])
    lowest, highest = (float(end) for end in posterior_bounds(prior, channel.epsilon))
    false_alarm, miss = float(channel.probabilities[0, 1]), float(channel.probabilities[1, 0])
    mean_loss = kullback_leibler(channel)
    return Shown(
        said=(
            (
                f"Somebody thinks: it is true of this person with {percent(prior)}. After a “yes” "
                f"they think {percent(after_yes)}, after a “no” {percent(after_no)}."
            ),
            (
                f"With ε = {number(channel.epsilon)}, no report of any design can lead them below "
                f"{percent(lowest)} or above {percent(highest)}."
            ),
            *(["The flip is 1/2, and nothing is learned."] if flip == Fraction(1, 2) else []),
            f"Without chance, the answers of the last picture give away {_given_away(rule)}.",
        ),
        values=(
            Value("epsilon", "ε", channel.epsilon, number(channel.epsilon)),
            Value("after_yes", "Belief after a “yes”", after_yes, percent(after_yes)),
            Value("after_no", "Belief after a “no”", after_no, percent(after_no)),
            Value("lowest", "Lowest belief that ε allows", lowest, percent(lowest)),
            Value("highest", "Highest belief that ε allows", highest, percent(highest)),
            Value("false_alarm", "False alarm: “yes”, not true", false_alarm, percent(false_alarm)),
            Value("miss", "Miss: “no”, but true", miss, percent(miss)),
            Value("mean_loss", "Privacy loss, on average", mean_loss, number(mean_loss)),
        ),
        code=fill(_CODE, settings, keep=decimal(float(1 - flip))),
        pictures=(
            _beliefs(channel, prior, after_yes, after_no),
            _tests(channel),
            _loss(channel, flip),
            _steps(rule),
        ),
    )


def _beliefs(channel: Channel, prior: float, after_yes: float, after_no: float) -> Picture:
    after = np.array([posteriors(channel, [1 - before, before])[:, 1] for before in _BELIEFS])
    return Picture(
        id="beliefs",
        drag=Drag("prior"),
        caption=(
            "Belief before and after a report. The more the two curves bend away from the middle "
            "line, the more a report tells."
        ),
        x="Belief before",
        y="Belief after",
        series=(
            *Columns(
                _BELIEFS, {"after a “yes”": after[:, 1], "after a “no”": after[:, 0]}, (1, 0)
            ).series,
            Series("no report", "line", (0.0, 1.0), (0.0, 1.0), 2),
            Series("", "dots", (prior,), (after_yes,), 1),
            Series("", "dots", (prior,), (after_no,), 0),
        ),
        table=Columns(_BELIEFS, {"After a “no”": after[:, 0], "After a “yes”": after[:, 1]}).table(
            "Belief before", percent, at=range(0, 51, 5), x=percent
        ),
        x_range=(0, 1),
        y_range=(0, 1),
    )


def _tests(channel: Channel) -> Picture:
    false_alarm, miss = float(channel.probabilities[0, 1]), float(channel.probabilities[1, 0])
    return Picture(
        id="tests",
        drag=Drag("flip"),
        caption=(
            "Somebody accuses a person by their report. How often is that a false alarm, and how "
            "often does it miss? Nobody can do better than the solid line."
        ),
        x="False alarm: accused, though it is not true",
        y="Miss: not accused, though it is true",
        series=(
            Series("the best that ε allows", "line", (0.0, false_alarm, 1.0), (1.0, miss, 0.0), 0),
            Series("guessing without a report", "line", (0.0, 1.0), (1.0, 0.0), 2),
            Series("accuse whoever sends “yes”", "dots", (false_alarm,), (miss,), 1),
        ),
        table=Table(
            ("Accuse", "False alarm", "Miss"),
            (
                ("nobody", "0 %", "100 %"),
                ("whoever sends “yes”", percent(false_alarm), percent(miss)),
                ("everybody", "100 %", "0 %"),
            ),
        ),
        x_range=(0, 1),
        y_range=(0, 1),
    )


def _loss(channel: Channel, flip: Fraction) -> Picture:
    epsilon = number(channel.epsilon)
    bars = Columns(
        ("0",) if channel.ratio == 1 else (f"−{epsilon}", f"+{epsilon}"),
        {"": (1.0,) if channel.ratio == 1 else (float(flip), float(1 - flip))},
        mark="bars",
    )
    return Picture(
        id="loss",
        caption=(
            "The privacy loss of one report. Most reports point to the truth, and some point "
            "away from it: the loss is negative then."
        ),
        x="Privacy loss: logarithm of (chance of this report from the truth ÷ from the other)",
        y="Probability",
        series=bars.series,
        table=bars.table(("Privacy loss", "Probability"), percent),
        y_range=(0, 1),
    )


# ---------------------------------------------------------------- without chance

_PEOPLE: Final = ("Ada", "Ben", "Cem", "Dot", "Eli", "Fay", "Gus", "Hal")
_TRUTH: Final = (0, 1, 0, 0, 1, 0, 0, 0)
"""Made up: what is true of them at first. Then one after another becomes a yes."""


def answer_to(rule: str, table: tuple[int, ...]) -> int:
    """Return what a mechanism without chance answers of a table of eight people."""
    count = sum(table)
    if rule == "most":
        return int(count >= len(table) / 2)
    return count // 3 * 3 if rule == "threes" else count


def tables() -> list[tuple[str, tuple[int, ...]]]:
    """List the tables on the way from the first to the last, and who changed for each."""
    way: list[tuple[str, tuple[int, ...]]] = [("", _TRUTH)]
    for place, person in enumerate(_PEOPLE):
        table = way[-1][1]
        if not table[place]:
            way.append((person, (*table[:place], 1, *table[place + 1 :])))
    return way


def found_out(rule: str) -> list[str]:
    """List the people that somebody finds out who knows all the others."""
    way = tables()
    answers = [answer_to(rule, table) for _, table in way]
    return [
        person
        for (person, _), before, after in zip(way[1:], answers[:-1], answers[1:], strict=True)
        if before != after
    ]


def _given_away(rule: str) -> str:
    *others, last = found_out(rule)
    return f"{', '.join(others)} and {last}" if others else last


def _steps(rule: str) -> Picture:
    way = tables()
    answers = [answer_to(rule, table) for _, table in way]
    known = found_out(rule)
    rows = []
    for place, ((person, table), answer) in enumerate(zip(way, answers, strict=True)):
        names = ", ".join(name for name, yes in zip(_PEOPLE, table, strict=True) if yes)
        words = ("no", "yes")[answer] if rule == "most" else str(answer)
        rows.append(
            (str(place), person or "nobody yet", names, words, person if person in known else "")
        )
    return Picture(
        id="steps",
        caption=(
            "Without chance: eight made-up people, and each step turns one “no” into a “yes”. "
            "Where the answer changes, it tells of that one person."
        ),
        x="Step",
        y="Answer (yes is 1)" if rule == "most" else "Answer",
        series=Columns(range(len(way)), {"": answers}, (1,), "dots").series,
        table=Table(("Step", "Changed", "All who say yes", "Answer", "Found by it"), tuple(rows)),
        x_range=(-0.3, len(way) - 0.7),
        y_range=(0, max(answers)),
    )


PAGE: Final = Page(
    slug="adversary",
    title="The adversary",
    summary="What somebody who sees your report can believe, and what nobody can find out.",
    paragraphs=(
        (
            "Somebody wants to know about you. They know the rules of the coin, they have an "
            "opinion already, and they see your report. How far can it change their mind? The "
            "answer does not depend on who they are or what else they know. It depends on ε alone."
        ),
        (
            "There are three ways to look at it. Their belief, before and after. Their mistakes, "
            "if they accuse people by their reports. And the privacy loss: a number that each "
            "report has, sometimes below zero. Here p is the chance of a flip: the report is then "
            "not the truth. Some texts write p for the chance of the truth. Then put 1 − p in its "
            "place."
        ),
    ),
    sources=(
        "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy.",
        (
            "S. P. Kasiviswanathan and A. Smith (2014). On the “semantics” of differential "
            "privacy: a Bayesian formulation. Journal of Privacy and Confidentiality 6."
        ),
        (
            "P. Kairouz, S. Oh and P. Viswanath (2015). The composition theorem for differential "
            "privacy. ICML. (False alarms and misses.)"
        ),
    ),
    inputs=(
        Slider("prior", "Belief before", "0.01", "0.99", "0.01", "0.1"),
        Slider("flip", "p: chance that a report is flipped", "0.01", "0.5", "0.01", "0.25"),
        Choice("rule", "Question without chance", _RULES),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "Somebody thinks that it is true of you with 10 %. The flip is 1/4, and you send "
            "“yes”. What do they think now?",
            "“Yes” is 3 times as likely if it is true. Their odds were 1 to 9 and become 3 to 9. "
            "That is 3/12 = 25 %. It is still more likely not true.",
            {"prior": "0.1", "flip": "0.25"},
            check=Number(25, 0, "%"),
        ),
        Exercise(
            "At which p does a report tell nothing? Can the survey still be used?",
            "At p = 1/2. Then “yes” and “no” are equally likely for everybody: beliefs stay as "
            "they were. But the reports of a million people say nothing either.",
            {"flip": "0.5"},
            check=Number(0.5),
        ),
        Exercise(
            "Whose p is it? One text writes that the answer is “yes” with probability p if it is "
            "true, another one flips with probability p. Is p = 0.75 possible in both?",
            "In the first it is our flip of 1/4. In the second, three of four reports would be "
            "flipped. Whoever knows that reads each report the other way round, so it protects "
            "as well as a flip of 1/4. Always ask what p stands for.",
            {"flip": "0.25"},
            check=Pick(
                "Yes, but not as a flip in the same sense", ("No", "Yes, and it is the same")
            ),
        ),
        Exercise(
            "The answer of a mechanism does not depend on chance, but it is not always the same. "
            "Show that somebody can be found out.",
            "Take two tables with different answers. Walk from the one to the other, one person "
            "at a time. At some step the answer must change. Whoever knows all others at that "
            "step learns what is true of that one person. So privacy needs chance.",
            {"rule": "most"},
            check=Pick(
                "Some single step changes the answer",
                ("All steps change the answer", "It depends on the coins"),
            ),
        ),
        Exercise(
            "The privacy loss can be −ε. Is a negative loss good for the person?",
            "Such a report points the wrong way, so the adversary is misled. On average the loss "
            "is never negative: with p = 1/4 it is (1 − 2p) ln 3 ≈ 0.549, which is half of ε. "
            "The promise ε is about the worst report, not about the average one.",
            {"flip": "0.25"},
            check=Pick(
                "It misleads the adversary about them",
                ("It gives more away", "It breaks the promise"),
            ),
        ),
    ),
    topics=(
        "the adversary",
        "randomness is necessary",
        "ε as a bound on the privacy loss, on divergence of order ∞; KL-privacy",
    ),
    guess=Guess(
        "You think something true of a person with 10 %. By their two coins they send “yes”. "
        "What do you think now?",
        "after_yes",
        0,
        100,
    ),
)
