"""The ethics packet: a page to print for an ethics board or a data-protection officer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

import deniable.templates
from deniable import __version__
from deniable.analysis.planning.advice import PLANNED, above_limit, is_too_wide, to_panel
from deniable.analysis.planning.budgets import Precision, precision
from deniable.exact import fraction
from deniable.survey import Survey
from deniable.survey_file.located import parse
from deniable.text.wording import (
    at_most,
    loss,
    needs,
    noise,
    quantity,
    seen_by_researchers,
    sureness,
    sureness_of,
    time_tells,
)

LEVEL: Final = 0.95

WANTED: Final = 0.05
"""A half-width that boards often ask for: five percentage points, or as many hundredths of what the
answers of a number span."""

_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(deniable.templates.__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True)
class Frame:
    """What stands around the packet where it is a page of the desk, and is not printed."""

    style: str  # address of the packet's style, because the desk's pages hold none
    back: str  # address of the survey's results
    kept: Mapping[str, str]  # what has to stay in the address beside the number of people
    most: int  # people that can be planned for


def ethics_page(
    survey: Survey, respondents: int = PLANNED, *, text: str = "", frame: Frame | None = None
) -> str:
    """Write the packet of a survey."""
    found = sureness(survey)
    file = parse(text, survey.slug).value if text else {"questions": []}
    written = {question["id"]: question for question in file["questions"]}
    return _TEMPLATES.get_template("desk/ethics.html").render(
        survey=survey,
        frame=frame,
        about=survey.about,
        version=__version__,
        respondents=respondents,
        level=LEVEL,
        wanted=WANTED,
        epsilon=_epsilon(survey.epsilon, file.get("epsilon")),
        questions=tuple(_asked(survey, respondents, written)),
        sureness=found,
        sentences=() if found is None else found.sentences(),
        direct=survey.asked_directly,
        time=time_tells(survey),
        seen=seen_by_researchers(survey.batch),
        above_limit=above_limit(survey),
        panel=to_panel(survey),
    )


def _asked(
    survey: Survey, respondents: int, written: Mapping[str, Mapping[str, str]]
) -> Iterator[dict[str, object]]:
    widths: dict[str, list[Precision]] = {}
    for one in precision(survey, respondents, LEVEL):
        widths.setdefault(one.item.question, []).append(one)
    for question in survey.questions:
        # The widest, in parts of what can be: of 1, or of what the answers of a number span.
        widest = max(widths[question.id], key=lambda one: one.widest / (one.span or 1))
        sure = sureness_of(survey, question)
        yield {
            "question": question,
            "needs": needs(survey, question),
            "lines": tuple(
                item.text for item in survey.items_of(question) if question.has_several_items
            ),
            "answers": tuple(answer.text for answer in question.offered),
            "statements": tuple(
                widest.item.in_full(truth) for truth in widest.item.truths if question.statements
            ),
            "noise": noise(widest.item),
            "cost": _cost(survey.epsilon_of(question), written.get(question.id, {})),
            "sure": "" if sure is None else at_most(sure),
            "width": _width(widest),
            "too_wide": is_too_wide(widest),
            "people": widest.respondents_for(WANTED, respondents),
        }


def _cost(epsilon: float | None, written: Mapping[str, str]) -> str:
    if epsilon is None:
        return ""
    flip = f"flip {written['flip']}, " if "flip" in written else ""
    return f"{flip}ε = {_epsilon(epsilon, written.get('epsilon'))}"


def _epsilon(epsilon: float, written: str | None) -> str:
    """Return an ε as its author wrote it, if what came of that is the same to four decimals."""
    found = loss(epsilon)
    return written if written and loss(float(fraction(written))) == found else found


def _width(found: Precision) -> str:
    if found.mean is not None and found.span is not None:
        return f"mean ±{quantity(found.mean, found.span)}"
    return f"±{100 * found.widest:.1f} points"
