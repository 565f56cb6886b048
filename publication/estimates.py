"""estimates.csv, weighted.csv: a row for each estimate, with its question's and answer's texts."""

from typing import Final

from deniable.publication.groups import items_of_groups, rows_of_groups
from deniable.publication.material import Material
from deniable.publication.weighting import Weighting
from deniable.results.files import Export, Row
from deniable.results.rows import FOLLOWED, lay_out

TEXTS: Final = ("question_text", "item_text", "answer_text")


def lay_out_estimates(material: Material) -> Export:
    """Lay the estimates out in the rows of `deniable.results.rows`, each with its texts."""
    found = lay_out(material.results)
    rows = (*found.rows, *rows_of_groups(material))
    return _with_texts(material, Export.of(found.columns, rows, found.document))


def lay_out_weighted(material: Material, weighting: Weighting) -> Export:
    """Lay the weighted estimates out in the same rows, with effective sizes and design effects."""
    return _with_texts(material, lay_out(weighting.results, is_weighed=True))


def _with_texts(material: Material, found: Export) -> Export:
    survey = material.told.survey
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

    # The result of a control question is no estimate of an answer; the desk shows it.
    shown = [with_texts(row) for row in found.rows if row["statistic"] != FOLLOWED]
    after = found.columns.index("answer") + 1
    columns = (*found.columns[:after], *TEXTS, *found.columns[after:])
    return Export(columns, shown, found.document)
