"""What is said of a risk follows its number: every output, in every tier.

The words of a tier are listed here by hand. An output that says the words of another tier fails,
from wherever it has them.
"""

import html
import re
from typing import Final
from urllib.parse import quote_plus

import numpy as np
import pytest
from click.testing import CliRunner

from deniable.analysis.planning.advice import advice
from deniable.cli.main import commands
from deniable.publication.parcel import contents_of
from deniable.server.store import Store
from deniable.survey_file import read
from deniable.text.sureness import Colour, Tier, sureness, sureness_on_sheet, told
from tests.addresses import at
from tests.publication import made_up
from tests.quickly import first_of
from tests.server.calling import Caller, report
from tests.server.desk.test_pages import Browser
from tests.server.desk.urls import url_for

WORDS: Final = {
    Tier.HINT: ("a hint, not proof",),
    Tier.STRONG_HINT: ("a strong hint, not proof",),
    Tier.CLOSE_TO_PROOF: ("close to proof",),
}

NOWHERE: Final = ("no proof", "proves nothing", "nearly always show", "often show the truth")

ONE: Final = {"1/4": Tier.HINT, "1/10": Tier.STRONG_HINT, "1/20": Tier.CLOSE_TO_PROOF}
"""Of a flip, by hand: 75, 90 and 95 in 100."""

SEVERAL: Final = {
    ("3/8", "3/8"): (Tier.HINT, 63, 74),  # 5/3 twice: 25 to 9
    ("1/4", "2/7"): (Tier.HINT, 75, 89),  # 7.5 to 1
    ("1/4", "1/7"): (Tier.STRONG_HINT, 86, 95),  # 18 to 1
    ("1/4", "1/10"): (Tier.STRONG_HINT, 90, 97),  # 27 to 1
}

WAVES: Final = {"1/4": Colour.CALM, "1/5": Colour.CALM, "1/6": Colour.RED, "0": Colour.RED}
"""Of the chance of drawing anew in two waves: 9, 16 and 25 to 1, and nothing that bounds it."""

HEAD: Final = "version: 1\nsurvey: risk\ntitle: T\ncomprehension: true\n"
QUESTION: Final = "  - {{id: q{place}, text: T, type: single, answers: [No, Yes], flip: {flip}}}\n"
DIRECT: Final = "  - {id: age, text: A, type: single, answers: [Young, Old], protection: direct}\n"


def asking(*flips: str, head: str = HEAD, direct: bool = False) -> str:
    asked = [QUESTION.format(place=place, flip=flip) for place, flip in enumerate(flips)]
    return f"{head}questions:\n{''.join(asked)}{DIRECT if direct else ''}"


CASES: Final = {
    **{f"several, {flips}": (asking(*flips), tier) for flips, (tier, *_) in SEVERAL.items()},
    **{f"one, {tier.value}": (asking(flip), tier) for flip, tier in ONE.items()},
    **{
        f"beside a direct one, {tier.value}": (asking(flip, direct=True), tier)
        for flip, tier in ONE.items()
    },
    **{
        f"waves, {redraw}": (
            asking("1/4", head=f"{HEAD}waves: {{count: 2, redraw: {redraw}}}\n"),
            Tier.HINT,
        )
        for redraw in WAVES
    },
}


def text_of(page: str) -> str:
    """Return what is read of a page, in small letters."""
    body = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    shown = html.unescape(re.sub(r"<[^>]+>", " ", body)).replace("\\u00a0", " ")
    return " ".join(shown.split()).lower()


def outputs(text: str, call: Caller, desk: Browser) -> dict[str, str]:
    """Return what every output says of a survey that is registered: pages, commands and files."""
    survey = read(text).survey
    pages = {"": call("/").text} | {
        f"s/risk/{name}": call(at("risk", name)).text
        for name in ("", "privacy", "privacy.json", "poster")
    }
    at_desk = {
        f"desk/{name}": desk(url_for("results.page", slug=name)).text
        for name in ("", "risk", "risk/plan", "risk/ethics", "risk/collect", "risk/status")
    }
    draft = desk.post(url_for("editor.drafts"), example="").headers["Location"]
    checked = desk.post(f"{draft}/form", text=quote_plus(text)).text
    run = CliRunner()
    commanded = {
        " ".join(arguments): run.invoke(commands, [*arguments], input=text).output
        for arguments in (
            ("check", "-"),
            ("check", "-", "--format", "json"),
            ("plan", "-"),
            ("plan", "-", "--format", "json"),
            ("ethics", "-"),
        )
    }
    answers = np.zeros((20, len(survey.items)), np.uint8)
    files = {
        f"zip/{name}": content.decode()
        for name, content in contents_of(made_up.material(survey, answers)).items()
        if name.endswith((".md", ".html", ".csv", ".json", ".cff"))
    }
    warned = {"warnings": " ".join(advice(survey))}
    return {**pages, **at_desk, "editor": checked, **commanded, **files, **warned}


TELL: Final = (
    *("s/risk/privacy", "s/risk/privacy.json", "s/risk/poster", "desk/risk/plan"),
    *("desk/risk/ethics", "editor", "plan -", "plan - --format json", "ethics -"),
)
"""The outputs that say how sure somebody can get, in the words of the survey's own page."""


@pytest.mark.parametrize("case", first_of(CASES, quick=2))
def test_no_output_says_a_sentence_of_another_tier(
    case: str, store: Store, call: Caller, researcher: Browser
) -> None:
    text, tier = CASES[case]
    survey = read(text).survey
    found = sureness(survey)
    assert found is not None
    assert found.tier is tier
    store.register(survey, text)
    store.insert_batch([report(survey) for _ in range(20)])
    said = {name: text_of(page) for name, page in outputs(text, call, researcher).items()}
    assert all(len(page) > 0 for name, page in said.items() if name != "warnings")
    wrong = [
        (name, words)
        for name, page in said.items()
        for other in Tier
        if other is not tier
        for words in WORDS[other]
        if words in page
    ]
    assert wrong == []
    assert [(name, one) for name, page in said.items() for one in NOWHERE if one in page] == []
    missing = [
        (name, sentence)
        for name in TELL
        for sentence in [line.text for line in told(survey)]
        if " ".join(sentence.split()).lower() not in said[name]
    ]
    assert missing == []
    for flip in re.findall(r"flip: ([\d/]+)", text):
        assert all(f"(flip {flip}, ε = " in said[name] for name in ("ethics -", "desk/risk/ethics"))
    assert f"tier: {tier.value}" in said["check -"]
    assert f'"tier": "{tier.value}"' in said["check - --format json"]
    on_sheet = sureness_on_sheet(survey)
    sheet = text_of(call(at("risk", "sheet")).text)
    for other in Tier:
        is_said = any(words in sheet for words in WORDS[other])
        assert is_said is (on_sheet is not None and other is on_sheet.tier)


@pytest.mark.parametrize("flips", SEVERAL, ids=" and ".join)
def test_one_answer_and_all_of_them_have_a_sentence_each(flips: tuple[str, str]) -> None:
    tier, one, together = SEVERAL[flips]
    found = sureness(read(asking(*flips)).survey)
    assert found is not None
    first, every = (" ".join(line.text.split()) for line in found.lines())
    (words,) = WORDS[tier]
    assert first == (
        "From one answer by itself, someone who thought it was 50:50 can be "
        f"{one} % sure at most: {words}."
    )
    assert every == (
        "If both answers point to the same thing, together they could make someone up to "
        f"{together} % sure."
    )


@pytest.mark.parametrize(("redraw", "colour"), WAVES.items())
def test_what_a_change_between_waves_shows_is_red_above_95(redraw: str, colour: Colour) -> None:
    text = asking("1/4", head=f"{HEAD}waves: {{count: 2, redraw: {redraw}}}\n")
    found = sureness(read(text).survey)
    assert found is not None
    assert [line.colour for line in found.lines()] == [Colour.CALM, colour]
