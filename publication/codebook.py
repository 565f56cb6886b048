"""codebook.csv: the meaning of each column and each code, uncut; a row for each code."""

import math
from collections.abc import Iterator
from typing import Final

from deniable.analysis.results import numbers
from deniable.publication.groups import JOINT, items_of_groups
from deniable.publication.material import Material
from deniable.publication.names import file_names, label_of, mark_of, shortened_in, values_of
from deniable.publication.table import described
from deniable.publication.weighting import COLUMN as WEIGHT
from deniable.results.files import Export, Row
from deniable.survey.items import Item
from deniable.survey.questions import Question

COLUMNS: Final = (
    "column",
    "item",
    "question",
    "question_text",
    "item_text",
    "hint",
    "type",
    "protection",
    "epsilon",
    "published",
    "role",
    "code",
    "text",
    "number",
    "skipped",
    "file_name",
    "file_value",
    "shortened",
)
"""The columns, in order; `lay_out_codebook` says what each holds."""


def lay_out_codebook(material: Material) -> Export:
    """Lay the codebook out in rows: each item's true answers and then its reports."""
    short = file_names(column.name for column in material.table.columns)
    rows = [row for one in described(material.told.survey) for row in _rows(material, *one, short)]
    rows += [row for one in items_of_groups(material.survey) for row in _group_rows(material, one)]
    if material.weights is not None:
        text = "what the person counts for in weighted.csv; empty: not weighed"
        told = {"column": WEIGHT, "item": WEIGHT, "published": "yes", "role": "weight"}
        rows.append({**told, "question_text": text})
    return Export.of(COLUMNS, rows, {})


def published(material: Material, item: Item) -> str:
    """Say whether an item's column is published: yes or no."""
    return "no" if material.table.of(item) is None else "yes"


def _rows(
    material: Material, column: str, question: Question, item: Item, short: dict[str, str]
) -> Iterator[Row]:
    told = published(material, item)
    skipped = question.skipped if question.ask_if else None
    common = {
        "column": column if told != "no" else None,
        "item": item.id,
        "question": question.id,
        "question_text": question.text,
        "item_text": item.text,
        "hint": question.hint or None,
        "type": question.type.value,
        "protection": item.protection.value,
        "epsilon": item.epsilon,
        "published": told,
    }
    counts_for = numbers(item) if question.is_number else [math.nan] * len(item.truths)
    whole = label_of(question.text, item.text)
    text_cut = " ".join(shortened_in(whole, is_label=False, mark=mark_of(item)))
    for place, truth in enumerate(item.truths):
        yield {
            **common,
            "role": "truth",
            "code": truth.code,
            "text": item.in_full(truth),
            "number": None if math.isnan(counts_for[place]) else counts_for[place],
            "skipped": place == skipped,
            "file_name": short.get(column),
            "shortened": text_cut or None,
        }
    values = values_of(item, is_number=question.is_number)
    for report, value in zip(item.reports, values, strict=True):
        yield {
            **common,
            "role": "report",
            "code": report.code,
            "text": report.text,
            "skipped": False,
            "file_name": short.get(column),
            "file_value": int(value) if told != "no" else None,
            "shortened": " ".join(shortened_in(report.text, is_label=True)) or None,
        }


def _group_rows(material: Material, item: Item) -> Iterator[Row]:
    """Yield the rows of a group; its column joins the names of its questions' columns."""
    names = (material.table.of(one) for one in material.told.survey.items)
    own = [one.name for one in names if one and one.question.id in item.id.split(JOINT)]
    for role in ("truth", "report"):
        for cell in item.truths:
            yield {
                "column": JOINT.join(own),
                "item": item.id,
                "question": item.question,
                "question_text": item.text,
                "item_text": item.text,
                "type": "together",
                "protection": item.protection.value,
                "epsilon": item.epsilon,
                "published": "yes",
                "role": role,
                "code": cell.code,
                "text": cell.text,
                "skipped": False,
            }
