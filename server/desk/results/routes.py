"""The researcher's desk: surveys and their estimates, behind a sign-in.

It shows estimates and noise. There is nothing here of a respondent, because there is nothing in the
store. Who may see which page is decided in one place (`rights`).
"""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Final

from flask import (
    Blueprint,
    abort,
    flash,
    g,
    redirect,
    render_template,
    request,
    url_for,
)
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from deniable.analysis.control import told
from deniable.analysis.planning.advice import advice
from deniable.analysis.privacy.cells import LEAST
from deniable.document import fingerprint_of
from deniable.results.changes import change_table
from deniable.results.files import FORMATS
from deniable.results.headlines import are_many, are_whole, headlines
from deniable.results.html import table_html
from deniable.results.remarks import remarks
from deniable.results.shares import mean_table, question_table
from deniable.results.table import Table
from deniable.server.desk.editor.planner import add_planning
from deniable.server.desk.editor.preview import add_trying
from deniable.server.desk.editor.publish import add_registering
from deniable.server.desk.editor.rehearsing import add_rehearsing
from deniable.server.desk.editor.routes import add_drafts
from deniable.server.desk.live.routes import add_leading
from deniable.server.desk.paper.routes import add_sheets
from deniable.server.desk.permissions import signed_in
from deniable.server.desk.results.compare import KINDS, add_analyses
from deniable.server.desk.results.export_zip import add_publishing
from deniable.server.desk.results.files import FIGURES, add_files
from deniable.server.desk.results.invented import invented
from deniable.server.desk.results.query import LEVELS, METHODS, Chooser
from deniable.server.desk.surveys.collection import add_collecting
from deniable.server.desk.surveys.deleting import add_deleting
from deniable.server.desk.surveys.invitations import add_inviting
from deniable.server.desk.surveys.status import add_status
from deniable.server.desk.surveys.waves import add_waves
from deniable.server.store import Store
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.collection import told_state
from deniable.server.store.keys import KeyFile
from deniable.server.store.retention import told_of
from deniable.server.store.terms import SET, State
from deniable.survey import Survey
from deniable.text.wording import (
    at_most,
    needs,
    noise,
    percent,
    percentage_points,
    quantity,
    sureness,
)

_STATIC: Final = Path(__file__).parents[1] / "static"


def _table(table: Table, id: str, caption: str, of: str = "") -> Markup:
    """Draw a table, as a filter of templates."""
    return Markup(table_html(table, id, caption, of))  # noqa: S704  it escapes every text


def create_pages(
    store: Store, respondents_url: str, keys: KeyFile, catalogue: Catalogue, chooser: Chooser
) -> Blueprint:
    """Make the researcher's pages.

    Parameters
    ----------
    store : Store
    respondents_url : str
        Address at which respondents reach their program: links to surveys begin with it.
    keys : KeyFile
        Where the private keys of tokens are made.
    catalogue : Catalogue
        Of the same store.
    chooser : Chooser
    """

    def promised(slug: str) -> str:
        # The list of surveys asks it of each: the store is asked once for all of them.
        if "retentions" not in g:
            g.retentions = store.retentions()
        return told_of(g.retentions, slug)

    desk = Blueprint("desk", __name__, url_prefix="/desk", static_folder=_STATIC)
    for wording in (percent, percentage_points, quantity, noise, needs, at_most):
        desk.add_app_template_filter(wording)
    for about in (advice, are_whole, are_many, told_state, question_table, mean_table):
        desk.add_app_template_filter(about)
    desk.add_app_template_filter(_table, "table_html")
    desk.add_app_template_filter(promised)
    desk.add_app_template_filter(fingerprint_of, "fingerprint")

    def link(survey: Survey) -> str:
        return respondents_url.rstrip("/") + survey.path

    @desk.get("/surveys")
    def surveys() -> str:
        own = {
            record.survey.slug: record
            for record in store.surveys()
            if signed_in().role_in(record.survey)
        }
        # A trial stands under its survey. That of a draft has none yet.
        slugs = [slug for slug, record in own.items() if record.survey.parent not in own]
        return render_template(
            "desk/surveys.html",
            records=[(own[slug], link(own[slug].survey)) for slug in slugs],
            trials={
                record.survey.parent: (slug, chooser.snapshot(slug).count())
                for slug, record in own.items()
                if record.survey.kind == "trial"
            },
            terms={slug: store.terms(slug) for slug in slugs},
            waves={slug: store.wave(slug) for slug in slugs},
            counts={slug: chooser.snapshot(slug).count() for slug in slugs},
        )

    @desk.post("/surveys/<slug>/state")
    def set_state(slug: str) -> BaseResponse:
        state = request.form.get("state")
        if state not in SET:
            abort(HTTPStatus.BAD_REQUEST)
        try:
            store.set_state(slug, State(state))
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)
        except ValueError as reason:
            flash(f"The survey stays {store.state(slug)}: {reason}.")
            return redirect(url_for(".collect", slug=slug), HTTPStatus.SEE_OTHER)
        if request.form.get("page") == "collect":
            return redirect(url_for(".collect", slug=slug), HTTPStatus.SEE_OTHER)
        return redirect(url_for(".surveys"), HTTPStatus.SEE_OTHER)

    @desk.post("/surveys/<slug>/public")
    def set_public(slug: str) -> BaseResponse:
        store.set_public(slug, public=request.form.get("public") == "yes")
        return redirect(f"{url_for('.results', slug=slug)}#public", HTTPStatus.SEE_OTHER)

    @desk.get("/surveys/<slug>")
    def results(slug: str) -> str:
        found = chooser.results(slug)
        survey = found.survey
        wave, waves = chooser.wave(survey), chooser.waves(survey)
        shown = found.questions if wave is None else found.questions[:-1]
        overall = found.verdict if waves is None else waves.verdict
        return render_template(
            "desk/results.html",
            results=found,
            questions=[(one, survey.epsilon_of(one.question)) for one in shown],
            lines={one.question.id: headlines(one) for one in shown},
            choice={
                **chooser.revision(),
                "level": chooser.level(),
                "method": found.method,
                **({} if wave is None else {"wave": wave}),
            },
            verdict=overall,
            remarks={one.question.id: remarks(one, overall) for one in shown},
            followed=[told(one, found.level) for one in found.followed],
            invented=invented(found),
            waves=waves,
            changes=change_table(waves.changes, found.level, lambda item: item.text)
            if waves and waves.changes
            else None,
            trends=waves is not None and len(waves.waves) > 1,
            kinds=KINDS,
            figures=FIGURES,
            levels=LEVELS,
            methods=METHODS,
            formats=FORMATS,
            revisions=store.revisions(slug),
            others=chooser.others(survey),
            snapshot=chooser.snapshot(slug),
            least=LEAST,
            has_direct=any(one.direct for question in shown for one in question.items),
            current=store.current_revision(slug),
            state=store.state(slug),
            terms=store.terms(slug),
            public=store.is_public(slug),
            link=link(catalogue.current(slug)),
            sure=sureness(survey),
        )

    add_files(desk, chooser)
    add_analyses(desk, chooser)
    add_planning(desk, store, chooser)
    add_publishing(desk, store, chooser)
    add_status(desk, store, chooser)
    add_sheets(desk, store, catalogue, link)
    add_collecting(desk, store, catalogue, link)
    add_inviting(desk, store, catalogue, keys, link)
    add_waves(desk, store)
    add_drafts(desk, store, link)
    add_registering(desk, store, keys)
    add_rehearsing(desk, store)
    add_trying(desk, store, link)
    add_leading(desk, store, respondents_url)
    add_deleting(desk, store, catalogue)
    return desk
