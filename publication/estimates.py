"""estimates.csv: every estimate in a row, with the texts of its question and its answer."""

from __future__ import annotations

from typing import Final

from deniable.publication.groups import items_of_groups, rows_of_groups
from deniable.publication.material import Material
from deniable.results.files import Export, Row
from deniable.results.rows import FOLLOWED, lay_out

TEXTS: Final = ("question_text", "item_text", "answer_text")


def lay_out_estimates(material: Material) -> Export:
    """Lay the estimates out in rows, as an export of them does, each with its texts."""
    survey = material.survey
    groups = items_of_groups(survey)
    questions = {one.id: one.text for one in survey.questions}
    questions |= {one.id: one.text for one in groups}
    items = {item.id: item for item in (*survey.items, *groups)}

    def with_texts(row: Row) -> Row:
        item = items[str(row["item"])]
        answers = {truth.code: item.in_full(truth) for truth in item.truths}
        return {
            **row,
            "question_text": questions[item.question],
            "item_text": item.text,
            "answer_text": answers.get(str(row["answer"])),
        }

    found = lay_out(material.results)
    # What a control question says is no estimate of an answer, and stands on the desk.
    rows = (*found.rows, *rows_of_groups(material))
    shown = [with_texts(row) for row in rows if row["statistic"] != FOLLOWED]
    after = found.columns.index("answer") + 1
    columns = (*found.columns[:after], *TEXTS, *found.columns[after:])
    return Export(columns, shown, found.document)
