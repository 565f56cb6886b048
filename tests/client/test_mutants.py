"""Documents that a server made worse: what the page accepts reveals no more than it says."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from deniable.survey import Survey
from tests.client.campaign import ROOT, Campaign, Mutant, honest

SEED = 11


def accepted_by_python(mutant: Mutant) -> bool:
    """Say whether Python reads it, and would write the same, as `Survey.from_json` wants it."""
    try:
        survey = Survey.from_document(mutant.document)
    except ValueError:
        return False
    return as_browsers_write(survey.document) == as_browsers_write(mutant.document)


def as_browsers_write(document: dict[str, Any]) -> str:
    """Write a document so that 3 and 3.0 are one number, and 1 and true are two things."""

    def number(text: str) -> float | int:
        return int(float(text)) if float(text).is_integer() else float(text)

    return json.dumps(json.loads(json.dumps(document), parse_float=number), sort_keys=True)


def written_keys() -> set[str]:
    """Return every key that a document can have, from the code that writes documents."""
    keys = set()
    for name in ("document", "survey", "questions", "together", "kind", "../text/languages"):
        tree = ast.parse((ROOT / "deniable" / "survey" / f"{name}.py").read_text(encoding="utf-8"))
        for writer in ast.walk(tree):
            if not isinstance(writer, ast.FunctionDef):
                continue
            if not re.search(
                r"document$|^write_question$|^_conditions$", writer.name.removeprefix("from_")
            ):
                continue
            for node in ast.walk(writer):
                keys |= {*_written(node)}
    return keys


def _written(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Dict):
        named: list[ast.expr | None] = [*node.keys]
    elif isinstance(node, ast.Assign):
        named = [target.slice for target in node.targets if isinstance(target, ast.Subscript)]
    else:
        return
    yield from (
        key.value for key in named if isinstance(key, ast.Constant) and isinstance(key.value, str)
    )


@pytest.mark.slow
@pytest.mark.promise("document")
@pytest.mark.parametrize(
    "count", [2_000, pytest.param(200_000, marks=[pytest.mark.campaign])], ids=["some", "many"]
)
def test_the_page_accepts_what_reveals_as_said(count: int) -> None:
    campaign = Campaign(SEED, count)
    found: Counter[tuple[bool, bool]] = Counter()
    for mutant in campaign:
        assert not mutant.broken, (mutant.broken, mutant.document)
        python = accepted_by_python(mutant)
        found[mutant.refusal is None, python] += 1
        # Nothing at all: what Python takes, the page takes. The other way round the page takes
        # little, such as an ε above the one of the weights.
        assert mutant.refusal is None or not python, (mutant.refusal, mutant.document)
    assert found.total() == count
    # Neither side may become so small that nothing is tried.
    assert min(found[True, True], found[False, False]) > count / 20
    # 20 of 2,000, and more than 100 before the page checked the shape.
    assert found[True, False] < count / 40
    # The whole report, and not its items alone.
    assert campaign.whole > count / 10
    rare = {key: campaign.mutated[key] for key in written_keys()}
    assert min(rare.values()) >= count / 1000, rare


NO_CORRECTION = re.compile("nothing else|at most 8 wordings|the same first language")


def disagreement(mutant: Mutant) -> str:
    """Say how the browser reads lines otherwise than Python; empty if it does not."""
    try:
        survey = Survey.from_json(mutant.written.encode())
    except ValueError as error:
        is_correction = not NO_CORRECTION.search(str(error))
        return "" if is_correction or mutant.refusal is not None else str(error)
    if mutant.refusal is not None:
        return mutant.refusal
    return (
        "" if survey.check_numbers == mutant.numbers and _same(survey, mutant) else "read otherwise"
    )


def _same(survey: Survey, mutant: Mutant) -> bool:
    """Whether both read the same: a translation of no rows may be left out."""
    mine, theirs = (
        re.sub(r'"(answers|rows)": {}(, )?|, "(answers|rows)": {}', "", as_browsers_write(one))
        for one in (survey.document, mutant.document)
    )
    return mine == theirs


@pytest.mark.slow
@pytest.mark.promise("document")
@pytest.mark.parametrize(
    "count", [500, pytest.param(40_000, marks=[pytest.mark.campaign])], ids=["some", "many"]
)
def test_lines_read_alike_and_reveal_no_more(count: int) -> None:
    found: Counter[str] = Counter()
    for mutant in Campaign(SEED, count, worded=True):
        assert not mutant.broken, (mutant.broken, mutant.written)
        assert not disagreement(mutant), (disagreement(mutant), mutant.written)
        found[f"{min(len(mutant.numbers), 2)} {mutant.refusal is None}"] += 1
    assert found.total() == count
    assert min(found["1 True"], found["2 True"], found["0 False"]) > count / 20, found


@pytest.mark.promise("document")
def test_every_key_of_a_document_comes_under_it() -> None:
    """A key that Python writes is to be in one of the documents that mutants are made of."""
    keys = written_keys()
    assert {"ask_if", "changing", "comprehension", "languages", "order", "rows"} <= keys
    assert keys <= {key for document in honest() for key in _keys_in(document)}, (
        "put a document with the new key into HONEST"
    )


def _keys_in(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        yield from part
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    for inner in parts:
        yield from _keys_in(inner)
