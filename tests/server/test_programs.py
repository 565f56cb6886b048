"""The processes of a server: what each loads, where it listens, and how it ends."""

import gc
import json
import random
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from socket import socket

import pytest

from deniable.server import addresses
from deniable.server.addresses import Place, ServingError, check_apart, choose
from deniable.server.store import Store
from deniable.server.worker import CONNECTIONS, connections_within, look_for_cycles_seldom
from tests.crash import campaign, stops
from tests.crash.places import SITES, site
from tests.kit import at, url_for

ROOT = Path(__file__).parents[2]

# Composes a program on a store, asks it for pages, and says what was loaded by then.
USE = """
import asyncio, json, runpy, sys
from deniable.server.{program} import open_program
from deniable.server.settings import Settings

program = open_program(Settings(sys.argv[1], "127.0.0.1", 0, "http://localhost", "http://x", "http://y"))
started = sorted(sys.modules)
calling = runpy.run_path("tests/kit/calling.py")  # alone: the rest of the kit loads more
with calling['event_loop']() as loop:
    call = calling['Caller'](program.gateway, loop)
    statuses = [call(path).status for path in sys.argv[2:]]
    program.close()
print(json.dumps([started, sorted(sys.modules), statuses]))
"""

FIGURES = {"matplotlib", "pandas"}
STATISTICS = {"scipy", "deniable.analysis", "deniable.analysis.results"}
OF_A_NEW_STORE = {"pydantic", "yaml"}


def loaded(program: str, store: Store, *paths: str) -> tuple[set[str], set[str], list[int]]:
    """Return what a fresh process has loaded at its start and at its end, and what it answered."""
    process = subprocess.run(
        [sys.executable, "-c", USE.format(program=program), f"sqlite:///{store.name}", *paths],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    started, ended, statuses = json.loads(process.stdout)
    return {*started}, {*ended}, statuses


@pytest.mark.promise("intake-apart")
def test_respondents_program_never_loads_analysis_or_desk(store: Store) -> None:
    paths = [
        "/",
        "/device",
        at("doping"),
        at("doping", "privacy"),
        at("doping", "sheet"),
        at("doping", "reports"),
    ]
    started, ended, statuses = loaded("respondents_program", store, *paths)
    assert statuses == [200, 200, 200, 200, 200, 405]
    assert "deniable.server.intake.group_commit" in started
    assert not started & OF_A_NEW_STORE
    assert not ended & (FIGURES | STATISTICS)
    assert not [name for name in ended if name.startswith("deniable.server.desk")]


@pytest.mark.promise("intake-apart")
def test_the_desk_loads_late_and_no_writer(store: Store) -> None:
    started, ended, statuses = loaded(
        "desk_program", store, url_for("surveys.index"), url_for("results.page")
    )
    assert statuses == [401, 401]
    assert not started & (FIGURES | STATISTICS | OF_A_NEW_STORE | {"flask", "werkzeug"})
    assert ended >= STATISTICS
    # What takes longest to load waits for whoever asks for it.
    assert not ended & (FIGURES | {"scipy.optimize", "scipy.stats"})
    for room in ("intake", "respondent"):
        assert not [name for name in ended if name.startswith(f"deniable.server.{room}")]


@pytest.mark.promise("slow-senders")
@pytest.mark.parametrize(
    ("descriptors", "connections"), [(100, 50), (256, 160), (1024, 928), (10**6, CONNECTIONS)]
)
def test_connections_leave_descriptors_for_the_store(descriptors: int, connections: int) -> None:
    assert connections_within(descriptors) == connections


@pytest.mark.promise("slow-senders")
def test_a_server_takes_all_its_descriptors() -> None:
    # The limits are lowered after everything is loaded: granian's own library raises them too.
    program = """
import resource
from deniable.server.worker import raise_descriptors
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 300))
print(raise_descriptors(), resource.getrlimit(resource.RLIMIT_NOFILE))
"""
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout == "300 (300, 300)\n"


@pytest.mark.slow
@pytest.mark.promise("slow-senders")
def test_requests_pay_for_no_older_garbage() -> None:
    # The tests themselves have it look seldom, and through little.
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    gc.unfreeze()
    gc.set_threshold(700, 10, 10)
    try:
        look_for_cycles_seldom()
        assert gc.get_freeze_count() > 10_000
        assert gc.get_threshold()[0] > 10_000
    finally:
        gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()


@pytest.mark.promise("two-origins")
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


@pytest.mark.promise("two-origins")
def test_any_free_port_is_another_one_for_each_and_held(held: ExitStack) -> None:
    theirs, ours = choose(Place(), Place(), held)
    assert 0 < theirs.port != ours.port > 0
    assert theirs.base == f"http://127.0.0.1:{theirs.port}"
    assert ours.here == ("127.0.0.1", ours.port)
    # A browser's connection could have one of them before the program listens.
    with socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(ours.here)


@pytest.mark.promise("two-origins")
def test_one_port_cannot_be_both(held: ExitStack) -> None:
    theirs, _ = choose(Place(), Place(), held)
    with pytest.raises(ServingError, match=f"port {theirs.port} of 127.0.0.1 is in use"):
        choose(Place(port=theirs.port), Place(port=theirs.port), held)


@pytest.mark.parametrize(
    ("place", "why"),
    [(Place("192.0.2.200"), "cannot listen"), (Place(port=70_000), "found port 70000")],
)
def test_an_address_that_cannot_be_is_refused(place: Place, why: str, held: ExitStack) -> None:
    with pytest.raises(ServingError, match=why):
        choose(place, Place(), held)


@pytest.mark.promise("two-origins")
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


@pytest.mark.promise("two-origins")
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


KILLS = 5
REPORTS = 2_000
STOPS = 12
"""One of each way in each moment; `make campaign` has 500."""


@pytest.mark.promise("durable")
@pytest.mark.slow
@pytest.mark.parametrize("engine", SITES)
def test_what_is_acknowledged_survives_kill_9_exactly_once(engine: str) -> None:
    with site(engine) as place:
        (count,) = campaign.kill(place, KILLS, REPORTS, random.Random(0))
    assert count.is_good, count
    assert count.acknowledged >= REPORTS
    assert count.unanswered, "no kill hit a request under way"


@pytest.mark.promise("durable")
@pytest.mark.slow
@pytest.mark.parametrize("engine", SITES)
def test_a_world_that_misbehaves_loses_and_doubles_nothing(engine: str) -> None:
    with site(engine) as place:
        counts = campaign.suffer(place)
        without = campaign.NEED_COMPILER if place.harm is None else ()
    assert not [count for count in counts if not count.is_good]
    left_out = len(without) + (engine == "sqlite")  # which has no connections to cut
    assert len(counts) == len(campaign.HARMS) - left_out
    for count in counts:
        if "full" in count.done or "read" in count.done:
            assert count.refused, count.done


@pytest.mark.promise("durable")
@pytest.mark.slow
@pytest.mark.parametrize("engine", SITES)
def test_every_stop_ends_soon_and_loses_nothing(engine: str) -> None:
    with site(engine) as place:
        counts = stops.stop(place, STOPS, random.Random(0))
    assert not [count for count in counts if not count.is_good]
    assert sum(count.times for count in counts) == STOPS
