"""Where the programs listen, and that browsers can keep them apart."""

import pytest

from deniable.server import addresses
from deniable.server.addresses import Place, ServingError, check_apart, choose

pytestmark = pytest.mark.promise("two-origins")


@pytest.mark.parametrize(
    ("address", "network", "base", "only_here"),
    [
        ("127.0.0.1", "198.51.100.7", "http://127.0.0.1:80", True),
        ("::1", None, "http://[::1]:80", True),
        ("198.51.100.7", None, "http://198.51.100.7:80", False),
        ("0.0.0.0", "198.51.100.7", "http://198.51.100.7:80", False),  # noqa: S104
        ("0.0.0.0", None, "http://127.0.0.1:80", True),  # noqa: S104
    ],
)
def test_the_address_that_people_are_given(
    address: str,
    network: str | None,
    base: str,
    only_here: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(addresses, "_address_on_network", lambda: network)
    assert addresses._base(address, 80) == (base, only_here)


def test_any_free_port_is_another_one_for_each() -> None:
    for _ in range(20):
        theirs, ours = choose(Place(), Place())
        assert 0 < theirs.port != ours.port > 0
        assert theirs.base == f"http://127.0.0.1:{theirs.port}"
        assert ours.here == ("127.0.0.1", ours.port)


def test_one_port_cannot_be_both() -> None:
    theirs, _ = choose(Place(), Place())
    with pytest.raises(ServingError, match=f"port {theirs.port} of 127.0.0.1 is in use"):
        choose(Place(port=theirs.port), Place(port=theirs.port))


def test_a_proxy_s_addresses_are_those_of_the_links() -> None:
    theirs, ours = choose(
        Place(url="https://survey.example.org/"), Place(url="https://desk.example.org")
    )
    assert (theirs.base, ours.base) == ("https://survey.example.org", "https://desk.example.org")
    assert not theirs.this_machine_only


@pytest.mark.parametrize(
    ("respondents", "desk"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8001"),
        ("http://192.0.2.1:8000", "http://127.0.0.1:8001"),
        ("https://survey.example.org", "https://desk.example.org"),
        ("https://survey.example.org", "http://127.0.0.1:8001"),
        ("http://example.org", "http://example.org:8001"),
    ],
)
def test_addresses_that_browsers_keep_apart(respondents: str, desk: str) -> None:
    check_apart(respondents, desk)


@pytest.mark.parametrize(
    ("respondents", "desk", "why"),
    [
        ("https://example.org", "https://example.org:8001", "cookies by host and not by port"),
        ("https://example.org", "https://EXAMPLE.org", "cookies by host and not by port"),
        ("https://example.org", "http://example.org:8001", "cookies by host and not by port"),
        ("http://example.org:8001", "https://example.org", "cookies by host and not by port"),
        ("http://example.org", "http://example.org", "found one address"),
        ("http://example.org:80", "http://example.org", "found one address"),
    ],
)
def test_addresses_that_browsers_cannot_keep_apart(respondents: str, desk: str, why: str) -> None:
    with pytest.raises(ServingError, match=why):
        check_apart(respondents, desk)
