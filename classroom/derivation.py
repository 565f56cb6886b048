"""The noise taken out, a step at a time: what the projector shows of it."""

from collections.abc import Iterable

from deniable.classroom.arithmetic import Unmixed, find, in_people, unmix, weights
from deniable.classroom.class_state import Class
from deniable.classroom.pictures import NOBODY, Row, Rows, Shown, between, outside
from deniable.lab.pictures import Table
from deniable.lab.said import number, percent


def observed(shown: Class) -> Shown:
    """Show the share of the reports, ā."""
    if not shown.n:
        return Shown((NOBODY,))
    way = unmix(shown.channel, shown.totals)
    if way is None:
        return _reports(shown)
    rows = (
        Row.at(f"{truth}", name, one.observed, "noisy")
        for truth, name, one in _looked_at(shown, way)
    )
    one, name = way[shown.focus], shown.truths[shown.focus]
    said = (
        f"{percent(one.observed)} of the reports speak for “{name}”. We call that ā.",
        f"It is not the share of people for whom “{name}” is true: the coins say it too.",
    )
    formula = f"ā = {number(one.observed * shown.n, 0)} / {shown.n:,} = {percent(one.observed)}"
    return Shown(said, _rows(shown, rows), _way(shown, way), formula)


def subtract(shown: Class) -> Shown:
    """Show what is left without what the coins add, ā − p."""
    if not shown.n:
        return Shown((NOBODY,))
    way = unmix(shown.channel, shown.totals)
    if way is None:
        return _weights(shown)
    rows = (
        Row.at(f"{truth}", name, one.less, "noisy", one.observed)
        for truth, name, one in _looked_at(shown, way)
    )
    one, name = way[shown.focus], shown.truths[shown.focus]
    people = in_people(one, shown.n)
    said = (
        (
            f"If “{name}” were true of nobody, chance would still make {percent(one.none)} of all "
            f"reports speak for it on average, {people.chance} of {shown.n:,}. We call that share "
            "p, and take it away from ā, the share of the reports."
        ),
    )
    made = f"({people.reports} − {people.chance}) / {shown.n:,}"
    formula = f"ā − p = {made} = {people.left} / {shown.n:,}"
    return Shown(said, _rows(shown, rows), _way(shown, way), formula)


def divide(shown: Class) -> Shown:
    """Show the estimate, (ā − p) / (1 − 2p)."""
    if not shown.n:
        return Shown((NOBODY,))
    way = unmix(shown.channel, shown.totals)
    if way is None:
        return _sum(shown)
    rows = (
        Row.at(f"{truth}", name, one.share, before=one.less)
        for truth, name, one in _looked_at(shown, way)
    )
    one, name = way[shown.focus], shown.truths[shown.focus]
    people = in_people(one, shown.n)
    everybody = percent(one.everybody)
    by, called = (
        ("1 − 2p", ()) if shown.channel.is_symmetric else ("q − p", (f"We call {everybody} q.",))
    )
    said = (
        (
            f"If “{name}” were true of everybody, only {everybody} of the reports would "
            f"speak for it on average, {people.all} of {shown.n:,}. Without what chance "
            f"makes, {people.kept} would stay. Here {people.left} stay, {people.share} of that. So "
            f"the bar gets {number(1 / one.kept)} times as long."
        ),
        (
            f"ā is the share of the reports, {people.reports} of {shown.n:,}, and p what chance "
            f"alone makes on average, {people.chance} of {shown.n:,}."
        ),
        *called,
        *_estimated(one.share, name),
    )
    formula = f"(ā − p) / ({by}) = {people}"
    return Shown(said, _rows(shown, rows), _way(shown, way), formula)


def interval(shown: Class) -> Shown:
    """Show the estimate with its interval, and that of another class beside it."""
    if not shown.n:
        return Shown((NOBODY,))
    found = find(shown.channel, shown.totals)
    rows = [row for truth in shown.looked_at for row in estimates(shown, truth)]
    share, ends, name = (
        found.shares[shown.focus],
        found.ends[shown.focus],
        shown.truths[shown.focus],
    )
    formula, said = f"“{name}”: {percent(share)}", []
    if ends is not None:
        formula = f"“{name}”: {percent(share)}, between {between(*ends)}"
        said.append("Such an interval holds the true share in at least 95 of 100 classes.")
    if not 0 <= share <= 1:
        said.extend(outside(share, name))
    elif ends is not None and not 0 <= min(ends) <= max(ends) <= 1:
        said.append("Nothing can be below 0 % or above 100 %. Chance leads there, and we show it.")
    table = Table(
        ("Answer", "Estimate", "95 % interval, between"),
        tuple((row.name, row.text, row.ends) for row in rows),
    )
    return Shown(tuple(said), _rows(shown, rows), table, formula)


def _estimated(share: float, name: str) -> tuple[str, ...]:
    """Say the estimate, and what it means where it cannot be a share."""
    return outside(share, name) or (
        f"The estimate: “{name}” is true of {percent(share)} of the class.",
    )


def estimates(shown: Class, truth: int, name: str | None = None) -> list[Row]:
    """Return the bar of a share, and below it that of another class; there must be a report."""
    own = name or shown.truths[truth]
    rows = [Row.of(f"{truth}", own, find(shown.channel, shown.totals), truth)]
    if shown.kept is not None and sum(shown.kept.counts) > 0:
        other = find(shown.kept.channel, shown.kept.counts)
        rows.append(Row.of(f"other-{truth}", shown.kept.name, other, truth, "other"))
    return rows


# ---------------------------------------------------------------- where each report is weighed


def _reports(shown: Class) -> Shown:
    shares = [count / shown.n for count in shown.totals]
    rows = (
        Row.at(f"report-{place}", name, share, "noisy")
        for place, (name, share) in enumerate(zip(shown.reports, shares, strict=True))
    )
    said = ("These are the shares of the reports. Each report may come from any answer.",)
    return Shown(said, _rows(shown, rows), _weighing(shown))


def _weights(shown: Class) -> Shown:
    parts = _parts(shown)
    rows = (
        Row.at(f"report-{place}", name, part, "noisy", count / shown.n)
        for place, (name, part, count) in enumerate(
            zip(shown.reports, parts, shown.totals, strict=True)
        )
    )
    said = (
        (
            f"Each report counts for or against “{shown.truths[shown.focus]}”: so much that chance "
            "cancels out. We multiply its share by that."
        ),
    )
    return Shown(said, _rows(shown, rows), _weighing(shown), title="Weigh each report")


def _sum(shown: Class) -> Shown:
    found = find(shown.channel, shown.totals)
    rows = (
        Row.at(f"{truth}", shown.truths[truth], found.shares[truth]) for truth in shown.looked_at
    )
    share = found.shares[shown.focus]
    name = shown.truths[shown.focus]
    said = ("The sum is the estimate.", *_estimated(share, name))
    formula = " + ".join(percent(part) for part in _parts(shown)) + f" = {percent(share)}"
    return Shown(said, _rows(shown, rows), _weighing(shown), formula, title="Add up")


def _parts(shown: Class) -> list[float]:
    """Return what the reports of each kind add to the share that is looked at."""
    counts = zip(weights(shown.channel, shown.focus), shown.totals, strict=True)
    return [weight * count / shown.n for weight, count in counts]


def _weighing(shown: Class) -> Table:
    each = weights(shown.channel, shown.focus)
    return Table(
        ("Report", "Share", "counts for", "adds"),
        tuple(
            (name, percent(count / shown.n), number(weight), percent(part))
            for name, count, weight, part in zip(
                shown.reports, shown.totals, each, _parts(shown), strict=True
            )
        ),
    )


# ---------------------------------------------------------------- what they share


def _looked_at(shown: Class, way: tuple[Unmixed, ...]) -> Iterable[tuple[int, str, Unmixed]]:
    return ((truth, shown.truths[truth], way[truth]) for truth in shown.looked_at)


def _way(shown: Class, way: tuple[Unmixed, ...]) -> Table:
    return Table(
        ("Answer", "Reports", "by chance", "left", "divided by", "estimate"),
        tuple(
            (name, people.reports, people.chance, people.left, people.kept, people.share)
            for name, one in zip(shown.truths, way, strict=True)
            for people in (in_people(one, shown.n),)
        ),
    )


def _rows(shown: Class, rows: Iterable[Row]) -> Rows:
    """Put bars on the one axis of all these steps, so that it stands still."""
    all_of_them = [row for truth in shown.looked_at for row in estimates(shown, truth)]
    way = unmix(shown.channel, shown.totals)
    on_the_way = _parts(shown) if way is None else [way[truth].less for truth in shown.looked_at]
    axis = Rows.around(all_of_them, on_the_way)
    return Rows(axis.low, axis.high, tuple(rows))
