import subprocess
import sys

import pytest

from deniable.server.worker import CONNECTIONS, connections_within


@pytest.mark.parametrize(
    ("descriptors", "connections"), [(100, 50), (256, 160), (1024, 928), (10**6, CONNECTIONS)]
)
def test_connections_leave_descriptors_for_the_store(descriptors: int, connections: int) -> None:
    assert connections_within(descriptors) == connections


def test_a_server_takes_as_many_descriptors_as_it_may_have() -> None:
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
