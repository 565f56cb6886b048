"""Packages as doors: what they offer is loaded when somebody asks for it, and not before.

A package imports what it offers under ``if TYPE_CHECKING``, where editors and type checkers see it,
and is asked here for the functions that do the same as it runs (PEP 562). The names are read off
those imports, so that the two cannot differ. Thus a notebook has every name of the analysis behind
``from deniable import analysis as da``, and a program that wants one of them loads no other.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import SourceFileLoader


def door(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the functions ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its name, ``__name__``.

    Returns
    -------
    get : callable
        Loads a name that the package offers; raises AttributeError for any other.
    names : callable
        Lists what the package offers.
    """
    module = sys.modules[package]

    @cache
    def offered() -> dict[str, str]:
        loader = module.__spec__ and module.__spec__.loader
        assert isinstance(loader, SourceFileLoader)  # noqa: S101  for the type checker
        return imports_for_types(loader.get_source(package) or "")

    def get(name: str) -> object:
        home = offered().get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home == package:  # one of its own modules
            return importlib.import_module(f"{package}.{name}")
        value: object = getattr(importlib.import_module(home), name)
        setattr(module, name, value)
        return value

    def names() -> list[str]:
        return sorted({*offered(), *(name for name in vars(module) if name.startswith("__"))})

    return get, names


def imports_for_types(source: str) -> dict[str, str]:
    r"""Read what a module imports under ``if TYPE_CHECKING``.

    `source`: of the module. Result: from each name to the module that it is imported from.

    Examples
    --------
    >>> imports_for_types("if TYPE_CHECKING:\n    from math import inf, pi")
    {'inf': 'math', 'pi': 'math'}
    """
    return {
        alias.name: statement.module
        for block in ast.parse(source).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom) and statement.module
        for alias in statement.names
    }
