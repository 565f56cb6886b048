from dataclasses import dataclass, field

import pytest

from deniable.server.intake.networks import NOBODY_KNOWS, behind_proxy, prefix

pytestmark = pytest.mark.promise("rate-limit")


@pytest.mark.parametrize(
    "addresses",
    [
        ["192.0.2.1", "192.0.2.1:443", " 192.0.2.1 ", "::ffff:192.0.2.1", "[::ffff:c000:201]:9"],
        ["2001:db8:0:aa00::1", "[2001:db8:0:aaff::2]:443", "2001:db8:0:aa12:1:2:3:4"],
        [
            "",
            "unknown",
            "_hidden",
            "192.0.2",
            "192.0.2.1.5",
            "[]",
            "1:2",
            "192.0.2.1:x",
            "é",
            "::g",
        ],
    ],
)
def test_addresses_of_one_network(addresses: list[str]) -> None:
    assert len({prefix(address) for address in addresses}) == 1


def test_addresses_of_different_networks() -> None:
    addresses = ["192.0.2.1", "192.0.2.2", "2001:db8:0:aa00::1", "2001:db8:0:ab00::1", "unknown"]
    assert len({prefix(address) for address in addresses}) == len(addresses)
    assert prefix("unknown") == NOBODY_KNOWS


@dataclass
class _Headers:
    values: list[str]

    def get_all(self, key: str) -> list[str]:
        assert key == "x-forwarded-for"
        return self.values


@dataclass
class _Scope:
    """A request whose own address must not be looked at."""

    headers: _Headers = field()


@pytest.mark.parametrize(
    ("forwarded", "network"),
    [
        (["192.0.2.1"], "192.0.2.1"),
        (["10.0.0.1, 192.0.2.1"], "192.0.2.1"),
        (["10.0.0.1,10.0.0.2,192.0.2.1:99"], "192.0.2.1"),
        (["10.0.0.1", "192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1, "], "unknown"),
        (["192.0.2.1", ""], "unknown"),
        ([], "unknown"),
    ],
)
def test_a_proxy_s_last_entry_counts(forwarded: list[str], network: str) -> None:
    assert behind_proxy(_Scope(_Headers(forwarded))) == prefix(network)  # type: ignore[arg-type]
