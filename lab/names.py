"""Why not just remove the names: two tables without a secret between them, and one with."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill
from deniable.lab.pictures import Columns, Drag, Picture, Records, Series, Table
from deniable.lab.said import percent

PEOPLE: Final = 64_000
YEARS: Final = 80
PATIENTS: Final = 400
VIEWERS: Final = 500_000
"""So many people have rated films, in the second half of the page."""

_POSTCODES: Final = {
    "five": "five digits (8,000 people each)",
    "three": "three digits (32,000 people each)",
    "none": "not told",
}
_AREAS: Final = {"five": 1, "three": 4, "none": 8}
"""So many postcodes look the same."""

_BORN: Final = {
    "date": "date",
    "month": "month",
    "year": "year",
    "decade": "ten years",
    "none": "not told",
}
_WHEN: Final = {
    "date": (1, 1),
    "month": (12, 365),
    "year": (1, 365),
    "decade": (1, 3650),
    "none": (0, 1),
}
"""A day is multiplied by the first and divided by the second."""

_SEX: Final = {"told": "told", "none": "not told"}
_SHOWN: Final = 8

_CODE: Final = """\
import numpy as np

chance = np.random.default_rng({seed})
born = chance.integers(0, {years} * 365, {people})  # made-up people, each with a birthday,
woman = chance.integers(0, 2, {people})             # a sex,
postcode = np.arange({people}) // 8000              # and a postcode
patients = np.append(0, 1 + chance.choice({people} - 1, {patients} - 1, replace=False))

# What both tables tell of a person, as one number; and how many people have the same one.
area, when, sex = postcode // {areas}, born * {times} // {divided}, woman * {told}
key = (area * {years} * 365 + when) * 2 + sex
same = np.bincount(key)[key]
unique = (same == 1).mean()
named = (same[patients] == 1).sum()
mayor = same[0]

# The same by a formula: nobody of the others in an area may be of the same kind.
kinds = {kinds}
expected = (1 - 1 / kinds) ** (8000 * {areas} - 1)

# Nobody else of {viewers:,} people has all {facts} facts, each of which is true of 1 in {one_in}.
alone = (1 - (1 / {one_in}) ** {facts}) ** ({viewers} - 1)
"""


@dataclass(frozen=True)
class Town:
    """A made-up town: all of it is in the voter roll, and some of it in the hospital's table."""

    born: npt.NDArray[np.int64]  # day of birth, from 0. Person 0 is the mayor
    woman: npt.NDArray[np.int64]
    postcode: npt.NDArray[np.int64]
    patients: npt.NDArray[np.int64]  # who is in the hospital's table; the mayor is the first


@lru_cache(maxsize=8)
def town(seed: int) -> Town:
    """Make up a town."""
    chance = np.random.default_rng(seed)
    return Town(
        born=chance.integers(0, YEARS * 365, PEOPLE),
        woman=chance.integers(0, 2, PEOPLE),
        postcode=np.arange(PEOPLE) // 8000,
        patients=np.append(0, 1 + chance.choice(PEOPLE - 1, PATIENTS - 1, replace=False)),
    )


def alike(town: Town, postcode: str, born: str, sex: str) -> npt.NDArray[np.int64]:
    """Return for each person how many people look the same, with themselves."""
    times, divided = _WHEN[born]
    area, when = town.postcode // _AREAS[postcode], town.born * times // divided
    key = (area * YEARS * 365 + when) * 2 + town.woman * (sex == "told")
    same: npt.NDArray[np.int64] = np.bincount(key)[key]
    return same


def kinds(born: str, sex: str) -> int:
    """Return how many kinds of people there are within an area."""
    times, divided = _WHEN[born]
    return max(1, YEARS * 365 * times // divided) * (2 if sex == "told" else 1)


def expected(kinds: int, people: float) -> float:
    """Return the expected share of people whom nobody of the others in their area looks like."""
    return float((1 - 1 / kinds) ** (people - 1))


def alone(facts: int, one_in: int) -> float:
    """Return the probability that nobody else of the viewers has all the facts."""
    return float((1 - (1 / one_in) ** facts) ** (VIEWERS - 1))


def compute(settings: Settings) -> Shown:
    """Return whom two tables without a secret between them give away."""
    told = str(settings["postcode"]), str(settings["born"]), str(settings["sex"])
    facts, one_in, seed = (int(Fraction(settings[name])) for name in ("facts", "one_in", "seed"))
    times, divided = _WHEN[told[1]]
    made = town(seed)
    same = alike(made, *told)
    unique, named, mayor = float((same == 1).mean()), int((same[made.patients] == 1).sum()), same[0]
    formula = expected(kinds(*told[1:]), 8000 * _AREAS[told[0]])
    only = alone(facts, one_in)
    return Shown(
        said=(
            f"{percent(unique)} of the town look like nobody else, by what both tables tell.",
            (
                f"So {named} of {PATIENTS} patients have their name again, with their illness. "
                + (
                    "The mayor is one of them."
                    if mayor == 1
                    else f"The mayor hides among {mayor:,} people who look the same."
                )
            ),
        ),
        values=(
            Value("unique", "Look like nobody else", unique, percent(unique)),
            Value("expected", "The same by the formula", formula, percent(formula)),
            Value("named", "Patients found", named, f"{named} of {PATIENTS}"),
            Value("mayor", "People like the mayor", int(mayor), f"{mayor:,}"),
            Value("alone", "Found by these facts", only, percent(only)),
        ),
        code=fill(
            _CODE,
            settings,
            areas=_AREAS[told[0]],
            times=times,
            divided=divided,
            told=int(told[2] == "told"),
            kinds=kinds(*told[1:]),
            people=PEOPLE,
            years=YEARS,
            patients=PATIENTS,
            viewers=VIEWERS,
        ),
        pictures=(_unique(told, unique), _facts(facts, one_in)),
        records=(_linked(made, same, told),),
    )


_FIRST: Final = (
    ("Anton", "Bela", "Cem", "Dan", "Emil", "Femi", "Gus"),
    ("Ada", "Bea", "Cleo", "Dot", "Elif", "Fay", "Gia"),
)
_LAST: Final = ("Abel", "Brook", "Costa", "Dahl", "Egger", "Faro", "Gold", "Holm", "Ito", "Juric")
_ILL: Final = ("asthma", "a broken leg", "depression", "diabetes", "a burn", "epilepsy", "gout")


def _name(made: Town, person: int) -> str:
    name = f"{_FIRST[made.woman[person]][person % 7]} {_LAST[person // 7 % 10]}"
    return name if person else f"{name}, mayor"


def _birth(day: int, born: str) -> str:
    year, rest = 1930 + day // 365, day % 365
    return {
        "date": f"{year}, day {rest + 1}",
        "month": f"{year}, month {rest * 12 // 365 + 1}",
        "year": f"{year}",
        "decade": f"{year // 10 * 10} to {year // 10 * 10 + 9}",
        "none": "–",
    }[born]


def _linked(made: Town, same: npt.NDArray[np.int64], told: tuple[str, str, str]) -> Records:
    shown = made.patients[:_SHOWN].tolist()
    digits = {"five": 5, "three": 3, "none": 0}[told[0]]
    rows = []
    for place, person in enumerate(shown):
        # Four postcodes have the same three digits.
        code = f"{140 + made.postcode[person] // 4}{10 + 7 * (made.postcode[person] % 4)}"
        rows.append(
            (
                _name(made, person) if same[person] == 1 else "cannot tell",
                _ILL[place % len(_ILL)],
                code[:digits] or "–",
                _birth(int(made.born[person]), told[1]),
                ("man", "woman")[made.woman[person]] if told[2] == "told" else "–",
                f"{same[person]:,}",
            )
        )
    return Records(
        id="linked",
        caption=(
            f"The first {_SHOWN} patients of the hospital’s table, which has no names. The voter "
            "roll has them. Who is alone there with what both tables tell is found."
        ),
        table=Table(
            ("Name", "Illness", "Postcode", "Born", "Sex", "Such people in the roll"), tuple(rows)
        ),
        marked=tuple(place for place, person in enumerate(shown) if same[person] == 1),
    )


def _unique(told: tuple[str, str, str], unique: float) -> Picture:
    sizes = (1, 100, *range(1000, PEOPLE + 1, 1000))
    lines = Columns(
        sizes,
        {
            name: [expected(kinds(*birth), size) for size in sizes]
            for name, birth in (
                ("date and sex", ("date", "told")),
                ("date", ("date", "none")),
                ("month and sex", ("month", "told")),
                ("year and sex", ("year", "told")),
            )
        },
        tones=(1, 3, 0, 2),
    )
    return Picture(
        id="unique",
        caption=(
            "How many people nobody else looks like, by how much is told of their birth. The "
            "curves are the formula, the dot is the made-up town."
        ),
        x="People who share a postcode",
        y="Look like nobody else",
        series=(
            *lines.series,
            Series("the town", "dots", (8000 * _AREAS[told[0]],), (unique,), 1),
        ),
        table=lines.table(
            "People with one postcode",
            percent,
            at=[sizes.index(size) for size in (100, 1000, 8000, 32_000, 64_000)],
            x="{:,}".format,
        ),
        x_range=(0, PEOPLE),
        y_range=(0, 1),
    )


def _facts(facts: int, one_in: int) -> Picture:
    known = range(34)
    chances = {
        f"1 in {each}": [alone(place, each) for place in known]
        for each in dict.fromkeys((one_in, 2, 10))
    }
    lines = Columns(known, {f"facts true of {name}": chances[name] for name in chances}, (1, 0, 2))
    return Picture(
        id="facts",
        drag=Drag("facts"),
        caption=(
            "Films that you rated, what you had for breakfast: each small fact leaves fewer "
            f"people. How sure is it that only you are left, of {VIEWERS:,}?"
        ),
        x="Facts that somebody knows of you",
        y="Probability that you are the only one",
        series=(*lines.series, Series("", "dots", (facts,), (alone(facts, one_in),), 1)),
        table=lines.table(("Facts", *chances), percent, at=(1, 3, 5, 6, 8, 10, 15, 20, 25, 33)),
        x_range=(0, 33),
        y_range=(0, 1),
    )


PAGE: Final = Page(
    slug="names",
    title="Why not just remove the names?",
    summary="A table without names, and a list with names: put side by side, they name the sick.",
    paragraphs=(
        (
            "A hospital wants to help research. It takes the names out of its table and gives the "
            "rest away. But anybody can buy the voter roll, which has names. Postcode, birthday "
            "and sex are in both. Who is alone with these three is found, with their illness."
        ),
        (
            "This happened to a governor in the United States. He had just said that the health "
            "records were safe. No field is a secret by itself: a postcode is not, and a birthday "
            "is not. Films that you rated are not. All together are like a name."
        ),
    ),
    sources=(
        (
            "L. Sweeney (2000). Simple demographics often identify people uniquely. Carnegie "
            "Mellon University. (87 % of Americans.)"
        ),
        (
            "P. Golle (2006). Revisiting the uniqueness of simple demographics in the US "
            "population. WPES. (63 %, from a later census.)"
        ),
        (
            "A. Narayanan and V. Shmatikov (2008). Robust de-anonymization of large sparse "
            "datasets. IEEE Symposium on Security and Privacy. (Ratings of films.)"
        ),
    ),
    inputs=(
        Choice("postcode", "Postcode", _POSTCODES),
        Choice("born", "Born", _BORN),
        Choice("sex", "Sex", _SEX),
        Slider("facts", "Small facts that somebody knows", "0", "33", "1", "6"),
        Slider("one_in", "Each is true of 1 person in", "2", "50", "1", "20"),
        Slider("seed", "Data (made up; each number is another town)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "87 % of Americans are said to be unique by postcode, birthday and sex. Can that be, "
            "when 8,000 people share a postcode?",
            "There are 80 × 365 × 2 = 58,400 kinds of people. Each of your 7,999 neighbours "
            "misses your kind with probability 1 − 1/58,400. All of them miss it with (1 − "
            "1/58,400) to the power of 7,999, which is 87.2 %. Real ages are not spread so "
            "evenly. A later count found 63 %.",
            {"postcode": "five", "born": "date", "sex": "told"},
            check=Pick(
                "Yes, about 87 % of them", ("No, at most one in 8,000", "Only in small towns")
            ),
        ),
        Exercise(
            "A rule says: tell only three digits of the postcode, and only the year of birth. "
            "How many people are found now?",
            "Nobody: about 200 people share each year and sex in such an area. But the table has "
            "other fields, too. Each further fact about a person divides the 200 again.",
            {"postcode": "three", "born": "year", "sex": "told"},
            check=Number(0, 0, "people"),
        ),
        Exercise(
            "Somebody knows six films that you rated, each seen by 1 person in 20. Half a million "
            "people have rated films. Are you found?",
            "Of the others 499,999 ÷ 20 to the power of 6, which is 0.0078, are expected to have "
            "rated all six. So with 99.2 % nobody else has.",
            {"facts": "6", "one_in": "20"},
            check=Pick("Nearly surely", ("Hardly ever", "In half of the cases")),
        ),
        Exercise(
            "Each yes-or-no fact that is true of half of all people halves the crowd. How many "
            "such facts single out one person on Earth?",
            "33: 2 to the power of 33 is 8.6 billion, and there are about 8 billion people. What "
            "you had for breakfast is worth several of them.",
            {"facts": "33", "one_in": "2"},
            check=Number(33, 0, "facts"),
        ),
    ),
    topics=("removing names is not enough: linkage",),
    guess=Guess(
        "Of 100 people in a town, how many look like nobody else by postcode, birthday and sex?",
        "unique",
        0,
        100,
        "of 100",
    ),
)
