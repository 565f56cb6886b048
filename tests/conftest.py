"""Settings that all tests share; what a test needs of the machine is in ``tests/kit/needs.py``."""

import gc
import os
import signal
from collections.abc import Iterator

import hypothesis
import pytest

from tests.kit import end_shared

pytest_plugins = ["tests.kit.fixtures"]

# No deadline: a busy machine is not a wrong answer. Under CI hypothesis draws the same
# examples every time by itself, so a failure there can be repeated here.
# `make test-slow` asks for the other profile, and runs these tests once more.
hypothesis.settings.register_profile("deniable", deadline=None, max_examples=40)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=200)
hypothesis.settings.load_profile("deniable")

# These take away from the Python that imports them what other systems lack.
collect_ignore = ["elsewhere/windows.py", "elsewhere/macos.py"]

# Thousands of tests and all that they import are a million objects, of which none is garbage.
gc.set_threshold(10_000, 20, 20)

# Whoever runs the tests may have a study of their own named there.
# Tables obey COLUMNS, which tests in several processes get from what starts these.
for variable in ("DENIABLE_STORE", "DENIABLE_URL", "DENIABLE_DESK_URL", "DENIABLE_ALSO", "COLUMNS"):
    os.environ.pop(variable, None)


def pytest_runtest_setup() -> None:
    # A shell that runs something in the background has it ignore SIGINT, as a server does after it
    # was asked to stop; and so would every program that a test starts to stop it by Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def end_of_the_shared_server() -> Iterator[None]:
    yield
    end_shared()
