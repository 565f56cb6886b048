"""Keys and edits of a survey file: what they change, and that nothing else does."""

import random
import string
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from deniable.survey_file import patch, read
from deniable.survey_file.located import Path
from deniable.survey_file.patch import Editable, patched
from tests.kit import first_of
from tests.kit.surveys import EXAMPLES

BLOCK = """\
# first
version: 1
survey: s
title: T
epsilon: 2   # agreed
chances: # of what is drawn
  a: 2

  b: 3 # more often
# about the split
split: even # wide
ask: 1
questions:
  - id: a
    text: >-
      Folded
      text
    type: single # one
    answers: [No, Yes]
    # of b
  - { id: b, text: B, type: single, answers: [No, Yes], flip: 1/4 }
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({("epsilon",): "1.5"}, "epsilon: 2 ", "epsilon: 1.5 "),
        ({("split",): None}, "split: even # wide\n", ""),
        (
            {("chances",): None},
            "chances: # of what is drawn\n  a: 2\n\n  b: 3 # more often\n",
            "",
        ),
        (
            {("chances",): "{ a: 9 }"},
            "chances: # of what is drawn\n  a: 2\n\n  b: 3",
            "chances: { a: 9 } # of what is drawn",
        ),
        ({("together",): "[a, b]"}, "ask: 1\n", "ask: 1\ntogether: [a, b]\n"),
        ({("questions", 0, "family"): "best"}, "    # of b", "    family: best\n    # of b"),
        ({("questions", 1, "flip"): None}, ", flip: 1/4", ""),
        ({("questions", 1, "family"): "best"}, "1/4 }", "1/4, family: best }"),
        ({("comprehension",): None}, "", ""),
    ],
)
def test_only_what_is_named_changes(
    changes: dict[Path, str | None], old: str, new: str, newline: str
) -> None:
    text, old, new = (one.replace("\n", newline) for one in (BLOCK, old, new))
    assert old in text
    assert patched(text, changes) == text.replace(old, new, 1)


def test_a_new_key_stands_as_in_the_schema() -> None:
    text = BLOCK.replace("epsilon: 2   # agreed\n", "")
    made = patched(text, {("epsilon",): "1"})
    assert made == text.replace("title: T\n", "title: T\nepsilon: 1\n")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_keeps_its_other_lines(path: object) -> None:
    text = (EXAMPLES / str(path)).read_text(encoding="utf-8")
    changes: dict[Path, str | None] = {("epsilon",): "7", ("ask",): None, ("split",): None}
    made = patched(text, changes)
    assert read(made).survey.epsilon == 7
    keys = ("epsilon:", "ask:", "split:")
    before, after = (
        [line for line in one.split("\n") if not line.startswith(keys)] for one in (text, made)
    )
    assert after == before


Chance = random.Random


def word(chance: Chance) -> str:
    letters = string.ascii_letters + "äé ,:'#\"-?!&*{}[]|>%@`0"
    return "".join(chance.choices(letters, k=chance.randint(1, 12))).strip() or "x"


def texts(chance: Chance) -> str:
    """Draw a text as somebody may type it: with signs of YAML, long ones, paragraphs."""
    some = [
        "No",
        "yes",
        "null",
        "~",
        "1/4",
        "5.000",
        "- a",
        "a: b",
        "# no",
        " x ",
        "",
        "\u2028",
        "é\n\nb",
    ]
    long = " ".join(word(chance) for _ in range(30))
    return chance.choice(
        [word(chance), word(chance), *some, long, "Why?\nBecause.", long + "\n" + long]
    )


def places(value: Any, above: Path = ()) -> Iterator[Path]:
    for step, one in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield (*above, step)
        yield from places(one, (*above, step))


def read_plain(text: str) -> Any:
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  every scalar stays a text


def drawn_edit(chance: Chance, value: Any) -> tuple[str, Path, Any]:
    place = chance.choice([*places(value)])
    above = value
    for step in place[:-1]:
        above = above[step]
    last: Any = place[-1]
    new: Any = chance.choice(
        [texts(chance), {"en": texts(chance), "de": texts(chance)}, [texts(chance)]]
    )
    kinds = ["put", "put", "add"] + ["remove"] * (len(above) > 1)
    kind = chance.choice([*kinds, "move", "insert" if isinstance(above, list) else "rename"])
    if kind == "put":
        above[last] = new
    elif kind == "add":
        host = above if isinstance(above, dict) else value
        place = (*(place[:-1] if host is above else ()), chance.choice(["hint", "order", "zz"]))
        host[place[-1]] = new
    elif kind == "remove":
        del above[last]
    elif kind == "insert":
        last = chance.randint(0, len(above))
        place = (*place[:-1], last)
        new = chance.choice(
            [new, {"id": "n", "text": texts(chance), "answers": ["a", texts(chance)]}]
        )
        above.insert(last, new)
    elif kind == "move":
        new = chance.randrange(len(above))
        if isinstance(above, list):
            above.insert(new, above.pop(last))
        else:
            keys = [one for one in above if one != last]
            keys.insert(new, last)
            moved = {one: above[one] for one in keys}
            above.clear()
            above.update(moved)
    else:
        new = "renamed"
        renamed = {new if one == last else one: inner for one, inner in above.items()}
        above.clear()
        above.update(renamed)
    return kind, place, new


def edited(kind: str, text: str, place: Path, new: Any) -> str:
    file = Editable(text)
    if kind == "remove":
        return file.remove(place).text
    known: dict[str, Callable[[Path, Any], Editable]] = {
        "insert": file.insert,
        "move": file.move,
        "rename": file.rename,
    }
    return known.get(kind, file.put)(place, new).text


def in_order(few: list[str], many: list[str]) -> bool:
    rest = iter(many)
    return all(line in rest for line in few)


ODD = """\
version: 1 #
title:  # - note: {x
  en: 'It''s: #1'
  de: on two
    lines  # of it

#- x
introduction: |-  # as it is
  a # b
  c
epsilon: 2
together: [[a, b], [c, d]]
questions: #
  # the first
  - id: q0
    # of the text
    text: { en: 'a: b', de: x }
    answers:
    - No

    - >-
      a # b
      c
    #- x
    - 'c, d'
    flip: 1/4
  - { id: q1, text: T, answers: [No, Yes] } # between braces
  - id: q2
    text:
      en: plain words
      de: |-
        a # b
        c
    answers: [No, '%@`', c]  # a list

    flip: 1/4 # the last"""


def extent(text: str, place: Path) -> tuple[range, Any]:
    """Return the lines of a value and its key, without comments that follow, and its node."""
    node: Any = yaml.compose(text, Loader=yaml.BaseLoader)
    first, lines = 0, text.split("\n")
    for step in place:
        if isinstance(node, yaml.MappingNode):
            key, node = next(pair for pair in node.value if pair[0].value == step)
            first = key.start_mark.line
        else:
            node = node.value[step]
            first = node.start_mark.line
    end = node.end_mark
    last = end.line if lines[end.line][: end.column].strip() else end.line - 1
    while lines[last].strip()[:1] in ("", "#"):
        last -= 1
    return range(first, last + 1), node


@pytest.mark.parametrize("seed", first_of(range(10), 2))
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_edit_keeps_every_other_line(seed: int, newline: str) -> None:
    chance = Chance(f"{seed} {newline}")
    examples = [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.yaml"))]
    for _ in range(40):
        text = chance.choice([ODD, f"{ODD}\n", BLOCK, chance.choice(examples)])
        value = read_plain(text)
        kind, place, new = drawn_edit(chance, value)
        made = edited(kind, text.replace("\n", newline), place, new)
        told = f"{kind} {place} {new!r} in\n{text}"
        assert read_plain(made) == value, told
        assert kind != "move" or str(read_plain(made)) == str(value), told
        before, after = text.split("\n"), made.split(newline)
        assert "\r" not in "".join(after), told
        if kind in ("add", "insert") and in_order(before, after):
            continue  # new lines alone
        own = place if kind in ("put", "remove", "rename") else place[:-1]
        changed, node = extent(text, own)
        keeps = [line for at, line in enumerate(before) if at not in changed]
        assert in_order(keeps, after), told
        if kind == "move" and not node.flow_style:
            assert sorted("".join(before)) == sorted("".join(after)), told


def test_shared_places_are_left_to_the_writer() -> None:
    text = "version: 1\ntitle: &t A\nintroduction: *t\n"
    with pytest.raises(ValueError, match="in its text only"):
        Editable(text).put(("introduction",), "B")


def test_a_wrong_edit_is_never_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch, "_apply", lambda text, _: text)
    with pytest.raises(ValueError, match="in its text only"):
        Editable("title: A\n").put(("title",), "B")
