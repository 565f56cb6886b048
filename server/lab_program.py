"""The program of the lab alone: no desk, no sign-in, no store; its pages are for everybody.

Its adversary is anybody on the network, who can only request pages: all data are simulated, the
work of a page is bounded (`desk/lab.py`), and nothing is kept of a request.
"""

import asyncio
import re
import shutil
from collections.abc import Generator, Iterator
from functools import partial
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from flask import Blueprint, Flask, redirect, render_template, url_for
from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

import deniable.lab
import deniable.server.desk
from deniable.lab.export import Exported, exported, in_one_script
from deniable.lab.pages import PAGES
from deniable.server.desk.headers import ALLOWED
from deniable.server.desk.lab import answer_html, contents, lab, page_html
from deniable.server.desk.permissions import Route
from deniable.server.settings import Settings
from deniable.server.web.gateway import Gateway
from deniable.server.web.headers import NO_STORE, always, is_https, policy
from deniable.server.web.health import Health
from deniable.server.web.pages import create_app
from deniable.server.web.response import Headers, Response
from deniable.server.web.wsgi import Pages
from deniable.server.worker import Program, run

_STYLE: Final = Path(deniable.server.desk.__file__).parent / "static"

_SCRIPTS: Final = Path(deniable.lab.__file__).parent / "static"

_KEEP: Final = ("Cache-Control", "public, max-age=300")

_ADDRESS: Final = re.compile(r'( (?:href|src|action)=")/([^"?#]*)')


def create_lab_app() -> Flask:
    """Make the Flask application of the lab alone."""
    app = create_app(
        __name__,
        lambda error: render_template("lab/error.html", error=error),
        OSError,
        lambda: None,
    )
    app.url_rule_class = Route
    app.jinja_env.globals["alone"] = True
    app.register_blueprint(lab)
    # The desk's style, at the address that it has at the desk.
    style = Blueprint("desk", __name__, static_folder=_STYLE, static_url_path="/desk/static")
    app.register_blueprint(style)
    app.add_url_rule("/", "home", lambda: redirect(url_for("lab.contents")))
    return app


def lab_headers(*, https: bool) -> Headers:
    """Return the headers of every response: any site may show the lab in a frame."""
    own = policy(ALLOWED, framed_by="*")
    return [*always(https=https), ("Referrer-Policy", "no-referrer"), own]


def open_program(settings: Settings) -> Program:
    """Compose the program."""
    pages = Pages(create_lab_app())
    health = Health(partial(asyncio.sleep, 0))

    async def answer(scope: Scope, protocol: Protocol) -> Response:
        page = await pages.answer(scope, protocol)
        # Errors are not cached, or a proxy would show one visitor's error to all others.
        kept = _KEEP if page.status < HTTPStatus.BAD_REQUEST else NO_STORE
        return page._replace(headers=[*page.headers, kept])

    headers = lab_headers(https=is_https(settings.url))
    return Program(Gateway(answer, lambda *_: headers, health), lambda: None)


def write_site(folder: Path) -> Generator[tuple[str, Exported], None, None]:
    """Write all pages as static files; yield each page's slug and export once it is written.

    The folder must not exist. It is there when all have been yielded, and not before.
    """
    if folder.exists():
        raise FileExistsError(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # In a folder beside it first, so that a stopped export leaves nothing.
    with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as beside:
        site = Path(beside) / folder.name
        yield from _write_site(site)
        site.rename(folder)


def _write_site(site: Path) -> Iterator[tuple[str, Exported]]:
    (site / "desk/static").mkdir(parents=True)
    (site / "lab/static").mkdir(parents=True)
    for name in ("lab.js", "contents.js"):
        script = in_one_script(_SCRIPTS, name)
        (site / "lab/static" / name).write_text(script, encoding="utf-8")
    for path in (_SCRIPTS / "lab.css", _SCRIPTS / "vendor" / "plot.LICENSE.txt"):
        shutil.copy(path, site / "lab/static")
    ignored = shutil.ignore_patterns("codemirror.*")
    shutil.copytree(_STYLE / "vendor", site / "desk/static/vendor", ignore=ignored)
    for name in ("theme.css", "typeface.css", "desk.css", "icon.svg"):
        shutil.copy(_STYLE / name, site / "desk/static" / name)
    app = create_lab_app()
    with app.test_request_context():
        _write(site / "index.html", contents())
        for slug, page in PAGES.items():
            found = exported(page, answer_html)
            _write(site / f"{slug}.html", page_html(slug, {}, found))
            yield slug, found


def _write(file: Path, page: str) -> None:
    page = page.replace('<script type="module"', "<script defer")
    file.write_text(_ADDRESS.sub(_relative_address, page), encoding="utf-8")


def _relative_address(found: re.Match[str]) -> str:
    """Return an absolute address of the lab as one relative to its page."""
    before, path = found.groups()
    lab, _, slug = path.partition("/")
    if lab == "lab" and "/" not in slug:
        path = slug if "." in slug else f"{slug or 'index'}.html"
    return f"{before}{path}"


if __name__ == "__main__":
    run(open_program)
