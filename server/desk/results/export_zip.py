"""The desk's page for a paper: which direct columns are published, and the zip."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, render_template, request

from deniable.analysis.privacy.cells import LEAST
from deniable.server.desk.results.query import LEVELS, Chooser
from deniable.server.store import Store
from deniable.server.store.terms import State
from deniable.survey import Survey

if TYPE_CHECKING:
    from deniable.publication.material import Material


def add_publishing(desk: Blueprint, store: Store, chooser: Chooser) -> None:
    """Add the page and its download to the desk, behind its sign-in."""

    def material_of(slug: str) -> Material:
        # At the first zip: its figures and tables take as long to load as the rest of the desk.
        from deniable.publication.material import Material  # noqa: PLC0415
        from deniable.publication.table import direct_items  # noqa: PLC0415

        survey, level = chooser.survey(slug), chooser.level()
        direct = request.args.getlist("direct")
        if level not in LEVELS or not {*direct} <= {item.id for item in direct_items(survey)}:
            abort(HTTPStatus.BAD_REQUEST)
        rows = chooser.rows(survey)
        return Material(
            survey,
            rows.answers,
            tuple(direct),
            least_cell=rows.least,
            seen=rows,
            level=LEVELS[level],
            origin=" ".join([_origin(survey, store.state(slug)), *chooser.others(survey)]),
            revisions=chooser.counted(survey),
        )

    @desk.get("/surveys/<slug>/paper")
    def paper(slug: str) -> str:
        from deniable.publication.parcel import left_out  # noqa: PLC0415
        from deniable.publication.table import direct_items  # noqa: PLC0415

        material = material_of(slug)
        return render_template(
            "desk/paper.html",
            survey=material.survey,
            revision=material.survey.revision if chooser.is_alone() else None,
            n=material.n,
            drawn=bool(material.survey.draws),
            direct=direct_items(material.survey),
            chosen=material.direct,
            table=material.table,
            least=LEAST,
            level=chooser.level(),
            levels=LEVELS,
            lacking=[one.at_desk for one in left_out()],
        )

    @desk.get("/surveys/<slug>/paper.zip")
    def parcel(slug: str) -> Response:
        from deniable.publication.parcel import folder_name, zip_of  # noqa: PLC0415

        material = material_of(slug)
        response = Response(zip_of(material), mimetype="application/zip")
        name = f"{folder_name(material)}.zip"
        response.headers.set("Content-Disposition", "attachment", filename=name)
        return response


def _origin(survey: Survey, state: State) -> str:
    """Say which reports the desk's zip is of."""
    parts = ["These are the reports that the desk showed when this was written."]
    if not state.has_ended:
        parts.append("The survey had not ended then, so that more reports may have come since.")
        if survey.batch > 1:
            parts.append(f"The desk shows more in batches of {survey.batch} at least.")
    return " ".join(parts)
