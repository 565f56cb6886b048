"""Compressed for whoever takes it, and nothing where a length could tell a secret."""

import gzip

import pytest

from tests.addresses import at
from tests.server.calling import Caller
from tests.server.desk.urls import url_for

PAGES = (at("doping"), at("doping", "survey.json"), at("doping", "privacy"), "/client/main.js")


@pytest.mark.parametrize("path", PAGES)
def test_the_content_is_the_same(call: Caller, path: str) -> None:
    plain = call(path, headers={"Accept-Encoding": "identity"})
    packed = call(path, headers={"Accept-Encoding": "gzip, deflate, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < 0.6 * len(plain.body)
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip;q=0, *"])
def test_not_for_who_does_not_take_it(call: Caller, accepted: str) -> None:
    answer = call("/client/main.js", headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in answer.headers
    assert b"function openPage(" in answer.body


def test_the_same_bytes_for_everybody(call: Caller) -> None:
    """No time of compression, and nothing else of who asked."""
    answers = {call("/client/main.js", headers={"Accept-Encoding": "gzip"}).body for _ in range(2)}
    assert len(answers) == 1
    assert next(iter(answers))[4:8] == bytes(4)


def test_what_a_browser_has_is_not_sent_again(call: Caller) -> None:
    gzipped = {"Accept-Encoding": "gzip"}
    tag = call("/client/main.js", headers=gzipped).headers["ETag"]
    assert tag.startswith("W/")
    again = call("/client/main.js", headers={**gzipped, "If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        url_for("surveys.index"),
        url_for("auth.password_page"),
        url_for("results.page", slug="none"),
    ],
)
def test_nothing_of_the_desk(desk: Caller, path: str) -> None:
    """A form's token stands there, beside text of others' choosing."""
    answer = desk(path, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers
