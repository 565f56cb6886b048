"""The manual as a site of files, with a reference of Python made of its docstrings.

``make docs`` builds it by Sphinx, with the source folder as its root, so that links to files of it
lead somewhere. The desk draws the same pages by itself.
"""

from importlib import import_module
from inspect import isclass
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from deniable import __version__
from deniable.server.desk.manual.printed import PRINTED
from deniable.server.desk.manual.reference import name_pages, names

project = "deniable"
release = version = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
]
root_doc = "docs/index"
include_patterns = ["docs/**", "README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"]
html_theme = "furo"
html_title = f"deniable {__version__}"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_permalinks_icon = "#"
html_theme_options: dict[str, list[str]] = {"top_of_page_buttons": []}
# As GitHub names headings, which is what links between the pages are written for.
myst_heading_anchors = 4
# Types say what a docstring does not repeat; methods stand in the class, not on pages of their own.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
numpydoc_show_class_members = False
# Console blocks show what is printed, and no lexer knows that.
suppress_warnings = ["misc.highlighting_failure"]


def _stubs(app: Sphinx) -> None:
    """Write a page for each public name, which is not in the contents beside the pages."""
    for key, page in name_pages().items():
        home = import_module(page.package)
        lines = [":orphan:", "", page.title, "=" * len(page.title), ""]
        lines += [f"Part of :doc:`{page.package} <{page.listed_in}>`.", ""]
        for name in page.names:
            kind = "class" if isclass(getattr(home, name)) else "function"
            lines.append(f".. auto{kind}:: {page.package}.{name}")
        _stub(app, key).write_text("\n".join([*lines, ""]), encoding="utf-8")


def _without_stubs(app: Sphinx, failure: Exception | None) -> None:  # noqa: ARG001
    for key in name_pages():
        _stub(app, key).unlink(missing_ok=True)


def _stub(app: Sphinx, key: str) -> Path:
    return Path(app.srcdir, "docs", "reference", f"{key}.rst")


def _names(package: str) -> str:
    """List the names of a package with links to their pages, which are no Markdown here."""
    return names(package).replace(".md)", ".rst)")


class Printed(SphinxDirective):
    """``{printed} NAME …``: what a function of this file writes, as Markdown."""

    required_arguments = 1
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write it where the directive stands."""
        name, *of = self.arguments
        text = (PRINTED | {"names": _names})[name](*of)
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def _accessible(app: Sphinx, failure: Exception | None) -> None:  # noqa: ARG001
    """Give captions, which the theme calls headings, the level that screen readers want."""
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(
            text.replace(' role="heading"', ' role="heading" aria-level="2"'), encoding="utf-8"
        )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Let pages ask for what is printed."""
    app.add_directive("printed", Printed)
    app.connect("builder-inited", _stubs)
    app.connect("build-finished", _accessible)
    app.connect("build-finished", _without_stubs)
    return {"parallel_read_safe": True, "version": release}
