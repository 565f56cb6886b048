"""The functions that a formula may call, and what each of them may be given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

_MOST_PIECES: Final = 50
"""Of a spline or polynomial, and of a list."""

_MOST_POWER: Final = 10


@dataclass(frozen=True)
class _Given:
    """What a function takes beside its first value, which is computed from columns.

    `places`: the kinds of the further values; `named`: those of keywords.
    """

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


def check_call(tree: ast.expr, is_column: Callable[[str], bool]) -> None:
    """Refuse a tree that is no call of a listed function, with what it may be given."""
    _Tree(is_column).check_call(tree)


@dataclass(frozen=True)
class _Tree:
    is_column: Callable[[str], bool]

    def check_call(self, tree: ast.expr, *, within: bool = False) -> None:
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
            raise _refusal(tree)
        name = tree.func.id
        if name not in FUNCTIONS or name == "Treatment" or (within and name == "C"):
            raise ValueError(f"expected no {name}() there: it is no function of a column")
        known = FUNCTIONS[name]
        if not 1 <= len(tree.args) <= 1 + len(known.places):
            raise ValueError(
                f"expected {name}() of a column and at most {len(known.places)} more, found "
                f"{len(tree.args)} values; by name it takes {', '.join(known.named) or 'nothing'}"
            )
        if name == "C" and not isinstance(tree.args[0], ast.Name):
            raise ValueError("expected a column in C(), such as C(ward)")
        self.check_value(tree.args[0])
        for kind, value in zip(known.places, tree.args[1:], strict=False):
            _check_given(name, kind, value)
        for keyword in tree.keywords:
            if keyword.arg is None or keyword.arg not in known.named:
                raise ValueError(
                    f"{name}() has no {keyword.arg!r}; by name it takes "
                    f"{', '.join(known.named) or 'nothing'}"
                )
            _check_given(name, known.named[keyword.arg], keyword.value)

    def check_value(self, tree: ast.expr) -> None:
        """Check what is computed from columns."""
        if isinstance(tree, ast.Name) and self.is_column(tree.id):
            return
        if _is_number(tree):
            return
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub | ast.UAdd):
            self.check_value(tree.operand)
        elif isinstance(tree, ast.BinOp) and isinstance(tree.op, _ARITHMETIC):
            self.check_value(tree.left)
            self.check_value(tree.right)
        elif isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Pow):
            self._check_power(tree)
        elif isinstance(tree, ast.Compare) and len(tree.ops) == 1:
            if not isinstance(tree.ops[0], _COMPARISONS):
                raise _refusal(tree)
            self.check_value(tree.left)
            self.check_value(tree.comparators[0])
        elif isinstance(tree, ast.Call):
            self.check_call(tree, within=True)
        else:
            raise _refusal(tree)

    def _check_power(self, tree: ast.BinOp) -> None:
        power = tree.right.operand if isinstance(tree.right, ast.UnaryOp) else tree.right
        if not _is_number(power) or abs(float(ast.literal_eval(power))) > _MOST_POWER:
            raise ValueError(
                f"expected a power that is a number of at most {_MOST_POWER}, and no power of a "
                "power"
            )
        inside = [*ast.walk(tree.left)]
        if any(isinstance(one, ast.Pow) for one in inside):
            raise ValueError("expected no power of a power: write one power, such as x^6")
        if not any(isinstance(one, ast.Name) and self.is_column(one.id) for one in inside):
            raise ValueError("expected a power of a column, found one of a number alone")
        self.check_value(tree.left)


def _is_number(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) and type(tree.value) in (int, float)


def _check_given(name: str, kind: str, tree: ast.expr) -> None:
    """Check a value that is no column."""
    fits = {
        "count": lambda: _is_number(tree) and _is_count(ast.literal_eval(tree)),
        "number": lambda: _is_signed(tree),
        "flag": lambda: isinstance(tree, ast.Constant) and type(tree.value) is bool,
        "text": lambda: isinstance(tree, ast.Constant) and type(tree.value) is str,
        "list": lambda: (
            isinstance(tree, ast.List)
            and 0 < len(tree.elts) <= _MOST_PIECES
            and all(_is_level(one) for one in tree.elts)
        ),
        "contrast": lambda: _is_contrast(tree),
    }
    if not fits[kind]():
        expected = {
            "count": f"a whole number from 1 to {_MOST_PIECES}",
            "number": "a number",
            "flag": "True or False",
            "text": "a text",
            "list": f"a list of at most {_MOST_PIECES}, such as ['b', 'a']",
            "contrast": "a contrast, such as contr.treatment('b') or contr.sum",
        }
        raise ValueError(f"{name}(): expected {expected[kind]}, found another value")


def _is_count(value: float) -> bool:
    return value == int(value) and 1 <= value <= _MOST_PIECES


def _is_signed(tree: ast.expr) -> bool:
    return _is_number(tree.operand if isinstance(tree, ast.UnaryOp) else tree)


def _is_level(tree: ast.expr) -> bool:
    return _is_signed(tree) or (isinstance(tree, ast.Constant) and type(tree.value) in (str, bool))


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


def _refusal(tree: ast.expr) -> ValueError:
    return ValueError(
        "expected calls of listed functions, of columns, numbers and + - * / ^ < >, found "
        f"{type(tree).__name__} in a call"
    )
