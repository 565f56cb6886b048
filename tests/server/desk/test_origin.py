"""Only pages of the desk change anything at the desk."""

import pytest

from deniable.server.desk import sign_in
from deniable.server.store import Store
from deniable.server.store.records import State
from tests.server.calling import RESPONDENTS, Start
from tests.server.desk.test_pages import DESK_ON_TLS, ORIGIN, Browser


def close(researcher: Browser, **headers: str) -> int:
    """Press a button with a good cookie and a good token, from wherever the headers say."""
    return researcher._call(
        "/desk/doping/state",
        f"csrf_token={researcher.token()}&state=closed".encode(),
        method="POST",
        headers={
            "Cookie": researcher.cookie,
            "Content-Type": "application/x-www-form-urlencoded",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    ).status


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": RESPONDENTS},
        # The respondents' program on the same host: another port is another origin, though the
        # browser adds the same cookies.
        {"Origin": "http://localhost:8000"},
        {"Origin": "https://localhost"},
        {"Origin": "http://localhost.evil.example"},
        # A page without an origin, such as a sandboxed frame, or one that sends no referrer.
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://evil.example", "Sec_Fetch_Site": "same-origin"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "none"},
        {},
    ],
)
def test_no_other_origin_changes_anything_even_with_a_good_token(
    researcher: Browser, store: Store, headers: dict[str, str]
) -> None:
    assert close(researcher, **headers) == 403
    assert store.state("doping") is State.OPEN


@pytest.mark.parametrize("headers", [{"Origin": ORIGIN}, {"Sec_Fetch_Site": "same-origin"}])
def test_the_desk_s_own_pages_do(
    researcher: Browser, store: Store, headers: dict[str, str]
) -> None:
    assert close(researcher, **headers) == 303
    assert store.state("doping") is State.CLOSED


def test_the_token_is_asked_for_all_the_same(researcher: Browser, store: Store) -> None:
    answer = researcher("/desk/doping/state", method="POST", form={"state": "closed"})
    assert answer.status == 400
    assert store.state("doping") is State.OPEN


def test_behind_a_proxy_the_origin_is_the_proxy_s(store: Store, start_desk: Start) -> None:
    researcher = Browser(start_desk(DESK_ON_TLS + "/"))
    researcher.sign_in(sign_in.new_link(store, DESK_ON_TLS))
    assert close(researcher, Origin="https://survey.example.org") == 403
    assert close(researcher, Origin=DESK_ON_TLS) == 303


def test_reading_is_for_links_from_anywhere(researcher: Browser) -> None:
    answer = researcher._call(
        "/desk", headers={"Cookie": researcher.cookie, "Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status == 200


def test_a_refusal_says_why(researcher: Browser) -> None:
    answer = researcher._call(
        "/desk/doping/state", method="POST", headers={"Origin": "http://evil.example"}
    )
    assert "accepts changes only from its own pages" in answer.text
