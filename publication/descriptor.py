"""datapackage.json: the tables of the zip for programs, as a Tabular Data Package."""

import csv
import hashlib
import io
import json
from collections.abc import Mapping
from typing import Any, Final

from deniable.publication.material import Material
from deniable.publication.weighting import COLUMN as WEIGHT
from deniable.results.estimate import EFFECTIVE_CELLS, ESTIMATE_CELLS

_NUMBERS: Final = frozenset(
    {
        *ESTIMATE_CELLS,
        *EFFECTIVE_CELLS,
        "level",
        "maximum_likelihood",
        "clipped",
        "observed",
        "epsilon",
        "flip",
        "p_value",
        "number",
        "people",
        WEIGHT,
    }
)
_INTEGERS: Final = frozenset({"n", "wave", "since", "comparisons", "weight", "file_value"})
_BOOLEANS: Final = frozenset({"outside", "narrow", "skipped"})


def descriptor_file(material: Material, tables: Mapping[str, bytes]) -> str:
    """Write datapackage.json for the CSV files in `tables`, by name."""
    survey = material.survey
    fields = {
        name: [_field(column) for column in _header(content)] for name, content in tables.items()
    }
    if "reports.csv" in fields:
        weight = fields["reports.csv"][len(material.table.columns) :]
        columns = [
            {
                "name": column.name,
                "type": "string",
                "title": column.item.text,
                "constraints": {"enum": [report.code for report in column.item.reports]},
            }
            for column in material.table.columns
        ]
        fields["reports.csv"] = [*columns, *weight]
    document = {
        "profile": "tabular-data-package",
        "name": survey.slug,
        "title": survey.title,
        "description": f"{material.n} reports to revision {survey.revision}; see README.md.",
        "version": survey.shown_number.replace(" ", ""),
        "resources": [
            _resource(name, fields[name], tables[name]) for name in sorted(fields) if fields[name]
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _header(content: bytes) -> list[str]:
    return next(csv.reader(io.StringIO(content.decode(), newline="")), [])


def _resource(name: str, fields: list[dict[str, Any]], content: bytes) -> dict[str, Any]:
    return {
        "profile": "tabular-data-resource",
        "name": name.removesuffix(".csv"),
        "path": name,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "dialect": {"lineTerminator": "\r\n", "doubleQuote": True},
        "schema": {"fields": fields, "missingValues": [""]},
    }


def _field(name: str) -> dict[str, Any]:
    if name in _BOOLEANS:
        return {"name": name, "type": "boolean", "trueValues": ["true"], "falseValues": ["false"]}
    kind = "number" if name in _NUMBERS else "integer" if name in _INTEGERS else "string"
    return {"name": name, "type": kind}
