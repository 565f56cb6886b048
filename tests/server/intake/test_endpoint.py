import contextlib
import itertools
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from deniable.report import NOT_ASKED, Report
from deniable.server.intake import access_word
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.store import Store, open_store, store_url
from deniable.server.store.catalogue import Catalogue
from deniable.server.web.body import MAX_BODY
from deniable.survey import Survey, questions
from deniable.survey.document import REVISION_DIGITS
from deniable.survey.trial import trial_of
from deniable.survey_file.rules import MAX_ITEMS
from tests.kit import Answer, Caller, at, report, surveys

JSON = {"Content-Type": "application/json"}


def fields(fitting: Survey, /, **changes: object) -> bytes:
    return json.dumps({**json.loads(report(fitting).to_json()), **changes}).encode()


def assert_problem(answer: Answer, status: int, about: str | None = None) -> None:
    assert answer.status == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = answer.json
    assert problem.keys() == {"about", "type", "title", "status", "detail"}
    assert about in (None, problem["about"])
    assert problem["status"] == status
    assert problem["type"] == "about:blank"
    assert problem["detail"].endswith(".")


def test_stored_then_already_stored_then_conflict(respondents: Caller, survey: Survey) -> None:
    mine = report(survey)
    about = mine.id.hex()
    first, again = respondents.send(mine), respondents.send(mine)
    assert (first.status, first.json) == (201, {"about": about, "status": "stored"})
    assert (again.status, again.json) == (200, {"about": about, "status": "already stored"})
    assert_problem(respondents.send(mine._replace(answers=b"\1")), 409, about)
    assert respondents.send(mine).status == 200


def test_an_unknown_survey_is_never_found(respondents: Caller) -> None:
    assert_problem(respondents(at("none", "reports"), b"{", method="POST"), 404)
    assert_problem(respondents(at("none", "reports")), 404)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_post_is_allowed(respondents: Caller, method: str) -> None:
    answer = respondents(at("doping", "reports"), method=method, headers=JSON)
    assert_problem(answer, 405)
    assert answer.headers["Allow"] == "POST"


def test_by_hand_the_address_gives_a_page(respondents: Caller, survey: Survey) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    answer = respondents(at("doping", "reports"), headers=browser)
    assert answer.status == 405
    assert answer.headers["Allow"] == "POST"
    assert answer.headers["Content-Type"].startswith("text/html")
    # The icon is in the page: no browser asks for another one.
    assert b'rel="icon" href="data:' in answer.body
    assert respondents(at("none", "reports"), headers=browser).status == 404
    body = report(survey).to_json()
    assert_problem(respondents(at("doping", "reports"), body, method="POST", headers=browser), 415)
    assert_problem(respondents(at("doping", "reports"), method="PUT", headers=browser), 405)


@pytest.mark.parametrize(
    ("media_type", "status"),
    [
        ("application/json", 201),
        ("application/json; charset=utf-8", 201),
        ('Application/JSON;charset="UTF-8"', 201),
        ("application/json; charset=latin-1", 415),
        ("application/jsonp", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("", 415),
    ],
)
def test_only_json_is_taken(
    respondents: Caller, survey: Survey, media_type: str, status: int
) -> None:
    answer = respondents.send(report(survey), Content_Type=media_type)
    assert answer.status == status


@pytest.mark.promise("foreign-reports")
@pytest.mark.parametrize(
    ("site", "status"),
    [("same-origin", 201), ("none", 201), ("cross-site", 403), ("same-site", 403), ("?", 403)],
)
def test_other_sites_are_refused(
    respondents: Caller, survey: Survey, site: str, status: int
) -> None:
    assert respondents.send(report(survey), Sec_Fetch_Site=site).status == status


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 20_000])
def test_what_is_no_report_is_a_syntax_error(respondents: Caller, body: bytes) -> None:
    assert_problem(respondents.send(body), 400)


@pytest.mark.parametrize(
    "changes",
    [
        {"survey": "other"},
        {"revision": "\ud800" * 64},
        {"revision": "0" * 64},
        {"id": "0" * 31},
        {"answers": "02"},
    ],
    ids=repr,
)
def test_a_report_that_does_not_fit_is_refused(
    respondents: Caller, store: Store, survey: Survey, changes: dict[str, str]
) -> None:
    assert_problem(respondents.send(fields(survey, **changes)), 422)
    assert store.count("doping") == 0


def test_a_gap_needs_an_earlier_report(respondents: Caller, store: Store) -> None:
    both, more = (
        surveys.survey(*map(surveys.single, ids), slug="two")
        for ids in (["doped", "offered"], ["doped", "offered", "knew"])
    )
    store.register(both)
    refused = respondents.send(report(both, bytes([NOT_ASKED, 1])), slug="two")
    assert_problem(refused, 422)
    assert "a report to every item" in refused.json["detail"]
    store.register(more)
    assert (
        respondents.send(report(more, bytes([NOT_ASKED, NOT_ASKED, 1])), slug="two").status == 201
    )
    # It may be asked as it was before.
    assert respondents.send(report(both, bytes([NOT_ASKED, 1])), slug="two").status == 201
    store.delete("two")
    assert respondents.send(report(both, bytes([NOT_ASKED, 1])), slug="two").status == 404


@pytest.mark.parametrize("chunked", [False, True])
def test_what_is_too_long_is_refused(respondents: Caller, survey: Survey, chunked: bool) -> None:
    def send(length: int) -> Answer:
        body = report(survey).to_json().ljust(length)
        return respondents(
            at("doping", "reports"), body, method="POST", headers=JSON, chunked=chunked
        )

    assert send(MAX_BODY).status == 201
    assert_problem(send(MAX_BODY + 1), 413)
    assert_problem(send(100 * MAX_BODY), 413)


def test_a_declared_length_is_believed_unread(respondents: Caller) -> None:
    for length, status in (("9" * 400, 413), ("-1", 400), ("²", 400), ("1_0", 400)):
        headers = {**JSON, "Content-Length": length}
        assert_problem(
            respondents(at("doping", "reports"), b"{}", method="POST", headers=headers), status
        )


def test_a_body_that_breaks_off_is_not_taken(
    respondents: Caller, store: Store, survey: Survey
) -> None:
    body = report(survey).to_json()
    headers = {**JSON, "Content-Length": str(len(body) + 1)}
    assert_problem(respondents(at("doping", "reports"), body, method="POST", headers=headers), 400)
    assert store.count("doping") == 0


def test_errors_repeat_nothing_of_what_was_sent(respondents: Caller, survey: Survey) -> None:
    marker = "m4rk3r"
    for answer in (
        respondents.send(marker.encode()),
        respondents.send(fields(survey, survey=marker)),
        respondents.send(fields(survey, revision=marker)),
        respondents.send(fields(survey, id=marker)),
        respondents.send(fields(survey, answers=marker)),
        respondents.send(fields(survey), Content_Type=marker),
        respondents.send(fields(survey), Sec_Fetch_Site=marker),
        respondents.send(fields(survey), slug=marker),
        respondents(f"{at('doping')}reports/{marker}?{marker}"),
    ):
        assert answer.status >= 400
        assert marker not in answer.text
        assert marker not in str(answer.headers)


def test_an_unwritable_store_says_when(
    respondents: Caller, commit: GroupCommit, survey: Survey
) -> None:
    commit.close()
    answer = respondents.send(report(survey))
    assert_problem(answer, 503)
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.promise("lengths")
def test_lengths_are_the_same_whatever_was_answered(store: Store, respondents: Caller) -> None:
    three = [*surveys.YES_NO, questions.Answer("maybe", "Maybe")]
    mixed = surveys.survey(surveys.single("a", three), surveys.many("b", ["X", "Y"]), slug="mixed")
    store.register(mixed)
    requests, responses = set(), set()
    for answers in itertools.product(*(range(item.channel.reports) for item in mixed.items)):
        mine = report(mixed, bytes(answers))
        requests.add(len(mine.to_json()))
        for answer in (respondents.send(mine, slug="mixed"), respondents.send(mine, slug="mixed")):
            responses.add((answer.status, len(answer.body), tuple(answer.headers.items())))
    assert len(requests) == 1
    assert len(responses) == 2  # stored, and already stored


def test_a_survey_that_another_process_adds_is_found(respondents: Caller, store: Store) -> None:
    later = surveys.survey(slug="later")
    assert respondents.send(report(later), slug="later").status == 404
    other = open_store(store_url(store.name))
    other.register(later)
    assert respondents.send(report(later), slug="later").status == 201
    changed = surveys.survey(slug="later", title="Later, changed")
    other.register(changed)
    other.close()
    assert respondents.send(report(changed), slug="later").status == 201
    assert respondents.send(report(later), slug="later").status == 201


@pytest.mark.promise("deleted")
def test_a_survey_deleted_elsewhere_is_gone_at_once(
    respondents: Caller, store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is sent to it, and whatever this process knows of it."""
    monkeypatch.setattr(access_word, "SECONDS", 0)  # its access word is asked for each time
    asks: list[Callable[[], int]] = [
        lambda: respondents(at("doping")).status,
        lambda: respondents(at("doping", "survey.json")).status,
        lambda: respondents(at("doping", "reports"), method="PUT").status,
        lambda: respondents.send(report(survey)).status,
        lambda: respondents.send(b"{").status,
        lambda: respondents.send(b"x" * 2**17).status,
        lambda: respondents.send(report(survey), **{"Sec-Fetch-Site": "cross-site"}).status,
    ]
    assert [ask() for ask in asks] == [200, 200, 405, 201, 400, 413, 403]
    with contextlib.closing(open_store(store_url(store.name))) as other:
        other.delete("doping")
        assert respondents.send(report(survey)).status == 404  # before any page has looked for it
        assert [ask() for ask in asks] == [404] * len(asks)


def test_a_catalogue_forgets_what_was_deleted(store: Store, survey: Survey) -> None:
    survey = store.register(trial_of(survey))
    catalogue = Catalogue(store)
    assert catalogue.current(survey.slug) == survey
    store.delete(survey.slug)
    another = replace(survey, title="Another one")
    store.register(another)
    # It has not seen that there was none meanwhile.
    with pytest.raises(KeyError):
        catalogue.revision(survey.slug, survey.revision)
    assert catalogue.slug_at(survey.address) == another.slug
    assert catalogue.current(survey.slug) == another
    store.delete(survey.slug)
    assert catalogue.slug_at(survey.address) == another.slug  # as far as it knows
    with pytest.raises(KeyError):
        catalogue.current(survey.slug)
    with pytest.raises(KeyError):
        catalogue.slug_at(survey.address)
    assert not catalogue._revisions


def test_asking_for_nothing_takes_no_memory(store: Store, survey: Survey) -> None:
    catalogue = Catalogue(store)
    asks: list[Callable[[int], object]] = [
        lambda number: f"none{number}" in catalogue,
        lambda number: catalogue.slug_at(f"/none{number}/"),
        lambda number: catalogue.revision("doping", f"{number:064x}"),
        lambda number: catalogue.revision(f"none{number}", survey.revision),
    ]
    for ask, number in itertools.product(asks, range(50)):
        with contextlib.suppress(KeyError):
            assert ask(number) is False
    assert catalogue._last.keys() <= {"doping"}
    assert not catalogue._revisions


def test_the_longest_survey_fits() -> None:
    assert MAX_ITEMS < 10_000
    longest = Report("x" * 64, "f" * REVISION_DIGITS, bytes(16), bytes(10_000))
    assert len(longest.to_json()) < MAX_BODY / 2


def test_other_addresses_reach_the_pages(respondents: Caller) -> None:
    for path in (
        at("doping", "reports/"),
        "/s//reports",
        at("doping", "x/reports"),
        "/S/doping/reports",
        at("doping", "reports").lower(),
    ):
        answer = respondents(path, method="GET")
        assert answer.headers["Content-Type"].startswith("text/html")
