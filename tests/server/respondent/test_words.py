"""What the pages say in each language depends on the survey alone, never on who asks."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from deniable import Survey, designs
from deniable.server.respondent.catalogues import key_of, spoken
from deniable.server.respondent.joining import contents
from deniable.server.respondent.label import privacy_label
from deniable.server.respondent.program import BROWSER_FOLDER, load, with_languages
from deniable.server.store import State, Store
from deniable.server.web.words import words
from deniable.survey_file import json_schema, read
from deniable.text.languages import LANGUAGES
from deniable.text.translation import in_language
from tests.kit import Caller, at, surveys
from tests.server.respondent.test_joining import in_node

pytestmark = pytest.mark.promise("language")

JOURNEYS = Path(__file__).parents[3] / "examples" / "journeys.yaml"

PAGES = ["", "privacy", "privacy.json", "survey.json", "sheet"]


@pytest.fixture
def journeys(store: Store) -> Survey:
    return store.register(read(JOURNEYS.read_text()).survey)


def test_languages_are_called_what_they_call_themselves() -> None:
    assert [words(one).name for one in LANGUAGES] == [
        *["English", "Deutsch", "Français", "Español", "العربية"]
    ]
    assert [words(one).direction for one in LANGUAGES] == ["ltr"] * 4 + ["rtl"]


def test_arabic_values_are_set_apart() -> None:
    assert words("de").say("Error {code}", code=404) == "Fehler 404"
    assert "\u2068404\u2069" in words("ar").say("Error {code}", code=404)
    assert "\u2068404\u2069" in words("ar").html("Error {code}", code=404)


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_are_text_unless_markup(language: str) -> None:
    said = words(language).html("Your privacy in “{title}”", title="<b>&")
    assert "&lt;b&gt;&amp;" in said
    assert "<b>" not in said
    assert "<b>&" in words(language).say("Your privacy in “{title}”", title="<b>&")


NUMBERS = [0.5, 1.7, 3, 9.1, 12, 999, 1234, 9999, 12345, 999999, 0.555555, 1.098613]

IN_BROWSER = """
const [folder, language, numbers] = given;
const { inDigits, speak } = await import(`${folder}/page/say.js`);
speak(() => undefined, language);
console.log(JSON.stringify(JSON.parse(numbers).map(inDigits)));
"""

TRANSLATED = """
const [folder, language, words, survey] = given;
const { speak } = await import(`${folder}/page/say.js`);
const { inSpokenLanguage } = await import(`${folder}/page/translation.js`);
const found = JSON.parse(words);
if (language === "ar") globalThis.document = { dir: "rtl" }; // as on its page
speak((sentence) => found[sentence], language);
console.log(JSON.stringify(inSpokenLanguage(JSON.parse(survey))));
"""


def run(script: str, *arguments: str) -> Any:
    """Run a script in Node, on the browser's modules, and return what it prints."""
    read = 'import { readFileSync } from "fs";\nconst given = JSON.parse(readFileSync(0));\n'
    given = [str(BROWSER_FOLDER.resolve()), *arguments]
    return in_node(read + script, given, "--input-type=module")


@pytest.mark.parametrize("language", LANGUAGES)
def test_server_and_browser_write_numbers_alike(language: str) -> None:
    written = [words(language).number(number) for number in NUMBERS]
    assert run(IN_BROWSER, language, json.dumps(NUMBERS)) == written
    assert all(re.fullmatch(r"[0-9.,\u202f]+", one) for one in written)


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_server_and_browser_read_a_survey_alike(language: str) -> None:
    survey = read(JOURNEYS.read_text()).survey
    spoken_words = words(language)
    sentences = json.dumps(spoken_words.sentences)
    found = run(TRANSLATED, language, sentences, json.dumps(survey.document))
    view = in_language(survey, language, spoken_words.say)
    expected = view.document
    assert found["title"] == view.title
    assert found["introduction"] == view.introduction
    # A device also has each question in the first language: how long it is decides for all.
    assert [one.pop("first") for one in found["questions"]] == [q.text for q in survey.questions]
    assert found["questions"] == expected["questions"]
    assert found["items"] == expected["items"]


def test_reports_that_are_codes_read_alike_too() -> None:
    table = [["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]]
    survey = surveys.survey(surveys.single(channel=designs.custom(table)))
    german = words("de")
    found = run(TRANSLATED, "de", json.dumps(german.sentences), json.dumps(survey.document))
    assert [one["text"] for one in found["items"][0]["reports"]] == [
        *["Meldung 1", "Meldung 2", "Meldung 3"]
    ]


@pytest.mark.parametrize(
    "page", [*(f"{at('journeys')}{page}" for page in PAGES), "/", "/device", "/x"]
)
def test_the_reader_s_language_changes_nothing(
    respondents: Caller, journeys: Survey, page: str
) -> None:
    answers = [
        respondents(page, headers={"Accept-Language": language} if language else {})
        for language in ("", "de", "ar-EG,ar;q=0.9", "fr")
    ]
    assert len({(one.status, one.body) for one in answers}) == 1
    assert all("Accept-Language" not in one.headers.get("Vary", "") for one in answers)


@pytest.mark.parametrize("page", ["privacy", "sheet"])
def test_a_page_holds_each_language(respondents: Caller, journeys: Survey, page: str) -> None:
    text = respondents(f"{at('journeys')}{page}").text
    assert text.startswith('<!doctype html>\n<html lang="en">')
    begin = [
        re.escape(f'<div class="language" id="lang={one}" lang="{one}"')
        for one in ("en", "de", "ar")
    ]
    assert re.search(".*".join(begin), text, re.DOTALL)
    assert text.count('class="language"') == 3
    assert text.count('dir="rtl"') >= 1
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    for language in ("de", "ar"):
        assert f'href="#lang={language}" lang="{language}"' in text


def test_page_ids_are_no_question_s(respondents: Caller, journeys: Survey) -> None:
    questions = json_schema()["properties"]["questions"]["items"]["properties"]["id"]
    (pattern,) = {kind["pattern"] for kind in questions["anyOf"] if "pattern" in kind}
    served = re.findall(r'\bid="([^"]+)"', respondents(at("journeys")).text)
    program = "".join(path.read_text() for path in (BROWSER_FOLDER / "page").glob("*.js"))
    made = re.findall(r'\bid: "([^"]+)"', program)
    assert {"page-survey", "page-content"} == set(served)
    assert {*made} == {"page-protection", "Pin", "Code"}
    assert [id for id in served + made if re.fullmatch(pattern, id)] == []


def test_each_language_tells_of_closing(
    respondents: Caller, store: Store, journeys: Survey
) -> None:
    store.set_state("journeys", State.CLOSED)
    text = respondents(at("journeys")).text
    for language in journeys.languages:
        assert words(language).say("This survey is closed") in text
        assert f"{at('journeys')}privacy#lang={language}" in text


def test_a_page_of_no_survey_holds_all_languages(respondents: Caller) -> None:
    for page in ("/", "/device", "/none", at("none")):
        text = respondents(page).text
        assert re.findall(r'class="language" id="lang=(\w+)"', text) == list(LANGUAGES)


def test_english_surveys_say_nothing_of_languages(respondents: Caller) -> None:
    for page in ("privacy", "sheet"):
        answered = respondents(f"{at('doping')}{page}").text
        assert load(BROWSER_FOLDER).styles["language.css"] not in answered
        text = re.sub("<style>[^<]*", "", answered)
        assert '<html lang="en">' in text
        assert not re.search(r"language|lang=.[^e]|dir=.rtl", text.split("</head>")[0])
        assert '<div class="language' not in text
        assert "#lang" not in text


def test_arabic_alone_runs_right_to_left(respondents: Caller, store: Store) -> None:
    written = yaml.safe_load(JOURNEYS.read_text()) | {"languages": ["ar"]}

    def only(value: Any) -> Any:
        if isinstance(value, list):
            return [only(one) for one in value]
        if not isinstance(value, dict):
            return value
        return value["ar"] if "ar" in value else {key: only(one) for key, one in value.items()}

    store.register(read(yaml.safe_dump(only(written), allow_unicode=True)).survey)
    for page in ("privacy", "sheet"):
        found = respondents(f"{at('journeys')}{page}").text
        assert '<html lang="ar" dir="rtl">' in found
        assert 'class="language"' not in found
        assert "كيف نتنقّل في المدينة" in found
    assert load(BROWSER_FOLDER).styles["language.css"] in respondents(at("journeys")).text


def test_the_label_is_in_each_language(respondents: Caller, journeys: Survey) -> None:
    page = respondents(at("journeys", "privacy")).text
    for language in journeys.languages:
        view = in_language(journeys, language, words(language).say)
        label = privacy_label(view, words(language))
        assert all(sentence in page for sentence in label.implication)
        assert label.revision == journeys.revision
    document = respondents(at("journeys", "privacy.json")).json
    assert document == json.loads(json.dumps(privacy_label(journeys).document()))


def test_by_hand_is_said_in_each_language(store: Store) -> None:
    survey = surveys.survey(surveys.single(channel=designs.truth_or_random()))
    (question,) = privacy_label(survey, words("de")).questions
    assert question.by_hand == (
        "Werfen Sie eine Münze zweimal. Zahl, dann Zahl: „No“. Zahl, dann Kopf: „Yes“. "
        "Sonst: Ihre wahre Antwort."
    )


def test_each_language_travels_in_a_script() -> None:
    scripts = spoken(BROWSER_FOLDER)
    assert list(scripts)[:5] == [f"words-{language}.js" for language in LANGUAGES]
    found = {
        language: json.loads(scripts[f"words-{language}.js"].rpartition(f".{language} = ")[2][:-2])
        for language in LANGUAGES
    }
    said = words("de").places
    keys = {key_of(sentence): sentence for sentence in said}
    assert len(keys) == len(said)
    place = [keys[one] for one in found["en"]["sentences"]].index("Back")
    assert (found["de"]["sentences"][place], found["ar"]["sentences"][place]) == ("Zurück", "رجوع")
    assert [found[one]["direction"] for one in ("de", "ar")] == ["ltr", "rtl"]
    assert len({len(one["sentences"]) for one in found.values()}) == 1
    # No template says these in the program's place.
    assert key_of("This survey on paper") not in found["en"]["sentences"]
    assert with_languages((), LANGUAGES) == ()
    assert with_languages(("waves.js", "main.js"), ("en",)) == ("waves.js", "main.js")
    assert with_languages(("trial.js", "main.js"), ("de", "ar")) == (
        *("language.js", "words-en.js", "words-de.js", "words-ar.js", "words-trial.js"),
        *("trial.js", "main.js"),
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_part_comes_with_all_that_it_says(language: str) -> None:
    """And with nothing that another part alone says: few surveys need that."""
    files = load(BROWSER_FOLDER).files
    for part, modules in contents(BROWSER_FOLDER).items():
        loaded = b"".join(files[name] for name in with_languages((part,), ("ar", language)))
        text = loaded.decode().replace(files[part].decode(), "")
        for sentence, places in words("de").places.items():
            translation = words(language).sentences.get(sentence) or key_of(sentence)
            said = json.dumps(translation, ensure_ascii=False)
            if places & {f"client/browser/{module}" for module in modules}:
                assert said in text, (part, sentence)
            if (
                places == {"client/browser/page/device.js"}
                and language == "en"
                and part != "device.js"
            ):
                assert said not in text, (part, sentence)
