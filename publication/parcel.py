"""What goes into the zip, and the zip: the same data give the same bytes."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

from deniable.analysis.figures import question_svg
from deniable.analysis.formats import Export, write_csv
from deniable.analysis.marking import marked
from deniable.extras import how_to_get
from deniable.publication.channels import lay_out_channels
from deniable.publication.citation import citation_file
from deniable.publication.codebook import lay_out_codebook
from deniable.publication.codebook_page import codebook_page
from deniable.publication.descriptor import descriptor_file
from deniable.publication.estimates import lay_out_estimates
from deniable.publication.material import Material
from deniable.publication.methods import methods_page
from deniable.publication.parquet import parquet_available, parquet_file
from deniable.publication.readme import readme_page
from deniable.publication.statistical import statistical_available, statistical_files

PROGRAMS: Final = ("reproduce.py", "reproduce.R")
"""They recompute the estimates, and stand in the zip as they stand here."""

_TIME: Final = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold

_READABLE: Final = 0o644 << 16


def zip_of(material: Material) -> bytes:
    """Write the zip.

    Parameters
    ----------
    material : Material

    Returns
    -------
    bytes
        The same for the same reports in any order: no time is in it.
    """
    with marked(material.survey):
        contents = contents_of(material)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(f"{folder_name(material)}/{name}", _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = _READABLE
            entry.create_system = 3  # as on Unix, whichever system this is
            archive.writestr(entry, content)
    return file.getvalue()


def left_out() -> Iterator[str]:
    """Say which files a zip lacks here because a package is not installed, and how to get it."""
    if not statistical_available():
        yield f"the zip has no files for SPSS and Stata; get them by {how_to_get('paper')}"
    if not parquet_available():
        yield f"the zip has no Parquet file; get it by {how_to_get('parquet')}"


def folder_name(material: Material) -> str:
    """Return the name of the folder in the zip: the survey, and the beginning of its revision."""
    return f"{material.survey.slug}-{material.survey.revision[:8]}"


def contents_of(material: Material) -> dict[str, bytes]:
    """Return the files of the zip by their names, what is to be read first at the beginning.

    Parameters
    ----------
    material : Material

    Returns
    -------
    dict of (str: bytes)
    """
    exports = {
        "estimates.csv": lay_out_estimates(material),
        "codebook.csv": lay_out_codebook(material),
        "channels.csv": lay_out_channels(material.survey),
    }
    tables = {name: write_csv(export).encode() for name, export in exports.items()}
    tables["reports.csv"] = _reports(material)
    found = {
        **tables,
        **parquet_file(material),
        **statistical_files(material),
        "codebook.html": codebook_page(material).encode(),
        "methods.md": methods_page(material).encode(),
        "CITATION.cff": citation_file(material).encode(),
        "datapackage.json": descriptor_file(material, exports, tables).encode(),
        "survey.json": material.survey.to_json(),
        **({} if material.written is None else {"survey.yaml": material.written}),
        **dict(_figures(material)),
        **{name: files("deniable.publication").joinpath(name).read_bytes() for name in PROGRAMS},
    }
    found["README.md"] = readme_page(material, [*found, "SHA256SUMS"]).encode()
    ordered = {"README.md": found.pop("README.md"), **dict(sorted(found.items()))}
    sums = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in ordered.items())
    return {**ordered, "SHA256SUMS": "".join(sums).encode()}


def _reports(material: Material) -> bytes:
    columns = material.table.columns
    names = tuple(column.name for column in columns)
    cells = zip(*(column.codes for column in columns), strict=True)
    rows = [dict(zip(names, row, strict=True)) for row in cells]
    return write_csv(Export(names, rows, {})).encode()


def _figures(material: Material) -> Iterator[tuple[str, bytes]]:
    asked = {question.id for question in material.survey.asked_questions}
    for wave, results in material.each():
        for question in results.questions:
            if question.question.id in asked:
                of = "" if wave is None else f"wave-{wave}-"
                drawn = question_svg(question, results.level).encode()
                yield f"figures/{of}{question.question.id}.svg", drawn
