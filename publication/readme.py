"""README.md: the files of the zip, their reports, and what is left out."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from deniable import __version__
from deniable.publication.board.markdown import plain
from deniable.publication.codebook import lay_out_codebook
from deniable.publication.material import Material
from deniable.results.figures.watermark import TRIAL
from deniable.survey.grouped import direct_items, split_columns, write_columns

_ABOUT: Final = {
    "estimates.csv": "every estimate, with the texts of its question and answer",
    "weighted.csv": "the same, weighted to margins.csv: of the rows of reports.csv with a weight",
    "margins.csv": "the parts of the population with each answer",
    "reports.csv": "the noisy reports: a row a person, sorted by value, without ids or times",
    "reports.parquet": "the same for programs that read Parquet",
    "reports.sav": "the same for SPSS, with labels",
    "reports.dta": "the same for Stata, with labels",
    "codebook.csv": "what each column and each code means, for programs",
    "codebook.html": "the same for people",
    "channels.csv": "how likely each report is, given each true answer: the weight divided by 2^32",
    "survey.json": "the survey: its structure, whose SHA-256 is the revision, and its wordings",
    "survey.yaml": "the survey as it was written",
    "figures/": "a figure for each question, and its caption",
    "methods.md": "sentences for the methods section of the paper",
    "CITATION.cff": "how to cite the data",
    "datapackage.json": "the tables, described for programs (Tabular Data Package)",
    "reproduce.R": "recomputes the estimates from the reports: needs R and no package; sourced, it "
    "gives you its functions",
    "SHA256SUMS": "the hash of each other file: `sha256sum --check SHA256SUMS`",
}

_CHECKS: Final = (
    "It recomputes each share, mean and standard error from `reports.csv` to 1e-9. It puts each "
    "end of an interval into the equation that defines it, and checks it to 1e-6. It names the "
    "line of `estimates.csv` or `weighted.csv` that differs, if there is one, and makes the "
    "weights anew from the margins."
)


def about(names: Iterable[str]) -> dict[str, str]:
    """Say what each file of the zip is; those of a folder are one."""
    there = {name.partition("/")[0] + "/" if "/" in name else name for name in names}
    return {name: said for name, said in _ABOUT.items() if name in there}


def readme_page(material: Material, names: Iterable[str], failed: Sequence[str] = ()) -> str:
    """Write README.md; `names`: the files of the zip; `failed`: files that could not be written."""
    parts = [
        f"# {plain(material.survey.title)}",
        *_snapshot(material),
        "## Files",
        "\n".join(f"- `{name}`: {said}" for name, said in about(names).items()),
        *_files_left_out(failed),
        "## Direct answers",
        *_direct_answers(material),
        "## Check the numbers",
        "    Rscript reproduce.R",
        _CHECKS,
        *_shortened_texts(material),
        f"Written by deniable {__version__}.",
    ]
    return "\n\n".join(parts) + "\n"


def _files_left_out(names: Sequence[str]) -> Iterator[str]:
    if names:
        yield (
            f"**Left out, because they could not be written: {_ids_in_words(names)}.** The other "
            "files do not depend on them and are whole. Please report this as a fault of deniable."
        )


def _snapshot(material: Material) -> Iterator[str]:
    survey = material.survey
    if survey.kind == "trial":
        yield f"**{TRIAL}**"
    yield (
        f"{material.n:,} reports to the survey `{survey.slug}`, revision\n`{survey.revision}`\n"
        f"(check number {survey.shown_number})."
    )
    if material.origin:
        yield material.origin
    yield (
        "A report does not tell whether it came from a person's device, from a sheet of paper or "
        "from a simulation. If you tried the survey with made-up people, their reports are among "
        "these unless they went elsewhere."
    )
    yield (
        "Columns whose names end in `_noisy` are randomised. Do not tabulate them as answers: the "
        "estimates take the noise out."
    )


def _direct_answers(material: Material) -> Iterator[str]:
    known = direct_items(material.rows.survey)
    if not known:
        yield "Nobody was asked anything directly."
        return
    if left_out := [item.id for item in known if item.id not in material.direct]:
        yield (
            f"Not published: {_ids_in_words(left_out)}. The estimates of their shares are in "
            "`estimates.csv`, and cannot be recomputed from here."
        )
    if not material.direct:
        return
    columns = write_columns(
        {item.id: material.direct[item.id] for item in known if item.id in material.direct},
        material.rows.survey,
    )
    yield f"Published: {_ids_in_words(split_columns(columns))}."
    least = material.rows.least
    if least > 1:
        yield (
            f"At least {least} people gave each combination of these and were asked the same "
            "questions: other answers are put together in groups, or their columns are left out."
        )
    yield (
        "Somebody who knows what a person answered directly, or what they were asked, may find "
        "their row. Give these files to people who may see it."
    )


def _ids_in_words(ids: Iterable[str]) -> str:
    return ", ".join(f"`{id}`" for id in ids)


def _shortened_texts(material: Material) -> Iterator[str]:
    cut = [row for row in lay_out_codebook(material).rows if row["shortened"]]
    if cut:
        columns = sorted({str(row["file_name"]) for row in cut if row["file_name"]})
        yield (
            "The files for SPSS and Stata cannot hold long texts. Some texts are cut there, and "
            f"end in “…”: those of {_ids_in_words(columns)}. They stand whole in the codebook."
        )
