"""A study from what a researcher has: a survey file, and reports in a CSV, a store or a desk."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.data_file import CellNumbers, read_cells
from deniable.analysis.counts.pooling import pool_answers
from deniable.analysis.counts.reports_csv import AT_A_TIME, read_reports
from deniable.analysis.counts.rows import count_many, split_rows
from deniable.analysis.counts.tally import count_reports
from deniable.server.store import Store, StoreError, open_store
from deniable.study.addresses import is_desk
from deniable.study.collected import open_collected
from deniable.study.counted import CountedStudy
from deniable.study.remote import read_from_desk
from deniable.study.study import Study
from deniable.study.tables import is_data, not_in_utf8
from deniable.study.tallies.file import Tallies
from deniable.survey import Survey
from deniable.survey.grouped import ColumnsRead
from deniable.survey_file import decoded, plan_of, read
from deniable.text.doors import placed
from deniable.text.safety import composed

if TYPE_CHECKING:
    import pandas as pd


def open_study(
    survey: str | Path | Survey | pd.DataFrame,
    reports: str | Path | npt.NDArray[np.uint8] | Mapping[str, Any] | None = None,
    *,
    beside: Sequence[str] = (),
    token: str | None = None,
) -> Study:
    """Open a survey with its reports.

    Parameters
    ----------
    survey : str, Path, Survey or pandas.DataFrame
        A survey file; with a store or a desk, the survey's name there does too. Or data that others
        collected: a data frame, a CSV, or a file of SPSS, Stata or Parquet; `reports` is then its
        dictionary, a dict or a YAML or CSV that says which column is which design. In formulas the
        dtype of a column says what it is, see `deniable.analysis.regress_formula`; a column of a
        CSV is a number if all its cells are.
    reports : str, Path, dict or ndarray of uint8, shape (respondents, items), optional
        A CSV of noisy reports, the URL of a store, the address of a desk, or the reports
        themselves, a byte an item, and in a survey with waves a last column of the waves, the
        first of which is 0. Without any there are no reports yet, and the study can be
        planned. A store's or a desk's reports to other revisions count where a question is the same
        (`deniable.analysis.counts.pooling`).
    beside : sequence of str
        Columns of the CSV that the survey does not know, such as weights, strata or clusters. Then
        `Study.shares` and `Study.by` can use them. Of data that others collected: those to keep of
        the columns that the dictionary does not know, by default all.
    token : str, optional
        For a desk; by default that of the environment, ``DENIABLE_TOKEN``.

    Raises
    ------
    FileNotFoundError
        If a file is not there.
    SurveyFileError
        With all mistakes of the survey file, each with its line.
    ValueError
        If the reports are none of this survey's; the message names line and column. If a desk does
        not answer, does not take the token or has no such survey.
    StoreError
        If the store cannot be used, or has not this survey.

    Examples
    --------
    >>> import deniable
    >>> study = deniable.open("examples/doping.yaml")
    >>> study.n
    0
    >>> study
    Doping in sport (doping): 0 respondents, ε 1.09861...; no reports yet
      doped: “In the last 12 months, ...”; ε 1.09861...; No, Yes
    """
    if isinstance(survey, Survey) or (isinstance(survey, str | Path) and not is_data(survey)):
        if reports is None or isinstance(reports, str | Path | np.ndarray):
            return _with_reports(survey, reports, beside, token)
        raise TypeError(f"expected reports by their path, found a {type(reports).__name__}")
    if isinstance(survey, str | Path) or hasattr(survey, "columns"):
        return open_collected(survey, reports, beside or None)
    raise TypeError(
        "expected a data frame, or a survey or a data file by its path, found a "
        f"{type(survey).__name__}"
    )


def _with_reports(
    survey: str | Path | Survey,
    reports: str | Path | npt.NDArray[np.uint8] | None,
    beside: Sequence[str],
    token: str | None,
) -> Study:
    if isinstance(reports, str) and is_desk(reports):
        found, answers, planned, columns = read_from_desk(survey, reports, token)
        return Study.counted(found, answers, reports).of_columns(columns).expecting(planned)
    if isinstance(reports, str) and "://" in reports:
        return _from_store(survey, reports)
    if not isinstance(survey, Survey):
        file = read(_text(survey), str(survey))
        return _with_reports(file.survey, reports, beside, token).expecting(file.plan)
    if reports is None or isinstance(reports, np.ndarray):
        chunks = [] if reports is None else [reports.tobytes()]
        count_reports(chunks, survey)  # which says what is wrong with them
        return Study.of(survey, chunks, "from memory" if chunks else "no reports yet")
    with placed(str(reports)), Path(reports).open(encoding="utf-8", newline="") as lines:
        try:
            return from_csv(survey, lines, str(reports), beside)
        except UnicodeDecodeError:
            raise not_in_utf8(Path(reports).read_bytes()) from None


def open_tally(path: str | Path) -> CountedStudy:
    """Open a tally file, which knows its survey.

    Parameters
    ----------
    path : str or Path
        As ``deniable tally`` writes it.

    Returns
    -------
    CountedStudy
        It estimates all that needs no single report, so that nothing is weighted.

    Raises
    ------
    FileNotFoundError
        If it is not there.
    ValueError
        If it is no tally file; the message says where the mistake is.
    """
    with placed(str(path)):
        return CountedStudy.of(Tallies.from_json(Path(path).read_bytes()), str(path))


def from_csv(survey: Survey, lines: IO[str], source: str, beside: Sequence[str] = ()) -> Study:
    """Read a CSV of noisy reports."""
    found = ColumnsRead(survey)
    if not beside:
        reports = read_reports(lines, survey, found=found)
        return Study.counted(survey, reports, source).of_columns(found)
    beside = [*map(composed, beside)]
    numbers = CellNumbers(beside)
    # Of few people each is a row, so that a mistake can name the first.
    rows, times = count_many(_numbered(survey, lines, beside, numbers, found))
    answers, of_wave = split_rows(rows[:, : survey.row_length].tobytes(), survey)
    cells = numbers.cells(rows[:, survey.row_length :])
    made = Study(survey, answers, of_wave, source, beside=cells, times=times)
    return made.of_columns(found)


def _numbered(
    survey: Survey,
    lines: IO[str],
    beside: Sequence[str],
    numbers: CellNumbers,
    columns: ColumnsRead,
) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield rows of reports, with the numbers of the cells beside them; each by its reader."""
    for_cells, for_reports = itertools.tee(lines)
    found = read_cells(for_cells, beside)
    chunks = read_reports(for_reports, survey, beside=beside, found=columns)
    part = [[""]] * AT_A_TIME
    while len(part) == AT_A_TIME:
        part = [*itertools.islice(found, AT_A_TIME)]
        own = np.frombuffer(next(chunks, b""), dtype=np.uint8).reshape(-1, survey.row_length)
        beside_them = numbers.of(part)
        if part or not any(numbers.known.values()):
            yield np.hstack([own, beside_them])


def _from_store(survey: str | Path | Survey, url: str) -> Study:
    text = ""  # of the survey's file, if one is named
    with closing(open_store(url, create=False, read_only=True)) as store, store.told():
        if isinstance(survey, Survey):
            found = _as_kept(survey, store)
        elif Path(survey).is_file():
            text = _text(survey)
            found = _as_kept(read(text, str(survey)).survey, store)
        else:
            _check_kept(str(survey), store)
            found = store.survey(str(survey))
        reports = pool_answers(found, store.by_revision(found.slug))
        planned = plan_of(text or store.source(found.slug, found.revision))
        return Study.counted(found, reports, store.name).expecting(planned)


def _as_kept(named: Survey, store: Store) -> Survey:
    """Return the revision of a store that a survey is, at most without its keys."""
    _check_kept(named.slug, store)
    for revision in store.revisions(named.slug):
        kept = store.revision(named.slug, revision)
        with suppress(ValueError):  # keys that fit only other waves
            if named.as_kept(kept).revision == revision:
                return kept
    raise StoreError(
        f"{store.name} has another survey {named.slug!r}: not this revision of it; "
        f"open({named.slug!r}, …) opens the current one"
    )


def _check_kept(slug: str, store: Store) -> None:
    names = [record.survey.slug for record in store.surveys()]
    if slug not in names:
        there = f"it has {', '.join(names)}" if names else "it has none"
        raise StoreError(f"{store.name} has no survey {slug!r}: {there}")


def _text(path: str | Path) -> str:
    return decoded(Path(path).read_bytes(), str(path))
