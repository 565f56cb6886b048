"""Formulas read: by formulaic's own parser, and by a list of what may stand in them.

The library behind formulas runs parts of them as Python, with all that Python can do. So a formula
is first cut into pieces, each of which must be a column, a number, a text, a sign or a listed
function. Columns then get names of ours, so that nothing that was typed reaches the library as a
name. Its parser makes terms of them, and every call of every term is compared with the list once
more, as a tree, before anything is computed.
"""

from __future__ import annotations

import ast
import importlib
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import ModuleType
from typing import Any, Final

from deniable.analysis.regression.formulas.functions import (
    ALIAS,
    FUNCTIONS,
    OF_ONE_CELL,
    check_call,
)
from deniable.text.doors import RefusalError
from deniable.text.near import meant
from deniable.text.safety import composed

MOST_CHARACTERS: Final = 1_000
"""Of a formula."""

MOST_TERMS: Final = 200
"""That a formula may be expanded to."""

MOST_COLUMNS: Final = 1_000
"""Of a regression's table: a short formula can ask for more than fits into any memory."""

_MOST_BRACKETS: Final = 20
_MOST_POWER: Final = 10

_PIECE: Final = re.compile(
    r"""\s*(?:`(?P<quoted>[^`]*)`
    |(?P<text>'[^'\\`]*'|"[^"\\`]*")
    |(?P<number>(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:[eE][-+]?\d{1,2})?(?![\w.]))
    |(?P<name>[^\W\d]\w*(?:\.\w+)*)
    |(?P<dot>\.)
    |(?P<sign>\*\*|<=|>=|==|!=|[-+*/:^()\[\],=<>])
    )""",
    re.VERBOSE,
)
_SIGNS: Final = frozenset(
    ["+", "-", "*", "/", ":", "^", "**", ",", "=", "<", ">", "<=", ">=", "==", "!="]
)
_COUNTS: Final[Mapping[str, Callable[[Sequence[int]], int]]] = {
    "+": sum,
    "-": itemgetter(0),
    ":": math.prod,
    "*": lambda counts: sum(counts) + math.prod(counts),
    "/": lambda counts: sum(counts) + math.prod(counts),
}
"""To how many terms a sign expands, by those of its parts."""

_CONSTANTS: Final = ("True", "False", "None")
_CONTRAST: Final = re.compile(r"contr\.(treatment|sum|helmert|diff|poly)")


@dataclass(frozen=True)
class Column:
    """A column of the data where it stands in a formula; `grouped`: within ``C()``."""

    name: str
    grouped: bool


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula that was read: nothing else than what is listed stands in it.

    `written`: as it was typed. `response`: the column to the left of ``~``, empty where none was
    expected. `terms`: the library's own, of columns that are called ``column_0_`` and so on.
    `columns`: what these are.
    """

    written: str
    response: str
    terms: tuple[Any, ...]
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that the terms hold, each once."""
        expressions = " ".join(factor.expr for term in self.terms for factor in term.factors)
        used = {self.columns[int(at)].name for at in ALIAS.findall(expressions)}
        return tuple(dict.fromkeys(one.name for one in self.columns if one.name in used))

    @property
    def of_columns(self) -> Mapping[str, Any]:
        """The factors that depend on other rows, as a spline's knots and a centre do."""
        factors = {factor.expr: factor for term in self.terms for factor in term.factors}
        return {
            text: factor
            for text, factor in factors.items()
            if not {*re.findall(r"(?<![\w.])(\w+)\(", text)} <= {*OF_ONE_CELL, "Treatment"}
        }

    def said(self, text: str, units: Mapping[Column, str] | None = None) -> str:
        """Put the columns' own names into what the library says, with the units of some."""

        def named(found: re.Match[str]) -> str:
            column = self.columns[int(found[1])]
            return column.name + (units or {}).get(column, "")

        return ALIAS.sub(named, text)

    def alone(self, name: str) -> Any:
        """Return the term that a column is by itself, None if it is none."""
        for term in self.terms:
            found = ALIAS.fullmatch(term.factors[0].expr) if len(term.factors) == 1 else None
            if found is not None and self.columns[int(found[1])].name == name:
                return term
        return None

    def without(self, terms: Sequence[Any]) -> Formula:
        """Return the formula without some of its terms."""
        kept = tuple(term for term in self.terms if term not in terms)
        return Formula(self.written, self.response, kept, self.columns)

    def check_columns(self, levels: Mapping[Column, int], most: int = MOST_COLUMNS) -> None:
        """Check, before anything is computed, that the terms come to few columns.

        `levels`: of each column that makes groups, how many.
        """
        found = self.most_columns(levels)
        if found > most:
            raise ValueError(
                f"expected a formula of at most {most} columns, found up to {found:,}: cross fewer "
                "variables, or variables of fewer answers"
            )

    def most_columns(self, levels: Mapping[Column, int]) -> int:
        """Return to how many columns the terms come at most; `levels`: see `check_columns`."""
        return sum(math.prod(self._at_most(f.expr, levels) for f in t.factors) for t in self.terms)

    def fewest_columns(self, levels: Mapping[Column, int]) -> dict[str, int]:
        """Return to how many columns each term comes at least; `levels`: see `check_columns`.

        Of groups one is the reference.
        """
        found = {}
        for term in self.terms:
            each = [ALIAS.findall(factor.expr) for factor in term.factors]
            groups = [
                max([levels.get(self.columns[int(at)], 2) for at in of] or [2]) for of in each
            ]
            found[self.said(str(term))] = math.prod(n - 1 for n in groups)
        return found

    def _at_most(self, expression: str, levels: Mapping[Column, int]) -> int:
        """Return to how many columns a factor comes at most."""
        named = [self.columns[int(at)] for at in ALIAS.findall(expression)]
        groups = max([levels.get(column, 1) for column in named], default=1)
        if not re.match(r"(bs|cc|cr|cs|poly)\(", expression):
            return groups
        numbers = [int(one) for one in re.findall(r"(?<![\w.])\d+(?![\w.])", expression)]
        return groups * max(sum(one for one in numbers if one <= 50) + 4, 5)


def formulaic() -> ModuleType:
    """Return the library that reads formulas; it loads slowly."""
    return importlib.import_module("formulaic")


def sides_of(formula: str) -> tuple[str, str]:
    """Return the response's name and the terms."""
    formula = composed(formula)
    left, _, right = formula.partition("~")
    quoted = left.strip()
    response = quoted.strip("`")
    if "~" in right:
        raise ValueError(f"expected one ~ in a formula, found two in {formula!r}")
    if not response or not right.strip():
        raise ValueError(f"expected a formula such as 'report ~ age + female', found {formula!r}")
    if quoted == response and re.search(r"[()+*/^,\[\]]", response):
        raise ValueError(f"expected a column by itself to the left of ~, found {response!r}")
    return response, right


def terms_of(formula: str) -> str:
    """Return the terms of a formula without a response, such as a nuisance has."""
    formula = composed(formula)
    left, tilde, right = formula.partition("~")
    if left.strip() or not tilde or not right.strip() or "~" in right:
        raise ValueError(f"expected nuisance to be a formula such as '~ age', found {formula!r}")
    return right


def names_in(terms: str) -> list[str]:
    """Find the columns that terms name, each once; functions are none.

    >>> names_in("years + C(ward):years + I(pay^2) + bs(age, df=4)")
    ['years', 'ward', 'pay', 'age']
    """
    pieces = _pieces(composed(terms))
    return list(dict.fromkeys(piece for kind, piece in pieces if kind == "column"))


def read(
    formula: str,
    columns: Collection[str],
    *,
    outside: Collection[str] = (),
    one_sided: bool = False,
) -> Formula:
    """Read a formula.

    Parameters
    ----------
    formula : str
        ``response ~ terms``.
    columns : collection of str
        That terms may name, in the order of the data. A ``.`` stands for all of them but the
        response and those that are `outside`.
    outside : collection of str
        Columns that a ``.`` does not mean, such as randomised ones.
    one_sided : bool
        Whether it is ``~ terms``.

    Raises
    ------
    ValueError
        If something else stands in it than columns, numbers, signs and listed functions, or if it
        would be expanded to too many terms.
    """
    if len(formula) > MOST_CHARACTERS:
        raise ValueError(f"expected at most {MOST_CHARACTERS} characters, found {len(formula):,}")
    response, right = ("", terms_of(formula)) if one_sided else sides_of(formula)
    library = formulaic()
    dot = [name for name in columns if name != response and name not in outside]
    text, found = _with_aliases(_pieces(right), dot)
    try:
        for column in found:
            name = column.name
            if name == response:
                raise ValueError(
                    f"{name!r} stands on both sides of ~: expected it on the left alone"
                )
            if name not in columns:
                raise ValueError(f"there is no column {name!r}; {meant(name, columns)}")
        parser = library.parser.DefaultFormulaParser()
        _check_terms(parser.get_ast(text))
        terms = tuple(library.Formula(text))
        for term in terms:
            for factor in term.factors:
                _check_factor(factor.expr)
    except library.errors.FormulaicError as mistake:
        said = Formula(formula, response, (), found).said(str(mistake)).split("\n")[0]
        if lonely := re.match(r"Operator `(.+?)` has insuf", said):
            said = f"expected a term before and after each {lonely[1]}"
        raise ValueError(f"the formula {formula!r}: {said}") from None
    except SyntaxError:  # of what stands in a call, such as I(a:b), which is read as Python
        raise ValueError(f"the formula {formula!r}: a call in it cannot be read") from None
    except (RecursionError, MemoryError):
        raise ValueError("expected a formula of fewer signs, found too many in one call") from None
    return Formula(formula, response, terms, found)


def _pieces(terms: str) -> list[tuple[str, str]]:
    """Cut terms into pieces, each with its kind: nothing but these can stand in a formula."""
    found: list[tuple[str, str]] = []
    place, end, depth = 0, len(terms.rstrip()), 0
    while place < end:
        part = _PIECE.match(terms, place)
        if part is None or part.lastgroup is None:
            raise _refusal(terms[place:].lstrip())
        kind, piece = part.lastgroup, part[part.lastgroup]
        place = part.end()
        if kind == "name":
            kind = _kind_of(piece, terms[place:].lstrip(), found)
        elif kind == "quoted":
            kind = "column"
        elif kind == "sign":
            depth += (piece in "([") - (piece in ")]")
            _check_sign(piece, found, depth)
        _check_order(kind, piece, found)
        found.append((kind, piece))
    if depth:
        raise ValueError("expected as many opening brackets as closing ones")
    return found


def _kind_of(name: str, after: str, before: Sequence[tuple[str, str]]) -> str:
    """Tell a function, a keyword, a constant and a column from each other."""
    if after.startswith("=") and not after.startswith("==") and before[-1:] == [("sign", ",")]:
        return "keyword"
    if _CONTRAST.fullmatch(name):
        return "contrast"
    if after.startswith("("):
        if name not in FUNCTIONS:
            known = ", ".join(one for one in FUNCTIONS if one != "Treatment")
            raise ValueError(f"there is no function {name!r}; expected one of {known}")
        return "function"
    if name in _CONSTANTS and before[-1:] == [("sign", "=")]:
        return "constant"
    return "column"


def _refusal(found: str) -> ValueError:
    if found.startswith("|"):
        return RefusalError(
            "expected no | in a formula",
            python="a random intercept for each group is asked for by within=, such as 'school'",
            command="a random intercept for each group is asked for by --within, such as school",
            desk="a random intercept for each group is asked for in the field “Random intercepts”",
        )
    return ValueError(
        "expected columns, numbers, signs such as + and functions such as I(), found "
        f"{found[:12]!r}"
    )


def _check_sign(sign: str, before: Sequence[tuple[str, str]], depth: int) -> None:
    if depth < 0:
        raise ValueError("expected as many opening brackets as closing ones")
    if depth > _MOST_BRACKETS:
        raise ValueError(f"expected at most {_MOST_BRACKETS} brackets within each other")
    signs = [piece for kind, piece in before[-2:] if kind == "sign" and piece in _SIGNS]
    if sign in _SIGNS and len(signs) == 2:
        raise ValueError(f"expected a column or number, found {' '.join([*signs, sign])!r}")


def _check_order(kind: str, piece: str, before: Sequence[tuple[str, str]]) -> None:
    """Refuse a value right behind another, and so a call of anything but a listed function."""
    if not before:
        return
    last_kind, last = before[-1]
    ends = last_kind not in ("sign", "function", "keyword") or last in ")]"
    starts = kind != "sign" or piece in "(["
    if last_kind == "contrast" and piece == "(":
        return
    if ends and starts:
        raise ValueError(f"expected a sign such as + between {last!r} and {piece!r}")
    if piece == "[" and last != "=":
        raise ValueError("expected brackets [ ] only around a list, such as levels=['b', 'a']")


def _with_aliases(
    pieces: Sequence[tuple[str, str]], dot: Sequence[str]
) -> tuple[str, tuple[Column, ...]]:
    """Write the terms with names of ours for columns; return also what these stand for."""
    columns: dict[Column, str] = {}

    def alias(name: str, *, grouped: bool) -> str:
        return columns.setdefault(Column(name, grouped), f"column_{len(columns)}_")

    written = []
    for place, (kind, piece) in enumerate(pieces):
        if kind == "column":
            grouped = [one for _, one in pieces[max(place - 2, 0) : place]] == ["C", "("]
            written.append(alias(piece, grouped=grouped))
        elif kind == "dot":
            if len(dot) > MOST_TERMS:
                raise ValueError(
                    f"expected a . for at most {MOST_TERMS} columns, found {len(dot)}: name those "
                    "that are meant"
                )
            written.append(f"({' + '.join(alias(name, grouped=False) for name in dot) or '0'})")
        elif kind == "text":
            written.append(repr(piece[1:-1]))
        else:
            written.append("**" if piece == "^" else piece)
    # A function stands right before its bracket: the library cuts at spaces.
    return re.sub(r"(\w) \(", r"\1(", " ".join(written)), tuple(columns)


def _check_terms(tree: Any) -> int:
    """Return to how many terms a tree of the library's comes at most; refuse too many."""
    if not hasattr(tree, "operator"):
        return 1
    parts, symbol = tree.args, tree.operator.symbol
    counts = [_check_terms(part) for part in parts]
    if symbol in _COUNTS:
        count = _COUNTS[symbol](counts)
    elif symbol in ("**", "^"):
        count = _power(tree, counts[0])
    else:
        raise ValueError(f"expected signs of + - : * / ^ in a formula, found {symbol!r}")
    if count > MOST_TERMS:
        raise ValueError(
            f"expected a formula of at most {MOST_TERMS} terms, found up to {count:,}: cross fewer "
            "variables"
        )
    return count


def _power(tree: Any, count: int) -> int:
    base, power = tree.args
    said = str(getattr(power, "token", ""))
    if not re.fullmatch(r"\d{1,2}", said) or not 1 <= int(said) <= _MOST_POWER:
        raise ValueError(f"expected a power from 1 to {_MOST_POWER}, found {said or str(power)!r}")
    if "**" in str(base) or not ALIAS.search(str(base)):
        raise ValueError("expected a power of columns, found one of a number or of another power")
    return int((count + 1) ** int(said))


def _check_factor(expression: str) -> None:
    """Compare what the library will compute with the list, as a tree."""
    if ALIAS.fullmatch(expression) or re.fullmatch(r"\d{1,15}(\.\d{0,15})?", expression):
        return
    check_call(ast.parse(expression, mode="eval").body)
