"""The manual as a site of files, with a reference of Python made of its docstrings.

``make docs`` builds it by Sphinx, with the source folder as its root, so that links to files of it
lead somewhere. The desk draws the same pages by itself.
"""

from importlib import import_module
from inspect import isclass, isfunction, ismodule
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from deniable import __version__
from deniable.server.desk.manual.printed import PRINTED

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


APART = ("deniable", "deniable.reanalysis")
"""Packages whose modules the pages name by themselves."""


def _names(package: str) -> str:
    """Ask for the docstring of each name that a package, or a module, offers."""
    home = import_module(package)
    written = ["```{eval-rst}"]
    if not hasattr(home, "__all__"):
        written.append(f".. automodule:: {package}")
    for name in getattr(home, "__all__", ()):
        one = getattr(home, name)
        kinds = {"class": isclass(one), "function": isfunction(one), "module": ismodule(one)}
        kind = next((kind for kind, is_it in kinds.items() if is_it), "data")
        if kind != "module" or package not in APART:
            written.append(f".. auto{kind}:: {package}.{name}")
    return "\n".join([*written, "```\n"])


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
    app.connect("build-finished", _accessible)
    return {"parallel_read_safe": True, "version": release}
