"""The zip's tables as one SQLite file for Datasette, with Datasette's metadata file.

The file is an export and no store: it has no report ids, no order of arrival, and only the direct
columns that the zip has. Its views show texts in place of codes. Names of noisy columns and views
end in ``_noisy``, so that nobody takes them for answers.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, Final

import yaml

from deniable.publication.codebook import lay_out_codebook
from deniable.publication.estimates import lay_out_estimates
from deniable.publication.material import Material
from deniable.publication.table import Column
from deniable.survey.items import NOISY
from deniable.survey.questions import Protection
from deniable.text.wording import noise

DECODED: Final = f"reports{NOISY}"
"""The view of all reports with texts in place of codes."""


def database_file(material: Material) -> bytes:
    """Return the database as the bytes of a SQLite file."""
    # Here and not above: it loads pandas, if that is installed.
    import sqlite_utils  # noqa: PLC0415
    from sqlite_utils.utils import suggest_column_types  # noqa: PLC0415

    with closing(sqlite3.connect(":memory:")) as connection:
        # No plugins: a package that happens to be installed must not see the reports.
        db = sqlite_utils.Database(connection, execute_plugins=False)
        published = material.table.columns
        names = [column.name for column in published]
        codes = zip(*(column.codes for column in published), strict=True)
        db.table("reports").create(dict.fromkeys(names, str))
        db.table("reports").insert_all(dict(zip(names, row, strict=True)) for row in codes)
        for name, export in (
            ("estimates", lay_out_estimates(material)),
            ("codebook", lay_out_codebook(material)),
        ):
            rows = [dict(row) for row in export.rows]
            types = suggest_column_types(rows)
            db.table(name).create({column: types.get(column, str) for column in export.columns})
            db.table(name).insert_all(rows)
        decoded = ", ".join(f"{_decoded(one)} AS {_name(one.name)}" for one in published)
        db.create_view(DECODED, f"SELECT {decoded} FROM reports")  # noqa: S608  quoted
        for column in _noisy(published):
            # A view has no row for a report that nobody sent: Datasette counts existing rows.
            db.create_view(
                _view(column),
                f"SELECT {_decoded(column)} AS report, "  # noqa: S608  quoted
                f"count(*) AS reports, round(1.0 * count(*) / sum(count(*)) OVER (), 6) AS share "
                f"FROM reports WHERE {_name(column.name)} IS NOT NULL "
                f"GROUP BY {_name(column.name)} ORDER BY reports DESC, report",
            )
        connection.commit()
        return connection.serialize()


def metadata_file(material: Material, name: str) -> str:
    """Write Datasette's metadata: titles and descriptions of the tables, as YAML."""
    survey = material.survey
    columns = {one.name: f"{one.item.text} ({noise(one.item)})" for one in material.table.columns}
    warning = "What ends in _noisy was changed by chance on purpose: nobody's answer can be told."
    tables: dict[str, Any] = {
        DECODED: {
            "title": "Reports, noise included",
            "description": f"A row for each of {material.n:,} people, sorted by value. {warning}",
            "columns": columns,
        },
        "reports": {
            "title": "Reports as codes",
            "description": f"The same with the codes of the codebook. {warning}",
            "columns": columns,
        },
        "estimates": {
            "title": "Estimates",
            "description": "The noise is taken out of all reports together. Unbiased, so chance "
            "can put one below 0 or above 1.",
        },
        "codebook": {"title": "Codebook", "description": "What each column and each code means."},
        **{
            _view(one): {
                "title": f"{one.item.text}: how often each report came",
                "description": f"{warning} The table of estimates takes the noise out.",
            }
            for one in _noisy(material.table.columns)
        },
    }
    document = {
        "title": survey.title,
        "description": " ".join(
            part for part in (survey.about.purpose, material.origin, warning) if part
        ),
        **({"source": survey.about.organisation} if survey.about.organisation else {}),
        "databases": {name: {"tables": tables}},
    }
    return yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=100)


def _noisy(columns: Iterable[Column]) -> Iterator[Column]:
    return (one for one in columns if one.item.protection is not Protection.DIRECT)


def _view(column: Column) -> str:
    # A question may have the id "reports", whose column has the name of the view of all reports.
    return f"item_{column.name}" if column.name == DECODED else column.name


def _decoded(column: Column) -> str:
    """Write the SQL expression that turns a column's codes into texts."""
    texts = " ".join(
        f"WHEN {_text(one.code)} THEN {_text(one.text)}" for one in column.item.reports
    )
    return f"CASE {_name(column.name)} {texts} END"


def _name(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


def _text(text: str) -> str:
    quoted = text.replace("'", "''")
    return f"'{quoted}'"
