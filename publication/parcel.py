"""The zip and its files: the same data give the same bytes."""

import hashlib
import io
import logging
import traceback
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import Final

import numpy as np

from deniable.extras import MissingExtra
from deniable.publication.channels import lay_out_channels
from deniable.publication.citation import citation_file
from deniable.publication.codebook import lay_out_codebook
from deniable.publication.codebook_page import codebook_page
from deniable.publication.descriptor import descriptor_file
from deniable.publication.estimates import lay_out_estimates, lay_out_weighted
from deniable.publication.material import Material
from deniable.publication.methods import methods_page
from deniable.publication.parquet import parquet_available, parquet_file
from deniable.publication.readme import readme_page
from deniable.publication.statistical import dta_file, sav_file
from deniable.publication.weighting import COLUMN as WEIGHT
from deniable.results.figures.watermark import marked
from deniable.results.files import Export, Row, write_csv

PROGRAM: Final = "reproduce.R"
"""The program that recomputes the estimates; the zip has it as the package does."""

CANNOT: Final = "it cannot be written: please report this as a fault of deniable"
"""Why a file is left out that another library fails to write."""

_log = logging.getLogger(__name__)

_TIME: Final = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold

_READABLE: Final = 0o644 << 16


def zip_of(material: Material, failed: list[str] | None = None) -> bytes:
    """Return the zip as bytes; `failed` takes in the files that could not be written."""
    with marked(material.survey):
        contents = contents_of(material, failed)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(f"{folder_name(material)}/{name}", _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = _READABLE
            entry.create_system = 3  # Unix, whichever system writes the zip
            archive.writestr(entry, content)
    return file.getvalue()


def listed(material: Material) -> dict[str, str]:
    """Return the files of the zip, unwritten, each with why it cannot be written, or nothing.

    What can fail are the files for SPSS and Stata, by their names and texts: these are tried with
    the first report alone.
    """
    tried = {"reports.sav": sav_file, "reports.dta": dta_file}
    found = {"README.md": ""}
    for name, _ in _writers(material, {}):
        found[name] = "" if name not in tried or _can(tried[name], material) else CANNOT
    found["SHA256SUMS"] = ""
    for one in left_out():
        found["reports.parquet"] = one.at_desk.partition("; ")[2]
    return found


def _can(write: Callable[[Material], bytes], material: Material) -> bool:
    rows = material.rows
    one = replace(
        rows,
        answers=rows.answers[:1],
        patterns=rows.patterns[:1],
        waves=rows.waves[:1],
        times=np.ones_like(rows.times[:1]),
        least=1,
    )
    try:
        write(replace(material, rows=one, margins={}))
    except Exception:  # noqa: BLE001  the writer is another library
        return False
    return True


def left_out() -> Iterator[MissingExtra]:
    """Yield a message for each file that the zip lacks because an extra is not installed."""
    if not parquet_available():
        yield MissingExtra("the zip has no Parquet file", "parquet")


def folder_name(material: Material) -> str:
    """Return the name of the folder in the zip: the survey and the start of its revision."""
    return f"{material.survey.slug}-{material.survey.revision[:8]}"


def contents_of(material: Material, failed: list[str] | None = None) -> dict[str, bytes]:
    """Return the files of the zip by their names, README.md first.

    A file that cannot be written is left out, and README.md names it: a library that fails on one
    long text must not prevent the other files. `failed` takes in their names.
    """
    found: dict[str, bytes] = {}
    failed = [] if failed is None else failed
    for name, write in _writers(material, found):
        try:
            found[name] = write()
        except MemoryError:  # every file may fail then, and half a zip would look whole
            raise
        except Exception as problem:  # noqa: BLE001  each writer is a library of its own
            failed.append(name)
            # No error message: it may quote a cell, and the log must hold nothing from a report.
            place = traceback.extract_tb(problem.__traceback__)[-1]
            kind = f"{type(problem).__name__} at {place.filename}:{place.lineno}"
            _log.warning("Note: the zip has no %s, which could not be written: %s", name, kind)
    found["README.md"] = readme_page(material, [*found, "SHA256SUMS"], failed).encode()
    ordered = {"README.md": found.pop("README.md"), **dict(sorted(found.items()))}
    sums = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in ordered.items())
    return {**ordered, "SHA256SUMS": "".join(sums).encode()}


def _writers(
    material: Material, written: Mapping[str, bytes]
) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield each file's name and writer; `written` holds the files that are written by then."""

    def describe() -> bytes:
        tables = {name: content for name, content in written.items() if name.endswith(".csv")}
        return descriptor_file(material, tables).encode()

    yield "estimates.csv", lambda: write_csv(lay_out_estimates(material)).encode()
    if not isinstance(found := material.weighting, str):
        yield "weighted.csv", lambda: write_csv(lay_out_weighted(material, found)).encode()
        yield "margins.csv", lambda: write_csv(found.export).encode()
    yield "codebook.csv", lambda: write_csv(lay_out_codebook(material)).encode()
    yield "channels.csv", lambda: write_csv(lay_out_channels(material.told.survey)).encode()
    yield "reports.csv", partial(_reports, material)
    yield "datapackage.json", describe
    if material.table.columns and parquet_available():
        yield "reports.parquet", partial(parquet_file, material)
    if material.table.columns:
        yield "reports.sav", partial(sav_file, material)
        yield "reports.dta", partial(dta_file, material)
    yield "codebook.html", lambda: codebook_page(material).encode()
    yield "methods.md", lambda: methods_page(material).encode()
    yield "CITATION.cff", lambda: citation_file(material).encode()
    yield "survey.json", material.survey.to_json
    if material.written is not None:
        yield "survey.yaml", partial(bytes, material.written)
    yield from _figures(material)
    yield PROGRAM, files("deniable.publication").joinpath(PROGRAM).read_bytes


def _reports(material: Material) -> bytes:
    """Write reports.csv, its equal rows once and then as often as they come."""
    columns = material.table.columns
    names = tuple(column.name for column in columns)
    cells = [column.cells for column in columns]
    if (weights := material.weights) is not None:
        cells.append(np.array(weights, dtype=np.float64))
    first = np.zeros(0, dtype=np.intp)
    if material.n and cells:
        # What begins a row unlike the one above it; no weight is like no other.
        unlike = [one[1:] != one[:-1] for one in cells]
        first = np.r_[0, 1 + np.flatnonzero(np.any(unlike, axis=0))]
    some = zip(
        *(replace(column, cells=column.cells[first]).codes for column in columns), strict=True
    )
    rows: list[Row] = [dict(zip(names, row, strict=True)) for row in some]
    if weights is not None:
        names = (*names, WEIGHT)
        rows = [{**row, WEIGHT: weights[at]} for row, at in zip(rows, first.tolist(), strict=True)]
    header, *lines = write_csv(Export(names, rows, {})).encode().splitlines(keepends=True)
    times = np.diff(np.r_[first, material.n]).tolist() if lines else []
    return header + b"".join(line * count for line, count in zip(lines, times, strict=True))


def _figures(material: Material) -> Iterator[tuple[str, Callable[[], bytes]]]:
    # matplotlib loads slowly.
    from deniable.results.figures.question import question_figure  # noqa: PLC0415

    for wave, results in material.each():
        of = material.survey.in_waves(f"wave-{wave}-")
        for question in results.questions:
            name = f"figures/{of}{question.question.id}"
            for form in ("svg", "txt"):
                yield f"{name}.{form}", partial(question_figure, question, results.level, form)
