"""YAML that remembers the place of each value, so that mistakes have a line and a column.

Scalars stay text: ``No`` is an answer, not a boolean, and ``1/3`` and ``0.1`` keep their exact
value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import yaml
from yaml.composer import Composer

from deniable.text.safety import AS_UTF8, check_plain

Path: TypeAlias = tuple[str | int, ...]
"""The path to a value: the keys and positions on the way."""

MAX_CHARACTERS: Final = 1_000_000
MAX_VALUES: Final = 50_000
"""More values than any survey has. A few nested aliases could stand for billions."""

MAX_DEPTH: Final = 50
"""More levels of nested lists and keys than any survey has."""

_MOST_LINES: Final = 10
"""The most lines that a message names one by one."""

_NULL: Final = "tag:yaml.org,2002:null"
_MERGE: Final = "tag:yaml.org,2002:merge"


@dataclass(eq=False)
class Wrong(ValueError):
    """A mistake at a path, before its line is known: `Document.mistake` finds it.

    `path`: the path of the value, also of a missing one. `at_key`: whether the mistake is in the
    key rather than the value. `is_note`: whether it is only a warning. `beside`: the paths of other
    values, whose lines the message ends with.
    """

    path: Path
    message: str
    at_key: bool = False
    is_note: bool = False
    beside: Sequence[Path] = ()

    def below(self, *keys: str | int) -> Wrong:
        """Return the mistake with its path below these keys."""
        return replace(self, path=(*keys, *self.path))


@dataclass(frozen=True, order=True)
class Mistake:
    """A mistake in a survey file; lines and columns count from 1.

    `place`: the path of the value, also of a missing one.
    """

    line: int
    column: int
    message: str
    place: Path = field(default=(), compare=False, repr=False)


class SurveyFileError(ValueError):
    """All mistakes of a survey file, in the order of the file; `source` is its name."""

    def __init__(self, source: str, mistakes: Iterable[Mistake]) -> None:
        self.source = source
        # A mistake that several languages share is listed once.
        self.mistakes = tuple(sorted({*mistakes}))
        super().__init__(
            "\n".join(
                f"{source}:{mistake.line}:{mistake.column}: {mistake.message}"
                for mistake in self.mistakes
            )
        )


@dataclass
class Document:
    """A YAML text as str, None, list and dict, with the place of each value and key."""

    value: Any = None
    mistakes: list[Mistake] = field(default_factory=list)
    values: dict[Path, yaml.Mark] = field(default_factory=dict)
    keys: dict[Path, yaml.Mark] = field(default_factory=dict)

    def complain(self, mark: yaml.Mark, message: str) -> None:
        """Add a mistake in the YAML itself."""
        self.mistakes.append(Mistake(mark.line + 1, mark.column + 1, message))

    def mistake(self, wrong: Wrong) -> Mistake:
        r"""Return a mistake with its line and column, or those of the nearest value above it.

        >>> document = parse("waves:\n  count: 1", "example.yaml")
        >>> document.mistake(Wrong(("waves", "count"), "expected 2 or more, found 1"))
        Mistake(line=2, column=10, message='expected 2 or more, found 1')
        """
        path = wrong.path
        while path not in self.values:
            path = path[:-1]
        value = self.values[path]
        mark = self.keys.get(path, value) if wrong.at_key else value
        lines = sorted({int(self.values[one].line) + 1 for one in wrong.beside})
        message = f"{wrong.message} {_lines_in_words(lines)}" if lines else wrong.message
        return Mistake(mark.line + 1, mark.column + 1, message, wrong.path)


def _lines_in_words(lines: Sequence[int]) -> str:
    named = ", ".join(map(str, lines[:_MOST_LINES]))
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"line{'s' * (len(lines) > 1)} {named}{more}"


def decoded(content: bytes, source: str) -> str:
    """Decode a file as UTF-8, with or without the byte-order mark of editors on Windows."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        lines = content[: error.start].split(b"\n")
        found = f"expected UTF-8, found the byte 0x{content[error.start]:02x}: {AS_UTF8}"
        mistake = Mistake(len(lines), len(lines[-1]) + 1, found)
        raise SurveyFileError(source, [mistake]) from None


def parse(text: str, source: str, what: str = "a survey") -> Document:
    """Parse YAML, or raise a `SurveyFileError`; errors call it `what` in the file `source`."""
    if len(text) > MAX_CHARACTERS:
        found = f"expected at most {MAX_CHARACTERS:,} characters, found {len(text):,}"
        raise SurveyFileError(source, [Mistake(1, 1, found)])
    try:
        root = composed(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if mark and error.context_mark and mark.index >= len(text.rstrip()):
            # What is not closed began there.
            mark = error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        said = ", ".join(part for part in (error.problem, error.context) if part)
        if mark and text[mark.index : mark.index + 1] == "\t":
            said = "expected spaces, found a tab"
        hint = "; a text with a colon needs quotes" if "mapping values" in said else ""
        raise SurveyFileError(source, [Mistake(line, column, f"not YAML: {said}{hint}")]) from None
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise SurveyFileError(source, [Mistake(1, 1, f"not YAML: {error}")]) from None
    if root is None:
        raise SurveyFileError(source, [Mistake(1, 1, f"expected {what}, found an empty file")])
    document = Document()
    try:
        document.value = _build(document, root, ())
    except ValueError as found:
        raise SurveyFileError(source, [Mistake(1, 1, str(found))]) from None
    return document


def value_of(text: str) -> Any:
    """Return the value of a YAML text; None if it has none."""
    try:
        return parse(text, "").value
    except SurveyFileError:
        return None


def composed(text: str) -> yaml.Node | None:
    """Compose a YAML text to nodes with marks, or raise a `yaml.YAMLError`."""
    return yaml.compose(text, Loader=_Loader)


class _Loader(Composer, yaml.CSafeLoader):
    """A loader that rejects too deeply nested values: libyaml's composer recurses into any."""

    def __init__(self, stream: str) -> None:
        yaml.CSafeLoader.__init__(self, stream)
        Composer.__init__(self)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a node with its children."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            event: Any = self.peek_event()
            problem = f"expected at most {MAX_DEPTH} levels of nested values"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _build(document: Document, node: yaml.Node, path: Path) -> Any:
    """Convert a node to plain values, and record the place of each."""
    # An alias may stand for a value that contains it.
    if len(document.values) >= MAX_VALUES or len(path) > MAX_DEPTH:
        raise ValueError(f"expected at most {MAX_VALUES:,} values, counting what aliases stand for")
    document.values[path] = node.start_mark
    _check_plain(document, node)
    if isinstance(node, yaml.SequenceNode):
        return [_build(document, child, (*path, place)) for place, child in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            _check_plain(document, key_node)
            if key_node.tag == _MERGE or not isinstance(key_node, yaml.ScalarNode):
                document.complain(key_node.start_mark, "expected a plain word as key")
                continue
            key = str(key_node.value)
            if key in mapping:
                first = document.keys[*path, key].line + 1
                message = f"the key {key!r} is used twice: it is already on line {first}"
                document.complain(key_node.start_mark, message)
                continue
            document.keys[*path, key] = key_node.start_mark
            mapping[key] = _build(document, value_node, (*path, key))
        return mapping
    return None if node.tag == _NULL else str(node.value)


def _check_plain(document: Document, node: yaml.Node) -> None:
    try:
        if isinstance(node, yaml.ScalarNode):
            check_plain(str(node.value), lines=True)
    except ValueError as found:
        document.complain(node.start_mark, str(found))
