"""The rules of the key `plan`: what a study expects of single questions has to fit them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from typing import Final

from deniable.survey.grouped import (
    direct_items,
    each_answer,
    in_parts,
    read_columns,
    write_columns,
)
from deniable.survey.questions import Protection
from deniable.survey.survey import Survey
from deniable.survey_file.channels import Draft
from deniable.survey_file.located import Path, Wrong
from deniable.survey_file.schema import PlanFields, QuestionFields
from deniable.text.near import meant

_MOST_GROUPS: Final = 20
"""Groups of a direct column without a note: of 500 people each then has 25 on average."""

_OFFERED: Final = 4

NEAR: Final = 1
"""Points by which the percentages of a question may miss 100, because of rounding."""


def check_plan(
    plan: PlanFields, written: Sequence[QuestionFields], drafts: Sequence[Draft]
) -> Iterator[Wrong]:
    """Find plans of single questions that do not fit their question.

    `written`: all questions of the file. Of those that no draft has, their own mistakes say more.
    """
    known = {one.question.id: one.question for one in drafts}
    read = len(known) == len(written)
    for key, given in (("within_of", plan.within_of), ("applies", plan.applies)):
        for id, value in (given or {}).items():
            here: Path = ("plan", key, id)
            if id not in known:
                yield from [_no_question(here, known)] if read else []
            elif key == "applies" and not known[id].is_of_some:
                said = f"{id!r} applies to everybody, so leave it out"
                yield Wrong(here, said, at_key=True, is_note=True)
            elif key == "within_of" and value >= (most := known[id].span or 100):
                yield Wrong(here, f"expected a ± below {float(most):g}, found {float(value):g}")
    yield from _check_margins(plan.margins or {}, {str(one.id) for one in written}, drafts)


def check_columns(plan: PlanFields, survey: Survey) -> Iterator[Wrong]:
    """Find columns of files that the survey lacks, and numbers that nearly nobody shares."""
    try:
        columns = read_columns(plan.columns or "", survey)
    except ValueError as mistake:
        yield Wrong(("plan", "columns"), str(mistake))
        return
    several = len(direct_items(survey)) > 1
    for item in direct_items(survey):
        groups = columns.get(item.id, each_answer(item))
        if several and len(groups) > _MOST_GROUPS:
            offered = write_columns({item.id: in_parts(item, _OFFERED)}, survey)
            place = [one.id for one in survey.questions].index(item.question)
            yield Wrong(
                ("questions", place),
                f"{item.id!r} has {len(groups)} direct answers, so few people give the same ones "
                "to all direct questions, and files and tables of several leave it out. Put "
                f'answers together, in the file\'s text as “plan: {{columns: "{offered}"}}”',
                is_note=True,
            )


def _check_margins(
    margins: Mapping[str, Mapping[str, Fraction]], ids: Set[str], drafts: Sequence[Draft]
) -> Iterator[Wrong]:
    """Find shares of a population that no results could be weighted to."""
    charged = [draft.question for draft in drafts if draft.channels or not draft.is_randomised]
    items = {id: question for question in charged for id, _ in question.parts}
    unread = ids - {question.id for question in charged}
    for name, percentages in margins.items():
        here: Path = ("plan", "margins", name)
        if name.partition(".")[0] in unread:
            continue
        if name not in items:
            yield _no_question(here, items)
            continue
        if items[name].protection is not Protection.DIRECT:
            said = f"{name!r} is randomised: only direct questions weight results, so leave it out"
            yield Wrong(here, said, at_key=True)
            continue
        codes = [one.code for one in items[name].truths]
        unknown = [code for code in percentages if code not in codes]
        for code in unknown:
            said = f"expected one of {', '.join(codes)}; found {code!r}"
            yield Wrong((*here, code), said, at_key=True)
        total = float(sum(percentages.values()))
        if unknown or abs(total - 100) <= NEAR:
            continue
        lacking = next((code for code in codes if code not in percentages), None)
        if lacking is not None and total < 100:
            said = f"expected a percentage of {lacking!r} too: without it, they sum to {total:g}"
            yield Wrong((*here, lacking), said)
        else:
            yield Wrong(here, f"expected percentages of {name!r} that sum to 100, found {total:g}")


def _no_question(here: Path, known: Iterable[str]) -> Wrong:
    name = str(here[-1])
    said = f"there is no question {name!r}: {meant(name, known, 'expected one of')}"
    return Wrong(here, said, at_key=True)
