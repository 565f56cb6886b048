"""Trust, but test: how many visits it takes until the audit sees a program that cheats a little."""

import math
from fractions import Fraction
from typing import Any, Final

import numpy as np
import scipy

from deniable.analysis.audit import NEVER, SURE
from deniable.analysis.intervals.proportion import clopper_pearson, least_seen
from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series
from deniable.lab.said import number, percent, points

TAIL: Final = NEVER / 512 / 2
"""Of each end of the interval of each frequency: this audit looks at 256 bytes of two truths."""

_VISITS: Final = ("1000", "100", "300", "3000", "10000", "30000", "100000")
_MOST: Final = 10**7

_CODE: Final = """\
import math

import numpy as np
from scipy.stats import binom

from deniable.analysis.intervals.proportion import clopper_pearson, least_seen

never, sure = 1e-6, 0.99
tail = never / 512 / 2  # it looks at 256 bytes, for two truths, from both sides
n, truth, really = {n}, 1 - {flip}, 1 - {flip} * (1 - {cheat})
claimed, real = math.log(truth / (1 - truth)), math.log(really / (1 - really))
# The alarm: so many truths among n visits of one kind come by chance with `tail` at most.
alarm = lambda n: binom.isf(tail, n, truth) + 1
caught = lambda n: 1 - binom.cdf(alarm(n) - 1, n, really) ** 2  # visits of two kinds
chance = float(caught(n))
least = float(least_seen(np.array(truth), np.array(n), tail, sure))

# Made-up visits, of people with a yes and with a no.
yes, no = np.random.default_rng({seed}).binomial(n, really, 2)
lows, highs = clopper_pearson(np.array([yes, n - no]), n, never / 2)
low = math.log(lows[0] / highs[1])

# The least number of visits that is enough, to three digits; 10 million stand for more than that.
some = [round(10 ** (place / 100), 2 - place // 100) for place in range(100, 701)]
needed = next((n for n in some if caught(n) >= sure), 10_000_000)
"""


def alarm(n: FloatArray, truth: float) -> FloatArray:
    """Return from how many truths on, of so many visits of one kind, the audit accuses."""
    return np.asarray(scipy.stats.binom.isf(TAIL, n, truth) + 1)


def caught(n: FloatArray, truth: float, really: float) -> FloatArray:
    """Return the chance that the audit accuses after so many visits of each of two kinds."""
    return np.asarray(1 - scipy.stats.binom.cdf(alarm(n, truth) - 1, n, really) ** 2)


def needed(truth: float, really: float) -> float:
    """Return how many visits of each kind are enough, to three digits; `_MOST` at most."""
    some = np.array([round(10 ** (place / 100), 2 - place // 100) for place in range(100, 701)])
    enough = np.flatnonzero(caught(some, truth, really) >= SURE)
    return float(some[enough[0]]) if enough.size else _MOST


def compute(settings: Settings) -> Shown:
    """Return what the audit sees of a program that leaves out some of its flips."""
    read = typed(settings, flip=Fraction, cheat=Fraction, n=int, seed=int)
    truth, really = (float(1 - read.flip * (1 - cheat)) for cheat in (0, read.cheat))
    claimed, real = (math.log(one / (1 - one)) for one in (truth, really))
    chance = float(caught(np.array(read.n), truth, really))
    least = float(least_seen(np.array(truth), np.array(read.n), TAIL, SURE))
    visits = needed(truth, really)
    yes, no = np.random.default_rng(read.seed).binomial(read.n, really, 2).tolist()
    lows, highs = clopper_pearson(np.array([yes, read.n - no]), read.n, NEVER / 2)
    low = math.log(lows[0] / highs[1])
    accused = max(yes, no) >= alarm(np.array(read.n), truth)
    enough = f"{visits:,.0f}" if visits < _MOST else "over 10 million"
    smallest = points(least) if math.isfinite(least) else "none"
    return Shown(
        said=(
            (
                f"The program says that it sends the truth with {percent(truth)}. It sends it with "
                f"{percent(really)}: its ε is {number(real)}, and not {number(claimed)}."
                if read.cheat
                else f"The program is honest: it sends the truth with {percent(truth)}."
            ),
            (
                f"In {read.n:,} made-up visits with a “yes” it came {yes:,} times, and “no” came "
                f"{no:,} times in as many with a “no”. The audit "
                f"{'accuses it' if accused else 'says nothing'}."
            ),
            f"So many visits see it with {percent(chance)}. To be nearly sure takes {enough}.",
        ),
        values=(
            Value("claimed", "ε as it says", claimed, number(claimed)),
            Value("real", "ε in truth", real, number(real)),
            Value("low", "ε by these visits, at least", low, number(low)),
            Value("chance", "The audit sees it", chance, percent(chance)),
            Value("needed", "Visits of each kind to see it", visits, enough),
            Value("least", "Least cheat that these visits see", least, smallest),
        ),
        code=fill(_CODE, settings),
        pictures=(
            _along(read, truth),
            _least(read.n, truth, least),
            _heaps(read.n, truth, really, yes),
        ),
    )


def _along(read: Any, truth: float) -> Picture:
    cheats = np.linspace(0, 0.98, 50)
    sizes = sorted({100, 1000, 10_000} - {read.n})
    columns = {
        f"{n:,} visits": [
            float(caught(np.array(n), truth, float(1 - read.flip * (1 - Fraction(one)))))
            for one in cheats
        ]
        for n in (read.n, *sizes)
    }
    lines = Columns(cheats, columns, tones=(0, 2, 1, 3))
    return Picture(
        id="along",
        drag=Drag("cheat"),
        caption=(
            "How sure the audit is to see a cheat, by its size. A program that leaves out most of "
            "its noise is seen soon, and one that leaves out a little takes many visits."
        ),
        x="Share of the flips that the program leaves out",
        y="The audit sees it",
        series=lines.series,
        table=lines.table("Left out", percent, at=range(0, 50, 5), x=percent),
        x_range=(0, 1),
        y_range=(0, 1),
    )


def _least(n: int, truth: float, least: float) -> Picture:
    visits = np.round(10 ** np.arange(2, 6.01, 0.25))
    seen = 100 * least_seen(np.array(truth), visits, TAIL, SURE)
    some = np.isfinite(seen)
    lines = Columns(visits[some], {"seen nearly surely": seen[some]})
    dot = [Series("", "dots", (n,), (100 * least,), 1)] if math.isfinite(least) else []
    return Picture(
        id="least",
        drag=Drag("n"),
        caption=(
            "The least cheat that is seen. Whatever is smaller stays unseen: a hundred times as "
            "many visits see a cheat a tenth as large. Each axis multiplies."
        ),
        x="Visits of each kind",
        y="Sent too often, by points",
        series=(*lines.series, *dot),
        table=lines.table("Visits", lambda one: f"{one:.2f}", x=lambda one: f"{one:,.0f}"),
        logarithmic=True,
    )


def _heaps(n: int, truth: float, really: float, yes: int) -> Picture:
    first = float(alarm(np.array(n), truth))
    honest, cheating = scipy.stats.binom(n, truth), scipy.stats.binom(n, really)
    low, high = float(honest.ppf(1e-4)), float(cheating.isf(1e-4))
    counts = np.unique(np.linspace(low, min(max(high, first) + 1, n), 80).round())
    chances = {"honest": honest.pmf(counts), "this program": cheating.pmf(counts)}
    lines = Columns(counts / n, chances)
    line = min(1.0, first / n)
    return Picture(
        id="heaps",
        caption=(
            "How often the truth is sent, in as many visits with a “yes”. Beyond the alarm an "
            "honest program comes less than once in a million audits. The dot is what came here."
        ),
        x="Share of the visits in which the truth is sent",
        y="Probability",
        series=(
            *lines.series,
            Series("the alarm", "upright", (line,), (0.0,), 3),
            Series("what came", "dots", (yes / n,), (0.0,), 2),
        ),
        table=lines.table(
            "Share", lambda one: f"{one:.4f}", at=range(0, len(counts), 8), x=percent
        ),
    )


PAGE: Final = Page(
    slug="trust",
    title="Trust, but test",
    summary="A program cheats a little. How many visits does it take until somebody sees it?",
    paragraphs=(
        (
            "A survey’s page says that it tosses coins. Does it? Nobody sees that in one report. "
            "But whoever runs the page often, with answers of their own choosing, can count how "
            "often the truth comes out. That is an audit."
        ),
        (
            "An audit must never accuse an honest program, or nobody would listen to it. So it "
            "waits until honest coins would do the same once in a million audits. What cheats by "
            "less than that takes more visits, and something always stays too small to be seen."
        ),
    ),
    sources=(
        (
            "M. Jagielski, J. Ullman and A. Oprea (2020). Auditing differentially private machine "
            "learning. NeurIPS."
        ),
        (
            "C. J. Clopper and E. S. Pearson (1934). The use of confidence or fiducial limits "
            "illustrated in the case of the binomial. Biometrika 26."
        ),
        (
            "Z. Ding, Y. Wang, G. Wang, D. Zhang and D. Kifer (2018). Detecting violations of "
            "differential privacy. CCS."
        ),
    ),
    inputs=(
        Slider("flip", "p: chance of a flip, as the program says", "0.05", "0.45", "0.05", "0.25"),
        Slider("cheat", "Share of the flips that it leaves out", "0", "0.98", "0.02", "0.2"),
        Choice("n", "Visits of each kind", {one: f"{int(one):,}" for one in _VISITS}),
        Slider("seed", "Data (made up; each number is another audit)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "The program leaves out 20 of 100 flips. How many visits of each kind see it nearly "
            "surely?",
            "About 3,800 with a “yes” and as many with a “no”. The truth is sent with 80 % and not "
            "with 75 %, so the alarm of six spreads of chance is passed with 99 %.",
            {"flip": "0.25", "cheat": "0.2", "n": "10000"},
            check=Number(3800, 100, "visits"),
        ),
        Exercise(
            "It now leaves out half as many. By how much does the number of visits grow?",
            "About four times. Chance moves a frequency by one over the root of the number of "
            "visits, so a cheat half as large takes four times as many.",
            {"flip": "0.25", "cheat": "0.1", "n": "30000"},
            check=Number(4, 0.5, "times"),
        ),
        Exercise(
            "Why does the audit not accuse as soon as 5 in 100 honest programs look the same?",
            "It would accuse every twentieth honest program, each time it is run. Whoever audits "
            "a thousand surveys would have fifty false alarms, and soon nobody would believe one.",
            check=Pick(
                "Too many honest programs would be accused",
                ("It would see less", "Such an alarm takes longer"),
            ),
        ),
        Exercise(
            "A program cheats those only who fill in the survey for more than ten minutes. What "
            "does this page’s audit see?",
            "Nothing, if all its visits are short. An audit sees what its visits meet. That is why "
            "“deniable verify” compares the program itself with one that people have read.",
            check=Pick("Nothing, if its visits are short", ("As much as here", "Half as much")),
        ),
        Exercise(
            "An honest program is audited 1,000 times with 10,000 visits each. How often is it "
            "accused?",
            "Hardly ever: once in a million audits at most, so with 1,000 audits with a chance of "
            "1 in 1,000 at most. The number of visits does not matter, as the alarm moves with it.",
            {"cheat": "0", "n": "10000"},
            check=Number(0, 0, "times"),
        ),
    ),
    topics=("auditing by tests",),
    guess=Guess(
        "A program says that it flips 1 answer in 4, and leaves out every fifth of these flips. "
        "How many visits of each kind does it take to see that nearly surely?",
        "needed",
        0,
        20000,
        "visits",
        scale=1,
        step=100,
    ),
)
