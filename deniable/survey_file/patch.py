"""Changes of a survey file, of its text and its value together.

A change puts, inserts, removes or moves a value at its place; the rest of the text stays the same,
to the byte. The text is parsed again after each change, and the change is rejected unless the value
is exactly the intended one: an anchor that several places share, for example, can be changed in the
text only.
"""

from __future__ import annotations

import copy
import json
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import delitem, setitem
from typing import Any, Final, TypeAlias

import yaml

from deniable.survey_file.located import Path, composed, parse, value_of

Edits: TypeAlias = list[tuple[int, int, str]]
"""Replacements in a text: start, end and the new characters, by the places of the old text."""

_WIDTH: Final = 88
"""The length of a line above which a text is folded, and a list written line by line."""

_FEW: Final = 3
"""The most keys on one line."""

_NULL: Final = "tag:yaml.org,2002:null"
_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def patched(text: str, changes: Mapping[Path, str | None]) -> str:
    r"""Write keys into a survey file that is valid YAML.

    `changes`: by place, a value as YAML, or None to remove the key with its line.

    >>> text = "survey: s\nepsilon: 2 # not much\nsplit: even # as wide\nquestions: []\n"
    >>> print(patched(text, {("epsilon",): "1", ("split",): None, ("ask",): "1"}))
    survey: s
    epsilon: 1 # not much
    ask: 1
    questions: []
    <BLANKLINE>
    """
    root = composed(text)
    edits: Edits = []
    for place, value in changes.items():
        node, key = _node(root, place[:-1]), str(place[-1])
        if value is not None:
            edits += _put(text, node, place, ((value, ""), (value, "")))
        elif key in _pairs(node):
            edits += _gone(text, node, _place_in(node, key))
    return _apply(text, edits)


def at(value: Any, place: Path) -> Any:
    """Return the value at a place; None if there is none."""
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


class Editable:
    r"""A survey file that can be edited: `text`, and its parsed `value`.

    Parameters
    ----------
    text
        YAML; a `SurveyFileError` if it is invalid.

    Examples
    --------
    >>> text = "survey: s\nquestions:\n  # the first\n  - id: a # short\n    type: single\n"
    >>> print(Editable(text).put(("questions", 0, "text"), "Why: really?").text)
    survey: s
    questions:
      # the first
      - id: a # short
        text: "Why: really?"
        type: single
    <BLANKLINE>
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.value: Any = parse(text, "").value

    def put(self, place: Path, value: Any) -> Editable:
        """Write a value at a place, over the old one or as a new one, with its missing parents."""
        *_, key = place
        above = at(self.value, place[:-1])
        if isinstance(key, int) and key >= len(above or ()):
            empty = [""] * (key - len(above or ()))
            return self.put(place[:-1], [*(above or ()), *empty, value])
        if above is None:
            return self.put(place[:-1], {key: value})
        node = self._node(place[:-1])
        column = _column(self.text, node)
        both = _written(value, column, flow=False), _written(value, column, flow=True)
        edits = _put(self.text, node, place, both)
        return self._change(edits, place[:-1], lambda there: setitem(there, key, value))

    def insert(self, place: Path, value: Any) -> Editable:
        """Insert an element into a list, before the one at this place, or last."""
        if not at(self.value, place[:-1]):
            return self.put(place[:-1], [value])
        text, node, number = self.text, self._node(place[:-1]), int(place[-1])
        slots = _slots(text, node)
        (first, _), (_, end) = slots[0], slots[number - 1]
        start = _line_start(text, first)
        if node.flow_style:
            new, _ = _written(value, 0, flow=True)
            edits = [(end, end, f", {new}") if number else (first, first, f"{new}, ")]
        else:
            new = f"{text[start:first]}- {''.join(_item(value, first - start))}"
            edits = [(end, end, f"\n{new}") if number else (start, start, f"{new}\n")]
        return self._change(edits, place[:-1], lambda there: there.insert(number, value))

    def remove(self, place: Path) -> Editable:
        """Remove a key, or an element, with its lines; comments above it stay.

        A mapping that would become empty is removed as well.
        """
        *_, last = place
        above = at(self.value, place[:-1])
        if at(self.value, place) is None and (not isinstance(above, dict) or last not in above):
            return self
        if len(above) == 1 and place[1:]:
            is_list = isinstance(above, list)
            return self.put(place[:-1], []) if is_list else self.remove(place[:-1])
        node = self._node(place[:-1])
        edits = _gone(self.text, node, _place_in(node, last))
        return self._change(edits, place[:-1], lambda there: delitem(there, last))

    def move(self, place: Path, to: int) -> Editable:
        """Move an element, or a key, to another place beside it; the text between them stays."""
        text, node = self.text, self._node(place[:-1])
        number = _place_in(node, place[-1])
        slots = _slots(text, node)
        order = [*range(len(slots))]
        order.insert(to, order.pop(number))
        edits = [
            (*slot, text[slice(*slots[moved])])
            for at, (slot, moved) in enumerate(zip(slots, order, strict=True))
            if at != moved
        ]

        def change(there: Any) -> None:
            if isinstance(there, list):
                there.insert(to, there.pop(number))
                return
            keys = [*there]
            _arrange(there, {keys[one]: there[keys[one]] for one in order})

        return self._change(edits, place[:-1], change)

    def rename(self, place: Path, key: str) -> Editable:
        """Rename a key."""

        def change(there: dict[str, Any]) -> None:
            _arrange(there, {key if one == place[-1] else one: it for one, it in there.items()})

        old, _ = _pairs(self._node(place[:-1]))[str(place[-1])]
        new, _ = _scalar(key, 0, flow=True)
        edits = [(old.start_mark.index, _end(self.text, old), new)]
        return self._change(edits, place[:-1], change)

    def give_keys(self, place: Path, keys: Sequence[str]) -> Editable:
        """Turn a list into a mapping with these keys; the text between elements stays."""
        *_, last = place
        value = dict(zip(keys, at(self.value, place), strict=True))
        text, node, host = self.text, self._node(place), self._node(place[:-1])
        if node.flow_style or _column(text, node) == _column(text, host):
            return self.put(place, value)
        edits: Edits = []
        for number, (key, one) in enumerate(zip(keys, node.value, strict=True)):
            dash, start = _dash(text, node, number), one.start_mark.index
            is_block = isinstance(one, yaml.MappingNode) and not one.flow_style
            below = "\n" + " " * (start - _line_start(text, start)) if is_block else ""
            name, _ = _scalar(key, 0, flow=True)
            edits.append((dash, start if is_block else dash + 1, f"{name}:{below}"))
        return self._change(edits, place[:-1], lambda there: setitem(there, last, value))

    def _node(self, place: Path) -> Any:
        return _node(composed(self.text), place)

    def _change(self, edits: Edits, above: Path, change: Callable[[Any], None]) -> Editable:
        """Make edits, and reject them unless the file then has the intended value."""
        meant = copy.deepcopy(self.value)
        change(at(meant, above))
        made = _apply(self.text, edits)
        found = value_of(made)
        if found != meant:
            raise ValueError("this part of the file can be changed in its text only")
        self.text, self.value = made, found
        return self


def comments(text: str) -> list[str]:
    r"""Return the comments of a text, with their marks.

    >>> comments("a: 1 # one\n# two\nb: >- # three\n  # none\n")
    ['# one', '# two', '# three']
    """
    found: list[str] = []
    end = 0
    with suppress(yaml.YAMLError):
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            start = token.start_mark.index
            if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
                start = text.find("\n", start)
            found += re.findall("#.*", text[end:start])
            end = max(end, token.end_mark.index)
    return found


def _arrange(there: dict[str, Any], keys: dict[str, Any]) -> None:
    there.clear()
    there.update(keys)


def _apply(text: str, edits: Edits) -> str:
    """Make edits in a text; two insertions at one place keep their order."""
    newline = "\r\n" if "\r\n" in text else "\n"
    numbered = [(start, end, number) for number, (start, end, _) in enumerate(edits)]
    for start, end, number in sorted(numbered, reverse=True):
        new = edits[number][2].replace("\r\n", "\n").replace("\n", newline)
        text = text[:start] + new + text[end:]
    return text


def _put(text: str, node: Any, place: Path, values: tuple[tuple[str, str], ...]) -> Edits:
    """Write a value, as `_written` has it in block style and in flow style, at its place."""
    block, flow = values
    *_, key = place
    pairs = _pairs(node)
    if isinstance(node, yaml.SequenceNode) or key in pairs:
        old = node.value[key] if isinstance(key, int) else pairs[str(key)][1]
        return _replaced(text, node, old, flow if node.flow_style else block)
    if node.flow_style:
        at = _end(text, node.value[-1][1]) if node.value else node.start_mark.index + 1
        return [(at, at, f"{', ' if node.value else ' '}{key}: {flow[0]}")]
    first, rest = block
    line = f"{key}:{' ' if first else ''}{first}{rest}"
    order = _order(place)
    before = {*order[: order.index(str(key))]} if key in order else {*pairs}
    above = next((value for one, value in reversed([*node.value]) if one.value in before), None)
    indent = " " * _column(text, node)
    if above is not None:
        at = _line_end(text, above)
        return [(at, at, f"\n{indent}{line}")]
    at = node.value[0][0].start_mark.index
    return [(at, at, f"{line}\n{indent}")]


def _replaced(text: str, node: Any, old: Any, value: tuple[str, str]) -> Edits:
    """Write a value over another one; a comment after it keeps its place."""
    first, rest = value
    start, end = old.start_mark.index, _end(text, old)
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        # From after the colon, so that the rest of its line and a comment there stay.
        key = next(one for one, it in node.value if it is old)
        colon = text.index(":", _end(text, key)) + 1
        is_below = "\n" in text[colon:start]
        first = f" {first}" if first else ""
        if not is_below:
            at = _line_end(text, old) if rest else end
            return [(colon, end, first), (at, at, rest)]
        at = re.compile(r"\r?\n").search(text, colon).start()  # type: ignore[union-attr]
        return [(colon, colon, first), (at, _line_end(text, old) if rest else end, rest)]
    at = _line_end(text, old) if rest else end
    return [(start, end, first), (at, at, rest)]


def _gone(text: str, node: Any, number: int) -> Edits:
    """Remove a key or an element that is not the only one."""
    starts, ends = zip(*_slots(text, node), strict=True)
    start = starts[number]
    if node.flow_style:
        if number:
            return [(ends[number - 1], ends[number], "")]
        return [(start, starts[1], "")]
    if text[_line_start(text, start) : start].strip(" "):
        # It comes after a dash, which stays for the keys below.
        end = _end(text, node.value[number][1])
        return [(start if text[end] in " " else len(text[:start].rstrip()), end, "")]
    return _lines_out(text, _line_start(text, start), ends[number])


def _slots(text: str, node: Any) -> list[tuple[int, int]]:
    """Return the start and end of each key or element; in block style, of its whole lines."""
    end = _end if node.flow_style else _line_end
    if isinstance(node, yaml.MappingNode):
        return [(key.start_mark.index, end(text, one)) for key, one in node.value]
    return [
        (one.start_mark.index if node.flow_style else _dash(text, node, number), end(text, one))
        for number, one in enumerate(node.value)
    ]


def _place_in(node: Any, step: str | int) -> int:
    return step if isinstance(step, int) else [*_pairs(node)].index(step)


def _lines_out(text: str, start: int, end: int) -> Edits:
    """Remove whole lines, with the line end after them, or before them at the end of the text."""
    below = re.compile(r"\r?\n").match(text, end)
    if below:
        return [(start, below.end(), "")]
    return [(len(text[:start].removesuffix("\n").removesuffix("\r")), end, "")]


def _order(place: Path) -> list[str]:
    """Return the order of keys at a place in the schema; empty where it has none."""
    from deniable.survey_file.schema import (  # noqa: PLC0415  loads pydantic, slow for `--help`
        QuestionFields,
        SurveyFields,
    )

    if len(place) == 1:
        return [*SurveyFields.model_fields]
    is_question = len(place) == len(("questions", 0, "")) and place[0] == "questions"
    return [*QuestionFields.model_fields] if is_question else []


def _written(value: Any, column: int, *, flow: bool) -> tuple[str, str]:
    """Write a value for a key at a column: the rest of the key's line, and the lines below."""
    if isinstance(value, str):
        return _scalar(value, column, flow=flow)
    short = _in_flow(value)
    is_few = isinstance(value, list) or len(value) <= _FEW
    if flow or (is_few and column + len(short) < _WIDTH and "\n" not in short):
        return short, ""
    lines = []
    for key, one in value.items() if isinstance(value, dict) else ((None, one) for one in value):
        inner = " " * (column + 2)
        if key is None:
            first, rest = _item(one, column + 2)
            lines.append(f"\n{inner}- {first}{rest}")
        else:
            first, rest = _written(one, column + 2, flow=False)
            name, _ = _scalar(str(key), 0, flow=True)
            lines.append(f"\n{inner}{name}:{' ' if first else ''}{first}{rest}")
    return "", "".join(lines)


def _item(value: Any, column: int) -> tuple[str, str]:
    """Write an element of a list with dashes at a column: the text after its dash, and the rest."""
    first, rest = _written(value, column, flow=False)
    if first:
        return first, rest
    first, newline, rest = rest.lstrip("\n ").partition("\n")
    return first, newline + rest


def _in_flow(value: Any) -> str:
    if isinstance(value, str):
        return _scalar(value, 0, flow=True)[0]
    if isinstance(value, list):
        return f"[{', '.join(map(_in_flow, value))}]"
    pairs = (f"{_in_flow(str(key))}: {_in_flow(one)}" for key, one in value.items())
    return f"{{ {', '.join(pairs)} }}" if value else "{}"


def _scalar(value: str, column: int, *, flow: bool) -> tuple[str, str]:
    """Write a text: plain if YAML then reads the same text, folded if it is long, else quoted."""
    is_short = flow or (column + len(value) < _WIDTH and "\n" not in value)
    probes = ("[{}]", "{{k: {}}}") if flow else ("k: {}",)
    if is_short and all(_reads(probe.format(value), value) for probe in probes):
        return value, ""
    if not is_short:
        indent = "\n" + " " * (column + 2)
        paragraphs = (
            textwrap.wrap(
                one, max(_WIDTH - column, 1), break_long_words=False, break_on_hyphens=False
            )
            for one in value.split("\n")
        )
        folded = "\n".join("".join(indent + line for line in one) for one in paragraphs)
        if _reads(f"{' ' * column}k: >-{folded}", value):
            return ">-", folded
    quoted = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda one: f"\\u{ord(one[0]):04x}", quoted), ""


def _reads(probe: str, value: str) -> bool:
    """Return whether a piece of YAML with one value has this text as its value."""
    try:
        # Stricter than libyaml: what it reads, every other reader of YAML reads too.
        root: Any = yaml.compose(probe, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return False
    node: Any = root.value[0] if len(root.value) == 1 else None
    node = node[1] if isinstance(node, tuple) else node
    is_text = isinstance(node, yaml.ScalarNode) and node.tag != _NULL
    return is_text and node.value == value and node.style in (None, ">")


def _node(node: Any, place: Sequence[str | int]) -> Any:
    for step in place:
        node = node.value[step] if isinstance(step, int) else _pairs(node)[step][1]
    return node


def _pairs(node: Any) -> dict[str, tuple[Any, Any]]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {str(key.value): (key, value) for key, value in node.value}


def _column(text: str, node: Any) -> int:
    """Return the column of a block's keys, or of the dashes of a list."""
    if isinstance(node, yaml.SequenceNode):
        at = node.start_mark.index if node.flow_style else _dash(text, node, 0)
    else:
        at = node.value[0][0].start_mark.index if node.value else node.start_mark.index
    return at - _line_start(text, at)


def _dash(text: str, node: Any, at: int) -> int:
    """Return the place of an element's dash in the text."""
    start = node.start_mark.index
    if at == 0 and text[start] == "-":
        return int(start)
    if at:
        start = _line_end(text, node.value[at - 1])
    found = re.compile(r"^[ ]*-(?=\s)", re.MULTILINE).search(text, start)
    if found is None:
        raise ValueError("this list can be changed in the text only")
    return found.end() - 1


def _end(text: str, node: Any) -> int:
    """Return the end of a value, without the comments and blank lines that the parser adds."""
    end = int(node.end_mark.index)
    if isinstance(node, yaml.ScalarNode):
        return len(text[:end].rstrip()) if node.style in ("|", ">") else end
    if node.flow_style or not node.value:
        return end
    last = node.value[-1]
    return _end(text, last[1] if isinstance(last, tuple) else last)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, node: Any) -> int:
    found = re.compile(r"\r?\n|\Z").search(text, _end(text, node))
    assert found is not None  # noqa: S101  for the type checker: every text ends
    return found.start()
