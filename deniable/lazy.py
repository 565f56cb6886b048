"""Packages that import a name on first use; their ``__init__.pyi`` lists the names."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from typing import Any


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package (PEP 562)."""
    module = sys.modules[package]
    loader: Any = module.__spec__ and module.__spec__.loader
    homes: dict[str, tuple[str, str]] = {}
    for statement in ast.parse(loader.get_data(f"{module.__path__[0]}/__init__.pyi")).body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            homes |= {alias.name: (statement.module, alias.name) for alias in statement.names}
        elif isinstance(statement, ast.Assign):  # an alias of a name above
            homes[ast.unparse(statement.targets[0])] = homes[ast.unparse(statement.value)]
    names = sorted(homes)

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, original = homes[name]
        if home == package:  # a module of this package
            return importlib.import_module(f"{package}.{name}")
        value = getattr(importlib.import_module(home), original)
        setattr(module, name, value)
        return value

    return get, lambda: [*names, *(name for name in vars(module) if name.startswith("__"))], names
