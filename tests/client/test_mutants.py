"""The browser's program in Node, and what its altered copies are found by."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deniable.survey import Survey
from deniable.survey.questions import Answer
from deniable.survey_file import read
from tests import vectors
from tests.client.campaign import ROOT, Campaign, Mutant, honest
from tests.client.in_node import altered, failures
from tests.kit import first_of, panel, surveys
from tests.kit.surveys import DRAWN, EXAMPLES, IN_WAVES, TOGETHER, single, together

ABC = tuple(Answer(letter, letter) for letter in "abc")
ALIKE = surveys.survey(single("a", ABC), single("b"))
ASKING = read(vectors.asking_file()).survey
IN_ANY_ORDER = read(vectors.in_any_order_file()).survey
GROUPS = read(DRAWN).survey
SURVEYS = {
    "all": surveys.survey(single("a", ABC)),
    "a part, in any order": IN_ANY_ORDER,
    "a part": ASKING,
    "by a spinner": read((EXAMPLES / "shops.yaml").read_text()).survey,
}

MUTANTS = {
    "an off-by-one threshold": (ALIKE, ("core/channel.js", "sum > word", "sum >= word")),
    "a draw used twice": (ALIKE, ("core/report.js", "words[place]", "words[0]")),
    "a second draw": (
        ALIKE,
        (
            "core/report.js",
            "    randomness(drawn);",
            "    randomness(drawn); randomness(drawn);",
        ),
    ),
    "a header that tells": (
        ALIKE,
        (
            "core/submission.js",
            '"Content-Type": "application/json"',
            '"Content-Type": "application/json", "X-Last": body.slice(-4)',
        ),
    ),
    "asked or not by what is true": (
        IN_ANY_ORDER,
        (
            "core/report.js",
            "if (asked[place] === false) return NOT_DRAWN;",
            "if (asked[place] === false && truths[place] === 0) return NOT_DRAWN;",
        ),
    ),
    "an order drawn apart": (
        IN_ANY_ORDER,
        (
            "core/chance.js",
            "    ...shuffles.map(([, count]) => count),\n  ]);",
            (
                "    ...shuffles.map(([, count]) => count),\n  ]);\n"
                "  randomness(new Uint32Array(shuffles.length));"
            ),
        ),
    ),
    "each answer of a group drawn apart": (
        GROUPS,
        (
            "core/report.js",
            "survey.together ? withGroups(survey, truths, words, bytes, ready) :",
            "",
        ),
    ),
    "a cell kept by what is true": (
        GROUPS,
        (
            "core/together.js",
            "firstExceeding(row, words[first])]",
            "truth > 1 ? truth : firstExceeding(row, words[first])]",
        ),
    ),
    "fresh chance in place of what is kept": (
        panel(),
        (
            "core/waves.js",
            "maps[place].map((noisy) =>",
            "maps[place].map((_noisy, noisy) =>",
        ),
    ),
    "the same word for two draws": (panel(), ("core/waves.js", "words[next++]", "words[place]")),
    "no redraw": (
        panel(),
        ("core/waves.js", "sent === noisy ? same : redraw", "sent === noisy ? 2 ** 32 : 0"),
    ),
}
"""What is changed: the survey where it shows, and the file, the text, and another."""


@pytest.mark.parametrize(
    "survey",
    [
        *first_of(SURVEYS.values(), 2),
        *(read(text).survey for text in (together(2, 2), TOGETHER, DRAWN, IN_WAVES)),
        *(panel(redraw) for redraw in ("0", "1/10")),
    ],
)
def test_the_modules_pass_in_node(survey: Survey) -> None:
    assert failures(survey) == []


@pytest.mark.parametrize(
    "path", first_of(sorted(EXAMPLES.glob("*.yaml"))), ids=lambda path: path.stem
)
def test_the_examples_pass(path: Path) -> None:
    assert failures(read(path.read_text()).survey) == []


@pytest.mark.parametrize("mutant", first_of(MUTANTS, 8))
def test_every_mutant_is_found_in_node(mutant: str, tmp_path: Path) -> None:
    survey, edit = MUTANTS[mutant]
    assert failures(survey, altered(tmp_path, edit)) != []


SEED = 11

WEAKENED = {
    "ε is not compared": (
        "core/protocol.js",
        "!(epsilon(table) <= item.epsilon + SLACK)",
        "!(item.epsilon >= 0)",
    ),
    "a row may sum to anything": (
        "core/channel.js",
        "row.reduce((sum, weight) => sum + weight, 0) !== ROW_SUM",
        "row.length === 0",
    ),
    "weights may be below 0": (
        "core/channel.js",
        "Number.isInteger(weight) && weight >= 0",
        "Number.isInteger(weight)",
    ),
    "the sum is not compared": (
        "core/protocol.js",
        "!(millionths <= Math.round(survey.epsilon * 1e6))",
        "!(millionths >= 0)",
    ),
    "truths without a row": ("core/protocol.js", "weights.length !== length ||", ""),
    "answers without a truth": (
        "core/questions.js",
        "areSame(truths, truthsOf(question))",
        "truths.length > 1",
    ),
    "a chance that is none": ("core/asking.js", " || !haveChances(draw)", ""),
    "follow-ups that are drawn apart": (
        "core/asking.js",
        "linked.has(items[at].question)",
        "items[at].question === id",
    ),
    "a choice of two draws": (
        "core/asking.js",
        "new Set(all).size === all.length",
        "all.length >= 0",
    ),
    "a direct question that needs a randomised one": (
        "core/branching.js",
        'const tells = protection === "direct" && needed?.protection !== "direct";',
        "const tells = false;",
    ),
    "a condition that breaks down": ("core/branching.js", " || !Array.isArray(answers)", ""),
    "permanent rows that are missing": (
        "core/waves.js",
        "table.length === weights.length &&",
        "",
    ),
    "a group that costs nothing": (
        "core/together.js",
        "questions.indexOf(id) > 0",
        "questions.indexOf(id) >= 0",
    ),
    "one report of a wave": ("core/waves.js", "epsilon(table) <= own + SLACK &&", ""),
    "whatever changes": (
        "core/waves.js",
        "Number(changing) + SLACK >= all",
        "changing !== undefined",
    ),
}
"""Checks of the browser, each taken away: the file, the text, and what takes its place."""

WORDS_UNCHECKED = {
    "a text of another answer": (
        "core/wordings.js",
        "|| meansAnother(known, place, textOf(texts, place))",
        "",
    ),
    "more wordings than anybody reads": (
        "core/wordings.js",
        "lines.length > MOST_WORDINGS",
        "lines.length > 99",
    ),
    "another first language": (
        "core/wordings.js",
        "first !== known[0].languages[0]",
        "first === undefined",
    ),
}
"""The same of wordings: found where the browser takes what Python knows for no correction."""


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
            if not re.search(r"document$|^_conditions$", writer.name.removeprefix("from_")):
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
        # what it has no use for, such as a key too many, or an ε above the one of the weights.
        assert mutant.refusal is None or not python, (mutant.refusal, mutant.document)
    assert found.total() == count
    # Neither side may become so small that nothing is tried.
    assert min(found[True, True], found[True, False], found[False, False]) > count / 20
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


@pytest.mark.promise("document")
@pytest.mark.parametrize("what", first_of(WEAKENED, 3, pytest.mark.campaign))
@pytest.mark.slow
def test_a_check_that_is_missing_is_found(what: str, tmp_path: Path) -> None:
    modules = altered(tmp_path, WEAKENED[what])
    campaigns = (Campaign(seed, 40_000, modules) for seed in (SEED, SEED + 1))
    assert any(mutant.broken for campaign in campaigns for mutant in campaign)


@pytest.mark.slow
@pytest.mark.promise("document")
@pytest.mark.parametrize("what", WORDS_UNCHECKED)
def test_a_missing_check_of_words_is_found(what: str, tmp_path: Path) -> None:
    modules = altered(tmp_path, WORDS_UNCHECKED[what])
    assert any(map(disagreement, Campaign(SEED, 5_000, modules, worded=True)))
