"""Keys and edits of a survey file: what they change, and that nothing else does."""

import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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


@dataclass
class File:
    """Lines, each with the place that it belongs to; comments belong to what they stand in."""

    chance: Chance
    lines: list[tuple[Path, str]] = field(default_factory=list)

    def add(self, place: Path, line: str) -> None:
        self.lines.append((place, line))

    def remark(self, place: Path, indent: int) -> None:
        for line in self.chance.choice(
            [[], [], [], ["# " + word(self.chance)], [""], ["", "#- x"]]
        ):
            self.add(place, " " * indent * bool(line) + line)

    def behind(self) -> str:
        return self.chance.choice(["", "", "  # - note: {" + word(self.chance), " #"])


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


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def scalar(file: File, place: Path, before: str, indent: int) -> None:
    """Write a text behind a key or a dash: quoted, folded, or plain over two lines."""
    kind = file.chance.choice(["quoted", "folded", "literal", "plain", "wide"])
    inner = " " * (indent + 2)
    if kind == "quoted":
        file.add(place, f"{before} {quoted(word(file.chance))}{file.behind()}")
    elif kind == "plain":
        file.add(place, f"{before} plain words{file.behind()}")
    elif kind == "wide":
        file.add(place, f"{before} on two")
        file.add(place, f"{inner}lines{file.behind()}")
    else:
        file.add(place, f"{before} {'>-' if kind == 'folded' else '|-'}{file.behind()}")
        file.add(place, inner + "a # b")
        file.add(place, inner + "c")


def texts_by_language(file: File, place: Path, before: str, indent: int) -> None:
    if file.chance.random() < 0.5:
        file.add(place, f"{before} {{ en: {quoted(word(file.chance))}, de: x }}{file.behind()}")
        return
    file.add(place, before + file.behind())
    for key in ("en", "de"):
        scalar(file, (*place, key), f"{' ' * (indent + 2)}{key}:", indent + 2)


def answers(file: File, place: Path, indent: int) -> None:
    before = f"{' ' * indent}answers:"
    if file.chance.random() < 0.4:
        file.add(place, f"{before} [No, {quoted(word(file.chance))}, c]{file.behind()}")
        return
    file.add(place, before + file.behind())
    inner = indent + file.chance.choice([0, 2])
    for at in range(file.chance.randint(2, 4)):
        scalar(file, (*place, at), " " * inner + "-", inner)
        file.remark(place, inner)


def generated(chance: Chance) -> File:
    """Write a file of several questions, some of them between braces."""
    file = File(chance)
    file.remark((), 0)
    file.add(("version",), "version: 1" + file.behind())
    texts_by_language(file, ("title",), "title:", 0)
    scalar(file, ("introduction",), "introduction:", 0)
    file.remark((), 0)
    file.add(("epsilon",), "epsilon: 2" + file.behind())
    file.add(("together",), "together: [[a, b], [c, d]]" + file.behind())
    file.add(("questions",), "questions:" + file.behind())
    for at in range(chance.randint(2, 4)):
        file.remark(("questions",), 2)
        question: Path = ("questions", at)
        if chance.random() < 0.25:
            file.add(question, f"  - {{ id: q{at}, text: T, answers: [No, Yes] }}{file.behind()}")
            continue
        file.add((*question, "id"), f"  - id: q{at}{file.behind()}")
        file.remark(question, 4)
        texts_by_language(file, (*question, "text"), "    text:", 4)
        answers(file, (*question, "answers"), 4)
        file.remark(question, 4)
        file.add((*question, "flip"), "    flip: 1/4" + file.behind())
    return file


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


@pytest.mark.parametrize("seed", first_of(range(10), 3))
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_edit_keeps_every_other_line(seed: int, newline: str) -> None:
    chance = Chance(f"{seed} {newline}")
    for _ in range(12):
        file = generated(chance)
        text = newline.join(line for _, line in file.lines) + newline * chance.randint(0, 1)
        value = read_plain(text)
        kind, place, new = drawn_edit(chance, value)
        told = f"{kind} {place} {new!r} in\n{text}"
        made = edited(kind, text, place, new)
        assert read_plain(made) == value, told
        assert kind != "move" or str(read_plain(made)) == str(value), told
        after = made.split(newline)
        assert "\r" not in "".join(after), told
        old = [line for _, line in file.lines]
        if kind in ("add", "insert") and in_order(old, after):
            continue  # new lines alone
        # Other places keep their lines, in their order.
        own = place if kind in ("put", "remove", "rename") else place[:-1]
        # Between braces and brackets, a value stands on the line of what it is in.
        while not any(owner[: len(own)] == own for owner, _ in file.lines):
            own = own[:-1]
        is_moved = kind == "move" and any(owner[:-1] == own for owner, _ in file.lines)
        keeps = [
            line
            for owner, line in file.lines
            if owner[: len(own)] != own or (is_moved and owner == own)
        ]
        assert in_order(keeps, after), told
        if is_moved:
            assert sorted(made) == sorted(text), told


def test_shared_places_are_left_to_the_writer() -> None:
    text = "version: 1\ntitle: &t A\nintroduction: *t\n"
    with pytest.raises(ValueError, match="in its text only"):
        Editable(text).put(("introduction",), "B")


def test_a_wrong_edit_is_never_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch, "_apply", lambda text, _: text)
    with pytest.raises(ValueError, match="in its text only"):
        Editable("title: A\n").put(("title",), "B")
