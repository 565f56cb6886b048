"""Totals that give people away: a subtraction, too many counts, and averages with your data."""

from collections.abc import Callable
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, Records, Series, Table, here, steps, table_rows
from deniable.lab.said import number, percent

_TRAITS: Final = {each: f"{int(each):,}" for each in ("400", "10", "50", "100", "1000", "2000")}
_NOISE: Final = {"0": "none", "10": "for ε = 10", "1": "for ε = 1"}
_COUNTED: Final = (8, 16, 24, 32, 40, 48, 56, 64, 80, 120, 200, 320, 480, 640, 800)


def rebuilt(sets: FloatArray, answers: FloatArray) -> FloatArray:
    """Return the table that fits the counts best, each person rounded to 0 or 1.

    It is the solution of least squares nearest to "one half for everybody". The normal equations
    are as small as the table, whatever the number of counts.
    """
    over = answers - sets.sum(axis=1) / 2
    away = np.linalg.lstsq(sets.T @ sets, sets.T @ over, rcond=1e-10)[0]
    return 1.0 * np.asarray(away > 0)


def right(smokes: FloatArray, sets: FloatArray, errors: FloatArray) -> float:
    """Return the share of people for whom the table rebuilt from counts with errors is right."""
    return float((rebuilt(sets, sets @ smokes + errors) == smokes).mean())


def lines(
    counts: int, off: int, width: int, traits: int, noise: float, seed: int
) -> dict[str, Any]:
    """Compute what counts and averages tell of one person."""
    chance = np.random.default_rng(seed)
    ages = chance.integers(20, 65, 64)  # of the 64 people of a made-up firm
    smokes = (chance.random(64) < 0.4).astype(float)
    women = np.arange(64) % 2 == 1
    others = women & (np.arange(64) != 5)  # all but Dot
    with_dot, without_dot = smokes[women].sum(), smokes[others].sum()
    dot = with_dot - without_dot
    alone = (np.bincount(ages // width) == 1).sum()

    # Counts of people chosen by chance, each off by `off` at most, and the table that fits them.
    sets = chance.integers(0, 2, (800, 64)).astype(float)  # 1 for each person who is counted
    luck = chance.random(800)
    errors = np.floor(luck * (2 * off + 1)) - off
    recovered = right(smokes, sets[:counts], errors[:counts])
    guessed = max(smokes.mean(), 1 - smokes.mean())

    # Averages of 100 members of a study. Does somebody lean to the same side, trait by trait?
    chance = np.random.default_rng([seed, 1])
    members, strangers = chance.integers(0, 2, (2, 100, 2000))[:, :, :traits] - 0.5
    scale = traits / (100 * noise) if noise else 0
    averages = members.mean(axis=0) + scale * chance.laplace(size=traits)
    inside, outside = members @ averages, strangers @ averages
    line = traits / (8 * 100)  # halfway between what is expected of a member and of a stranger
    guessed_right = ((inside > line).mean() + (outside <= line).mean()) / 2
    return locals()


def _show(found: Found) -> Shown:
    return Shown(
        said=(
            (
                f"Two counts, of 32 and of 31 people, and Dot is found: {number(found.with_dot)} − "
                f"{number(found.without_dot)} = {number(found.dot)}."
            ),
            (
                f"{found.counts} counts, each off by {found.off} at most, give "
                f"{percent(found.recovered)} of all away."
            ),
            (
                f"{found.traits:,} averages of 100 people tell of {percent(found.guessed_right)} "
                "of all whether they took part. Guessing alone is right with 50 %."
            ),
        ),
        values=values(
            found,
            ("with_dot", "Women who smoke", number),
            ("without_dot", "The same without Dot", number),
            ("dot", "Dot smokes (1 is yes)", number),
            ("alone", "Alone in their age group, of 64", number),
            ("recovered", "Rebuilt from counts", percent),
            ("guessed", "Right by guessing alone", percent),
            ("guessed_right", "Who took part, by averages", percent),
        ),
        pictures=(_rebuilt(found), _heaps(found)),
        records=(_tracker(found),),
    )


def _tracker(found: Found) -> Records:
    everybody, dot = np.full(64, True), np.arange(64) == 5
    asked = (
        ("How many smokers are called Dot?", dot),
        ("How many people smoke?", everybody),
        ("How many smoke who are not called Dot?", ~dot),
        ("How many women smoke?", found.women),
        ("How many women smoke who are not called Dot?", found.others),
    )
    rows = []
    for question, those in asked:
        refused = not 20 <= those.sum() <= 44
        answer = "no answer" if refused else number(found.smokes[those].sum())
        rows.append((question, str(those.sum()), answer))
    rows.append(("The last two, subtracted: does Dot smoke?", "1", number(found.dot)))
    return Records(
        id="tracker",
        caption=(
            "A tracker. The program refuses to count less than 20 people, or all but less than "
            "20. Nobody has asked for Dot alone."
        ),
        table=Table(("Question", "People counted", "Answer"), tuple(rows)),
        marked=(len(asked),),
    )


@lru_cache(maxsize=256)
def _shares(off: int, seed: int) -> tuple[list[float], ...]:
    """Return the shares rebuilt: from exact counts, with errors, and with noise for ε = 1 in all.

    The page's other settings change none of them.
    """
    found = SimpleNamespace(**lines(800, off, 1, 1, 0, seed))
    # Laplace noise of scale 1, by the same luck. A chance of exactly 0 would have no end.
    left = np.maximum(1 - 2 * abs(found.luck - 0.5), 1e-300)
    laplace = -np.sign(found.luck - 0.5) * np.log(left)

    def curve(errors: Callable[[int], FloatArray]) -> list[float]:
        return [right(found.smokes, found.sets[:m], errors(m)[:m]) for m in _COUNTED]

    return curve(np.zeros), curve(lambda _: found.errors), curve(lambda m: m * laplace)


def _rebuilt(found: Found) -> Picture:
    exact, off, noisy = _shares(found.off, found.seed)
    # Counts off by 0 are the exact ones: their lines would lie on each other.
    inexact = {f"counts off by {found.off} at most": off} if found.off else {}
    lines = Columns(
        _COUNTED,
        {"exact counts": exact, **inexact, "noise for ε = 1 in all": noisy},
        tones=(0, 3, 1) if found.off else (0, 1),
    )
    return Picture(
        id="rebuilt",
        caption="Each count is about half of the firm, chosen by chance.",
        finding="With enough of them the whole table comes out. Only noise that grows with the "
        "number of counts stops it.",
        x="Counts",
        y="People whose answer is rebuilt",
        series=(*lines.series, here(found.counts, found.recovered)),
        table=lines.table("Counts", percent),
        x_range=(0, 800),
        y_range=(0, 1),
    )


def _heaps(found: Found) -> Picture:
    both = np.concatenate([found.inside, found.outside])
    edges = np.linspace(both.min(), both.max(), 25)
    others, members = (np.histogram(one, edges)[0] for one in (found.outside, found.inside))
    by_threes = (counts.reshape(-1, 3).sum(axis=1) for counts in (others, members))
    return Picture(
        id="heaps",
        caption=(
            "How much each person leans to the side of the averages. Each member has pulled them a "
            "little, so members lean more. Right of the line one guesses “took part”."
        ),
        x="How much somebody leans to the averages",
        y="People",
        series=(
            steps("others", edges, others, 2),
            steps("members", edges, members, 0),
            Series("the line", "upright", (found.line,), (0,), 3),
        ),
        table=Table(
            ("From", "to", "Others", "Members"),
            table_rows(edges[::3], *by_threes, write=partial(number, digits=2)),
        ),
    )


PAGE: Final = Page(
    slug="totals",
    title="Totals that give people away",
    summary="Only counts and averages are published, never a person. And there you are.",
    idea=(
        "“We publish totals only.” That sounds safe. But count the women who smoke, then count "
        "those who are not called Dot, and subtract. A rule that each count must have many "
        "people does not help: both have. There is a law behind it. With too many answers that "
        "are too exact one can work out the whole table. So each answer must be a little "
        "wrong, and the more answers there are, the more wrong each must be."
    ),
    why=(
        "Averages tell, too. To have been in a study of an illness says that you have it, and "
        "each person pulls each average a tiny bit to their own side. Studies of genes publish "
        "thousands, and a thousand tiny pulls add up. A trained model does the same if it has "
        "learned its data by heart: it is then better for people that it has seen. So one can "
        "guess: was this record in the training set?"
    ),
    sources=(
        (
            "D. E. Denning, P. J. Denning and M. D. Schwartz (1979). The tracker: a threat to "
            "statistical database security. ACM TODS 4."
        ),
        (
            "I. Dinur and K. Nissim (2003). Revealing information while preserving privacy. PODS. "
            "(The law of information recovery.)"
        ),
        (
            "N. Homer et al. (2008). Resolving individuals contributing trace amounts of DNA to "
            "highly complex mixtures. PLoS Genetics 4. (Published allele shares.)"
        ),
        (
            "R. Shokri, M. Stronati, C. Song and V. Shmatikov (2017). Membership inference attacks "
            "against machine learning models. IEEE Symposium on Security and Privacy."
        ),
    ),
    inputs=(
        Slider("counts", "Counts that are asked for", "8", "800", "8", "96"),
        Slider("off", "Each count is off by at most", "0", "16", "1", "0"),
        Slider("seed", "Data (made up; each number is other people)", "1", "200", "1", "7"),
        Slider("width", "Years in an age group", "1", "20", "1", "3", below=True),
        Choice("traits", "Averages that are published", _TRAITS, below=True),
        Choice("noise", "Noise in the averages", _NOISE, below=True),
    ),
    lines=lines,
    show=_show,
    exercises=(
        Exercise(
            "How wide must age groups be until nobody is alone? Is everybody safe then?",
            "Turn the slider. Even with wide groups a total can tell all: if every person of a "
            "group smokes, or nobody does. And next year’s total without the one who left tells "
            "about that one.",
            {"width": "10"},
            check=Pick(
                "No, a whole group may smoke", ("Yes, from 5 years on", "Yes, if no age is printed")
            ),
        ),
        Exercise(
            "Each count is now off by up to 4. Does that stop it? What would?",
            "64 exact counts are 64 equations for 64 unknowns, so they give everybody away. With "
            "errors 800 counts give nearly all away again, as the errors cancel. Errors below "
            "about √n, here 8, do not protect if enough is asked. Noise for ε = 1 in all has the "
            "scale m for m counts. Then more counts do not help, and the guess stays a guess.",
            {"counts": "800", "off": "4"},
            check=Pick(
                "Noise that grows with the number of counts",
                ("Errors of up to 4", "Errors of up to 8"),
            ),
        ),
        Exercise(
            "How many averages of 100 people are enough to be right about nine in ten?",
            "Members and others are √(J/n) spreads apart, where J is the number of averages. One "
            "needs 2.56 for nine in ten, so J = 657. A study of genes publishes far more. With "
            "twice as many people it takes twice as many averages: only J/n matters.",
            {"traits": "1000"},
            check=Number(657, 8, "averages"),
        ),
        Exercise(
            "A model is judged by its average error over people like those that it has learned "
            "from. ε holds for the worst case: each person, and each table. Why is it not enough "
            "if the attack fails on average?",
            "A model may know one rare record by heart and hardly anything of the 199 others. "
            "The attack is then right about 50.25 % on average, and about that one person for "
            "sure. Who is rare needs protection most. So ask for use on average, and for privacy "
            "in the worst case.",
            check=Pick(
                "One person may be found for sure",
                ("The average is hard to compute", "An attack never fails on average"),
            ),
        ),
    ),
    guess=Guess(
        "A firm of 64 answers 96 questions like “how many of these 32 smoke?” How much of who "
        "smokes can be rebuilt from the counts?",
        "recovered",
        (0, 100),
        at=96,
        seen=("noise for ε = 1 in all",),
    ),
)
