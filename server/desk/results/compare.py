"""The desk's pages that set questions against each other: compare by groups, cross, and regress.

Each is a form whose address holds all that was chosen, and below it what was found. The same
address with an ending gives a file: rows as CSV or JSON, the figure as SVG, PNG or PDF. The words
and the numbers are those of the command line and of Python (`deniable.study`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, abort, render_template, request

from deniable.analysis.privacy.disclosure import Rows
from deniable.extras import MissingExtra
from deniable.results.figures.watermark import marked
from deniable.results.files import FORMATS
from deniable.server.desk.results import suppression
from deniable.server.desk.results.files import FIGURES, figure_file, is_narrow, offered
from deniable.server.desk.results.query import LEVELS, METHODS, WrongChoiceError, query
from deniable.server.desk.results.suppression import MOST_GROUPS, NO_SHARES, Found
from deniable.survey import Survey
from deniable.survey.questions import Protection

LINKS: Final = ("logit", "probit", "cloglog", "cauchit")
ERRORS: Final = ("expected", "observed", "opg", "sandwich")
ENDS: Final = ("wald", "profile")

_MISTAKES: Final = (ValueError, ArithmeticError, ImportError)
"""What the analysis says of a choice that cannot be analysed."""


@dataclass(frozen=True)
class _Field:
    """Something to be chosen from a survey's options, or typed if there are none."""

    name: str
    label: str
    options: Callable[[Survey], Mapping[str, str]]
    default: str = ""


@dataclass(frozen=True)
class _Kind:
    """A way to set questions against each other: by its fields, a level and a method."""

    name: str
    title: str
    fields: tuple[_Field, ...]
    find: Callable[[Rows, str, Mapping[str, str], float, str], Found]


def _items(survey: Survey) -> dict[str, str]:
    return {item.id: item.text for item in survey.items}


def _groups(survey: Survey) -> dict[str, str]:
    items = {item.id: item for item in survey.items}
    return {
        id: text
        for id, text in _items(survey).items()
        if items[id].protection is Protection.DIRECT and len(items[id].truths) <= MOST_GROUPS
    }


def _comparable(survey: Survey) -> dict[str, str]:
    """Return the items but for the only one that makes groups."""
    groups = _groups(survey)
    return {id: text for id, text in _items(survey).items() if id not in groups or len(groups) > 1}


def _with_shares(survey: Survey) -> dict[str, str]:
    """Return the items that can be crossed with any other, and regressed."""
    items = {item.id: item for item in survey.items}
    return {id: text for id, text in _items(survey).items() if items[id].channel.identifiable}


def _named(names: tuple[str, ...]) -> Callable[[Survey], Mapping[str, str]]:
    return lambda _: {name: name for name in names}


def _typed(_: Survey) -> Mapping[str, str]:
    return {}


_KINDS: Final = (
    _Kind(
        "compare",
        "Compare groups",
        (_Field("item", "Question", _comparable), _Field("by", "By the direct question", _groups)),
        lambda rows, source, chosen, level, method: suppression.compare(
            rows, source, chosen["item"], chosen["by"], level=level, method=method
        ),
    ),
    _Kind(
        "cross",
        "Cross two questions",
        (
            _Field("first", "First question", _with_shares),
            _Field("second", "Second question", _with_shares),
        ),
        lambda rows, source, chosen, level, _: suppression.cross(
            rows, source, chosen["first"], chosen["second"], level=level
        ),
    ),
    _Kind(
        "regress",
        "Regress",
        (
            _Field("formula", "Formula", _typed),
            _Field("link", "Link", _named(LINKS), LINKS[0]),
            _Field("errors", "Standard errors", _named(ERRORS), ERRORS[0]),
            _Field("ends", "Intervals", _named(ENDS), ENDS[0]),
        ),
        lambda rows, source, chosen, level, _: suppression.regress(
            rows,
            source,
            chosen["formula"],
            link=chosen["link"],
            errors=chosen["errors"],
            ends=chosen["ends"],
            level=level,
        ),
    ),
)

KINDS: Final = {kind.name: kind.title for kind in _KINDS}
"""The title of each page, by its name in addresses."""


def analysis_file(kind: str, slug: str, form: str) -> Response:
    """Give what a page of `KINDS` finds by the request's address, as rows or as its figure."""
    (found,) = (one for one in _KINDS if one.name == kind)
    return _Pages(found).file(slug, form)


class _Pages:
    """The page of a kind, and its files."""

    def __init__(self, kind: _Kind) -> None:
        self._kind = kind

    def page(self, slug: str) -> tuple[str, HTTPStatus]:
        survey = query.survey(slug)
        chosen = self._chosen(survey)
        found, mistake = None, None
        if all(chosen.values()):
            try:
                found = self._find(slug, chosen)
            except _MISTAKES as wrong:
                mistake = _sentence(wrong)
        choice = self._choice(survey)
        items, shares = _items(survey), _with_shares(survey)
        direct = {
            item.id: item.text
            for item in survey.items
            if item.id in items and item.protection is Protection.DIRECT
        }
        text = render_template(
            "desk/compare.html",
            address={"slug": slug, **chosen, **choice},
            kind=self._kind,
            kinds=KINDS,
            survey=survey,
            fields=[(field, field.options(survey)) for field in self._kind.fields],
            chosen=self._offered(survey, chosen),
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

    def file(self, slug: str, form: str) -> Response:
        if form not in FORMATS and form not in FIGURES:
            abort(HTTPStatus.NOT_FOUND)
        survey = query.survey(slug)
        chosen = self._chosen(survey)
        if not all(chosen.values()):
            raise WrongChoiceError("Choose all fields before downloading")
        try:
            found = self._find(slug, chosen)
            name = "-".join([self._kind.name, *re.findall(r"[\w.]+", " ".join(chosen.values()))])
            if form in FORMATS:
                content = FORMATS[form].write(found.export)
                return offered(survey, f"{name}.{form}", content, FORMATS[form].media_type)
            with marked(survey):
                drawn = found.draw(form, narrow=is_narrow())
            return figure_file(survey, f"{name}.{form}", drawn, form)
        except _MISTAKES as wrong:
            abort(HTTPStatus.UNPROCESSABLE_ENTITY, _sentence(wrong))

    def _find(self, slug: str, chosen: Mapping[str, str]) -> Found:
        level, method = query.intervals()
        return self._kind.find(*query.together(slug), chosen, level, method)

    def _chosen(self, survey: Survey) -> dict[str, str]:
        chosen = {}
        for field in self._kind.fields:
            chosen[field.name] = request.args.get(field.name, "").strip() or field.default
            # What has a default is chosen from a list, and nobody types it.
            options = field.options(survey)
            if field.default and chosen[field.name] not in options:
                raise WrongChoiceError(f"The field {field.name} must be {', '.join(options)}")
        return chosen

    def _offered(self, survey: Survey, chosen: Mapping[str, str]) -> dict[str, str]:
        """Return what its lists show at first: what was chosen, or different questions."""
        shown = dict(chosen)
        fields = {field.name: field.options(survey) for field in self._kind.fields}
        for name in sorted(fields, key=lambda name: len(fields[name])):
            free = (id for id in fields[name] if id not in shown.values())
            shown[name] = shown[name] or next(free, "")
        return shown

    def _choice(self, survey: Survey) -> dict[str, str | int]:
        """Return what else stands in the address."""
        wave = query.wave(survey)
        _, method = query.intervals()
        return {
            **query.revision(),
            "level": query.level(),
            "method": method,
            **({} if wave is None else {"wave": wave}),
        }


def _sentence(mistake: Exception) -> str:
    # Whoever reads it has no terminal: further lines mark the place for one.
    said = mistake.at_desk if isinstance(mistake, MissingExtra) else str(mistake)
    line = said.partition("\n")[0]
    return f"{line[:1].upper()}{line[1:].rstrip('.')}."


analyses = Blueprint("analyses", __name__, url_prefix="/desk/surveys/<slug>")
for _kind in _KINDS:
    analyses.add_url_rule(f"/{_kind.name}", _kind.name, _Pages(_kind).page)
    analyses.add_url_rule(f"/{_kind.name}.<form>", f"{_kind.name}_file", _Pages(_kind).file)
