import gc
import subprocess
import sys

import pytest

from deniable.server.worker import CONNECTIONS, connections_within, look_for_cycles_seldom

pytestmark = pytest.mark.promise("slow-senders")


@pytest.mark.parametrize(
    ("descriptors", "connections"), [(100, 50), (256, 160), (1024, 928), (10**6, CONNECTIONS)]
)
def test_connections_leave_descriptors_for_the_store(descriptors: int, connections: int) -> None:
    assert connections_within(descriptors) == connections


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
