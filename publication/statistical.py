"""Labelled files for SPSS (.sav) and Stata (.dta).

A column holds numbers, as both programs require, with the texts of the answers as value labels.
The same data give the same bytes: the time of writing, which both formats store, is overwritten.
"""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from deniable.publication.material import Material
from deniable.publication.names import (
    DTA_TEXT,
    SAV_LABEL,
    SAV_TEXT,
    cut_bytes,
    cut_characters,
    file_names,
    label_of,
    label_within,
    mark_of,
    values_of,
)
from deniable.publication.table import Column
from deniable.publication.weighting import COLUMN as WEIGHT
from deniable.report import NOT_ASKED
from deniable.survey.items import Item

NOTE: Final = "Columns that end in _noisy are randomised reports, not answers."

_CUT: Final = "Texts that end in … are cut by this format. They stand whole in codebook.csv."

# The header of a .sav file: 92 bytes, then the date and the time of writing.
_SAV_DATE, _SAV_TIME = b"01 Jan 80", b"00:00:00"
_SAV_AT: Final = 92

_DTA_TIME: Final = b"01 Jan 1980 00:00"


def sav_file(material: Material) -> bytes:
    """Write reports.sav, for SPSS."""
    content = _write_and_read(material, _write_sav)
    end = _SAV_AT + len(_SAV_DATE + _SAV_TIME)
    return content[:_SAV_AT] + _SAV_DATE + _SAV_TIME + content[end:]


def dta_file(material: Material) -> bytes:
    """Write reports.dta, for Stata."""
    content = _write_and_read(material, _write_dta)
    time = b"<timestamp>%c%s</timestamp>" % (len(_DTA_TIME), _DTA_TIME)
    return re.sub(rb"<timestamp>.*?</timestamp>", time, content, count=1, flags=re.DOTALL)


def _write_and_read(material: Material, write: Callable[[Material, Any, Path], None]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "reports"
        write(material, _frame(material), file)
        return file.read_bytes()


def _names(material: Material) -> dict[str, str]:
    names = file_names(column.name for column in material.table.columns)
    return {**names, WEIGHT: WEIGHT}


def _column_values(column: Column) -> list[float]:
    return values_of(column.item, is_number=column.question.is_number)


def _texts(
    material: Material,
    cut: Callable[[str, int], str],
    most: int,
    size: Callable[[str], int],
    mark: Callable[[Item], str] = lambda _: "",
) -> list[str]:
    texts = [
        label_within(one.question.text, one.item.text, cut, most, size, mark=mark(one.item))
        for one in material.table.columns
    ]
    return texts if material.weights is None else [*texts, WEIGHT]


def _frame(material: Material) -> Any:
    import pandas as pd  # noqa: PLC0415  it takes a while to load

    names = _names(material)
    cells = {}
    for column in material.table.columns:
        values = np.full(NOT_ASKED + 1, np.nan)
        of = _column_values(column)
        values[: len(of)] = of
        cells[names[column.name]] = values[column.cells]
    if (weights := material.weights) is not None:
        cells[names[WEIGHT]] = np.array(weights, dtype=np.float64)
    return pd.DataFrame(cells)


def _labels(material: Material, most: int | None) -> dict[str, dict[float, str]]:
    """Return the value labels of each column, without labels that only repeat the number."""
    names = _names(material)
    return {
        names[column.name]: {
            value: report.text if most is None else cut_bytes(report.text, most)
            for value, report in zip(_column_values(column), column.item.reports, strict=True)
            if report.text != f"{value:g}"
        }
        for column in material.table.columns
    }


def _write_sav(material: Material, frame: Any, file: Path) -> None:
    import pyreadstat  # noqa: PLC0415  it takes a while to load

    texts = _texts(material, cut_bytes, SAV_TEXT, lambda text: len(text.encode()), mark_of)
    labels = _labels(material, SAV_LABEL)
    pyreadstat.write_sav(
        frame,
        str(file),
        file_label=cut_bytes(material.survey.title, 64),
        column_labels=[*texts],
        variable_value_labels={name: label for name, label in labels.items() if label},
        variable_measure={name: "nominal" for name, label in labels.items() if label},
        note=[NOTE, _about(material), *([_CUT] if _cuts(material, texts) else [])],
    )


def _cuts(material: Material, texts: list[str]) -> bool:
    """Return whether a .sav file cuts a text; `texts`: its labels of columns."""
    whole = [
        label_of(one.question.text, one.item.text, mark_of(one.item))
        for one in material.table.columns
    ]
    return whole != texts[: len(whole)] or _labels(material, SAV_LABEL) != _labels(material, None)


def _write_dta(material: Material, frame: Any, file: Path) -> None:
    import pyreadstat  # noqa: PLC0415  it takes a while to load

    labels = _labels(material, None)
    pyreadstat.write_dta(
        frame,
        str(file),
        file_label=cut_characters(_about(material), DTA_TEXT),
        column_labels=[*_texts(material, cut_characters, DTA_TEXT, len)],
        variable_value_labels={name: label for name, label in labels.items() if label},
        version=15,
    )


def _about(material: Material) -> str:
    survey = material.survey
    return f"{survey.slug}, {material.n} reports, revision {survey.shown_number}"
