"""How far invented reports could move each estimate, for the page of results."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from flask import request

from deniable.analysis.privacy.poisoning import Poisoning, poisoning
from deniable.analysis.results import ItemResults, QuestionResults, Results, numbers
from deniable.results.table import CellFormat, Column, Row, Section, Table
from deniable.server.desk.results.query import WrongChoiceError
from deniable.study.population import UNWEIGHTED
from deniable.survey.questions import NO_NUMBERS
from deniable.text.wording import percentage_points

_POINTS: Final = CellFormat(percentage_points)
_UNITS: Final = CellFormat("{:.3g}".format)


def poisoning_table(results: Results) -> Table:
    """Tabulate the shifts by invented reports: 1 %, 5 %, and the number in the address.

    An estimate has a row if each report counts for a bounded part of it. A weighted one has none: a
    report of a rare group counts for many, and moves the weights of others. A ratio, such as the
    shares among those to whom a question applies, has none either. A direct answer counts for
    itself, which needs no table.
    """
    counts = {math.ceil(results.n / 100), math.ceil(results.n / 20)} - {0}
    typed = request.args.get("invented", "")
    if typed and results.n:
        if not (typed.isascii() and typed.isdigit() and 1 <= int(typed) <= results.n):
            raise WrongChoiceError(f"Invented reports must be from 1 to {results.n:,}")
        counts.add(int(typed))
    ordered = tuple(sorted(counts))
    items = [
        item
        for question in results.questions
        if not results.margins or is_unweighted(results, question)
        for item in question.items
    ]
    rows = tuple(
        row for item in items if item.n and not item.direct for row in _rows(item, ordered)
    )
    columns = tuple(Column(f"{count:,} of {results.n:,}") for count in ordered)
    return Table(("Item",), columns, (Section("", rows),))


def is_unweighted(results: Results, one: QuestionResults) -> bool:
    """Return whether a question has no weights, although results are weighted."""
    return any(said.startswith(UNWEIGHTED) for said in results.notes.get(one.question.id, ()))


def _rows(item: ItemResults, counts: Sequence[int]) -> Iterator[Row]:
    def most(by: Poisoning) -> tuple[float, ...]:
        return tuple(float(by.shift(min(count, item.n)).max()) for count in counts)

    if item.tells_shares and not item.is_told_of_some:
        yield Row(item.item.text, most(poisoning(item.item.channel, item.n)), _POINTS)
    declines = any(truth.code in NO_NUMBERS for truth in item.item.truths)
    if item.mean is not None and not declines:
        # The mean of the people who gave a number is a ratio, which has no such bound.
        by = poisoning(item.item.channel, item.n, values=numbers(item.item))
        yield Row(f"{item.item.text}, mean", most(by), _UNITS)
