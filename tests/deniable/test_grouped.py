"""Direct answers in groups: a file of them that is read back gives the same numbers."""

import io
import itertools

import numpy as np
import pytest

from deniable import Survey
from deniable.analysis.counts.pooling import pool_rows, rows_of_reports
from deniable.analysis.counts.reports_csv import csv_of_rows, read_reports, reports_of
from deniable.analysis.counts.rows import Rows, join_rows, repeated
from deniable.analysis.counts.tally import count_waves
from deniable.analysis.privacy.columns import grouped
from deniable.analysis.waves import summarise_waves
from deniable.report import NOT_ASKED
from deniable.results.rows import lay_out
from deniable.survey.grouped import (
    Columns,
    ColumnsRead,
    Groups,
    check_groups,
    direct_items,
    each_answer,
    read_columns,
    write_columns,
)
from deniable.survey_file import read
from tests.kit.surveys import file_of

TEXT = file_of(
    "id: took, text: Took it, type: single, answers: [No, Yes]",
    "id: cash, text: Cash, type: single, answers: [No, Yes]",
    "id: sex, text: Sex, type: single, answers: [F, M], prefer_not_to_say: true, "
    "protection: direct",
    "id: age, text: Age, type: number, min: -2, max: 3, step: 1/2, protection: direct, "
    "prefer_not_to_say: true",
    "id: ward, text: Ward, type: single, answers: [A, B, C, D, E], protection: direct",
    "id: shift, text: Shift, type: single, answers: [Day, Late, Night], protection: direct, "
    "ask_if: {ward: [a, b, e]}",
    "id: led, text: Led it, type: single, answers: [No, Yes], ask_if: {ward: [a, b, e]}",
    head="epsilon: 4",
)

HEADS = ("epsilon: 4", "epsilon: 4\nwaves: {count: 2, redraw: 1/8}", "epsilon: 4\nask: 2")


def any_groups(survey: Survey, random: np.random.Generator) -> Columns:
    """Draw columns and their groups."""
    items = direct_items(survey)
    found: dict[str, Groups] = {}
    for place in np.sort(random.permutation(len(items))[: random.integers(len(items) + 1)]):
        item = items[place]
        of = random.integers(0, random.integers(2, 5), len(item.truths))
        groups = tuple(
            sorted(tuple(np.flatnonzero(of == n).tolist()) for n in range(5) if (of == n).any())
        )
        try:
            check_groups(survey, item, groups)
        except ValueError:
            groups = each_answer(item)
        found[item.id] = groups
    return found


def answered(survey: Survey, random: np.random.Generator) -> Rows:
    """Return reports in which each answer is given, a tenth of them with gaps."""
    sent = np.column_stack([random.integers(0, reports, 400) for reports in survey.report_counts])
    waves = random.integers(1, survey.waves + 1, 400)
    sent[random.random(sent.shape) < 0.1] = NOT_ASKED
    chunk = join_rows(sent.astype(np.uint8), waves, survey).tobytes()
    return rows_of_reports(survey, [chunk], least=1)


def numbers(survey: Survey, chunks: list[bytes]) -> str:
    rows = lay_out(summarise_waves(survey, count_waves(chunks, survey))).rows
    return "\n".join(f"{[*row.items()]}" for row in rows)


def sent_of(rows: Rows) -> bytes:
    sent = join_rows(rows.answers, rows.waves, rows.survey)
    return b"".join(part.tobytes() for part in repeated(sent, rows.times))


@pytest.mark.parametrize(("head", "seed"), [*itertools.product(HEADS, range(8))])
def test_a_file_in_groups_is_read_back(head: str, seed: int) -> None:
    random = np.random.default_rng([40, seed])
    survey = read(TEXT.replace(HEADS[0], head)).survey
    columns = any_groups(survey, random)
    assert read_columns(write_columns(columns, survey), survey) == columns
    told = grouped(answered(survey, random), columns)
    found = ColumnsRead(survey)
    text = "".join(csv_of_rows(told))
    again, reports = reports_of(read_reports(io.StringIO(text), survey, found=found), found)
    assert numbers(again, [reports]) == numbers(told.survey, [sent_of(told)])
    assert [item.truths for item in again.items] == [item.truths for item in told.survey.items]
    copied = rows_of_reports(again, [reports], least=1)
    assert "".join(csv_of_rows(copied)) == text


def test_a_file_of_two_revisions_is_read_back() -> None:
    random = np.random.default_rng(41)
    first = read(TEXT).survey
    second = read(TEXT.replace("text: Sex", "text: Your sex").replace("A, B", "A, F, B")).survey
    pooled = pool_rows(
        second, [(one, [sent_of(answered(one, random))]) for one in (first, second)], least=1
    )
    for seed in range(8):
        columns = any_groups(second, np.random.default_rng([41, seed]))
        told, found = grouped(pooled, columns), ColumnsRead(second)
        text = "".join(csv_of_rows(told))
        again, reports = reports_of(read_reports(io.StringIO(text), second, found=found), found)
        assert numbers(again, [reports]) == numbers(told.survey, [sent_of(told)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ward:[a b e]+[c d],shift:[day does_not_apply]+late+night", "'does_not_apply' by itself"),
        ("ward:[a b e]+[c d],shift:[day late night]", "at least two groups"),
        ("sex:[f m prefer_not_to_say]", "at least two groups, found"),
        ("ward:[a b c]+d+e", "answers that lead to 'shift'"),
        ("ward:a+b", "expected each answer in a group, found none for c, d, e"),
        ("ward:a+b+[c d e a]", "'a' in one group, found it in two"),
        ("sex,sex", "'sex' once"),
        ("took", "expected direct items, found 'took'"),
        ("age:0-9+x", "expected answers"),
    ],
)
def test_groups_that_cannot_be_are_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_columns(text, read(TEXT).survey)
