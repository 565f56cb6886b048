"""Why not just remove the names: linkage of two tables, and the limits of k-anonymity."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Cells, Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, Records, Table, here
from deniable.lab.said import number, percent

_NAMES: Final = ("what", "names")
_GROUPS: Final = ("what", "groups")
FIELDS: Final = ("Height", "Weight", "Age", "Postcode")
_BORN: Final = {"date": "date", "month": "month", "year": "year", "decade": "ten years"}
_SHOWN: Final = 8  # rows of a table


Classes: TypeAlias = list[list[int]]
STEPS: Final = {
    "ten": (10, 20, 20, 10_000),
    "exact": (1, 1, 1, 1),
    "five": (5, 10, 10, 100),
    "twenty": (20, 40, 40, 100_000),
}


class People(NamedTuple):
    """A table of made-up people."""

    names: list[str]  # not published
    rows: list[list[int]]  # height, weight, age and postcode
    jobs: list[str]  # their secret


FIVE: Final = People(
    ["Ada", "Ben", "Cem", "Dot", "Eli"],
    [
        [174, 71, 34, 10115],
        [178, 76, 38, 13357],
        [163, 58, 45, 20095],
        [167, 52, 41, 22301],
        [161, 49, 57, 20537],
    ],
    ["teacher", "nurse", "baker", "judge", "baker"],
)


def in_steps(people: People, steps: str, fields: Sequence[int]) -> Classes:
    """Group the people whose fields are in the same steps."""
    found: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(people.rows):
        key = tuple(row[field] // STEPS[steps][field] for field in fields)
        found.setdefault(key, []).append(place)
    return list(found.values())


def certain(people: People, classes: Classes) -> list[int]:
    """List the people whose job is known to everybody who knows their group."""
    alike = [group for group in classes if len({people.jobs[one] for one in group}) == 1]
    return [one for group in alike for one in group]


def known_within(people: People, classes: Classes) -> list[int]:
    """List the people whose job another member of their group knows by leaving out their own."""
    found = []
    for group in classes:
        jobs = Counter(people.jobs[one] for one in group)
        for person in group:
            unlike = len(group) - jobs[people.jobs[person]]
            if unlike == 1 or (unlike == 0 and len(group) > 1):
                found.append(person)
    return found


def lines(  # noqa: PLR0913  an argument for each input
    *,
    what: str,
    postcode: str,
    born: str,
    sex: str,
    facts: int,
    one_in: int,
    steps: str,
    fields: str,
    seed: int,
) -> dict[str, Any]:
    """Compute whom two tables give away, and what a group does not hide."""
    # A made-up town: all are in the voter roll, and 400 in the hospital's table without names.
    chance = np.random.default_rng(seed)
    day = chance.integers(0, 80 * 365, 64_000)  # each person has a birthday,
    woman = chance.integers(0, 2, 64_000)  # a sex,
    code = np.arange(64_000) // 8000  # and a postcode
    patients = np.append(0, 1 + chance.choice(63_999, 399, replace=False))  # the mayor is 0
    # What both tables tell of a person, as one number, and how many people have the same one.
    together = {"five": 1, "three": 4, "none": 8}[postcode]  # postcodes that look the same
    times, over = {"date": (1, 1), "month": (12, 365), "year": (1, 365), "decade": (1, 3650)}.get(
        born, (0, 1)
    )
    key = (code // together * 80 * 365 + day * times // over) * 2 + woman * (sex == "told")
    same = np.bincount(key)[key]
    unique = (same == 1).mean()
    named = (same[patients] == 1).sum()
    mayor = same[0]
    # The same by a formula: nobody of the others in an area may be of the same kind.
    kinds = max(1, 80 * 365 * times // over) * (2 if sex == "told" else 1)
    expected = (1 - 1 / kinds) ** (8000 * together - 1)
    # Nobody else of 500,000 people has all the facts, each of which is true of 1 in so many.
    known = range(34)
    chances = {
        each: [(1 - (1 / each) ** many) ** 499_999 for many in known]
        for each in dict.fromkeys((one_in, 2, 10))
    }
    alone = chances[one_in][facts]

    # Groups of people who look the same by the fields that are told.
    told = [place for place, letter in enumerate(fields) if letter == "t"]
    classes = in_steps(FIVE, steps, told)
    groups = len(classes)
    smallest = min(len(group) for group in classes)
    lonely = sum(len(group) == 1 for group in classes)
    given_away = len(certain(FIVE, classes))
    by_neighbours = len(known_within(FIVE, classes))
    return locals()


def _linkage(found: Found) -> Shown:
    return Shown(
        said=(
            (
                f"Of 500,000 people only you are left with a chance of {percent(found.alone)}, by "
                "these small facts."
            ),
            (
                f"By what hospital and voter roll both tell, {percent(found.unique)} of the town "
                f"look like nobody else. So {found.named} of 400 patients have their name again, "
                "with their illness."
            ),
            (
                "The mayor is one of them."
                if found.mayor == 1
                else f"The mayor hides among {found.mayor:,} people who look the same."
            ),
        ),
        values=values(
            found,
            ("unique", "Look like nobody else", percent),
            ("expected", "The same by the formula", percent),
            ("named", "Patients found, of 400", number),
            ("mayor", "People like the mayor", number),
            ("alone", "Found by small facts", percent),
        ),
        pictures=(_facts(found),),
        records=(_linked(found),),
    )


_FIRST: Final = (
    ("Anton", "Bela", "Cem", "Dan", "Emil", "Femi", "Gus"),
    ("Ada", "Bea", "Cleo", "Dot", "Elif", "Fay", "Gia"),
)
_LAST: Final = ("Abel", "Brook", "Costa", "Dahl", "Egger", "Faro", "Gold", "Holm", "Ito", "Juric")
_ILL: Final = ("asthma", "a broken leg", "depression", "diabetes", "a burn", "epilepsy", "gout")


def _birth(day: int, born: str) -> str:
    year, rest = 1930 + day // 365, day % 365
    return {
        "date": f"{year}, day {rest + 1}",
        "month": f"{year}, month {rest * 12 // 365 + 1}",
        "year": f"{year}",
        "decade": f"{year // 10 * 10} to {year // 10 * 10 + 9}",
        "none": "–",
    }[born]


def _linked(found: Found) -> Records:
    digits = {"five": 5, "three": 3, "none": 0}[found.postcode]
    rows, marked = [], []
    for place, person in enumerate(found.patients[:_SHOWN].tolist()):
        # Four postcodes have the same three digits.
        code = f"{140 + found.code[person] // 4}{10 + 7 * (found.code[person] % 4)}"
        woman, same = found.woman[person], found.same[person]
        name = f"{_FIRST[woman][person % 7]} {_LAST[person // 7 % 10]}"
        if same == 1:
            marked.append(place)
        rows.append(
            (
                (name if person else f"{name}, mayor") if same == 1 else "cannot tell",
                _ILL[place % len(_ILL)],
                code[:digits] or "–",
                _birth(int(found.day[person]), found.born),
                ("man", "woman")[woman] if found.sex == "told" else "–",
                f"{same:,}",
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
        marked=tuple(marked),
    )


def _facts(found: Found) -> Picture:
    curves = Columns(
        found.known,
        {f"facts true of 1 in {each}": column for each, column in found.chances.items()},
    )
    return Picture(
        id="facts",
        caption=(
            "Films that you rated, what you had for breakfast: each small fact leaves fewer "
            "people. How sure is it that only you are left, of 500,000?"
        ),
        x="Facts that somebody knows of you",
        y="Probability that you are the only one",
        series=(*curves.series, here(found.facts, found.alone)),
        table=curves.table("Facts", percent, at=(1, 3, 5, 6, 8, 10, 15, 20, 25, 33)),
        x_range=(0, 33),
        y_range=(0, 1),
    )


def _groups(found: Found) -> Shown:
    return Shown(
        said=(
            (
                f"Of {found.groups} groups the smallest has size {found.smallest}. So k is "
                f"{found.smallest}."
            ),
            (
                "Still, all who can tell people’s groups know the profession of "
                f"{found.given_away} of five. Others of the same group know that of "
                f"{found.by_neighbours}."
            ),
        ),
        values=values(
            found,
            ("groups", "Groups", number),
            ("smallest", "k: the smallest group", number),
            ("lonely", "People who are alone", number),
            ("given_away", "Profession known to all", number),
            ("by_neighbours", "Known within the group", number),
        ),
        pictures=(),
        records=(_table(found),),
    )


def _range(found: Found, group: Sequence[int], field: int) -> str:
    """Write the range of a field in a group, as the published table has it."""
    if field not in found.told:
        return "–"
    step = STEPS[found.steps][field]
    low = FIVE.rows[group[0]][field] // step * step
    if FIELDS[field] == "Postcode":
        digits = str(low)[: 6 - len(str(step))]
        return digits + "*" * (5 - len(digits))
    return str(low) if step == 1 else f"{low} to {low + step - 1}"


def _table(found: Found) -> Records:
    away, within = set(certain(FIVE, found.classes)), set(known_within(FIVE, found.classes))
    shown = [(at, group, place) for at, group in enumerate(found.classes, 1) for place in group]
    return Records(
        id="generalised",
        caption=(
            "The table that is published. Two columns are not in it: who it is, and who can know "
            "the profession."
        ),
        table=Table(
            ("Who", "Group", "Profession", "Known to", *FIELDS),
            tuple(
                (
                    FIVE.names[place],
                    str(at),
                    FIVE.jobs[place],
                    "all" if place in away else "their group" if place in within else "",
                    *(_range(found, group, field) for field in range(len(FIELDS))),
                )
                for at, group, place in shown
            ),
        ),
        marked=tuple(at for at, (_, _, place) in enumerate(shown) if place in away | within),
    )


PAGE: Final = Page(
    slug="names",
    title="Why not just remove the names?",
    summary="A table without names and a list with names name the sick. Do rough values help?",
    idea=(
        "A hospital takes the names out of its table and gives the rest away. But anybody can "
        "buy the voter roll, which has names. Postcode, birthday and sex are in both: who is "
        "alone with these three is found, with their illness. This happened to a governor in "
        "the United States, who had just said that the health records were safe. No field is "
        "a secret by itself. All together are like a name."
    ),
    why=(
        "So tell rough values: not “174 cm” but “170 to 179 cm”. A table is k-anonymous if "
        "each person looks like k − 1 others in it. The fields by which somebody could be "
        "known are called quasi-identifiers. Then nobody can tell which row is yours. But if "
        "all rows of your group have the same secret, it is known all the same, and people of "
        "your group can strike out their own row. k-anonymity looks at the table, not at what "
        "people know."
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
        "L. Sweeney (2002). k-anonymity: a model for protecting privacy. IJUFKS 10.",
        (
            "A. Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam (2006). "
            "L-diversity: privacy beyond k-anonymity. ICDE."
        ),
    ),
    inputs=(
        Choice(
            "what",
            "What is looked at",
            {"names": "Being the only one", "groups": "Hiding in a group"},
        ),
        Slider("facts", "Small facts that somebody knows", "0", "33", "1", "6", _NAMES),
        Slider("one_in", "Each is true of 1 person in", "2", "50", "1", "20", _NAMES),
        Choice(
            "steps",
            "Steps",
            {
                "ten": "10 cm, 20 kg, 20 years, first digit",
                "exact": "none: as they are",
                "five": "5 cm, 10 kg, 10 years, three digits",
                "twenty": "20 cm, 40 kg, 40 years, no digit",
            },
            _GROUPS,
        ),
        Cells(
            "fields",
            "Quasi-identifiers that the table tells",
            FIELDS,
            ("",),
            {"t": "told", "n": "left out"},
            "tttt",
            _GROUPS,
        ),
        Choice(
            "postcode",
            "Postcode",
            {
                "five": "5 digits: 8,000 people",
                "three": "3 digits: 32,000 people",
                "none": "not told",
            },
            _NAMES,
            below=True,
        ),
        Choice(
            "born",
            "Born",
            _BORN | {"none": "not told"},
            _NAMES,
            below=True,
        ),
        Choice("sex", "Sex", {"told": "told", "none": "not told"}, _NAMES, below=True),
        Slider(
            "seed",
            "Data (made up; each number is other people)",
            "1",
            "200",
            "1",
            "1",
            _NAMES,
            below=True,
        ),
    ),
    lines=lines,
    show={"names": _linkage, "groups": _groups},
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
            "Make the table of five people 2-anonymous.",
            "Steps of 10 cm, 20 kg and 20 years, and the first digit of the postcode, are enough. "
            "Ada and Ben are the one group, Cem, Dot and Eli the other. Finer steps leave people "
            "alone.",
            {"what": "groups", "steps": "ten"},
            check=Pick(
                "10 cm, 20 kg, first digit of the postcode",
                ("5 cm, 10 kg, two digits of the postcode", "No steps are wide enough"),
            ),
        ),
        Exercise(
            "Ben knows that he and Ada are in one group. What does he learn?",
            "The group has a teacher and a nurse. Ben is the nurse, so Ada is the teacher. In a "
            "group of two each one has the other’s secret. Dot is the judge of her group, so she "
            "knows that Cem and Eli are bakers. Of the five only Dot is safe.",
            {"what": "groups", "steps": "ten"},
            check=Pick(
                "Ada’s profession", ("Nothing: the group is 2-anonymous", "Dot’s profession")
            ),
        ),
        Exercise(
            "Which k should one choose, and which quasi-identifiers?",
            "A larger k gives fewer people away, and tells less. It promises nothing: other data, "
            "other luck. Take as quasi-identifier each field that somebody could find elsewhere. "
            "That is hard to know: a list may be published next year. If you leave one out of the "
            "list and tell it anyway, it undoes the groups. A promise like ε does not depend on "
            "such a guess.",
            {"what": "groups", "fields": "ttnn"},
            check=Pick(
                "Each field that could be found elsewhere",
                ("The names alone", "The fields that nobody would publish"),
            ),
        ),
    ),
    guess=Guess(
        "Somebody knows six small facts of you, such as films that you rated. Each is true of one "
        "person in 20. How sure is it that only you are left, of 500,000?",
        "alone",
        (0, 100),
        at=6,
        seen=("facts true of 1 in 2", "facts true of 1 in 10"),
    ),
)
