"""Changes of a few keys in the text of a survey file; every other byte stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import yaml

from deniable.survey_file.located import Path

_AFTER: Final = ("epsilon", "type")
"""Below one of these a new key is written; in a survey without an epsilon, above its questions."""


def patched(text: str, changes: Mapping[Path, str | None]) -> str:
    r"""Write keys into a survey file that can be read.

    `changes`: by place, a value as YAML, or None for a key that goes, with its line.

    Examples
    --------
    >>> text = "survey: s\nepsilon: 2 # not much\nsplit: even # as wide\nquestions: []\n"
    >>> print(patched(text, {("epsilon",): "1", ("split",): None, ("ask",): "1"}))
    survey: s
    epsilon: 1 # not much
    ask: 1
    questions: []
    <BLANKLINE>
    """
    root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    edits = []
    for place, ((*above, key), value) in enumerate(changes.items()):
        node = root
        for step in above:
            node = node.value[step] if isinstance(step, int) else _pairs(node)[step][1]
        if value is not None:
            start, end, new = _written(text, node, str(key), value)
        elif key in _pairs(node):
            start, end, new = (*_line_of(text, node, str(key)), "")
        else:
            continue
        edits.append((start, end, place, new))
    for start, end, _, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _written(text: str, node: Any, key: str, value: str) -> tuple[int, int, str]:
    """Return between which characters a key is written, and how."""
    pairs = _pairs(node)
    if key in pairs:
        _, old = pairs[key]
        return old.start_mark.index, _end(old), value
    if node.flow_style:
        at = _end(node.value[-1][1])
        return at, at, f", {key}: {value}"
    newline = "\r\n" if "\r\n" in text else "\n"
    above = next((pairs[one] for one in _AFTER if one in pairs), None)
    if above is None:
        at = _line_start(text, pairs["questions"][0])
        return at, at, f"{key}: {value}{newline}"
    at = _line_break(text, above[1]).start()
    return at, at, f"{newline}{' ' * above[0].start_mark.column}{key}: {value}"


def _line_of(text: str, node: Any, key: str) -> tuple[int, int]:
    """Return which characters go with a key."""
    first, last = _pairs(node)[key]
    if not node.flow_style:
        return _line_start(text, first), _line_break(text, last).end()
    place = [one.value for one, _ in node.value].index(key)
    if place:
        return _end(node.value[place - 1][1]), _end(last)
    return first.start_mark.index, node.value[1][0].start_mark.index


def _pairs(node: Any) -> dict[str, tuple[Any, Any]]:
    return {key.value: (key, value) for key, value in node.value}


def _end(node: Any) -> int:
    """Return where a value ends: the parser counts a block's comments and empty lines to it."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)


def _line_start(text: str, node: Any) -> int:
    return text.rfind("\n", 0, node.start_mark.index) + 1


def _line_break(text: str, node: Any) -> re.Match[str]:
    """Find the end of the line on which a value ends."""
    found = re.compile(r"\r?\n|\Z").search(text, _end(node))
    assert found is not None  # noqa: S101  for the type checker: every text ends
    return found
