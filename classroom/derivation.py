"""The steps that take the noise out, in shares and in people."""

from deniable.classroom.arithmetic import find, in_people, unmix
from deniable.classroom.class_state import Class
from deniable.classroom.pictures import NOBODY, Row, Rows, Shown, outside
from deniable.lab.said import number, percent, points


def unmixed(shown: Class) -> Shown:
    """Show the share of the reports, and the estimate beyond it: (ā − p) / (1 − 2p)."""
    notes = (
        "Ask: is this the share in the class? Let two people disagree.",
        "Think of a class in which it is true of nobody. The coins still make some reports.",
        "How many, on average? That is p, and we know it exactly: we made the coins.",
        "What is left gets longer, and so does each accident of the coins.",
    )
    if not shown.n:
        return Shown((NOBODY,), notes)
    way = unmix(shown.channel, shown.counts)
    one, name = way[shown.focus], shown.truths[shown.focus]
    rows = (
        Row.at(f"{truth}", shown.truths[truth], way[truth].share, before=way[truth].observed)
        for truth in shown.looked_at
    )
    by, everybody = (
        ("1 − 2p", percent(one.everybody))
        if shown.channel.is_symmetric
        else ("q − p", f"{percent(one.everybody)} (q)")
    )
    said = (
        f"{percent(one.observed)} of the reports speak for “{name}”: ā, the dashed outline.",
        (
            f"If “{name}” were true of nobody, chance would still make {percent(one.none)} of the "
            f"reports speak for it: p. If it were true of everybody, {everybody} would."
        ),
        (
            "We take p away, and stretch what is left: it gets "
            f"{number(1 / one.kept)} times as long."
        ),
        *(
            outside(one.share, name)
            or (f"The estimate: “{name}” is true of {percent(one.share)} of the class.",)
        ),
    )
    formula = f"(ā − p) / ({by}) = {percent(one.share)}"
    return Shown(said, notes, Rows.around(rows), formula)


def people(shown: Class) -> Shown:
    """Show the same in people: how many reports came, how many chance made, and the rest."""
    if not shown.n:
        right = "The estimate is right on average, over all that the coins could have done."
        return Shown((NOBODY,), (right,))
    one, name = unmix(shown.channel, shown.counts)[shown.focus], shown.truths[shown.focus]
    counted = in_people(one, shown.n)
    rows = (
        Row("came", f"say “{name}”", counted.reports, one.observed, tone="noisy"),
        Row("chance", "by chance", counted.chance, one.none, tone="made-up"),
        Row("left", "left", counted.left, one.less),
        Row("all", "left, if true of everybody", counted.kept, one.kept, tone="made-up"),
    )
    said = (
        (
            f"{counted.reports} of {shown.n:,} reports say “{name}”. Chance alone makes "
            f"{counted.chance} on average. {counted.left} are left."
        ),
        (
            f"If it were true of everybody, {counted.all} would say it, and {counted.kept} would "
            f"be left. {counted.left} of {counted.kept} is {counted.share}."
        ),
    )
    notes = (
        f"Write it on the board: {counted}.",
        (
            f"One report more or less moves the estimate by {points(1 / one.kept / shown.n)} in "
            f"this class of {shown.n}."
        ),
        "Look at the guesses of before. Who was nearest?",
        "An estimate below 0 % is no mistake. If we cut it off, the average of classes is wrong.",
    )
    return Shown(said, notes, Rows.around(rows), f"{counted}")


def estimate(shown: Class, truth: int, name: str | None = None) -> Row:
    """Return the bar of a share with its interval, from at least one report."""
    found = find(shown.channel, shown.counts)
    return Row.of(f"{truth}", name or shown.truths[truth], found, truth)
