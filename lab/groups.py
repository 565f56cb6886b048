"""k-anonymity: everybody looks like some others, and what that does not hide."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Cells, Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Records, Series, Table
from deniable.lab.said import percent

FIELDS: Final = ("Height", "Weight", "Age", "Postcode")

Classes: TypeAlias = list[list[int]]
"""Groups of people who look the same, by their places in the table."""

STEPS: Final[Mapping[str, tuple[int, ...]]] = {
    "ten": (10, 20, 20, 10_000),
    "exact": (1, 1, 1, 1),
    "five": (5, 10, 10, 100),
    "twenty": (20, 40, 40, 100_000),
}
"""How wide the steps of each field are."""

_STEPS: Final = {
    "ten": "10 cm, 20 kg, 20 years, first digit",
    "exact": "none: as it is",
    "five": "5 cm, 10 kg, 10 years, three digits",
    "twenty": "20 cm, 40 kg, 40 years, no digit",
}
_TABLES: Final = {"five": "five people", "hundreds": "300 people"}
_HOW: Final = {"steps": "by hand, in steps", "mondrian": "Mondrian: cut by cut"}
_ASKED: Final = (1, 2, 3, 4, 5, 7, 10, 15, 20)

_JOBS: Final = ("teacher", "nurse", "baker", "judge", "driver", "cook", "clerk", "painter")

_CODE: Final = """\
from deniable.lab.groups import certain, in_steps, known_within, lost, made_up, mondrian

table = made_up("{table}", seed={seed})
fields = {fields}  # height, weight, age and postcode have the numbers 0 to 3
classes = {classes}
groups = len(classes)
smallest = min(len(group) for group in classes)
alone = sum(len(group) == 1 for group in classes)
given_away = len(certain(table, classes))
by_neighbours = len(known_within(table, classes))
width = lost(table, classes, fields)
"""


@dataclass(frozen=True)
class Made:
    """A table of made-up people."""

    names: tuple[str, ...]  # not published
    rows: tuple[tuple[int, ...], ...]  # height, weight, age and postcode: the quasi-identifiers
    secret: tuple[str, ...]  # their professions


_FIVE: Final = Made(
    names=("Ada", "Ben", "Cem", "Dot", "Eli"),
    rows=(
        (174, 71, 34, 10115),
        (178, 76, 38, 13357),
        (163, 58, 45, 20095),
        (167, 52, 41, 22301),
        (161, 49, 57, 20537),
    ),
    secret=("teacher", "nurse", "baker", "judge", "baker"),
)


@lru_cache(maxsize=16)
def made_up(table: str, seed: int) -> Made:
    """Return the five people, or make up three hundred."""
    if table == "five":
        return _FIVE
    chance = np.random.default_rng(seed)
    height = chance.normal(171, 9, 300).round().astype(int)
    weight = (height - 171) * 0.9 + chance.normal(73, 11, 300)
    columns = (
        height,
        weight.round().astype(int).clip(40),
        chance.integers(18, 80, 300),
        chance.integers(10_000, 40_000, 300),
    )
    rows = tuple(tuple(row) for row in np.column_stack(columns).tolist())
    shares = np.arange(len(_JOBS), 0, -1)
    jobs = chance.choice(len(_JOBS), 300, p=shares / shares.sum())
    names = tuple(f"No. {place + 1}" for place in range(300))
    return Made(names, rows, tuple(_JOBS[job] for job in jobs))


def in_steps(table: Made, steps: str, fields: Sequence[int]) -> Classes:
    """Put people together whose fields are in the same steps."""
    found: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(table.rows):
        key = tuple(row[field] // STEPS[steps][field] for field in fields)
        found.setdefault(key, []).append(place)
    return list(found.values())


def mondrian(table: Made, k: int, fields: Sequence[int]) -> Classes:
    """Cut a table into groups of at least k people.

    A group is cut at the middle of the field in which it is widest, measured by the whole table, or
    of the next widest one if less than k people would be on a side. Equal values stay together.
    This is the strict form of the algorithm of LeFevre, DeWitt and Ramakrishnan (2006), named after
    the pictures that its cuts draw.
    """
    columns = list(zip(*table.rows, strict=True))
    whole = [max(1, _wide(column)) for column in columns]

    def cut(group: list[int]) -> Classes:
        inside = {field: [columns[field][place] for place in group] for field in fields}
        for field in sorted(fields, key=lambda each: -_wide(inside[each]) / whole[each]):
            values = inside[field]
            middle = sorted(values)[(len(group) - 1) // 2]
            low = [place for place, value in zip(group, values, strict=True) if value <= middle]
            high = [place for place, value in zip(group, values, strict=True) if value > middle]
            if min(len(low), len(high)) >= k:
                return cut(low) + cut(high)
        return [group]

    return cut(list(range(len(table.rows))))


def _wide(values: Sequence[int]) -> int:
    return max(values) - min(values)


def certain(table: Made, classes: Classes) -> list[int]:
    """List the people whose profession everybody knows who can tell their group."""
    return [
        place
        for group in classes
        if len({table.secret[each] for each in group}) == 1
        for place in group
    ]


def known_within(table: Made, classes: Classes) -> list[int]:
    """List the people whose profession somebody else of their group knows, who knows their own."""
    found = []
    for group in classes:
        jobs = Counter(table.secret[each] for each in group)
        for person in group:
            unlike = len(group) - jobs[table.secret[person]]
            # Whoever strikes out their own row then sees one profession only.
            if unlike == 1 or (unlike == 0 and len(group) > 1):
                found.append(person)
    return found


def lost(table: Made, classes: Classes, fields: Sequence[int]) -> float:
    """Return how wide the groups are on average, as a share of the whole table."""
    columns = list(zip(*table.rows, strict=True))
    left_out = len(FIELDS) - len(fields)
    total = 0.0
    for group in classes:
        told = sum(
            _wide([columns[field][place] for place in group]) / _wide(columns[field])
            for field in fields
        )
        total += len(group) * (told + left_out) / len(FIELDS)
    return total / len(table.rows)


def compute(settings: Settings) -> Shown:
    """Return the groups of a table, and what is known of the people in them."""
    told = [place for place, letter in enumerate(str(settings["fields"])) if letter == "t"]
    read = typed(settings, table=str, how=str, steps=str, k=int, seed=int, fields=tuple(told))
    made = made_up(read.table, read.seed)
    if read.how == "steps":
        classes = in_steps(made, read.steps, read.fields)
    else:
        classes = mondrian(made, read.k, read.fields)
    by_steps = f'in_steps(table, "{read.steps}", fields)'
    by_cuts = f"mondrian(table, {read.k}, fields)"
    code = _CODE.replace("in_steps, " if read.how == "mondrian" else ", mondrian", "", 1)
    people = len(made.rows)
    smallest = min(len(group) for group in classes)
    alone = sum(len(group) == 1 for group in classes)
    away, within = len(certain(made, classes)), len(known_within(made, classes))
    width = lost(made, classes, read.fields)
    return Shown(
        said=(
            f"Of {len(classes)} groups the smallest has size {smallest}. So k is {smallest}.",
            (
                f"Still, whoever can tell people’s groups knows the profession of {away} of "
                f"{people}. Others of the same group know that of {within}."
            ),
        ),
        values=(
            Value("groups", "Groups", len(classes), f"{len(classes)}"),
            Value("smallest", "k: the smallest group", smallest, f"{smallest}"),
            Value("alone", "People who are alone", alone, f"{alone} of {people}"),
            Value("given_away", "Profession known to all", away, f"{away} of {people}"),
            Value("by_neighbours", "Known within the group", within, f"{within} of {people}"),
            Value("width", "Width of a group", width, percent(width)),
        ),
        code=fill(
            code, settings, fields=told, classes=by_cuts if read.how == "mondrian" else by_steps
        ),
        pictures=(
            _cuts(made, classes),
            _trade(read),
            _more(read.seed),
        ),
        records=(_table(read, made, classes),),
    )


def _range(values: Sequence[int], field: int, read: Any) -> str:
    if field not in read.fields:
        return "–"
    if read.how == "mondrian":
        low, high = min(values), max(values)
    else:
        step = STEPS[read.steps][field]
        low = min(values) // step * step
        high = low + step - 1
        if field == FIELDS.index("Postcode"):
            digits = str(low)[: 6 - len(str(step))]
            return digits + "*" * (5 - len(digits))
    return str(low) if low == high else f"{low} to {high}"


def _table(read: Any, made: Made, classes: Classes) -> Records:
    shown = 8
    away, within = set(certain(made, classes)), set(known_within(made, classes))
    rows: list[tuple[str, ...]] = []
    marked = []
    # Those first who are given away: of many people only some are shown.
    order = sorted(enumerate(classes, 1), key=lambda each: -len(within.intersection(each[1])))
    for number, group in order:
        for place in group:
            if len(rows) == shown:
                break
            if place in away | within:
                marked.append(len(rows))
            known = "all" if place in away else "their group" if place in within else ""
            columns = ([made.rows[each][field] for each in group] for field in range(len(FIELDS)))
            rows.append(
                (
                    made.names[place],
                    str(number),
                    made.secret[place],
                    known,
                    *(_range(values, field, read) for field, values in enumerate(columns)),
                )
            )
    return Records(
        id="generalised",
        caption=(
            "Eight rows at most of the table that is published. Two columns are not in it: who it "
            "is, and who can know the profession."
        ),
        table=Table(("Who", "Group", "Profession", "Known to", *FIELDS), tuple(rows)),
        marked=tuple(marked),
    )


def _cuts(made: Made, classes: Classes) -> Picture:
    columns = np.array(made.rows)
    heights, weights = columns[:, 0], columns[:, 1]
    boxes = []
    for place, group in enumerate(classes):
        left, right = int(heights[group].min()), int(heights[group].max())
        low, high = int(weights[group].min()), int(weights[group].max())
        x, y = (left, right, right, left, left), (low, low, high, high, low)
        boxes.append(Series("", "line", x, y, 0 if place % 2 else 3))
    large = sorted(classes, key=len, reverse=True)[:12]
    return Picture(
        id="cuts",
        caption=(
            "Each dot is a person, each frame a group. Within a frame nobody can be told from the "
            "others. If only height and weight are told, the frames are Mondrian’s cuts."
        ),
        x="Height, cm",
        y="Weight, kg",
        series=(*Columns(heights, {"": weights}, (1,), "dots").series, *boxes),
        table=Table(
            ("People in the group", "Height", "Weight", "Different professions"),
            tuple(
                (
                    str(len(group)),
                    *(f"{one[group].min()} to {one[group].max()}" for one in (heights, weights)),
                    str(len({made.secret[each] for each in group})),
                )
                for group in large
            ),
        ),
        x_range=(int(heights.min()) - 2, int(heights.max()) + 2),
        y_range=(int(weights.min()) - 2, int(weights.max()) + 2),
    )


@lru_cache(maxsize=64)
def _by_k(seed: int, fields: tuple[int, ...]) -> FloatArray:
    """Return for each k what is known to all, within the group, and how wide groups are."""
    made = made_up("hundreds", seed)
    people = len(made.rows)
    rows = []
    for k in _ASKED:
        classes = mondrian(made, k, fields)
        known = len(certain(made, classes)), len(known_within(made, classes))
        rows.append((known[0] / people, known[1] / people, lost(made, classes, fields)))
    return np.transpose(rows)


def _trade(read: Any) -> Picture:
    names = ("profession known to all", "known within the group", "width of a group")
    found = dict(zip(names, _by_k(read.seed, read.fields), strict=True))
    lines = Columns(_ASKED, found, tones=(1, 3, 2))
    return Picture(
        id="trade",
        drag=Drag("k"),
        caption=(
            "What Mondrian does to the 300 people for each k. Larger groups give fewer people "
            "away, and tell less."
        ),
        x="k",
        y="Share",
        series=(
            *lines.series,
            *([Series("", "upright", (read.k,), (0,), 0)] if read.how == "mondrian" else []),
        ),
        table=lines.table("k", percent),
        x_range=(1, 20),
        y_range=(0, 1),
    )


def _more(seed: int) -> Picture:
    made = made_up("hundreds", seed)
    shares = []
    for fields in range(1, 5):
        classes = in_steps(made, "exact", range(fields))
        shares.append(sum(len(group) == 1 for group in classes) / len(made.rows))
    bars = Columns(
        ("height", "+ weight", "+ age", "+ postcode"), {"": shares}, tones=(1,), mark="bars"
    )
    return Picture(
        id="more",
        caption="More fields, more unique: who of the 300 is alone, if these are told exactly.",
        x="What is told",
        y="People who are alone",
        series=bars.series,
        table=bars.table(("Told", "People who are alone"), percent),
        y_range=(0, 1),
    )


PAGE: Final = Page(
    slug="groups",
    title="Hiding in a group",
    summary="k-anonymity: make everybody look like some others, and see what still leaks.",
    paragraphs=(
        (
            "If exact values give people away, tell rough ones. Not “174 cm” but “170 to 179 cm”. "
            "A table is k-anonymous if each person looks like k − 1 others in it. The fields by "
            "which somebody could be known are called quasi-identifiers. You choose them here."
        ),
        (
            "Then nobody can tell which row is yours. But if all rows of your group have the "
            "same secret, it is known all the same. And whoever is in your group can strike "
            "out their own row. k-anonymity looks at the table, not at what people know."
        ),
    ),
    sources=(
        "L. Sweeney (2002). k-anonymity: a model for protecting privacy. IJUFKS 10.",
        (
            "K. LeFevre, D. J. DeWitt and R. Ramakrishnan (2006). Mondrian multidimensional "
            "k-anonymity. ICDE."
        ),
        (
            "A. Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam (2006). "
            "L-diversity: privacy beyond k-anonymity. ICDE."
        ),
    ),
    inputs=(
        Choice("table", "Made-up table", _TABLES),
        Choice("how", "How to make groups", _HOW),
        Choice("steps", "Steps", _STEPS, only=("how", "steps")),
        Slider(
            "k", "k: at least so many in a group", "1", "20", "1", "2", only=("how", "mondrian")
        ),
        Cells(
            "fields",
            "Quasi-identifiers that the table tells",
            FIELDS,
            ("",),
            {"t": "told", "n": "left out"},
            "tttt",
        ),
        Slider("seed", "Data (the 300 people; each number is others)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "Make the table of five people 2-anonymous.",
            "Steps of 10 cm, 20 kg and 20 years, and the first digit of the postcode, are enough. "
            "Ada and Ben are the one group, Cem, Dot and Eli the other. Finer steps leave people "
            "alone.",
            {"table": "five", "how": "steps", "steps": "ten"},
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
            {"table": "five", "how": "steps", "steps": "ten"},
            check=Pick(
                "Ada’s profession", ("Nothing: the group is 2-anonymous", "Dot’s profession")
            ),
        ),
        Exercise(
            "Let Mondrian cut the five people with k = 2. Is it the same?",
            "The groups are the same, but their ranges are as narrow as can be: 174 to 178 cm, not "
            "170 to 179 cm. It tells more for the same k.",
            {"table": "five", "how": "mondrian", "k": "2"},
            check=Pick(
                "The same groups, in narrower ranges",
                ("Other groups", "The same groups and ranges"),
            ),
        ),
        Exercise(
            "With 300 people, which k keeps all professions from being known? What does it cost?",
            "Turn k up and watch the picture. Two in a group are often enough for a neighbour. "
            "With k = 7 nobody is given away here. But a group is then a third as wide as the "
            "whole table, which tells little. And nothing is promised: other people, other luck.",
            {"table": "hundreds", "how": "mondrian", "k": "7"},
            check=Number(7, 0, "in a group"),
        ),
        Exercise(
            "How should one choose k and the quasi-identifiers?",
            "Take as quasi-identifier each field that somebody could find elsewhere. That is hard "
            "to know: a list may be published next year. If you leave one out of the list and "
            "tell it anyway, it undoes the groups. A promise like ε does not depend on such a "
            "guess.",
            {"table": "hundreds", "how": "mondrian", "k": "5", "fields": "ttnn"},
            check=Pick(
                "Each field that could be found elsewhere",
                ("The names alone", "The fields that nobody would publish"),
            ),
        ),
    ),
    topics=("k-anonymity, quasi-identifiers, generalising",),
    guess=Guess(
        "Five people are hidden in groups of two or more. Whose profession does somebody in "
        "their own group still know: of how many of the five?",
        "by_neighbours",
        0,
        5,
        "of 5",
        scale=1,
    ),
)
