import hashlib
from dataclasses import replace

import pytest

from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.server.store import State, Store
from deniable.survey import Survey
from deniable.survey.about import About
from deniable.survey_file import read
from tests import vectors
from tests.kit import Caller, at, report, surveys, url_for

PUBLIC = ("", "survey.json", "privacy", "privacy.json", "sheet", "reports")


def test_the_home_page_names_no_survey(respondents: Caller, survey: Survey) -> None:
    answer = respondents("/")
    assert answer.status == 200
    assert survey.title not in answer.text
    assert survey.slug not in answer.text


def test_the_document_is_the_survey(respondents: Caller, survey: Survey) -> None:
    answer = respondents(at("doping", "survey.json"))
    assert answer.headers["Content-Type"] == "application/jsonl"
    assert Survey.from_json(answer.body) == survey
    assert hashlib.sha256(answer.body).hexdigest() == survey.revision
    # Nothing names what every browser works out by itself.
    assert (
        survey.revision[:16]
        not in f"{answer.body!r}{answer.headers}{respondents(at('doping')).text}"
    )
    # No browser keeps it, so no tag of it can come back.
    assert "ETag" not in answer.headers


def test_a_new_revision_is_served_at_once(respondents: Caller, store: Store) -> None:
    assert "asked again" not in respondents(at("doping", "survey.json")).text
    store.register(surveys.survey(title="Doping, asked again"))
    assert "asked again" in respondents(at("doping", "survey.json")).text


def test_the_privacy_label_is_a_page_and_json(respondents: Caller, survey: Survey) -> None:
    assert respondents(at("doping", "privacy")).headers["Content-Type"].startswith("text/html")
    asked = respondents(at("doping", "privacy"), headers={"Accept": "application/json"})
    named = respondents(at("doping", "privacy.json"))
    assert asked.body == named.body
    label = named.json
    assert (label["revision"], label["epsilon"]) == (survey.revision, survey.epsilon)


def test_the_privacy_label_says_what_is_drawn(respondents: Caller, store: Store) -> None:
    store.register(read(vectors.asking_file()).survey)
    label = respondents(at("asking", "privacy.json")).json
    assert label["epsilon"] == 3
    assert "2 of 4" in label["asked"]
    assert [
        (one["id"], one["asked_of_all"], one["answers_sent"], one["answers_drawn_from"])
        for one in label["questions"]
    ] == [
        ("doped", False, 1, 1),
        ("offered", False, 2, 4),
        ("knew", False, 1, 3),
        ("years", False, 1, 1),
        ("caught", True, 1, 3),
        ("age", True, 1, 1),
    ]
    # An ε of 1 for the two options that are asked, not of 2 for all four.
    assert [one["epsilon"] for one in label["questions"]] == [1, 1, 1, 1, 1, None]
    page = respondents(at("asking", "privacy")).text
    assert label["asked"] in page


def test_a_label_says_that_part_is_asked(respondents: Caller, store: Store) -> None:
    question = "id: q, text: Q, type: many, answers: [a, b, c], ask: 1, epsilon: 1"
    store.register(read(surveys.file_of(question)).survey)
    asked = respondents(at("s", "privacy.json")).json["asked"]
    assert asked.startswith("For some questions, you are asked only some of the options or rows.")


@pytest.mark.parametrize(
    "path", ["/", "/device", *(f"{at('doping')}{end}" for end in PUBLIC), url_for("surveys.index")]
)
def test_no_page_tells_of_reports(
    respondents: Caller, store: Store, survey: Survey, path: str
) -> None:
    """Whoever watched it would learn when the first one came, to the second."""
    before = respondents(path)
    store.insert_reports([report(survey) for _ in range(25)])
    after = respondents(path)
    assert (after.status, after.body) == (before.status, before.body)
    assert after.headers == before.headers


def test_an_ended_survey_says_what_comes_after(respondents: Caller, store: Store) -> None:
    about = About(results="https://example.org/results", delete_reports="2999-01-31")
    store.register(replace(surveys.survey(slug="told"), about=about))
    privacy = respondents(at("told", "privacy")).text
    assert "2999-01-31. Copies on other machines can stay." in privacy
    for slug, said in (("told", True), ("doping", False)):
        store.set_state(slug, State.CLOSED)
        page = respondents(at(slug)).text
        assert ("Results will stand here:" in page) is said
        assert ('<a href="https://example.org/results" rel="noreferrer">' in page) is said


def test_files_are_served_as_what_they_are(respondents: Caller) -> None:
    for name, content in load(BROWSER_FOLDER).files.items():
        answer = respondents(f"/client/{name}")
        assert answer.status == 200
        assert answer.headers["Content-Type"].split(";")[0] == "text/javascript"
        assert answer.body == content


@pytest.mark.parametrize(
    "path",
    [
        "__init__.py",
        "..%2f__init__.py",
        "../../server/desk/static/desk.css",
        "..%5c..%5cserver%5cdesk%5cstatic%5cdesk.css",
        "",
        ".js",
        "main.js%00.js",
        "style.css",  # stands in the pages
        "channel.js",  # a part of the program, and no file of its own
    ],
)
def test_no_other_file_is_served(respondents: Caller, path: str) -> None:
    assert respondents(f"/client/{path}").status == 404


@pytest.mark.parametrize("end", PUBLIC)
def test_only_a_chosen_address_names_the_topic(respondents: Caller, store: Store, end: str) -> None:
    named = replace(surveys.survey(slug="told"), is_named=True)
    assert store.register(named).document["address"] == "named"
    for slug, there, nowhere in (
        ("doping", at("doping", end), at("doping", end, named=True)),
        ("told", at("told", end, named=True), at("told", end)),
    ):
        assert respondents(there).status == (405 if end == "reports" else 200)
        assert (slug in there) is (slug == "told")
        assert respondents(nowhere).status == 404


def test_no_title_and_no_header_tells_the_topic(respondents: Caller, survey: Survey) -> None:
    assert survey.slug not in respondents(at("doping", "poster")).text
    for end in (*PUBLIC, "poster"):
        answer = respondents(at("doping", end))
        assert "doping" not in str(answer.headers).lower()
        if "html" in answer.headers["Content-Type"] and answer.status == 200:
            assert "<title>Survey</title>" in answer.text
    assert at("doping").strip("/") not in survey.to_json().decode()
