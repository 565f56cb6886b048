"""Tables of findings as HTML: one function draws every table, on pages and in notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from deniable.results.table import DIAMOND, STAR, Row, Section, Table


def table_html(table: Table, id: str = "", caption: str = "", of: str = "") -> str:
    """Draw a table, with the column of noisy shares last.

    If every section has a single row, the row's name holds the section's name, without a heading.
    """
    alone = len(table.names) > 1 and all(len(one.rows) == 1 for one in table.sections)
    first = ": ".join(table.names).replace("?:", "?") if alone else table.names[-1]
    headings = [table.columns[place].on_page for place in _order(table)]
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in (first, *headings))
    if alone:
        rows = [
            _row(table, one.rows[0], f"{one.title}: {one.rows[0].name}") for one in table.sections
        ]
        bodies = f"<tbody>{''.join(rows)}</tbody>"
    else:
        bodies = "".join(_section(table, one, of) for one in table.sections)
    shown = f'<caption id="{escape(id)}">{escape(caption)}</caption>' if id else ""
    text = f'<table class="blocks">{shown}<thead><tr>{head}</tr></thead>{bodies}</table>'
    region = f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{escape(id)}">'
    return f"{region}{text}</div>" if id else text


def parts_html(parts: Sequence[Table | str]) -> str:
    """Draw the parts of a result for a notebook."""
    return "".join(
        f"<p>{escape(note_on_page(part))}</p>" if isinstance(part, str) else table_html(part)
        for part in parts
        if part
    )


def note_on_page(note: str) -> str:
    """Return a note with the mark that impossible estimates have on a page."""
    return DIAMOND + note.removeprefix(STAR) if note.startswith(STAR) else note


def _order(table: Table) -> list[int]:
    return sorted(range(len(table.columns)), key=lambda place: table.columns[place].is_noise)


def _section(table: Table, section: Section, of: str) -> str:
    name = section.title
    heading = (
        f'<tr class="item"><th scope="rowgroup" colspan="{len(table.columns) + 1}">'
        f"{escape(of + name)}</th></tr>"
        if name
        else ""
    )
    rows = "".join(_row(table, row, row.name) for row in section.rows)
    return f"<tbody>{heading}{rows}</tbody>"


def _row(table: Table, row: Row, name: str) -> str:
    cells, data = table.cells(row, on_page=True), ""
    for place in _order(table):
        kind = ' class="estimate"' if place == table.estimate else ""
        label = escape(table.columns[place].on_page)
        data += f'<td{kind} data-label="{label}">{escape(cells[place])}</td>'
    return f'<tr><th scope="row">{escape(name)}</th>{data}</tr>'
