"""The desk's page of results, its figures and its files."""

from functools import partial
from http import HTTPStatus

from flask import Blueprint, Response, abort, render_template

from deniable.analysis.control import told
from deniable.analysis.privacy.cells import LEAST
from deniable.results.changes import change_table
from deniable.results.estimate import NARROW
from deniable.results.files import FORMATS
from deniable.results.headlines import headlines
from deniable.results.shares import remarks, said_to_apply
from deniable.server.desk.context import catalogue, link_of, store
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.compare import KINDS
from deniable.server.desk.results.files import (
    FIGURES,
    estimates_file,
    figure_file,
    reports_file,
)
from deniable.server.desk.results.poisoning import poisoning_table
from deniable.server.desk.results.query import LEVELS, METHOD_MEANINGS, METHODS, query
from deniable.text.sureness import sureness

results = Blueprint("results", __name__, url_prefix="/desk/surveys/<slug>")


@results.get("", needs=Right.READ)
def page(slug: str) -> str:
    """Show the results of a survey."""
    survey = query.survey(slug)
    waves = query.waves(survey)
    found = waves.of(query.wave(survey) or 0) or query.results(slug)
    shown = found.questions
    applying = [*said_to_apply(found)]
    overall = waves.verdict
    return render_template(
        "desk/results.html",
        results=found,
        questions=[(one, survey.epsilon_of(one.question)) for one in shown],
        lines={one.question.id: headlines(one) for one in shown},
        choice={**query.choice(survey), "method": found.method},
        margins=query.margins(survey),
        verdict=overall,
        remarks={
            one.question.id: (
                *found.notes.get(one.question.id, ()),
                *(said for id, said in applying if id == one.question.id),
                *remarks(one, overall),
            )
            for one in shown
        },
        followed=[told(one, found.level) for one in found.followed],
        poisoning=poisoning_table(found),
        waves=waves,
        changes=change_table(waves.changes, found.level, lambda item: item.text)
        if waves.changes
        else None,
        narrow=NARROW,
        trends=len(waves.waves) > 1,
        kinds=KINDS,
        figures=FIGURES,
        levels=LEVELS,
        methods=METHODS,
        method_meanings={METHODS[name]: said for name, said in METHOD_MEANINGS.items()},
        formats=FORMATS,
        revisions=[catalogue.remembered(slug, one) for one in store.revisions(slug)],
        others=query.others(survey),
        snapshot=query.snapshot(slug),
        least=LEAST,
        has_direct=any(one.direct for question in shown for one in question.items),
        current=store.current_revision(slug),
        state=store.state(slug),
        schedule=store.schedule(slug),
        public=store.is_public(slug),
        link=link_of(catalogue.current(slug)),
        sure=sureness(survey),
    )


# matplotlib is loaded at the first figure: it takes as long to load as the rest of the desk.
@results.get("/figures/<question>.<form>", needs=Right.READ)
def figure(slug: str, question: str, form: str) -> Response:
    """Return the figure of a question."""
    from deniable.results.figures.question import question_figure  # noqa: PLC0415

    draw = partial(question_figure, query.question(slug, question), query.intervals()[0])
    return figure_file(query.survey(slug), question, draw, form)


@results.get("/trends/<question>.<form>", needs=Right.READ)
def trend(slug: str, question: str, form: str) -> Response:
    """Return the figure of a question over the waves."""
    waves = query.trend(slug, question)
    if not waves:
        abort(HTTPStatus.NOT_FOUND)
    from deniable.results.figures.trend import trend_figure  # noqa: PLC0415

    draw = partial(trend_figure, waves, query.intervals()[0])
    return figure_file(query.survey(slug), f"{question}-trend", draw, form)


@results.get("/estimates.<form>", needs=Right.READ)
def estimates(slug: str, form: str) -> Response:
    """Return the estimates as a file."""
    if form not in FORMATS:
        abort(HTTPStatus.NOT_FOUND)
    return estimates_file(slug, form)


@results.get("/reports.csv", needs=Right.READ)
def reports(slug: str) -> Response:
    """Return the noisy reports as a file."""
    return reports_file(slug)
