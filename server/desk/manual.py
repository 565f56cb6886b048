"""The manual, for everybody: a wheel carries it, and ``make docs`` builds it in a source folder."""

from flask import Blueprint, redirect, render_template, send_from_directory, url_for
from flask.typing import ResponseReturnValue

from deniable.server.desk.headers import MANUAL

manual = Blueprint("manual", __name__, url_prefix="/desk/help")


@manual.get("/", strict_slashes=False)
def contents() -> ResponseReturnValue:
    """Lead to the manual's first page."""
    return redirect(url_for("manual.page", path="docs/index.html"))


@manual.get("/<path:path>")
def page(path: str) -> ResponseReturnValue:
    """Return a file of the manual, or say how it is built."""
    if (MANUAL / "docs" / "index.html").exists():
        return send_from_directory(MANUAL, path)
    return render_template("desk/manual.html")
