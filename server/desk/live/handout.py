"""What every meeting shares: the scripts and styles of its two pages, and the handout.

Everybody may have them: nothing of a meeting is in them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from flask import Blueprint, render_template

import deniable.classroom
from deniable.classroom.handout import make_handout

_STATIC: Final = Path(deniable.classroom.__file__).parent / "static"


classroom = Blueprint(
    "classroom", __name__, static_folder=_STATIC, static_url_path="/classroom/static"
)


@classroom.get("/classroom/handout")
def handout() -> str:
    """Show the handout."""
    return render_template("desk/handout.html", handout=make_handout())
