"""Only pages of the desk change anything at the desk."""

import pytest

from deniable.server.desk.auth import login_links
from deniable.server.store import State, Store
from tests.kit import ORIGIN, RESPONDENTS, Browser, Start, url_for
from tests.server.desk.test_pages import DESK_ON_TLS


def close(researcher: Browser, **headers: str) -> int:
    """Press a button with a good cookie and a good token, from wherever the headers say."""
    return researcher._call(
        url_for("surveys.set_state"),
        f"csrf_token={researcher.token()}&state=closed".encode(),
        method="POST",
        headers={
            "Cookie": researcher.cookie,
            "Content-Type": "application/x-www-form-urlencoded",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    ).status


@pytest.mark.promise("forged")
@pytest.mark.parametrize(
    ("headers", "acts"),
    [
        ({"Origin": ORIGIN}, True),
        ({"Sec_Fetch_Site": "same-origin"}, True),
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": RESPONDENTS}, False),
        # The respondents' program on the same host: another port is another origin, though the
        # browser adds the same cookies.
        ({"Origin": "http://localhost:8000"}, False),
        ({"Origin": "https://localhost"}, False),
        ({"Origin": "http://localhost.evil.example"}, False),
        # A page without an origin, such as a sandboxed frame, or one that sends no referrer.
        ({"Origin": "null"}, False),
        ({"Origin": ""}, False),
        ({"Origin": "http://evil.example", "Sec_Fetch_Site": "same-origin"}, False),
        ({"Sec_Fetch_Site": "same-site"}, False),
        ({"Sec_Fetch_Site": "cross-site"}, False),
        ({"Sec_Fetch_Site": "none"}, False),
        ({}, False),
    ],
)
def test_no_other_origin_acts(
    researcher: Browser, store: Store, headers: dict[str, str], *, acts: bool
) -> None:
    assert close(researcher, **headers) == (303 if acts else 403)
    assert store.state("doping") is (State.CLOSED if acts else State.OPEN)


def test_a_proxy_s_origin_counts(store: Store, start_desk: Start) -> None:
    researcher = Browser(start_desk(DESK_ON_TLS + "/"))
    researcher.sign_in(login_links.new_link(store, DESK_ON_TLS))
    assert close(researcher, Origin="https://survey.example.org") == 403
    assert close(researcher, Origin=DESK_ON_TLS) == 303


def test_reading_is_for_links_from_anywhere(researcher: Browser) -> None:
    answer = researcher._call(
        url_for("surveys.index"),
        headers={"Cookie": researcher.cookie, "Sec-Fetch-Site": "cross-site"},
    )
    assert answer.status == 200


@pytest.mark.promise("host")
@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8001", "localhost.evil.example", "", "[", "198.51.100.7"],
)
def test_the_desk_answers_to_no_other_name(researcher: Browser, store: Store, host: str) -> None:
    """A page whose own name leads to this machine has the origin that it asks for."""
    assert close(researcher, Host=host, Origin=f"http://{host}") == 421
    assert store.state("doping") is State.OPEN
    for path in (
        url_for("surveys.index"),
        url_for("auth.password_page"),
        "/lab",
        "/api/v1/surveys",
        url_for("results.page", slug="meetings") + "/x/y",
    ):
        answer = researcher._call(path, headers={"Host": host, "Cookie": researcher.cookie})
        assert answer.status == 421
        assert "--desk-url" in answer.text
        assert host == "" or host not in answer.text
    assert researcher._call("/health", headers={"Host": host}).status == 200


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1:8001", "127.0.0.2", "[::1]:8001"])
def test_the_desk_is_reached_by_any_port(researcher: Browser, host: str) -> None:
    assert close(researcher, Host=host, Origin=f"http://{host}") == 303


def test_the_desk_answers_to_its_name(start_desk: Start) -> None:
    desk = start_desk(DESK_ON_TLS)
    name = DESK_ON_TLS.removeprefix("https://")
    statuses = {name: 401, name.upper(): 401, "localhost": 401, "other.example": 421}
    for host, status in statuses.items():
        assert desk(url_for("surveys.index"), headers={"Host": host}).status == status
