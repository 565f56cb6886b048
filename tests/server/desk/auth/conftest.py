"""Tests of signing in, which use up a desk's attempts."""

import pytest

from tests.kit import Caller, Start


@pytest.fixture
def desk(start_desk: Start) -> Caller:
    """Compose a desk at which nobody has tried to sign in."""
    return start_desk()
