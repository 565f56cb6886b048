"""The table of shares and means that `estimate` and `analyse` print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.table import Table

from deniable.analysis import design_test
from deniable.analysis.privacy.disclosure import LEAST
from deniable.analysis.results import Doubt, ItemResults, Mean, Share, Verdict, verdict
from deniable.results.numbers import interval_heading
from deniable.results.text import PEOPLE, table
from deniable.text.wording import percent, quantity


def make(first: str, level: float) -> Table:
    """Make a table without rows; its first column, of the items, is called `first`."""
    numbers = ("Observed", "Estimate", interval_heading(level), "SE", "ML")
    return table(first, "Answer", *numbers, numbers=numbers)


def add(printed: Table, item: ItemResults, *, of_group: bool = False) -> None:
    """Add the rows of an item, and a line below them.

    That of a group of people has their number below its name, where it takes no room of its own.
    """
    lines = _lines(item)
    names = [_name(item), *[""] * (len(lines) - 1)]
    if of_group and len(lines) > 1:
        names[1] = f"{PEOPLE}{item.n:,}"
    elif of_group:
        names[0] += f" ({PEOPLE}{item.n:,})"
    for name, line in zip(names, lines, strict=True):
        printed.add_row(name, *line)
    for place, share in enumerate(item.applicable):
        name = "" if place else "  if it applies"
        printed.add_row(name, share.answer.text, *_share_cells(share))
    printed.add_section()


def _name(item: ItemResults) -> str:
    return f"{item.item.id} (direct)" if item.direct else item.item.id


def _lines(item: ItemResults) -> list[list[str]]:
    """Return the cells of an item: of its mean, if it is a number, and of its shares."""
    lines = [] if item.mean is None else [["Mean", *_mean_cells(item.mean)]]
    if item.tells_shares or not lines:
        lines += [[share.answer.text, *_share_cells(share)] for share in item.shares]
    return lines


def _share_cells(share: Share) -> list[str]:
    return [
        percent(share.observed),
        percent(share.estimate) + (" *" if share.outside else ""),
        "–"
        if share.low is None
        else f"{percent(share.low).removesuffix(' %')} to {percent(share.high)}",
        percent(share.standard_error),
        percent(share.maximum_likelihood),
    ]


def _mean_cells(mean: Mean) -> list[str]:
    def written(value: float | None) -> str:
        return quantity(value, mean.span)

    return [
        "–",
        written(mean.estimate) + (" *" if mean.outside else ""),
        "–" if mean.low is None else f"{written(mean.low)} to {written(mean.high)}",
        written(mean.standard_error),
        written(mean.maximum_likelihood),
    ]


def _joined(methods: Iterable[Iterable[str]]) -> str:
    """Name kinds of interval in brackets, each once; nothing if there are none."""
    names = dict.fromkeys(name for some in methods for name in some if name)
    return f" ({' or '.join(names)})" if names else ""


def notes(items: Sequence[ItemResults], level: float, *, of_groups: bool = False) -> Iterator[str]:
    """Say what stands in the table.

    Parameters
    ----------
    items : sequence of ItemResults
        The table's; of all tables, where the notes are for several.
    level : float
        Of the intervals.
    of_groups : bool
        Whether each is of a group, which has its number of people in the table.

    Yields
    ------
    str
        A sentence a line.
    """
    written = f"{100 * level:g} %"
    methods = _joined(item.methods for item in items)
    means = [(item, item.mean) for item in items if item.mean is not None]
    yield "Observed: share of the reports, with the noise that is in them."
    yield f"Estimate: with the noise taken out; its {written} interval{methods}."
    yield "SE: standard error of the estimate."
    yield "ML: maximum likelihood, the shares from 0 to 100 % that make these reports most likely."
    if not of_groups and len({item.n for item in items}) > 1:
        yield f"n, how many were asked: {', '.join(f'{_name(one)} {one.n:,}' for one in items)}."
    yield from _statements(items)
    if means:
        yield (
            "Mean: of the numbers that were given, in their own units, with its "
            f"{written} interval{_joined([[mean.method or ''] for _, mean in means])}."
        )
    if not all(item.tells_shares for item, _ in means):
        yield "Mean alone: the design of that question does not tell the shares of its answers."
    applicable = [item for item in items if item.applicable]
    if applicable:
        methods = _joined(item.applicable_methods for item in applicable)
        yield (
            "If it applies: among the people to whom the question applies. A ratio of two "
            f"estimates, with its {written} interval{methods}."
        )
    if any(
        share.low is None and share.estimate is not None
        for i in applicable
        for share in i.applicable
    ):
        yield "–: no share fits these reports."
    if any(share.outside for item in items for share in (*item.shares, *item.applicable)):
        yield (
            "* below 0 or above 100 %. Chance can cause this. It is not cut off, because that "
            "would bias it."
        )
    if any(mean.outside for _, mean in means):
        yield (
            "* of a mean: outside the range of the answers. Chance can cause this. It is not cut "
            "off."
        )
    for item, mean in means:
        if mean.wide:
            yield (
                f"{item.item.id}: the interval of the mean is wider than the spread of the reports "
                "suggests, because a sample this small may miss some people with very different "
                "answers."
            )
    yield from doubts(verdict(items))
    yield from _lacking(items)
    if any(item.has_hidden for item in items):
        yield (
            f"– of a direct answer: fewer than {LEAST} people gave it, or it could be worked out "
            "from the others; --small-cells shows it."
        )
    if any(item.direct for item in items):
        yield "direct: asked without noise, so an ordinary proportion."


def _statements(items: Sequence[ItemResults]) -> Iterator[str]:
    """Say what the statements of a spinner said."""
    for item in {one.item.statements: one.item for one in items if one.item.statements}.values():
        yield "; ".join(map(item.in_full, item.truths))


def doubts(found: Verdict) -> Iterator[str]:
    """Say which estimates chance does not explain, if there are any; a sentence a line."""
    if found.doubts:
        yield (
            "Was the design followed? Chance does not explain "
            f"{'; '.join(_doubt(one) for one in found.doubts)}."
        )
        yield (
            f"If everybody follows the design, at most {100 * (1 - design_test.LEVEL):.0f} % of "
            "surveys show this question. Perhaps some respondents did not follow the design, or "
            "the reports belong to another design."
        )


def _doubt(one: Doubt) -> str:
    if one.answer is None:
        return f"{one.item.id}, mean {quantity(one.estimate, one.greatest - one.least)}"
    return f"{one.item.id}, {one.answer.text} {percent(one.estimate)}"


def _lacking(items: Sequence[ItemResults]) -> Iterator[str]:
    """Say why something is a dash although there are reports."""
    for item in items:
        if item.no_interval is not None:
            yield f"{item.item.id}: no intervals: {item.no_interval}."
        if item.lacks_maximum_likelihood:
            yield f"{item.item.id}: the maximum likelihood shares could not be found."
