"""The functions that a formula may call, and what each of them may be given."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

ALIAS: Final = re.compile(r"column_(\d+)_")
"""The names of ours for columns."""

_MOST_PIECES: Final = 50
"""Of a spline or polynomial, and of a list."""

_MOST_POWER: Final = 10


@dataclass(frozen=True)
class _Given:
    """The kinds of values that a function takes after its first, by place and by name."""

    places: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


_SPLINE: Final = {
    "df": "count",
    "knots": "list",
    "lower_bound": "number",
    "upper_bound": "number",
    "extrapolation": "text",
}

FUNCTIONS: Final[Mapping[str, _Given]] = MappingProxyType(
    {
        "C": _Given(("contrast",), {"contrasts": "contrast", "levels": "list"}),
        "I": _Given(),
        "Treatment": _Given(),
        "bs": _Given(("count",), {**_SPLINE, "degree": "count", "include_intercept": "flag"}),
        "cc": _Given(("count",), _SPLINE),
        "center": _Given(),
        "cr": _Given(("count",), _SPLINE),
        "cs": _Given(("count",), _SPLINE),
        "exp": _Given(),
        "log": _Given(),
        "log10": _Given(),
        "log2": _Given(),
        "poly": _Given(("count",), {"degree": "count", "raw": "flag"}),
        "scale": _Given((), {"center": "flag", "scale": "flag"}),
        "standardize": _Given((), {"center": "flag", "rescale": "flag"}),
    }
)
"""What a formula may call; ``Treatment`` only as the contrast of ``C``."""

OF_ONE_CELL: Final = frozenset({"C", "I", "exp", "log", "log10", "log2"})
"""Functions whose value in a row depends on no other row."""

_ARITHMETIC: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_COMPARISONS: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_CONTRASTS: Final = ("treatment", "sum", "helmert", "diff", "poly")


def check_call(tree: ast.expr, *, within: bool = False) -> None:
    """Refuse a tree that is no call of a listed function, with what it may be given.

    `within`: whether it stands in another call.
    """
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise _refusal(tree)
    name = tree.func.id
    if name not in FUNCTIONS or name == "Treatment" or (within and name == "C"):
        raise ValueError(f"expected no {name}() there: it is no function of a column")
    known = FUNCTIONS[name]
    by_name = f"by name it takes {', '.join(known.named) or 'nothing'}"
    if not 1 <= len(tree.args) <= 1 + len(known.places):
        raise ValueError(
            f"expected {name}() of a column and at most {len(known.places)} more, found "
            f"{len(tree.args)} values; {by_name}"
        )
    if name == "C" and not isinstance(tree.args[0], ast.Name):
        raise ValueError("expected a column in C(), such as C(ward)")
    _check_value(tree.args[0])
    for kind, value in zip(known.places, tree.args[1:], strict=False):
        _check_given(name, kind, value)
    for keyword in tree.keywords:
        if keyword.arg is None or keyword.arg not in known.named:
            raise ValueError(f"{name}() has no {keyword.arg!r}; {by_name}")
        _check_given(name, known.named[keyword.arg], keyword.value)


def _check_value(tree: ast.expr) -> None:
    """Check what is computed from columns."""
    if _is_column(tree) or _is_number(tree):
        return
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub | ast.UAdd):
        _check_value(tree.operand)
    elif isinstance(tree, ast.BinOp) and isinstance(tree.op, _ARITHMETIC):
        _check_value(tree.left)
        _check_value(tree.right)
    elif isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Pow):
        _check_power(tree)
    elif (
        isinstance(tree, ast.Compare)
        and len(tree.ops) == 1
        and isinstance(tree.ops[0], _COMPARISONS)
    ):
        _check_value(tree.left)
        _check_value(tree.comparators[0])
    elif isinstance(tree, ast.Call):
        check_call(tree, within=True)
    else:
        raise _refusal(tree)


def _check_power(tree: ast.BinOp) -> None:
    power = tree.right.operand if isinstance(tree.right, ast.UnaryOp) else tree.right
    if not _is_number(power) or abs(float(ast.literal_eval(power))) > _MOST_POWER:
        raise ValueError(
            f"expected a power that is a number of at most {_MOST_POWER}, and no power of a power"
        )
    inside = [*ast.walk(tree.left)]
    if any(isinstance(one, ast.Pow) for one in inside):
        raise ValueError("expected no power of a power: write one power, such as x^6")
    if not any(map(_is_column, inside)):
        raise ValueError("expected a power of a column, found one of a number alone")
    _check_value(tree.left)


def _is_column(tree: ast.AST) -> bool:
    return isinstance(tree, ast.Name) and ALIAS.fullmatch(tree.id) is not None


def _check_given(name: str, kind: str, tree: ast.expr) -> None:
    """Check a value that is no column."""
    fits, expected = _KINDS[kind]
    if not fits(tree):
        raise ValueError(f"{name}(): expected {expected}, found another value")


def _is_count(tree: ast.expr) -> bool:
    value = ast.literal_eval(tree) if _is_number(tree) else 0
    return bool(value == int(value) and 1 <= value <= _MOST_PIECES)


def _is_constant(tree: ast.expr, *types: type) -> bool:
    return isinstance(tree, ast.Constant) and type(tree.value) in types


def _is_number(tree: ast.expr) -> bool:
    return _is_constant(tree, int, float)


def _is_signed(tree: ast.expr) -> bool:
    return _is_number(tree.operand if isinstance(tree, ast.UnaryOp) else tree)


def _is_level(tree: ast.expr) -> bool:
    return _is_signed(tree) or _is_constant(tree, str, bool)


def _is_list(tree: ast.expr) -> bool:
    return (
        isinstance(tree, ast.List)
        and 0 < len(tree.elts) <= _MOST_PIECES
        and all(map(_is_level, tree.elts))
    )


def _is_contrast(tree: ast.expr) -> bool:
    if isinstance(tree, ast.Attribute):
        return (
            isinstance(tree.value, ast.Name)
            and tree.value.id == "contr"
            and tree.attr in _CONTRASTS
        )
    if not isinstance(tree, ast.Call):
        return False
    values = [*tree.args, *(one.value for one in tree.keywords)]
    if isinstance(tree.func, ast.Name):
        known = tree.func.id == "Treatment" and len(values) == 1
        named = {"reference"}
    else:
        known = _is_contrast(tree.func) and isinstance(tree.func, ast.Attribute)
        named = {"base"}
        if known and values and getattr(tree.func, "attr", "") != "treatment":
            return False
    keywords = {one.arg for one in tree.keywords} <= named
    return known and keywords and len(values) <= 1 and all(_is_level(one) for one in values)


_KINDS: Final[Mapping[str, tuple[Callable[[ast.expr], bool], str]]] = MappingProxyType(
    {
        "count": (_is_count, f"a whole number from 1 to {_MOST_PIECES}"),
        "number": (_is_signed, "a number"),
        "flag": (lambda tree: _is_constant(tree, bool), "True or False"),
        "text": (lambda tree: _is_constant(tree, str), "a text"),
        "list": (_is_list, f"a list of at most {_MOST_PIECES}, such as ['b', 'a']"),
        "contrast": (_is_contrast, "a contrast, such as contr.treatment('b') or contr.sum"),
    }
)
"""The kinds of values that are no columns: whether a tree is one, and what was expected."""


def _refusal(tree: ast.expr) -> ValueError:
    return ValueError(
        "expected calls of listed functions, of columns, numbers and + - * / ^ < >, found "
        f"{type(tree).__name__} in a call"
    )
