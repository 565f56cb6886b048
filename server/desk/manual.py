"""The manual, for everybody: a wheel carries it, and ``make docs`` builds it in a source folder."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from flask import Blueprint, redirect, render_template, send_from_directory, url_for
from flask.typing import ResponseReturnValue

_OF_WHEEL: Final = Path(__file__).parent / "manual"
FOLDER: Final = (
    _OF_WHEEL if _OF_WHEEL.exists() else Path(__file__).resolve().parents[2] / "build" / "manual"
)
FIRST: Final = "docs/index.html"
_INLINE: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)

manual = Blueprint("manual", __name__, url_prefix="/desk/help")


@manual.get("/", strict_slashes=False)
def contents() -> ResponseReturnValue:
    """Lead to the manual's first page."""
    return redirect(url_for("manual.page", path=FIRST))


@manual.get("/<path:path>")
def page(path: str) -> ResponseReturnValue:
    """Return a file of the manual, or say how it is built."""
    if (FOLDER / FIRST).exists():
        return send_from_directory(FOLDER, path)
    return render_template("desk/manual.html")


@cache
def policy_of_manual() -> str:
    """Return what its pages may do: run their own scripts, and the one that stands in each."""
    first = FOLDER / FIRST
    inline = _INLINE.findall(first.read_text(encoding="utf-8")) if first.exists() else []
    hashes = (b64encode(sha256(script.encode()).digest()).decode() for script in inline)
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *(f"'sha256-{one}'" for one in hashes)]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    )
