"""The direct columns that a command writes into a file, and what the store keeps of that."""

from collections.abc import Iterator, Sequence

from deniable.analysis.counts.rows import Rows
from deniable.analysis.privacy.columns import chosen, few
from deniable.analysis.privacy.disclosure import LEAST
from deniable.cli.stores import opened
from deniable.server.store.leaving import leave
from deniable.survey.grouped import Columns, direct_items


def columns_to_leave(url: str, rows: Rows, direct: Sequence[str]) -> Columns:
    """Return the columns that are asked for, or all that can leave; the store keeps which did."""
    with opened(url, writes=bool(rows.direct) and rows.least > 1) as store:
        return leave(store, rows, lambda left: chosen(rows, ",".join(direct) or None, left))


def said_of_columns(rows: Rows, columns: Columns, direct: Sequence[str]) -> Iterator[str]:
    """Say which direct columns a file lacks unasked, and whether it has answers of few people."""
    missing = [item.id for item in direct_items(rows.survey) if item.id not in columns]
    if missing and not direct:
        yield (
            f"Note: without {', '.join(missing)}: with them, fewer than {rows.least} people gave "
            "some combination of direct answers. --direct puts answers together."
        )
    if rows.least == 1 and (people := few(rows, columns, LEAST)):
        yield (
            f"Note: {people:,} people have direct answers there that fewer than {LEAST} people "
            "gave together."
        )
