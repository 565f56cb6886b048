"""The names at which respondents' pages are: others lead to the one that ``--url`` says."""

import re
from pathlib import Path

import pytest

from deniable.server.store import Store
from deniable.survey import Survey
from tests.kit import Caller, Start, at, report, reports_in
from tests.server.test_alone import DOPING, started
from tests.server.test_connections import ask

NAME, ONION = "survey.example.org", f"{'a' * 56}.onion"
URL = f"https://{NAME}"

pytestmark = pytest.mark.promise("one-name")


@pytest.fixture
def named(start: Start) -> Caller:
    return start(url=URL, names=(NAME, ONION, "2001:db8::1"))


@pytest.mark.parametrize(
    "host",
    [
        *("www.survey.example.org", "anna.survey.example.org", "survey.example.org.evil.example"),
        *("198.51.100.7:8000", "[2001:db8::2]:80", "localhost.evil", "[", ""),
        # A browser keeps apart what belongs to a name with a full stop at its end.
        "survey.example.org.",
    ],
)
def test_another_name_leads_to_the_address(
    named: Caller, store: Store, survey: Survey, host: str
) -> None:
    query = "?who=anna"
    for method in ("GET", "HEAD"):
        for path in (at("doping"), at("doping", "privacy"), "/", "/device", "/join/ABC", "/none"):
            answer = named(path + query, method=method, headers={"Host": host})
            assert (answer.status, answer.headers["Location"]) == (307, URL + path)
            assert answer.body == b""
    for path in (at("doping", "survey.json"), at("doping", "state.json"), "/client/main.js"):
        assert named(path, headers={"Host": host}).status == 421
    assert named("*", method="GET", headers={"Host": host}).status == 421
    sent = named.send(report(survey), Host=host)
    assert (sent.status, sent.headers["Content-Type"]) == (421, "application/problem+json")
    assert host == "" or host not in sent.text
    assert named(at("doping", "tokens"), b"{}", method="POST", headers={"Host": host}).status == 421
    assert not reports_in(store, "doping")


@pytest.mark.parametrize(
    "host",
    [NAME, f"{NAME}:443", "Survey.EXAMPLE.org:8443", ONION, f"{ONION}:8002", "[2001:DB8::1]"],
)
def test_its_own_names_are_served(named: Caller, survey: Survey, host: str) -> None:
    assert named(at("doping"), headers={"Host": host}).status == 200
    assert named.send(report(survey), Host=host).status == 201


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000"])
def test_this_machine_itself_needs_no_name(named: Caller, survey: Survey, host: str) -> None:
    page = at("doping")
    assert named(page, headers={"Host": host}, sender="127.0.0.1:5").status == 200
    assert named.send(report(survey), sender="[::1]:5", Host=host).status == 201
    # Through a proxy, or from another machine, somebody has typed this name.
    for header in ("X-Forwarded-For", "Forwarded", "Via"):
        heads = {"Host": host, header: "198.51.100.7"}
        assert named(page, headers=heads, sender="127.0.0.1:5").status == 307
    assert named(page, headers={"Host": host}, sender="198.51.100.7:5").status == 307
    # Nobody's address is looked at for another name.
    assert named(page, headers={"Host": "evil.example"}).status == 307


def test_without_an_address_every_name_is_served(start: Start, survey: Survey) -> None:
    # As at a laptop in a class, whose address changes.
    for program in (start(), start(url=URL)):
        assert program(at("doping"), headers={"Host": "192.168.1.7:8000"}).status == 200
        assert program.send(report(survey), Host="laptop.local").status == 201


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("//KVYTHNR/", "//KVYTHNR/"),
        (r"/\evil.example", "/%5Cevil.example"),
        ("/@evil.example/", "/%40evil.example/"),
        # As mangled by a mail program: the page there reads it.
        ("/KVYTHNR/%231bafd3f3099365da", "/KVYTHNR/%231bafd3f3099365da"),
        ("/a%0d%0aSet-Cookie:%20b", "/a%0D%0ASet-Cookie%3A%20b"),
    ],
)
def test_a_path_stays_a_path(named: Caller, path: str, place: str) -> None:
    answer = named(path, headers={"Host": "evil.example"})
    assert (answer.status, answer.headers["Location"]) == (307, URL + place)


def test_two_slashes_lead_to_no_other_site(named: Caller) -> None:
    answer = named("//evil.example/x", headers={"Host": "evil.example"})
    assert (answer.status, "Location" in answer.headers) == (404, False)


def test_a_real_server_has_one_name(tmp_path: Path) -> None:
    options = ("--url", URL, "--also", ONION, "--behind-proxy", "--metrics", "10", str(DOPING))
    with started(f"sqlite:///{tmp_path}/store.db", "respondents", *options) as (said, port):
        path = "/" + re.findall(rf"{URL}/(\S+)#", said)[0]

        def status(target: str, host: str | None, *more: str, version: str = "1.1") -> str:
            named = [] if host is None else [f"Host: {host}"]
            lines = [f"{target} HTTP/{version}", *named, *more]
            told, headers, _ = ask(port, "\r\n".join([*lines, "", ""]).encode())
            place = re.search(r"(?m)^location: (\S+)", headers)
            return told.split()[1] + (f" {place[1]}" if place else "")

        there = f"307 {URL}{path}".lower()
        for host in ("evil.example", "evil.example:443", f"{NAME}.", "[2001:db8::1]", ""):
            assert status(f"GET {path}?anna", host) == there
            assert status(f"HEAD {path}", host) == there
            assert status(f"POST {path}reports", host, "Content-Length: 0") == "421"
        for host in (NAME, NAME.upper(), f"{NAME}:8443", ONION):
            assert status(f"GET {path}", host) == "200"
            assert status(f"POST {path}reports", host, "Content-Length: 0") == "415"
        # The name in the address counts; HTTP/1.0 may say none.
        assert status(f"GET http://evil.example{path}", NAME) == there
        assert status(f"GET http://{NAME}{path}", "evil.example") == "200"
        assert status(f"GET {path}", None, version="1.0") == there
        assert status("GET //x", "evil.example") == "404"
        assert status("OPTIONS *", "evil.example") == "421"
        for host in ("127.0.0.1", f"localhost:{port}"):
            assert status(f"GET {path}", host) == "200"
            assert status(f"GET {path}", host, "X-Forwarded-For: 198.51.100.7") == there
            assert status("GET /metrics", host) == "200"
        for host in ("127.0.0.1", "evil.example"):
            assert status("HEAD /health", host) == status("GET /health", host) == "200"
