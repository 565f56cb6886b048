"""The desk's page for a paper: which direct columns are published, and the zip."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import Blueprint, Response, render_template, request

from deniable.analysis.privacy.columns import chosen, holding
from deniable.analysis.privacy.disclosure import EVERYBODY
from deniable.server.desk.context import attachment, store
from deniable.server.desk.editor.lint_worker import the_packer
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.compare import computed
from deniable.server.desk.results.files import sentence
from deniable.server.desk.results.query import WrongChoiceError, choice_of
from deniable.server.desk.results.study import (
    columns_of_file,
    received_by,
    rows_of_file,
    study_of,
)
from deniable.server.desk.steps import keep_done
from deniable.server.store.schedule import State
from deniable.survey import Survey
from deniable.survey.grouped import (
    Columns,
    direct_items,
    each_answer,
    known_columns,
    split_columns,
    write_columns,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deniable.analysis.counts.rows import Rows
    from deniable.publication.material import Material
    from deniable.survey.items import Item


export = Blueprint("export", __name__, url_prefix="/desk/surveys/<slug>")


def _material_of(slug: str, columns: Columns) -> Material:
    # Imported at the first zip: figures and tables take as long to load as the rest of the desk.
    from deniable.publication.material import Material  # noqa: PLC0415

    choice, study, invited = choice_of(slug), study_of(slug), store.invited(slug)
    return Material(
        choice.survey,
        rows_of_file(slug),
        columns,
        level=choice.confidence,
        origin=" ".join([_origin(choice.survey, store.state(slug)), *study.others]),
        response=invited.told_of_paper(choice.survey) if invited else "",
        revisions=received_by(choice.survey, choice.revision).counts,
        margins=study.margins,
    )


@dataclass(frozen=True)
class _Box:
    """A direct column that can be ticked, with its groups in a field beside it."""

    item: Item
    is_ticked: bool
    groups: str
    can_be_grouped: bool


def _asked() -> dict[str, str]:
    """Return the groups of each direct column in the address; a form sends them beside it."""
    named = [one for several in request.args.getlist("direct") for one in split_columns(several)]
    found = {}
    for one in named:
        id, _, groups = (part.strip() for part in one.partition(":"))
        found[id] = groups or request.args.get(f"groups.{id}", "").strip()
    return found


def _written(asked: Mapping[str, str]) -> str:
    return ",".join(f"{id}:{groups}" if groups else id for id, groups in asked.items())


def _boxes(rows: Rows, left: Columns) -> Iterator[_Box]:
    """Yield each direct column, with its groups as typed, or in which it can leave."""
    asked, survey = _asked(), rows.survey
    if rows.least == EVERYBODY:
        return  # of one revision no direct answers leave
    offered = left or holding(rows, rows.wanted)
    for item in direct_items(survey):
        groups = write_columns({item.id: offered.get(item.id, each_answer(item))}, survey)
        typed = asked.get(item.id) or request.args.get(f"groups.{item.id}")
        yield _Box(
            item,
            item.id in asked,
            groups.partition(":")[2] if typed is None else typed,
            len(item.truths) > 2 and not survey.question(item.question).has_several_items,
        )


@export.get("/paper", needs=Right.READ)
def page(slug: str) -> tuple[str, HTTPStatus]:
    """Show what the zip will hold."""
    from deniable.publication.parcel import listed  # noqa: PLC0415
    from deniable.publication.readme import about  # noqa: PLC0415

    rows, asked, mistake = rows_of_file(slug), _asked(), ""
    left = known_columns(rows.survey, store.left(slug)[0])
    columns: Columns = {}
    if asked:
        try:
            columns = chosen(rows, _written(asked), left)
        except ValueError as wrong:
            mistake = sentence(wrong)
    material = _material_of(slug, columns)
    # Where zips are made: the writers of some files take as much memory as the rest of the desk.
    files = computed(partial(listed, material), the_packer())
    text = render_template(
        "desk/paper.html",
        material=material,
        choice=choice_of(slug),
        boxes=[*_boxes(rows, left)],
        columns=write_columns(columns, rows.survey),
        left=write_columns(left, rows.survey),
        mistake=mistake,
        lacking=[f"{name}: {why}" for name, why in files.items() if why],
        files=about(name for name, why in files.items() if not why),
    )
    return text, HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK


@export.get("/paper.zip", needs=Right.READ)
def download(slug: str) -> Response:
    """Return the zip."""
    from deniable.publication.parcel import folder_name, zip_of  # noqa: PLC0415

    asked = _asked()
    try:
        columns = columns_of_file(slug, _written(asked)) if asked else {}
    except ValueError as wrong:
        raise WrongChoiceError(sentence(wrong).removesuffix(".")) from None
    material = _material_of(slug, columns)
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
