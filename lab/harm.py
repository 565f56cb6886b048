"""Harm without taking part: what a study says of a group, it says of those who stayed away."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from deniable import designs
from deniable.estimator import for_values
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number, percent, points

FAST: Final = Fraction(1, 5)
"""So many of all sprinters run 100 metres in less than ten seconds."""

BASIC: Final = 1000
"""What an insurance pays for somebody who does not smoke, a year."""

_SIZES: Final = {each: f"{int(each):,}" for each in ("3000", "100", "300", "1000", "10000")}
_PLACES: Final = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)

_CODE: Final = """\
import numpy as np

from deniable import designs
from deniable.estimator import for_values

among_fast, among_slow, n = {among_fast}, {among_slow}, {n}
before = 0.2 * among_fast + 0.8 * among_slow  # of all sprinters; 1 in 5 is under 10 seconds

# The study: the sprinters under 10 seconds answer by coins. Cara is not among them.
fast = n // 5
chance = np.random.default_rng({seed})
true = chance.random(fast) < among_fast
reports = true ^ (chance.random(fast) < {flip})
channel = designs.warner(flip="{flip}")
no, yes = for_values(channel, [0, 1])  # what each report adds to the estimate
told = np.where(reports, yes, no).mean()

# The same study with Cara, whichever report she sends.
with_no, with_yes = ((told * fast + each) / (fast + 1) for each in (no, yes))
her_part = with_yes - with_no
epsilon = channel.epsilon

# An insurance, before and after a study that finds what smoking costs.
together = {basic} + {smokers} * {extra}
smoker, other = {basic} + {extra}, {basic}
"""


@dataclass(frozen=True)
class Study:
    """What the study says of sprinters under ten seconds."""

    without: float  # the estimated share, when Cara stayed away
    with_no: float  # the same when she took part, and sent a no or a yes
    with_yes: float


def study(share: Fraction, flip: Fraction, n: int, seed: int) -> Study:
    """Ask the fast among n made-up sprinters by randomised response, without Cara and with her."""
    fast = n // 5
    chance = np.random.default_rng(seed)
    true = chance.random(fast) < float(share)
    reports = true ^ (chance.random(fast) < float(flip))
    no, yes = for_values(designs.warner(flip=flip), [0, 1])
    without = float(np.where(reports, yes, no).mean())
    with_no, with_yes = ((without * fast + each) / (fast + 1) for each in (no, yes))
    return Study(without, float(with_no), float(with_yes))


def compute(settings: Settings) -> Shown:
    """Return what is believed of somebody who stayed away, and what her report would change."""
    read = typed(
        settings,
        among_fast=Fraction,
        among_slow=Fraction,
        flip=Fraction,
        smokers=Fraction,
        extra=int,
        n=int,
        seed=int,
    )
    before = float(FAST * read.among_fast + (1 - FAST) * read.among_slow)
    made = study(read.among_fast, read.flip, read.n, read.seed)
    part, epsilon = made.with_yes - made.with_no, designs.warner(flip=read.flip).epsilon
    together = float(BASIC + read.smokers * read.extra)
    return Shown(
        said=(
            (
                f"Before the study people believed of Cara what is true of all sprinters: "
                f"{percent(before)}. Now they know that she is under 10 seconds, and what the "
                f"study says of those: {percent(_belief(made.without))}. She had stayed away."
            ),
            f"Had she taken part, her report would have moved this by {points(part, 2)} at most.",
        ),
        values=(
            Value("before", "Belief before the study", before, percent(before)),
            Value("told", "The study’s estimate", made.without, percent(made.without)),
            Value("with_no", "The same if she sends “no”", made.with_no, percent(made.with_no, 2)),
            Value("with_yes", "If she sends “yes”", made.with_yes, percent(made.with_yes, 2)),
            Value("her_part", "What her report changes", part, points(part, 2)),
            Value("epsilon", "ε of her report", epsilon, number(epsilon)),
            Value("together", "Premium of all, before", together, number(together, 0)),
            Value("smoker", "Smokers’, after", BASIC + read.extra, f"{BASIC + read.extra:,}"),
            Value("other", "Others’, after", BASIC, f"{BASIC:,}"),
        ),
        code=fill(_CODE, settings, basic=BASIC),
        pictures=(
            _beliefs(before, made),
            _sizes(read),
            _premium(together, read.extra),
        ),
    )


def _belief(estimate: float) -> float:
    """Return what one believes after an estimate, which noise may push beyond the ends."""
    return min(1.0, max(0.0, estimate))


def _beliefs(before: float, made: Study) -> Picture:
    after = [_belief(each) for each in (made.without, made.with_no, made.with_yes)]
    bars = Columns(("before", "not in", "no", "yes"), {"": [before, *after]}, (1,), "bars")
    return Picture(
        id="beliefs",
        caption=(
            "What somebody believes of Cara who knows that she is under 10 seconds. The large step "
            "comes from the study. The other bars: she is not in it, she sent a no, she sent a yes."
        ),
        x="Before the study, and after it by what she sent",
        y="Belief that Cara uses steroids",
        series=bars.series,
        table=bars.table(("The study", "Belief"), percent, 2),
        y_range=(0, 1),
    )


def error(share: float, flip: float, n: int) -> float:
    """Return the standard error of the estimate among the fast of n sprinters."""
    rate = flip + (1 - 2 * flip) * share
    return math.sqrt(rate * (1 - rate) / (n // 5)) / (1 - 2 * flip)


def _sizes(read: Any) -> Picture:
    flip = float(read.flip)
    errors = np.array([error(float(read.among_fast), flip, n) for n in _PLACES])
    parts = np.array([1 / ((1 - 2 * flip) * (n // 5 + 1)) for n in _PLACES])
    names = ("error of the study", "what one report changes")
    return Picture(
        id="sizes",
        drag=Drag("n"),
        caption=(
            "More people make the study more exact, and each of them matters less. What it says of "
            "the group stays. Each axis multiplies."
        ),
        x="Sprinters in the study",
        y="Points",
        series=(
            *Columns(_PLACES, {names[0]: 100 * errors, names[1]: 100 * parts}).series,
            Series("", "upright", (read.n,), (100 * parts[-1],), 2),
        ),
        table=Table(
            ("Sprinters", *names),
            tuple(
                (f"{n:,}", points(wide, 2), points(part, 3))
                for n, wide, part in zip(_PLACES, errors, parts, strict=True)
            ),
        ),
        logarithmic=True,
    )


def _premium(together: float, extra: int) -> Picture:
    bars = Columns(
        ("before", "after the study"),
        {"smokers": (together, BASIC + extra), "others": (together, BASIC)},
        tones=(1, 0),
        mark="bars",
    )
    return Picture(
        id="premium",
        caption=(
            "A yearly premium. Before, smoking raises it for everybody. After a study of what "
            "smoking costs, smokers pay for it, whether or not they took part."
        ),
        x="When",
        y="Premium a year",
        series=bars.series,
        table=bars.table(("When", "Smokers", "Others"), number, 0),
    )


PAGE: Final = Page(
    slug="harm",
    title="Harm without taking part",
    summary="A study of sprinters accuses one who was never asked. Was a secret broken?",
    paragraphs=(
        (
            "A study finds: of sprinters under 10 seconds, 90 % use steroids, of slower ones 50 %. "
            "Cara runs 9.9 seconds and was never asked. Now people suspect her. The same happens "
            "to a smoker, when a study finds what smoking costs and the insurance reads it."
        ),
        (
            "No method can prevent this but never learning anything. So the promise ε is another "
            "one: what is learned is nearly the same, whether you take part or not. Taking part "
            "cannot hurt you much more than staying away. If that is enough is a question for all "
            "of us, and one of the exercises."
        ),
    ),
    sources=(
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 1. (Smoking causes cancer.)"
        ),
        (
            "C. Dwork and M. Naor (2010). On the difficulties of disclosure prevention in "
            "statistical databases. Journal of Privacy and Confidentiality 2."
        ),
        (
            "S. Barocas and H. Nissenbaum (2014). Big data’s end run around anonymity and consent. "
            "In: Privacy, Big Data, and the Public Good. (What others tell about you.)"
        ),
    ),
    inputs=(
        Slider("among_fast", "Under 10 s: use steroids", "0", "1", "0.05", "0.9"),
        Slider("among_slow", "Slower: use steroids", "0", "1", "0.05", "0.5"),
        Choice("n", "Sprinters in the study (1 in 5 is under 10 s)", _SIZES),
        Slider("flip", "p: chance that a report is flipped", "0.05", "0.45", "0.05", "0.25"),
        Slider("smokers", "Share of smokers", "0", "0.5", "0.05", "0.2"),
        Slider("extra", "What a smoker costs more, a year", "0", "3000", "100", "1500"),
        Slider("seed", "Data (made up; each number is another study)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "What did people believe of Cara before the study, and what should they believe now?",
            "Before: 0.2 × 90 % + 0.8 × 50 % = 58 %. Now they know that she is one of the fast: 90 "
            "%. She lost 32 points without sending anything. Her time was public, and the link "
            "between time and steroids is now, too.",
            {"among_fast": "0.9", "among_slow": "0.5"},
            check=Number(90, 0, "% now"),
        ),
        Exercise(
            "How much can her own report change what people learn? Compare 100 and 10,000 "
            "sprinters.",
            "A “yes” in place of a “no” moves the estimate by 1 ÷ ((1 − 2p)(m + 1)), where m fast "
            "ones take part. With p = 1/4 that is 9.5 points for 100 sprinters, of whom 20 are "
            "fast, and 0.1 points for 10,000.",
            {"n": "100", "flip": "0.25"},
            check=Pick(
                "By less, the more take part",
                ("By more, the more take part", "By the same, always"),
            ),
        ),
        Exercise(
            "Smoking costs 1,500 a year, and 20 % smoke. Who gains by the study, and who loses? "
            "Did anybody break a secret?",
            "Before, all pay 1,000 + 0.2 × 1,500 = 1,300: smoking raises everybody’s premium. "
            "After, smokers pay 2,500 and others 1,000. A smoker loses 1,200 if the insurance can "
            "see that they smoke. The study said nothing of any one person. But it also saves "
            "lives of those who stop.",
            {"smokers": "0.2", "extra": "1500"},
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
    topics=("cryptography is not enough; harm without participation",),
    guess=Guess(
        "A study of 3,000 sprinters makes people suspect Cara. How far can her own report have "
        "moved that suspicion?",
        "her_part",
        0,
        20,
        "points",
        step=0.1,
    ),
)
