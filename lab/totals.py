"""Totals that give people away: one subtraction, a small group, and too many counts."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill
from deniable.lab.pictures import Columns, Drag, Picture, Records, Series, Table
from deniable.lab.said import percent

PEOPLE: Final = 64
MOST: Final = 800
"""So many counts can be asked for."""

_PERSONS: Final = {"5": "Dot, 5", "12": "Cem, 12", "40": "Gus, 40"}
_COUNTED: Final = (8, 16, 24, 32, 40, 48, 56, 64, 80, 120, 200, 320, 480, 640, 800)

_CODE: Final = """\
import numpy as np

from deniable.lab.totals import made_up, rebuilt

staff = made_up(seed={seed})  # 64 made-up people: their ages, and who smokes
ages, smokes = staff.ages, staff.smokes

# Two counts, each of many people. Every second person is a man.
person = {person}
group = np.arange(64) % 2 == person % 2
others = group & (np.arange(64) != person)
with_person, without_person = smokes[group].sum(), smokes[others].sum()
found = with_person - without_person
smallest_set = others.sum()

# Who is alone in their age group?
same = [(ages // {width} == age // {width}).sum() for age in ages]
alone = same.count(1)

# Counts of people chosen by chance, each off by {off} at most; then the table that fits them best.
counted = staff.sets[:{counts}]
answers = counted @ smokes + staff.errors({off})[:{counts}]
recovered = (rebuilt(counted, answers) == smokes).mean()
guessed = max(smokes.mean(), 1 - smokes.mean())
"""


@dataclass(frozen=True)
class Staff:
    """The made-up people of a firm, and the counts that somebody asks for."""

    ages: npt.NDArray[np.int64]
    smokes: npt.NDArray[np.int64]
    sets: npt.NDArray[np.int64]  # 1 for each person who is counted: half of all, by chance
    chances: FloatArray  # from 0 to 1: how far each count is off

    def errors(self, most: int) -> npt.NDArray[np.int64]:
        """Return how far each count is off: a whole number from -most to most, by chance."""
        errors: npt.NDArray[np.int64] = (
            np.floor(self.chances * (2 * most + 1)).astype(np.int64) - most
        )
        return errors

    def laplace(self, scale: float) -> FloatArray:
        """Return Laplace noise of a scale for each count."""
        centred = self.chances - 0.5
        # A chance of exactly 0 would have no end.
        left = np.maximum(1 - 2 * np.abs(centred), 1e-300)
        return np.asarray(-scale * np.sign(centred) * np.log(left), dtype=np.float64)


@lru_cache(maxsize=16)
def made_up(seed: int) -> Staff:
    """Make up a firm."""
    chance = np.random.default_rng(seed)
    return Staff(
        ages=chance.integers(20, 65, PEOPLE),
        smokes=(chance.random(PEOPLE) < 0.4).astype(np.int64),
        sets=chance.integers(0, 2, (MOST, PEOPLE)),
        chances=chance.random(MOST),
    )


def rebuilt(sets: npt.NDArray[np.int64], answers: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the table that fits counts best, each person rounded to 0 or 1.

    Least squares, as near to "one half for everybody" as the counts allow. The normal equations are
    as small as the table, however many counts there are.
    """
    counted = sets.astype(np.float64)
    over = np.asarray(answers) - counted.sum(axis=1) / 2
    away = np.linalg.lstsq(counted.T @ counted, counted.T @ over, rcond=1e-10)[0]
    table: npt.NDArray[np.int64] = (away > 0).astype(np.int64)
    return table


def right(staff: Staff, counts: int, errors: npt.ArrayLike) -> float:
    """Return for how many people the rebuilt table is right, as a share."""
    sets = staff.sets[:counts]
    answers = sets @ staff.smokes + np.asarray(errors)[:counts]
    return float((rebuilt(sets, answers) == staff.smokes).mean())


def compute(settings: Settings) -> Shown:
    """Return whom harmless totals give away."""
    person, least = int(str(settings["person"])), int(Fraction(settings["least"]))
    width, counts, off, seed = (
        int(Fraction(settings[name])) for name in ("width", "counts", "off", "seed")
    )
    staff = made_up(seed)
    places = np.arange(PEOPLE)
    group = places % 2 == person % 2
    others = group & (places != person)
    with_person, without = int(staff.smokes[group].sum()), int(staff.smokes[others].sum())
    found, size = with_person - without, int(others.sum())
    answered = _is_answered(size, least) and _is_answered(size + 1, least)
    same = Counter((staff.ages // width).tolist())
    alone = sum(each == 1 for each in same.values())
    recovered = right(staff, counts, staff.errors(off))
    guessed = float(max(staff.smokes.mean(), 1 - staff.smokes.mean()))
    name = _PERSONS[str(person)].split(",")[0]
    return Shown(
        said=(
            (
                f"Two counts, of {size + 1} and of {size} people, and {name} is found: "
                f"{with_person} − {without} = {found}."
                if answered
                else f"The program refuses the count of {size} people, so these two counts do not "
                f"find {name}. "
                + (
                    f"Groups of exactly {least} are still answered: see the second exercise."
                    if _is_answered(size + 1, least)
                    else "It refuses every other count as well."
                )
            ),
            f"{counts} counts, each off by {off} at most, give {percent(recovered)} of all away.",
        ),
        values=(
            *(
                [
                    Value(
                        "with_person", f"Smokers in {name}’s group", with_person, str(with_person)
                    ),
                    Value("without_person", f"The same without {name}", without, str(without)),
                    Value("found", f"So {name} smokes", found, "yes" if found else "no"),
                ]
                if answered
                else []
            ),
            Value("smallest_set", "Least people of these two counts", size, str(size)),
            Value("alone", "Alone in their age group", alone, f"{alone} of {PEOPLE}"),
            Value("recovered", "Rebuilt from counts", recovered, percent(recovered)),
            Value("guessed", "Right by guessing alone", guessed, percent(guessed)),
        ),
        code=fill(_CODE, settings),
        pictures=(_ages(staff, width), _rebuilt(seed, counts, off, recovered)),
        records=(_tracker(staff, person, least, name),),
    )


def _is_answered(people: int, least: int) -> bool:
    return least <= people <= PEOPLE - least


def _tracker(staff: Staff, person: int, least: int, name: str) -> Records:
    places = np.arange(PEOPLE)
    group = places % 2 == person % 2
    asked = (
        (f"How many smokers are called {name}?", places == person),
        ("How many people smoke?", places >= 0),
        (f"How many smoke who are not called {name}?", places != person),
        ("How many women smoke?" if person % 2 else "How many men smoke?", group),
        (
            f"How many women smoke who are not called {name}?"
            if person % 2
            else f"How many men smoke who are not called {name}?",
            group & (places != person),
        ),
    )
    rows = []
    for question, those in asked:
        people = int(those.sum())
        answer = str(staff.smokes[those].sum()) if _is_answered(people, least) else "no answer"
        rows.append((question, str(people), answer))
    found = "no answer" not in (rows[-2][2], rows[-1][2])
    difference = str(int(staff.smokes[person])) if found else "no answer"
    rows.append((f"The last two, subtracted: does {name} smoke?", "1", difference))
    return Records(
        id="tracker",
        caption=(
            f"A tracker. The program refuses to count less than {least} people, or all but less "
            f"than {least}. Nobody has asked for {name} alone."
        ),
        table=Table(("Question", "People counted", "Answer"), tuple(rows)),
        marked=(len(asked),) if found else (),
    )


def _ages(staff: Staff, width: int) -> Picture:
    bands = range(20 // width, 64 // width + 1)
    people = Counter((staff.ages // width).tolist())
    smoke = Counter((staff.ages // width)[staff.smokes == 1].tolist())
    names = tuple(
        f"{band * width}" + (f"–{(band + 1) * width - 1}" if width > 1 else "") for band in bands
    )
    return Picture(
        id="ages",
        caption=(
            "Smokers by age group, as a firm might publish them. Where a group has one person, its "
            "count is that person’s answer."
        ),
        x="Age",
        y="People",
        series=(
            *Columns(
                names,
                {
                    "people": [people[band] for band in bands],
                    "smokers": [smoke[band] for band in bands],
                },
                tones=(2, 1),
                mark="bars",
            ).series,
        ),
        table=Table(
            ("Age", "People", "Smokers", "Given away"),
            tuple(
                (
                    name,
                    str(people[band]),
                    str(smoke[band]),
                    "the one person" if people[band] == 1 else "",
                )
                for name, band in zip(names, bands, strict=True)
            ),
        ),
    )


@lru_cache(maxsize=64)
def _curve(seed: int, off: int) -> tuple[float, ...]:
    staff = made_up(seed)
    return tuple(right(staff, counts, staff.errors(off)) for counts in _COUNTED)


@lru_cache(maxsize=16)
def _private(seed: int) -> tuple[float, ...]:
    """Return the same for Laplace noise with ε = 1 for all counts together."""
    staff = made_up(seed)
    return tuple(right(staff, counts, staff.laplace(counts)) for counts in _COUNTED)


def _rebuilt(seed: int, counts: int, off: int, recovered: float) -> Picture:
    lines = Columns(
        _COUNTED,
        {
            "exact counts": _curve(seed, 0),
            f"counts off by {off} at most": _curve(seed, off),
            "noise for ε = 1 in all": _private(seed),
        },
    )
    return Picture(
        id="rebuilt",
        drag=Drag("counts"),
        caption=(
            "Each count is about half of the firm, chosen by chance. With enough of them the whole "
            "table comes out. Only noise that grows with the number of counts stops it."
        ),
        x="Counts",
        y="People whose answer is rebuilt",
        series=(*lines.series, Series("", "dots", (counts,), (recovered,), 1)),
        table=lines.table("Counts", percent),
        x_range=(0, MOST),
        y_range=(0, 1),
    )


PAGE: Final = Page(
    slug="totals",
    title="Totals that give people away",
    summary="Only counts are published, never a person. Subtract two of them, and there you are.",
    paragraphs=(
        (
            "“We publish totals only.” That sounds safe. But count the smokers, then count the "
            "smokers who are not you, and subtract. A rule that each count must have many people "
            "does not help: both have. And a total of one person is no total at all."
        ),
        (
            "There is a law behind it. Whoever gets too many answers that are too exact can work "
            "out the whole table. So each answer must be a little wrong, and the more answers "
            "there are, the more wrong each must be. That is what ε counts."
        ),
    ),
    sources=(
        (
            "D. E. Denning, P. J. Denning and M. D. Schwartz (1979). The tracker: a threat to "
            "statistical database security. ACM TODS 4."
        ),
        "I. Dinur and K. Nissim (2003). Revealing information while preserving privacy. PODS.",
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 1. (The law of information recovery.)"
        ),
    ),
    inputs=(
        Choice("person", "Who is looked for (their place in the table)", _PERSONS),
        Slider("least", "A count needs at least so many people", "1", "40", "1", "5"),
        Slider("width", "Years in an age group", "1", "20", "1", "3"),
        Slider("counts", "Counts that are asked for", "8", str(MOST), "8", "96"),
        Slider("off", "Each count is off by at most", "0", "16", "1", "0"),
        Slider("seed", "Data (made up; each number is another firm)", "1", "200", "1", "7"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "A program refuses to count less than 20 people, or all but less than 20. Find out "
            "whether Dot smokes.",
            "Ask how many women smoke (32 people), and how many women smoke who are not called "
            "Dot (31 people). Both are allowed. The difference is Dot. From 32 on the count of 31 "
            "people is refused. From 33 on every count is: no group can then be neither too small "
            "nor too large.",
            {"person": "5", "least": "20"},
            check=Pick(
                "Two counts that differ by Dot alone",
                ("It cannot be found out", "One count of Dot alone"),
            ),
        ),
        Exercise(
            "At 32 only groups of exactly 32 people are counted. Is everybody safe now?",
            "No. Count such a group, put another person in Dot’s place, and count again: the "
            "difference says how those two differ. Do so for each person. The first count is then "
            "32 times Dot’s answer and differences that are known, so the whole table comes out.",
            {"person": "5", "least": "32"},
            check=Pick("No, differences still tell", ("Yes", "Only the women are")),
        ),
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
            "How many exact counts give all 64 people away?",
            "64 counts are 64 equations for 64 unknowns, so that is enough in any case. A little "
            "less does, too, because each unknown is 0 or 1. Nobody was asked about alone.",
            {"counts": "64", "off": "0"},
            check=Number(64, 0, "counts"),
        ),
        Exercise(
            "Each count is now off by up to 4. Does that stop it? What would?",
            "No: with 800 counts nearly all come out again, as the errors cancel. Errors below "
            "about √n, here 8, do not protect if enough is asked. Noise for ε = 1 in all has the "
            "scale m for m counts. Then more counts do not help, and the guess stays a guess.",
            {"counts": "800", "off": "4"},
            check=Pick(
                "Noise that grows with the number of counts",
                ("Errors of up to 4", "Errors of up to 8"),
            ),
        ),
    ),
    topics=("aggregates give people away",),
    guess=Guess(
        "A firm of 64 answers 96 questions like “how many of these 32 smoke?” How much of who "
        "smokes can be rebuilt from the counts?",
        "recovered",
        0,
        100,
    ),
)
