"""The desk's page for a paper: which direct columns are published, and the zip."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flask import Blueprint, Response, render_template, request

from deniable.server.desk.context import attachment, store
from deniable.server.desk.editor.lint_worker import the_packer
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.compare import computed
from deniable.server.desk.results.query import WrongChoiceError, choice_of
from deniable.server.desk.results.study import received_by, rows_of_file, study_of
from deniable.server.desk.steps import keep_done
from deniable.server.store.schedule import State
from deniable.survey import Survey

if TYPE_CHECKING:
    from deniable.publication.material import Material


export = Blueprint("export", __name__, url_prefix="/desk/surveys/<slug>")


def _material_of(slug: str) -> Material:
    # Imported at the first zip: figures and tables take as long to load as the rest of the desk.
    from deniable.publication.material import Material  # noqa: PLC0415
    from deniable.publication.table import direct_items  # noqa: PLC0415

    choice, study, invited = choice_of(slug), study_of(slug), store.invited(slug)
    known = [item.id for item in direct_items(choice.survey)]
    # A form sends a parameter for each column, a script one parameter for all.
    direct = [id for ids in request.args.getlist("direct") for id in ids.split(",")]
    if not {*direct} <= {*known}:
        raise WrongChoiceError(f"Direct columns can be {', '.join(known) or 'none here'}")
    return Material(
        choice.survey,
        rows_of_file(slug),
        tuple(direct),
        level=choice.confidence,
        origin=" ".join([_origin(choice.survey, store.state(slug)), *study.others]),
        response=invited.told_of_paper(choice.survey) if invited else "",
        revisions=received_by(choice.survey, choice.revision).counts,
        margins=study.margins,
    )


@export.get("/paper", needs=Right.READ)
def page(slug: str) -> str:
    """Show what the zip will hold."""
    from deniable.publication.parcel import left_out  # noqa: PLC0415
    from deniable.publication.table import direct_items  # noqa: PLC0415

    material = _material_of(slug)
    return render_template(
        "desk/paper.html",
        material=material,
        choice=choice_of(slug),
        direct=direct_items(material.survey),
        lacking=[one.at_desk for one in left_out()],
    )


@export.get("/paper.zip", needs=Right.READ)
def download(slug: str) -> Response:
    """Return the zip."""
    from deniable.publication.parcel import folder_name, zip_of  # noqa: PLC0415

    material = _material_of(slug)
    content = computed(partial(zip_of, material), the_packer())
    keep_done(slug, "Paper")
    return attachment(content, "application/zip", f"{folder_name(material)}.zip")


def _origin(survey: Survey, state: State) -> str:
    """Say which reports the desk's zip contains."""
    parts = ["These are the reports that the desk showed when this was written."]
    if not state.has_ended:
        parts.append("The survey had not ended then, so that more reports may have come since.")
        if survey.batch > 1:
            parts.append(f"The desk shows more in batches of {survey.batch} at least.")
    return " ".join(parts)
