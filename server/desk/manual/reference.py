"""The manual's pages of public names: a page for each, which names that are spelt alike share."""

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import deniable

FOLDER: Final = Path(deniable.__file__).parent / "docs" / "reference"

_LISTED: Final = re.compile(r"^```\{printed\} names (\S+)$", re.MULTILINE)
_METHODS: Final = (FunctionType, classmethod, staticmethod, property)
"""The kinds of members of a class that are listed; its docstring has its parameters."""


@dataclass(frozen=True)
class NamePage:
    """A page of public names. `listed_in`: the page that lists them."""

    package: str
    names: Sequence[str]
    listed_in: str

    @property
    def title(self) -> str:
        """The full name, of a function where a class is spelt alike."""
        return f"{self.package}.{self.names[0]}"

    def markdown(self) -> str:
        """Write the docstrings, as `help` shows them."""
        home = import_module(self.package)
        parts = (_documented(name, getattr(home, name)) for name in self.names)
        return (
            f"# {self.title}\n\nPart of [{self.package}]({self.listed_in}.md).\n\n{''.join(parts)}"
        )


@cache
def name_pages() -> Mapping[str, NamePage]:
    """Return each page by its name in the folder, such as ``deniable.open``.

    Some file systems do not tell capitals apart, so the names are in small letters.
    """
    found = dict[str, NamePage]()
    for page in sorted(FOLDER.glob("*.md")):
        for package in _LISTED.findall(page.read_text(encoding="utf-8")):
            alike = defaultdict(list)
            for name in sorted(offered(package), reverse=True):
                alike[f"{package}.{name}".lower()].append(name)
            found |= {key: NamePage(package, names, page.stem) for key, names in alike.items()}
    return found


def offered(package: str) -> list[str]:
    """Return the classes and functions that a package, or a module, offers."""
    home = import_module(package)
    own = (name for name, one in vars(home).items() if getattr(one, "__module__", "") == package)
    listed = getattr(home, "__all__", None) or [name for name in own if not name.startswith("_")]
    return [name for name in listed if _is_documented(getattr(home, name))]


def names(package: str) -> str:
    """Write a line for each function, then each class, of a package, with a link to its page."""
    home = import_module(package)
    lines = (
        f"- [`{name}`]({package.lower()}.{name.lower()}.md): {_summary(getattr(home, name))}\n"
        for name in sorted(offered(package), key=lambda name: inspect.isclass(getattr(home, name)))
    )
    return "".join(lines)


def _is_documented(one: Any) -> bool:
    return inspect.isclass(one) or inspect.isroutine(one)


def _summary(one: Any) -> str:
    paragraph = (inspect.getdoc(one) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).replace("<", "&lt;")


def _documented(name: str, one: Any) -> str:
    """Write the docstring of a function, or of a class and its methods."""
    written = [_described(name, one, "##")]
    if inspect.isclass(one):
        written += [
            _described(f"{name}.{method}", getattr(part, "__func__", part), "###")
            for method, part in vars(one).items()
            if not method.startswith("_") and isinstance(part, _METHODS)
        ]
    return "".join(written)


def _described(name: str, one: Any, level: str) -> str:
    """Write a heading and a docstring, as plain text."""
    arguments = ""
    if _is_documented(one):
        try:
            arguments = str(inspect.Signature([*_arguments(inspect.signature(one))]))
        except ValueError:  # it is not written in Python
            arguments = ""
    said = inspect.getdoc(one) or ""
    return f"{level} `{name}{arguments}`\n\n```text\n{said}\n```\n\n" if said else ""


def _arguments(signature: inspect.Signature) -> Iterator[inspect.Parameter]:
    """Yield the names of arguments; their types stand in the docstring."""
    for one in signature.parameters.values():
        if one.name not in ("self", "cls"):
            yield one.replace(annotation=inspect.Parameter.empty)
