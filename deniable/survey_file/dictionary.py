"""A data dictionary: the question and design of each column of a data file, in YAML or CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic import BaseModel, create_model

from deniable import designs, exact
from deniable.designs import HAVE_YES
from deniable.roles import no_then_yes, says_yes, speak, yes_of
from deniable.survey.collected import Collected
from deniable.survey.questions import Answer, QuestionType
from deniable.survey_file.channels import Draft, check_control, check_family, own_channel
from deniable.survey_file.compiler import fields_of
from deniable.survey_file.located import Document, Mistake, SurveyFileError, Wrong, parse
from deniable.survey_file.rules import COSTS, MAX_ANSWERS, MAX_TRUTHS, read_question
from deniable.survey_file.schema import QuestionFields, config
from deniable.survey_file.values import Line
from deniable.text.near import meant
from deniable.text.safety import composed, counted

_KEYS: Final = (
    *("text", "type", "answers", "min", "max", "step", "levels", "prefer_not_to_say", "known"),
    *("yes", "protection", "flip", "epsilon", "design", "family"),
)
_TYPED: Any = {key: (QuestionFields.model_fields[key].rebuild_annotation(), None) for key in _KEYS}
ColumnFields: type[BaseModel] = create_model(
    "Column", __config__=config("Column"), **_TYPED, reports=(list[Line] | None, None)
)
"""The keys of a column: some keys of a question, and the names of the reports in the data."""

DictionaryFields: type[BaseModel] = create_model(
    "Dictionary",
    __config__=config("Data dictionary", "columns"),
    title=(Line | None, None),
    columns=(dict[str, Any] | None, None),
)
"""The keys of a data dictionary."""

_USUAL: Final = next(one for one in QuestionType if not (one.is_number or one.has_several_items))

ONE_COLUMN: Final = "--design"
"""The source name of a dictionary that a command makes from its options."""

HEADER: Final = ("column", "design", "answers", "yes", "text")
"""The header of a dictionary in CSV; all columns but the first are optional."""


def of_one_label(name: str, shared: Mapping[str, Sequence[str]]) -> str:
    """Say of a column that codes have one label, and how to tell them apart.

    `shared`: the codes, by label.
    """
    label, codes = next(iter(shared.items()))
    own = ", ".join(f"{code}: …" for code in codes)
    return (
        f"the codes {' and '.join(codes)} of the column {name!r} have one label, {label!r}: give "
        f"its answers by code, as {{{own}}},"
    )


def read_dictionary(
    text: str,
    source: str,
    cells: Mapping[str, Sequence[str]],
    labels: Mapping[str, str],
    shared: Mapping[str, Mapping[str, Sequence[str]]],
) -> tuple[Collected, dict[str, Sequence[str]]]:
    """Read a data dictionary, or raise a `SurveyFileError` with every mistake in it.

    `text`: YAML, or a CSV if `source` ends in ``.csv``. `cells`: for each column of the data, its
    distinct non-empty cells, sorted. `labels`: the labels of variables. `shared`: of each column,
    the codes that have one label, by label. Result: the questions, and the names of a column's
    reports in the data, if the dictionary has them.
    """
    document = _document(text, source)
    drafts, reports, title, wrong = _read_columns(document.value, source, cells, labels, shared)
    mistakes = [*document.mistakes, *map(document.mistake, wrong)]
    if mistakes:
        raise SurveyFileError(source, mistakes)
    survey = Collected(
        slug=source,
        title=title or source,
        introduction="",
        epsilon_millionths=0,
        questions=tuple(draft.question for draft in drafts),
        items=tuple(item for draft in drafts for item in draft.items),
    )
    return survey, reports


def columns_in(text: str, source: str) -> list[str]:
    """Return the columns that a data dictionary names, as `read_dictionary` reads it."""
    value = _document(text, source).value
    named = value.get("columns") if isinstance(value, dict) else None
    return [*map(str, named)] if isinstance(named, dict) else []


def _document(text: str, source: str) -> Document:
    text = composed(text)
    written = _as_yaml(text, source) if source.lower().endswith(".csv") else text
    return parse(written, source, "a data dictionary")


def _read_columns(
    value: Any,
    source: str,
    cells: Mapping[str, Sequence[str]],
    labels: Mapping[str, str],
    shared: Mapping[str, Mapping[str, Sequence[str]]],
) -> tuple[list[Draft], dict[str, Sequence[str]], str | None, list[Wrong]]:
    """Read the columns, the names of their reports, and the title; find mistakes."""
    if isinstance(value, dict) and "columns" not in value:
        named = ", ".join(repr(key) for key in value)
        if "questions" in value:
            named += ": this is a survey, which comes before its reports"
        said = f"expected a data dictionary with the key 'columns', found {named}"
        return [], {}, None, [Wrong((), said)]
    fields: Any
    fields, wrong = fields_of(DictionaryFields, value)
    if fields.columns == {} and source != ONE_COLUMN:
        wrong.append(Wrong(("columns",), "expected a column at least, found none"))
    drafts, reports = [], {}
    for name, written in (fields.columns or {}).items():
        here = ("columns", name)
        if name not in cells:
            said = f"the data have no column {name!r}: {meant(name, cells)}"
            wrong.append(Wrong(here, said, at_key=True))
            continue
        given: Any
        given, found = fields_of(ColumnFields, {} if written is None else written)
        draft, more = _draft(name, given, cells[name], labels.get(name, name))
        found += more
        if draft is not None:
            drafts.append(draft)
            found += check_control(draft)
            if given.reports is not None:
                found += _check_reports(given.reports, draft)
                reports[name] = given.reports
                if source != ONE_COLUMN:  # a command has told their roles already
                    reports[name], more = _order_by_role(given.reports, draft)
                    found += more
            told = {*(given.reports or given.answers or ())}
            if any(not {*codes} <= told for codes in shared.get(name, {}).values()):
                said = f"{of_one_label(name, shared[name])} or leave the column out"
                found.append(Wrong((), said, at_key=True))
        wrong += [one.below(*here) for one in found]
    return drafts, reports, fields.title, wrong


def _draft(
    name: str, given: Any, cells: Sequence[str], label: str
) -> tuple[Draft | None, list[Wrong]]:
    """Read a column as a question with its channel; None if a mistake was found."""
    written = given.model_fields_set & {*_KEYS}
    costs, wrong = written & {*COSTS}, list[Wrong]()
    if given.protection == "randomised" and not costs:
        said = "expected flip, epsilon or design: how the column was randomised"
        wrong.append(Wrong((), said))
    direct = not costs or given.protection == "direct"
    kind = given.type or _USUAL
    if kind.has_several_items:
        said = "each column is a question of its own: expected another type"
        return None, [*wrong, Wrong(("type",), said)]
    answers: Sequence[Answer] | None = None
    usual: dict[str, Any] = {"id": "column", "text": given.text or label, "type": kind}
    try:
        if kind.is_number and direct and not written & {"min", "max"}:
            usual |= {"min": 0, "max": 1}
            answers = _numbers(name, cells)
        elif not kind.is_number and "answers" not in written:
            usual["answers"] = ["No", "Yes"]
            answers = _answers_in_column(name, cells) if direct else _designed(given.design, cells)
    except Wrong as found:
        wrong.append(found)
    if direct:
        usual["protection"] = "direct"
    fields = QuestionFields.model_construct(
        **{**{key: getattr(given, key) for key in written}, **usual}
    )
    # A randomised column may have as many answers as its design.
    most = MAX_ANSWERS if direct or given.prefer_not_to_say else MAX_TRUTHS
    question, more = read_question(fields, most)
    wrong += more
    if question is None or wrong:
        return None, wrong
    listed = question.answers if answers is None else tuple(answers)
    question = replace(question, id=name, answers=listed)
    # No device depends on the order of a dictionary's answers, so the yes goes last, as in designs.
    if not direct and yes_of(question) == 0 and {*(given.design or {})} <= HAVE_YES:
        question = replace(question, answers=listed[::-1], known=question.known[::-1])
    draft = Draft((), fields, question)
    wrong += check_family(fields, question)
    if not direct:
        try:
            draft.channels = [own_channel(fields, question)]
        except (ValueError, TypeError) as mistake:
            return None, [*wrong, Wrong((min(costs),), str(mistake))]
    return draft, wrong


def _answers_in_column(name: str, cells: Sequence[str]) -> Sequence[Answer]:
    """Return the cells of a direct column as its answers."""
    if not 2 <= len(cells) <= MAX_ANSWERS:
        raise Wrong(
            (),
            f"expected 2 to {MAX_ANSWERS} different answers in the column {name!r}, found "
            f"{len(cells):,}: leave it out here; weights and formulas take any column",
        )
    return [Answer(cell, cell) for cell in cells]


def _numbers(name: str, cells: Sequence[str]) -> Sequence[Answer]:
    """Return the cells of a direct column of numbers as its answers, by size."""
    answers = _answers_in_column(name, cells)
    try:
        return sorted(answers, key=lambda one: exact.fraction(one.code))
    except ValueError as mistake:
        said = f"the column {name!r} does not hold numbers: {mistake}"
        raise Wrong(("type",), said) from None


def _designed(design: Any, cells: Sequence[str]) -> Sequence[Answer]:
    """Name the truths of a design: no and yes if there are two, otherwise after the cells."""
    try:
        truths = designs.from_mapping(design).truths if design else 2
    except (ValueError, TypeError) as mistake:
        raise Wrong(("design",), str(mistake)) from None
    if truths == 2:
        return Answer("no", "No"), Answer("yes", "Yes")
    if truths != len(cells):
        said = f"expected the key 'answers' with the {truths} answers of the design, found none"
        raise Wrong((), said)
    return [Answer(cell, cell) for cell in cells]


def _check_reports(named: Sequence[str], draft: Draft) -> Iterator[Wrong]:
    """Find a repeated name, or a number of names that is not the design's number of reports."""
    count = draft.channels[0].reports if draft.channels else len(draft.question.truths)
    if len({*named}) != len(named) or len(named) != count:
        yield Wrong(
            ("reports",),
            f"expected {count} different names, one for each report of the design in its order, "
            f"found {len(named)}: {', '.join(named)}",
        )


def _order_by_role(named: Sequence[str], draft: Draft) -> tuple[Sequence[str], list[Wrong]]:
    """Put the report that means yes last; reject a single name that contradicts that order."""
    channel = draft.channels[0] if draft.channels else None
    has_yes = {*(draft.fields.design or {})} <= HAVE_YES
    if channel is None or len(named) != 2 or not speak(channel) or not has_yes:
        return named, []
    turned = no_then_yes(named)
    wrong = []
    if says_yes(turned[0]) or says_yes(turned[1]) is False:
        said = (
            f"expected what stands in the data for no and then for yes, found {turned[0]} and then "
            f"{turned[1]}: write 'answers' by what stands there, such as "
            f"{{{turned[0]}: No, {turned[1]}: Yes}}"
        )
        wrong.append(Wrong(("reports",), said))
    return turned, wrong


def _as_yaml(text: str, source: str) -> str:
    """Convert a CSV to YAML with one line for each row, so that mistakes keep their lines."""
    rows = text.removeprefix("\ufeff").splitlines()
    lines = csv.reader(rows, delimiter=";" if ";" in "".join(rows[:1]) else ",")
    header = [cell.strip() for cell in next(lines, [])]
    if header[:1] != ["column"] or not {*header} <= {*HEADER}:
        said = (
            f"expected a data dictionary's columns {', '.join(HEADER)}, found {', '.join(header)}"
        )
        raise SurveyFileError(source, [Mistake(1, 1, said)])
    written = ["columns:"]
    for line, row in enumerate(lines, 2):
        if len(row) > len(header):
            said = (
                f"expected {counted(len(header), 'cell')}, found {len(row)}: "
                "a cell with commas needs quotes"
            )
            raise SurveyFileError(source, [Mistake(line, 1, said)])
        cells = dict(zip(header, map(str.strip, row), strict=False))
        parts = []
        if cells.get("design"):
            design = cells["design"]
            if not design.startswith(("flip:", "epsilon:")):
                design = f"design: {{{design if ':' in design else f'{design}: {{}}'}}}"
            parts.append(design)
        if cells.get("answers"):
            parts.append(f"answers: [{', '.join(map(_quoted, cells['answers'].split(',')))}]")
        if cells.get("yes"):
            parts.append(f"yes: {_quoted(cells['yes'])}")
        if cells.get("text"):
            parts.append(f"text: {_quoted(cells['text'])}")
        name = _quoted(cells.get("column", ""))
        written.append(f"  {name}: {{{', '.join(parts)}}}" if any(row) else "")
    return "\n".join(written)


def _quoted(text: str) -> str:
    return json.dumps(text.strip(), ensure_ascii=False)
