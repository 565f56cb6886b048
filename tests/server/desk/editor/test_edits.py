"""Edits of the form beside the same edits of the document, and what the text keeps of them.

The document is read by PyYAML's loader of plain texts and changed as a dict, which the code under
test does not do.
"""

import re
from typing import Any, Final

import pytest
import yaml
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from deniable.server.desk.editor.edits import edited
from deniable.server.desk.editor.form import form_of
from deniable.server.desk.editor.lint import check, failure
from deniable.server.desk.editor.starters import examples
from deniable.survey_file import read
from deniable.survey_file.patch import comments
from deniable.survey_file.rules import codes
from deniable.text.languages import LANGUAGES

pytestmark = pytest.mark.promise("drafts")

WORDS: Final = ["No, never", "I don’t know: both", "Sì", "- a", "yes", "1/3", "Long " * 30, "C++"]


def read_plain(text: str) -> Any:
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  every scalar stays a text


def commented(text: str) -> str:
    """Give each key of a survey and of its questions a comment that says where it belongs."""
    made, at = [], ""
    for line in text.split("\n"):
        bare = line.split(" #")[0].rstrip()
        if line.startswith("  - "):
            at = bare.partition("id: ")[2].strip(" ,}").partition(",")[0]
            made.append(f"  # above {at}")
        key = re.fullmatch(r"(?:    |  - )(\w+): [\w./]+", bare)
        if re.match(r"\w+:", line):
            at = ""
            made.append(f"# {bare.partition(':')[0]}")
        made.append(f"{bare}  # {at}.{key[1]}" if key and at else line)
    return "\n".join(made)


def in_first(said: Any, main: str) -> str:
    return str(said.get(main, "")) if isinstance(said, dict) else str(said)


def listed(value: Any, main: str) -> dict[str, Any]:
    """Return answers or rows by their codes, which are written or follow from the words."""
    if isinstance(value, dict):
        return dict(value)
    return dict(zip(codes([in_first(one, main) for one in value]), value, strict=True))


def told(value: Any, main: str) -> Any:
    """Return a document with its answers and rows by their codes, in their order."""
    questions = [
        {k: [*listed(v, main).items()] if k in ("answers", "rows") else v for k, v in one.items()}
        for one in value["questions"]
    ]
    return value | {"questions": questions}


def set_text(old: Any, said: str, main: str) -> Any:
    lines = "\n".join(line.strip() for line in said.split("\n") if line.strip())
    return {**old, main: lines} if isinstance(old, dict) and {*old} <= {*LANGUAGES} else lines


class Beside:
    """A text and a document, to which the same is done."""

    def __init__(self, name: str) -> None:
        self.text = commented(examples()[name])
        self.own = {*comments(self.text)} - {*comments(examples()[name])}
        self.value = read_plain(self.text)
        self.known = failure("") | {"base": self.text, "published": True}
        self.main = (self.value.get("languages") or ["en"])[0]
        self.may_go: set[str] = set()

    def edit(self, **edit: Any) -> None:
        before = comments(self.text)
        self.text = edited(self.text, edit, self.known)
        lost = self.own & {*before} - {*comments(self.text)}
        assert all(one.startswith(tuple(self.may_go)) for one in lost), (edit, lost)
        self.may_go = set()
        self.known["base"] = self.text
        assert told(read_plain(self.text), self.main) == told(self.value, self.main), edit

    def draw(self, data: st.DataObject) -> None:
        """Make one edit of the text, and the same of the document."""
        kinds = {self.words: 3, self.choices: 4, self.moved: 2, self.copied: 1, self.removed: 1}
        data.draw(st.sampled_from([one for one, times in kinds.items() for _ in range(times)]))(
            data
        )

    def number(self, data: st.DataObject) -> int:
        return int(data.draw(st.integers(0, len(self.value["questions"]) - 1)))

    def words(self, data: st.DataObject) -> None:
        number, said = self.number(data), data.draw(st.sampled_from(WORDS))
        question = self.value["questions"][number]
        key = data.draw(st.sampled_from(["text", "hint"]))
        question[key] = set_text(question.get(key, ""), said, self.main)
        self.may_go = {f"# {question['id']}.{key}"}
        self.edit(do="set", place=["questions", number, key], value=said)

    def choices(self, data: st.DataObject) -> None:
        """Rename, move, remove and add answers or rows: what stays keeps its code."""
        number = self.number(data)
        question = self.value["questions"][number]
        keys = [key for key in ("answers", "rows") if key in question]
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        own = listed(question[key], self.main)
        kept = data.draw(st.permutations([*own]))[: data.draw(st.integers(1, len(own)))]
        pairs = [(code, in_first(own[code], self.main)) for code in kept]
        code, _ = pairs[0]
        said = data.draw(st.sampled_from([*WORDS, pairs[0][1]]))
        pairs[0] = (code, said)
        own[code] = set_text(own[code], said, self.main)
        result = {code: own[code] for code in kept}
        if data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(pairs)))
            new = data.draw(st.sampled_from(WORDS))
            pairs.insert(at, ("", new))
            items = [*result.items()]
            (fresh,) = codes([*listed(question[key], self.main), new])[-1:]
            result = dict([*items[:at], (fresh, set_text("", new, self.main)), *items[at:]])
        question[key] = result
        self.edit(do="lines", place=["questions", number, key], value=pairs)

    def moved(self, data: st.DataObject) -> None:
        number, to = self.number(data), self.number(data)
        questions = self.value["questions"]
        questions.insert(to, questions.pop(number))
        self.edit(do="move", number=number, to=to)

    def copied(self, data: st.DataObject) -> None:
        number, questions = self.number(data), self.value["questions"]
        taken = {one["id"] for one in questions}
        at = next(n for n in range(len(questions) + 1, 999) if f"q{n}" not in taken)
        questions.insert(number + 1, {**questions[number], "id": f"q{at}"})
        self.edit(do="copy", number=number)

    def removed(self, data: st.DataObject) -> None:
        number, questions = self.number(data), self.value["questions"]
        if len(questions) > 1:
            self.may_go = {f"# {questions.pop(number)['id']}."}
            self.edit(do="remove", number=number)


@pytest.mark.parametrize("name", sorted(examples()))
@given(data=st.data())
@settings(max_examples=4, derandomize=True, deadline=None, phases=[Phase.generate])
def test_the_text_follows_edits_of_the_document(name: str, data: st.DataObject) -> None:
    beside = Beside(name)
    for _ in range(data.draw(st.integers(1, 6))):
        beside.draw(data)


@pytest.mark.parametrize("name", sorted(examples()))
def test_what_the_form_shows_is_what_it_writes(name: str) -> None:
    """Each field, sent as it is drawn, changes nothing."""
    text = commented(examples()[name])
    checked = check(text, 1000) | {"base": text, "published": False}
    form = form_of(text, checked)
    fields = [*form["first"], *form["plan"], *form["whole"]]
    for card in form["cards"]:
        fields += [*card["fields"], *card["more"]]
    count = 0
    for one in fields:
        for edit in sent_of(one):
            count += 1
            assert edited(text, edit, checked) == text, edit
    assert count > len(form["cards"]) * 4
    assert read(text).survey == read(examples()[name]).survey


def sent_of(field: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the edits that a field sends if what it shows is pressed or typed once more."""
    place, kind, value = field["place"], field["kind"], field["value"]
    number = place[1] if place[0] == "questions" else -1
    whole = {"do": "set", "place": place, "value": value}
    if kind == "codes":
        return [{"do": "code", "place": place, "key": one, "value": one} for one in value]
    if kind == "chances":
        return [{**whole, "place": [*place, one], "value": it} for one, it in value.items()]
    if kind == "design":
        given = field["parameters"].items()
        return [{"do": "parameter", "number": number, "key": k, "value": v} for k, v in given]
    if kind == "needs":
        needs = {"do": "needs", "number": number}
        return [{**needs, "item": it, "to": it, "needed": said} for it, said in value if it]
    if kind == "lines":
        whole |= {"do": "lines", "value": [*value.items()]}
    if kind == "together":
        whole = {"do": "together", "value": [ids for ids in value if ids]}
    # A choice is sent when another one is made: what is usual may be written, and is drawn as none.
    return [] if kind == "unsaid" or (kind == "choice" and not value) else [whole]
