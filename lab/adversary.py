"""The adversary: what a person who sees a report can conclude."""

from fractions import Fraction
from itertools import product
from typing import Any, Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.privacy.adversary import belief, posterior_bounds, posteriors
from deniable.analysis.privacy.divergence import kullback_leibler
from deniable.channel import Channel
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, Records, Series, Table, here
from deniable.lab.said import number, percent

PEOPLE: Final = ("Ada", "Ben", "Cem", "Dot", "Eli", "Fay", "Gus", "Hal")
TRUTH: Final[tuple[int, ...]] = (0, 1, 0, 0, 1, 0, 0, 0)
"""Made-up true answers at first. On the page one person after another becomes a yes."""

_RULES: Final = {
    "most": "Do half say yes?",
    "threes": "How many, in full threes?",
    "count": "How many say yes?",
}

AFTER: Final = {
    "count": "Count the “yes”",
    "nothing": "Do nothing",
    "cut": "Count, and cut off what chance alone makes",
    "more": "Say only: are more than half “yes”?",
    "odd": "Say only: is their number odd?",
    "forget": "Throw all away, and print 7",
}


def processed(after: str, reports: FloatArray, flip: float) -> FloatArray:
    """Return the number that is printed of each row of eight reports, once processed."""
    count: FloatArray = reports.sum(axis=1)
    return {
        "count": count,
        "nothing": reports @ 2.0 ** np.arange(8),  # another number for each row
        "cut": count.clip(8 * flip, 8 - 8 * flip),  # where the estimate is 0 % and 100 %
        "more": 1.0 * (count > 4),
        "odd": count % 2,
        "forget": 0 * count + 7,
    }[after]


def answer_to(rule: str, table: tuple[int, ...]) -> int:
    """Return the answer of a mechanism without chance about a table of eight people."""
    count = sum(table)
    if rule == "most":
        return int(count >= 4)
    return count // 3 * 3 if rule == "threes" else count


def lines(prior: float, flip: float, after: str, rule: str) -> dict[str, Any]:
    """Compute what an adversary believes, and what they learn of eight people in two other ways."""
    p = Fraction(str(flip))
    channel = Channel.from_probabilities([[1 - p, p], [p, 1 - p]])
    epsilon = channel.epsilon
    after_yes = belief(channel, [1 - prior, prior], 1).posterior[1]
    after_no = belief(channel, [1 - prior, prior], 0).posterior[1]
    lowest, highest = posterior_bounds(prior, epsilon)
    false_alarm, miss = channel.probabilities[0, 1], channel.probabilities[1, 0]
    mean_loss = kullback_leibler(channel)

    # Eight people send a report each. The adversary knows the truth about all but Dot.
    reports = np.array([*product([0.0, 1.0], repeat=8)])
    dot_no, dot_yes = (
        np.where(reports == [0, 1, 0, dot, 1, 0, 0, 0], 1 - flip, flip).prod(axis=1)
        for dot in (0, 1)
    )
    losses, averages = {}, {}
    for done in AFTER:
        printed, place = np.unique(processed(done, reports, flip), return_inverse=True)
        no, yes = np.bincount(place, dot_no), np.bincount(place, dot_yes)
        losses[done] = abs(np.log(yes / no)).max()
        averages[done] = printed @ no
    loss, average = losses[after], averages[after]

    # Without chance: one person after another becomes a yes. Where the answer changes, it tells.
    tables, changed = [TRUTH], ["nobody yet"]
    for at, person in enumerate(PEOPLE):
        if TRUTH[at] == 0:
            tables.append((*tables[-1][:at], 1, *tables[-1][at + 1 :]))
            changed.append(person)
    answers = [answer_to(rule, table) for table in tables]
    given_away = [
        one for one, a, b in zip(changed[1:], answers[:-1], answers[1:], strict=True) if a != b
    ]
    return locals()


def _show(found: Found) -> Shown:
    return Shown(
        said=(
            (
                f"Somebody thinks: it is true of this person with {percent(found.prior)}. After a "
                f"“yes” they think {percent(found.after_yes)}, after a “no” "
                f"{percent(found.after_no)}."
            ),
            (
                f"With ε = {number(found.epsilon)}, no report of any design can lead them below "
                f"{percent(found.lowest)} or above {percent(found.highest)}."
            ),
            "The flip is 1/2, and nothing is learned." if found.flip == 0.5 else "",
            (
                "The reports of eight people are worked on. What is printed then has a privacy "
                f"loss of {number(found.loss)} at most for each of them."
            ),
            (
                f"Without chance, the answers in the second table give away "
                f"{' and '.join(', '.join(found.given_away).rsplit(', ', 1))}."
            ),
        ),
        values=values(
            found,
            ("epsilon", "ε", number),
            ("after_yes", "Belief after a “yes”", percent),
            ("after_no", "Belief after a “no”", percent),
            ("lowest", "Lowest belief that ε allows", percent),
            ("highest", "Highest belief that ε allows", percent),
            ("false_alarm", "False alarm: “yes”, not true", percent),
            ("miss", "Miss: “no”, but true", percent),
            ("mean_loss", "Privacy loss, on average", number),
            ("loss", "Largest loss of what is printed", number),
            ("average", "What is printed, on average", number),
        ),
        pictures=(_beliefs(found),),
        records=(_losses(found), _steps(found)),
    )


_BELIEFS: Final = tuple(place / 50 for place in range(51))


def _beliefs(found: Found) -> Picture:
    after = np.array([posteriors(found.channel, [1 - one, one])[:, 1] for one in _BELIEFS])
    return Picture(
        id="beliefs",
        caption="Belief before and after a report.",
        finding="The more the two curves bend away from the middle line, the more a report tells.",
        x="Belief before",
        y="Belief after",
        series=(
            *Columns(_BELIEFS, {"after a “yes”": after[:, 1], "after a “no”": after[:, 0]}).series,
            Series("no report", "line", (0.0, 1.0), (0.0, 1.0), 2),
            here(found.prior, found.after_yes, found.after_no),
        ),
        table=Columns(_BELIEFS, {"After a “no”": after[:, 0], "After a “yes”": after[:, 1]}).table(
            "Belief before", percent, at=range(0, 51, 5), x=percent
        ),
        x_range=(0, 1),
        y_range=(0, 1),
        x_shares=True,
    )


def _losses(found: Found) -> Records:
    return Records(
        id="after",
        caption=(
            "What the printed result tells of Dot, to somebody who knows the truth about all "
            "others. No way to work on the reports makes the loss larger than ε, which it is if "
            "all eight are printed."
        ),
        table=Table(
            ("What is done", "Largest loss", "Printed, on average"),
            tuple(
                (said, number(found.losses[one]), number(found.averages[one]))
                for one, said in AFTER.items()
            ),
        ),
        marked=([*AFTER].index(found.after),),
    )


def _steps(found: Found) -> Records:
    rows = []
    for person, table, answer in zip(found.changed, found.tables, found.answers, strict=True):
        names = ", ".join(name for name, yes in zip(PEOPLE, table, strict=True) if yes)
        words = ("no", "yes")[answer] if found.rule == "most" else str(answer)
        rows.append((person, names, words, person if person in found.given_away else ""))
    return Records(
        id="steps",
        caption=(
            "Without chance: eight made-up people, and each step turns one “no” into a “yes”. "
            "Where the answer changes, it tells of that one person."
        ),
        table=Table(("Changed", "All who say yes", "Answer", "Found by it"), tuple(rows)),
        marked=tuple(place for place, row in enumerate(rows) if row[-1]),
    )


PAGE: Final = Page(
    slug="adversary",
    title="The adversary",
    summary="What somebody who sees your report can believe, whatever they know and do.",
    idea=(
        "Somebody wants to know about you. They know the rules of the coin, they have an "
        "opinion already, and they see your report. How far can it change their mind? The "
        "answer does not depend on who they are or what else they know. It depends on ε alone. "
        "Here p is the chance of a flip: the report is then not the truth. Some texts write p "
        "for the chance of the truth. Then put 1 − p in its place."
    ),
    why=(
        "They may also work on the reports: count them, round, cut off what looks silly. "
        "Whatever is done after the noise was added costs nothing, as long as nobody looks at "
        "the true data again. It can make an answer better to read, but it cannot find you. "
        "And an answer without chance always gives somebody away."
    ),
    sources=(
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 2.3. (Proposition 2.1: what is done afterwards.)"
        ),
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
        Slider("prior", "Belief before", "0.01", "0.99", "0.01", "0.1", percent=True),
        Slider("flip", "p: chance that a report is flipped", "0.01", "0.5", "0.01", "0.25"),
        Choice("after", "What is done with eight reports", AFTER, below=True),
        Choice("rule", "Question without chance", _RULES, below=True),
    ),
    lines=lines,
    show=_show,
    exercises=(
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
            "flipped. Then one reads each report the other way round, so it protects "
            "as well as a flip of 1/4. Always ask what p stands for.",
            {"flip": "0.25"},
            check=Pick(
                "Yes, but not as a flip in the same sense", ("No", "Yes, and it is the same")
            ),
        ),
        Exercise(
            "Somebody accuses each person who sends “yes”. How often is that a false alarm, how "
            "often does it miss, and why can nobody do better in both?",
            "With p = 1/4 both are 25 %. Take any set A of reports that leads to an accusation. "
            "1 − miss is its chance if it is true, and false alarm is its chance if not. So 1 − "
            "miss ≤ e^ε × false alarm, and the same the other way round. 0.75 = 3 × 0.25.",
            {"flip": "0.25"},
            check=Number(25, 0, "% false alarms"),
        ),
        Exercise(
            "The answer of a mechanism does not depend on chance, but it is not always the same. "
            "Show that somebody can be found out.",
            "Take two tables with different answers. Walk from the one to the other, one person "
            "at a time. At some step the answer must change. Somebody who knows all others at that "
            "step learns what is true of that one person. So privacy needs chance.",
            {"rule": "most"},
            check=Pick(
                "Some single step changes the answer",
                ("All steps change the answer", "It depends on the coins"),
            ),
        ),
        Exercise(
            "The privacy loss is the logarithm of π(a | x) ÷ π(a | x′), the chances of a report a "
            "from the truth x and from the other one. It can be −ε. Is that good for the person?",
            "Such a report points the wrong way, so the adversary is misled. On average the loss "
            "is never negative: with p = 1/4 it is (1 − 2p) ln 3 ≈ 0.549, which is half of ε. "
            "The promise ε is about the worst report, not about the average one. Some texts say "
            "1 + ε where others say e^ε. For a small ε that is nearly the same: at ε = 0.1 it is "
            "1.1 and 1.105. At ε = ln 3 it is 2.1 and 3.",
            {"flip": "0.25"},
            check=Pick(
                "It misleads the adversary about them",
                ("It gives more away", "It breaks the promise"),
            ),
        ),
        Exercise(
            "Show that ε still holds after anything is done with an ε-private answer.",
            "Let A be all answers from which the result r is made. With one truth about you, r has "
            "the probability P(A), with the other one Q(A). P(A) is the sum of P(a) over all a in "
            "A. Each P(a) is at most e^ε Q(a), so P(A) is at most e^ε Q(A). If chance is used to "
            "make r, the same holds for each way that it may fall. With δ it holds as well: "
            "P(A) ≤ e^ε Q(A) + δ is promised for each set A.",
            {"after": "odd"},
            check=Pick(
                "P(A) is a sum, and each part keeps the bound",
                ("What is done has no chance in it", "The result is shorter than the answer"),
            ),
        ),
        Exercise(
            "The estimate is (count − 8p) ÷ (1 − 2p), and may be below zero. Is it still right on "
            "average if it is cut off there?",
            "No. Of the eight two say yes in truth. At p = 1/4 the count is 3 on average, and the "
            "estimate (3 − 2) ÷ 0.5 = 2 is right. Cut off it is 3.108, which makes 2.2. Each "
            "single estimate is nearer to the truth, but their average is too high. So keep the "
            "noisy ones for sums, and cut off what you print. A true count that is rounded or cut "
            "off is no such thing: it looks at the true data.",
            {"after": "cut", "flip": "0.25"},
            check=Pick("No, it is too high", ("Yes", "No, it is too low")),
        ),
        Exercise(
            "A textbook lists four desiderata: anonymity (that you took part stays secret), "
            "secrecy (your data stay secret), side-information (both hold whatever else somebody "
            "knows), and utility (the result is of use). Which one does a coin on your phone not "
            "give?",
            "Anonymity: everybody can see that you sent a report. The bounds on this page are "
            "secrecy, and that they hold for each belief before is protection against "
            "side-information. The estimate on “Coins” is utility.",
            check=Pick("Anonymity", ("Secrecy", "Side-information", "Utility")),
        ),
    ),
    guess=Guess(
        "You think something true of a person with 10 %. By their two coins they send “yes”. "
        "What do you think now?",
        "after_yes",
        (0, 100),
        at=0.1,
        seen=("no report",),
    ),
)
