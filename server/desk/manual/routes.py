"""The manual's pages, pictures and search, which show no one's data."""

from flask import (
    Blueprint,
    Response,
    redirect,
    render_template,
    request,
    send_from_directory,
    url_for,
)
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.context import or_404
from deniable.server.desk.manual import pages
from deniable.server.desk.manual.search import around, find
from deniable.server.desk.permissions import Right

LONGEST = 100
"""Maximum number of letters of a search."""

manual = Blueprint("manual", __name__, url_prefix="/desk/help")


@manual.get("/", strict_slashes=False, needs=Right.EVERYBODY)
def contents() -> BaseResponse:
    """Redirect to the manual's first page."""
    return redirect(url_for("manual.page", path=pages.FIRST))


@manual.get("/docs/pictures/<name>", needs=Right.EVERYBODY)
def picture(name: str) -> Response:
    """Show a picture of a page."""
    return send_from_directory(pages.ROOT / "docs" / "pictures", name)


@manual.get("/<path:path>", needs=Right.EVERYBODY)
def page(path: str) -> str:
    """Show a page of the manual."""
    shown = or_404(pages.page, path)
    return render_template("desk/manual.html", shown=shown, chapters=pages.chapters())


@manual.get("/search", needs=Right.EVERYBODY)
def search() -> str:
    """List the sections that have most of the words of the search."""
    wanted = request.args.get("q", "")[:LONGEST]
    found = [(pages.title_of(one.page), one, around(one, wanted)) for one in find(wanted)]
    return render_template(
        "desk/manual.html", wanted=wanted, found=found, chapters=pages.chapters()
    )
