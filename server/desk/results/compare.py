"""The desk's analyses of several questions: groups, crossings, correlations, ratios, regressions.

Each page is a form whose address holds all choices, with the results below it. The same address
with an ending gives a file: rows as CSV or JSON, the figure as SVG, PNG or PDF. The words and the
numbers are those of the command line and of Python (`deniable.study`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from http import HTTPStatus
from itertools import product
from typing import Final, TypeVar

from flask import Blueprint, Response, abort, render_template, request

from deniable.analysis.privacy.columns import holding, together
from deniable.results.files import FORMATS
from deniable.results.result import FIGURES
from deniable.server.desk.context import store
from deniable.server.desk.editor.lint_worker import BUSY, Checker, the_searcher
from deniable.server.desk.permissions import Right
from deniable.server.desk.results import several_questions
from deniable.server.desk.results.files import figure_file, offered, sentence
from deniable.server.desk.results.query import Choice, WrongChoiceError, choice_of
from deniable.server.desk.results.several_questions import Found
from deniable.server.desk.results.study import (
    columns_of_file,
    received_by,
    reports_of,
    study_of,
)
from deniable.server.store.leaving import leave
from deniable.study.questions import NO_SHARES
from deniable.study.regression import ENDS, ERRORS, LINKS
from deniable.study.study import Study
from deniable.survey import Survey
from deniable.survey.grouped import split_columns, whole
from deniable.survey.items import Item
from deniable.survey.questions import Protection

_File = TypeVar("_File")

MEANINGS: Final = {
    "item": "What is estimated in each group: shares, or the mean of a number.",
    "by": "Whose answers make the groups; those to a protected question are corrected for chance.",
    "first": "Its answers are the rows of the table.",
    "second": "Its answers are the columns of the table.",
    "of": "What is divided: the share of each answer, or its odds.",
    "within": "What people have in common, such as their ward: each group then has an intercept of "
    "its own. Nothing tells which reports of several waves are one person's, so take one wave.",
    "formula": "On the left what is explained, on the right by what: doped ~ age + sport.",
    "link": "How the share of a yes follows from what explains it.",
    "errors": "Of what the standard errors are made: the model, or what was observed.",
    "ends": "How far the intervals of the coefficients reach.",
    "groups": "Direct answers that are put together, so that each group has enough people: "
    "age:18-39+40-59+60-80. What few people would be seen by is refused, with groups that can be.",
}
"""What each field is, in a sentence."""


@dataclass(frozen=True)
class Field:
    """A choice from a survey's items or from names, or a typed text if there are neither.

    `side`: which of two items it is. `may_be_none`: whether it is any direct item, or none.
    """

    name: str
    label: str
    side: int | None = None
    names: tuple[str, ...] = ()
    may_be_none: bool = False

    @property
    def default(self) -> str:
        """The first choice; empty if the reader has to choose."""
        return self.names[0] if self.names else ""

    @property
    def is_folded(self) -> bool:
        """Whether the field is folded, because it needs no choice."""
        return bool(self.names) or self.may_be_none

    def options(self, survey: Survey, pairs: Sequence[tuple[Item, Item]]) -> Mapping[str, str]:
        """Return the values that can be chosen, each with its label."""
        if self.may_be_none:
            return {"": "none", **{one.id: one.text for one in survey.items if _is_direct(one)}}
        if self.side is None:
            return {name: name for name in self.names}
        return {pair[self.side].id: pair[self.side].text for pair in pairs}


@dataclass(frozen=True)
class Analysis:
    """A kind of analysis of several questions, perhaps by a chosen method.

    `check`: raises a `ValueError` for two items that it does not apply to.
    """

    name: str
    title: str
    summary: str
    fields: tuple[Field, ...]
    find: Callable[..., Found]
    has_method: bool = False
    check: Callable[[Survey, Item, Item], None] | None = None

    def is_chosen(self, chosen: Mapping[str, str]) -> bool:
        """Return whether every field that needs a choice has one."""
        return all(chosen[field.name] or field.may_be_none for field in self.fields)

    def pairs(self, survey: Survey) -> list[tuple[Item, Item]]:
        """Return the pairs of items to choose from, whatever the reports.

        The first one is of a randomised item and a direct one of few answers, where there are both.
        """
        direct = sorted(survey.items, key=lambda item: (not _is_direct(item), item.channel.truths))
        pairs = product(sorted(survey.items, key=_is_direct), direct)
        return [pair for pair in pairs if not self._refuses(survey, *pair)]

    def unfit(self, survey: Survey, pairs: Sequence[tuple[Item, Item]]) -> Mapping[str, list[str]]:
        """Return the items that are in no pair, by the reason."""
        found: dict[str, list[str]] = {}
        fit = {item.id for pair in pairs for item in pair}
        for item in survey.items if self.check else ():
            if item.id not in fit:
                others = [one for one in survey.items if one is not item]
                alone = all(survey.share_asked(places(survey, item, one)) == 0 for one in others)
                why = "chance draws it with no other question" if alone else "too many answers"
                why = why if alone or item.channel.identifiable else NO_SHARES
                found.setdefault(why, []).append(item.text)
        return found

    def _refuses(self, survey: Survey, one: Item, other: Item) -> bool:
        if self.check is None:
            return True
        try:
            self.check(survey, one, other)
        except ValueError:
            return True
        return False


def places(survey: Survey, *items: Item) -> list[int]:
    """Return the places of items in a survey."""
    return [survey.items.index(item) for item in items]


def _is_direct(item: Item) -> bool:
    return item.protection is Protection.DIRECT


ANALYSES: Final = {
    kind.name: kind
    for kind in (
        Analysis(
            "compare",
            "Compare groups",
            "The shares or means of a question in groups of people, and how the groups differ.",
            (Field("item", "Question", 0), Field("by", "In groups of", 1)),
            several_questions.compare,
            has_method=True,
            check=several_questions.check_compared,
        ),
        Analysis(
            "cross",
            "Cross two questions",
            "How many people gave each pair of answers to two items.",
            (Field("first", "First question", 0), Field("second", "Second question", 1)),
            several_questions.cross,
            check=several_questions.check_crossed,
        ),
        Analysis(
            "correlate",
            "Correlate",
            "The correlation of two items: of numbers, or of two answers.",
            (Field("first", "First question", 0), Field("second", "Second question", 1)),
            several_questions.correlate,
            check=several_questions.check_correlated,
        ),
        Analysis(
            "ratios",
            "Ratios",
            "How many times as great the shares or odds of a question are in one group.",
            (
                Field("item", "Question", 0),
                Field("by", "In groups of", 1),
                Field("of", "Ratios of", names=("shares", "odds")),
            ),
            several_questions.ratios,
            has_method=True,
            check=several_questions.check_ratios,
        ),
        Analysis(
            "regress",
            "Regress",
            "A regression of an item or a number on direct answers, or of these on any.",
            (
                Field("formula", "Formula"),
                Field("within", "Random intercepts", may_be_none=True),
                Field("link", "Link", names=LINKS),
                Field("errors", "Standard errors", names=ERRORS),
                Field("ends", "Intervals", names=ENDS),
            ),
            several_questions.regress,
        ),
    )
}
"""Each page, by its name in addresses."""


analyses = Blueprint("analyses", __name__, url_prefix="/desk/surveys/<slug>")
_KIND: Final = f"<any({', '.join(ANALYSES)}):kind>"


@dataclass(frozen=True)
class Form:
    """The form of an analysis: its fields, and what was chosen in them."""

    kind: Analysis
    choice: Choice
    survey: Survey  # with answers put together
    chosen: Mapping[str, str]
    groups: str  # as they were typed

    @property
    def address(self) -> dict[str, object]:
        """The values of the address of the analysis, and of its files."""
        of = {"slug": self.survey.slug, "kind": self.kind.name}
        groups = {"groups": self.groups} if self.groups else {}
        return {**of, **self.chosen, **groups, **self.choice.address}

    @cached_property
    def pairs(self) -> Sequence[tuple[Item, Item]]:
        """The pairs of items to choose from."""
        return self.kind.pairs(self.survey)

    @property
    def fields(self) -> list[tuple[Field, Mapping[str, str]]]:
        """The fields of the form, each with its options."""
        return [(field, field.options(self.survey, self.pairs)) for field in self.kind.fields]

    @cached_property
    def offered(self) -> dict[str, str]:
        """What the lists show: the choices, completed by the first pair that fits them."""
        names = [field.name for field in self.kind.fields if field.side is not None]
        some = (dict(zip(names, (one.id for one in pair), strict=True)) for pair in self.pairs)
        chosen = self.chosen
        fitting = (pair for pair in some if all(chosen[name] in ("", pair[name]) for name in names))
        first = next(fitting, {})
        return {name: value or first.get(name, "") for name, value in chosen.items()}


@analyses.get(f"/{_KIND}", needs=Right.READ)
def page(slug: str, kind: str) -> tuple[str, HTTPStatus]:
    """Show an analysis of several questions, with its results."""
    way, choice = ANALYSES[kind], choice_of(slug)
    chosen, survey = _chosen(way), choice.survey
    found, mistake = None, None
    if way.is_chosen(chosen) or _groups():
        try:
            study = _study(slug, chosen)
            survey = study.survey
            if way.is_chosen(chosen):
                found = the_searcher().call(_finding(way, study, chosen))
        except ValueError as wrong:
            mistake = sentence(wrong)
    text = render_template(
        "desk/compare.html",
        study=study_of(slug),
        has_reports=bool(received_by(choice.survey).counts),
        meanings=MEANINGS,
        form=Form(way, choice, survey, chosen, _groups()),
        found=found,
        mistake=mistake,
    )
    return text, HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK


@analyses.get(f"/{_KIND}.<form>", needs=Right.READ)
def file(slug: str, kind: str, form: str) -> Response:
    """Return the results of an analysis as a file: its rows, or its figure."""
    if form not in FORMATS and form not in FIGURES:
        abort(HTTPStatus.NOT_FOUND)
    way, survey = ANALYSES[kind], choice_of(slug).survey
    chosen = _chosen(way)
    if not way.is_chosen(chosen):
        raise WrongChoiceError("Choose all fields before downloading")
    try:
        found = computed(_finding(way, _study(slug, chosen), chosen), the_searcher())
        name = "-".join([way.name, *re.findall(r"[\w.]+", " ".join(chosen.values()))])
        if form in FORMATS:
            content = FORMATS[form].write(found.export)
            return offered(survey, f"{name}.{form}", content, FORMATS[form].media_type)
        return figure_file(survey, name, found.draw, form)
    except ValueError as wrong:
        abort(HTTPStatus.UNPROCESSABLE_ENTITY, sentence(wrong))


def computed(what: Callable[[], _File], by: Checker) -> _File:
    """Compute a file in a process of its own; answer 422 with a mistake, or 503 if busy.

    Its time is limited, and pages go on meanwhile: ten zips at once would stop them for a minute.
    """
    try:
        return by.call(what)
    except ValueError as wrong:
        busy = str(wrong) == BUSY
        code = HTTPStatus.SERVICE_UNAVAILABLE if busy else HTTPStatus.UNPROCESSABLE_ENTITY
        raise WrongChoiceError(sentence(wrong).removesuffix("."), code) from None


def _groups() -> str:
    return request.args.get("groups", "").strip()


def _study(slug: str, chosen: Mapping[str, str]) -> Study:
    """Return the reports of the chosen wave, with the direct answers together that are asked for.

    They leave as those of a file do, with the other direct questions of the table: the noisy
    answers join both.
    """
    study = reports_of(slug)
    if not _groups():
        return study
    together_with = {one.partition(":")[0] for one in split_columns(_groups())}
    named = [one.id for one in study.survey.items if _is_direct(one) and one.id in chosen.values()]
    text = ",".join([_groups(), *(id for id in named if id not in together_with)])
    return study.in_groups(columns_of_file(slug, text))


def _finding(kind: Analysis, study: Study, chosen: Mapping[str, str]) -> Callable[[], Found]:
    choice, rows = choice_of(whole(study.survey).slug), study.rows
    methods = {"method": choice.method} if kind.has_method else {}
    named = [chosen[field.name] for field in kind.fields if field.side is not None]
    direct = [one.id for one in map(study.item, named) if _is_direct(one)]
    if len({*direct}) > 1 and rows is not None and not _groups():
        leave(store, rows, lambda _: together(rows, holding(rows, rows.wanted), direct))
    return partial(kind.find, study, **chosen, level=choice.confidence, **methods)


def _chosen(kind: Analysis) -> dict[str, str]:
    chosen = {}
    for field in kind.fields:
        chosen[field.name] = request.args.get(field.name, "").strip() or field.default
        # A field with a default is a list, so no form sends another value.
        if field.names and chosen[field.name] not in field.names:
            raise WrongChoiceError(f"The field {field.name} must be {', '.join(field.names)}")
    return chosen
