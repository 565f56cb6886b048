"""The desk's pages that set questions against each other: compare by groups, cross, and regress.

Each is a form whose address holds all that was chosen, and below it what was found. The same
address with an ending gives a file: rows as CSV or JSON, the figure as SVG, PNG or PDF. The words
and the numbers are those of the command line and of Python (`deniable.study`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, update_wrapper
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, abort, render_template, request

from deniable.results.files import FORMATS
from deniable.server.desk.results import suppression
from deniable.server.desk.results.files import FIGURES, figure_file, offered, sentence
from deniable.server.desk.results.query import LEVELS, METHODS, WrongChoiceError, query
from deniable.server.desk.results.suppression import MOST_GROUPS, NO_SHARES, Found
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection

LINKS: Final = ("logit", "probit", "cloglog", "cauchit")
ERRORS: Final = ("expected", "observed", "opg", "sandwich")
ENDS: Final = ("wald", "profile")

_MISTAKES: Final = (ValueError, ArithmeticError, ImportError)
"""What the analysis says of a choice that cannot be analysed."""


@dataclass(frozen=True)
class Field:
    """Something to be chosen from a survey's items or from names, or typed if there are neither."""

    name: str
    label: str
    items: Callable[[Survey], Mapping[str, str]] | None = None
    names: tuple[str, ...] = ()

    @property
    def default(self) -> str:
        """What is chosen at first; empty if that is left to the reader."""
        return self.names[0] if self.names else ""

    def options(self, survey: Survey) -> Mapping[str, str]:
        """Return what can be chosen, and how the page calls it."""
        return self.items(survey) if self.items else {name: name for name in self.names}


@dataclass(frozen=True)
class Kind:
    """A way to set questions against each other, perhaps by a chosen method."""

    name: str
    title: str
    summary: str
    fields: tuple[Field, ...]
    find: Callable[..., Found]
    has_method: bool = False


def _items(survey: Survey, fit: Callable[[Item], bool] = lambda _: True) -> dict[str, str]:
    return {item.id: item.text for item in survey.items if fit(item)}


def _is_direct(item: Item) -> bool:
    return item.protection is Protection.DIRECT


def _groups(survey: Survey) -> dict[str, str]:
    return _items(survey, lambda one: _is_direct(one) and len(one.truths) <= MOST_GROUPS)


def _comparable(survey: Survey) -> dict[str, str]:
    """Return the items but for the only one that makes groups."""
    groups = _groups(survey)
    return _items(survey, lambda one: one.id not in groups or len(groups) > 1)


def _with_shares(survey: Survey) -> dict[str, str]:
    """Return the items that can be crossed with any other, and regressed."""
    return _items(survey, lambda one: one.channel.identifiable)


KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind(
            "compare",
            "Compare groups",
            "The shares of a question in groups of people, and how the groups differ.",
            (
                Field("item", "Question", _comparable),
                Field("by", "By the direct question", _groups),
            ),
            suppression.compare,
            has_method=True,
        ),
        Kind(
            "cross",
            "Cross two questions",
            "How many people gave each pair of answers to two items.",
            (
                Field("first", "First question", _with_shares),
                Field("second", "Second question", _with_shares),
            ),
            suppression.cross,
        ),
        Kind(
            "regress",
            "Regress",
            "A regression of the truth of an item on direct answers.",
            (
                Field("formula", "Formula"),
                Field("link", "Link", names=LINKS),
                Field("errors", "Standard errors", names=ERRORS),
                Field("ends", "Intervals", names=ENDS),
            ),
            suppression.regress,
        ),
    )
}
"""Each page, by its name in addresses."""


def _page(kind: Kind, slug: str) -> tuple[str, HTTPStatus]:
    survey = query.survey(slug)
    chosen = _chosen(kind)
    found, mistake = None, None
    if all(chosen.values()):
        try:
            found = _find(kind, slug, chosen)
        except _MISTAKES as wrong:
            mistake = sentence(wrong)
    choice, items, shares = query.choice(survey), _items(survey), _with_shares(survey)
    direct = _items(survey, _is_direct)
    text = render_template(
        "desk/compare.html",
        address={"slug": slug, **chosen, **choice},
        kind=kind,
        kinds=KINDS,
        survey=survey,
        fields=[(field, field.options(survey)) for field in kind.fields],
        chosen=_offered(kind, survey, chosen),
        choice=choice,
        items=items,
        groups=_groups(survey),
        direct=direct,
        example=next((id for id in shares if id not in direct), next(iter(shares), "")),
        unfit=[text for id, text in items.items() if id not in shares],
        no_shares=NO_SHARES,
        mistake=mistake,
        found=found,
        parts=[] if found is None else [one for one in found.parts if one],
        n=query.count(survey),
        levels=LEVELS,
        methods=METHODS,
        formats=FORMATS,
        figures=FIGURES,
    )
    return text, HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK


def analysis_file(kind: Kind, slug: str, form: str) -> Response:
    """Give what a page finds by the request's address, as rows or as its figure."""
    if form not in FORMATS and form not in FIGURES:
        abort(HTTPStatus.NOT_FOUND)
    survey = query.survey(slug)
    chosen = _chosen(kind)
    if not all(chosen.values()):
        raise WrongChoiceError("Choose all fields before downloading")
    try:
        found = _find(kind, slug, chosen)
        name = "-".join([kind.name, *re.findall(r"[\w.]+", " ".join(chosen.values()))])
        if form in FORMATS:
            content = FORMATS[form].write(found.export)
            return offered(survey, f"{name}.{form}", content, FORMATS[form].media_type)
        return figure_file(survey, name, found.draw, form)
    except _MISTAKES as wrong:
        abort(HTTPStatus.UNPROCESSABLE_ENTITY, sentence(wrong))


def _find(kind: Kind, slug: str, chosen: Mapping[str, str]) -> Found:
    level, method = query.intervals()
    methods = {"method": method} if kind.has_method else {}
    return kind.find(*query.together(slug), **chosen, level=level, **methods)


def _chosen(kind: Kind) -> dict[str, str]:
    chosen = {}
    for field in kind.fields:
        chosen[field.name] = request.args.get(field.name, "").strip() or field.default
        # What has a default is chosen from a list, and nobody types it.
        if field.names and chosen[field.name] not in field.names:
            raise WrongChoiceError(f"The field {field.name} must be {', '.join(field.names)}")
    return chosen


def _offered(kind: Kind, survey: Survey, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return what its lists show at first: what was chosen, or different questions."""
    shown = dict(chosen)
    fields = {field.name: field.options(survey) for field in kind.fields}
    for name in sorted(fields, key=lambda name: len(fields[name])):
        free = (id for id in fields[name] if id not in shown.values())
        shown[name] = shown[name] or next(free, "")
    return shown


analyses = Blueprint("analyses", __name__, url_prefix="/desk/surveys/<slug>")
for _kind in KINDS.values():
    # The check of forms asks each view for its name.
    _of_kind = update_wrapper(partial(_page, _kind), _page)
    analyses.add_url_rule(f"/{_kind.name}", _kind.name, _of_kind)
    _file = update_wrapper(partial(analysis_file, _kind), analysis_file)
    analyses.add_url_rule(f"/{_kind.name}.<form>", f"{_kind.name}_file", _file)
