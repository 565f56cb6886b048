"""Which direct columns leave a store in a file or a table, and what the store keeps of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deniable.analysis.privacy.disclosure import LEAST
from deniable.survey.grouped import Columns, known_columns, refined, write_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from deniable.analysis.counts.rows import Rows
    from deniable.server.store.store import Store
    from deniable.survey_file import PlanFields


def rule_of(plan: PlanFields, left: tuple[str, int]) -> tuple[int, tuple[str, ...]]:
    """Return `least` and `wanted` of `deniable.study.received.Received`.

    `left`: which columns left already, and below how many people answers were hidden then, as a
    store keeps it; this number never falls.
    """
    columns, below = left
    return max(LEAST, plan.hide_below or 0, below), (columns, plan.columns or "")


def leave(
    store: Store,
    rows: Rows,
    choose: Callable[[Columns], Columns],
    check: Callable[[], None] = lambda: None,
) -> Columns:
    """Return the direct columns that are chosen, and keep that they leave.

    `choose`: chooses them, given those that left already. `check`: refuses a choice that adds to
    these.
    """
    slug = rows.survey.slug
    while True:
        before, below = store.left(slug)
        left = known_columns(rows.survey, before)
        columns = choose(left)
        if not columns or not rows.n or rows.least == 1:
            return columns  # nobody's answers leave; or a person who sees all asked for small cells
        after = refined(left, columns)
        if after == left and rows.least <= below:
            return columns
        if after != left:
            check()
        if store.keep_left(slug, write_columns(after, rows.survey), rows.least, before):
            return columns
