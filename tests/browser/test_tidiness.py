"""A browser that a test or an audit started leaves nothing behind, and runs no longer."""

import os
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException

from tests.browser.chromium import chromium


@pytest.mark.parametrize("killed", [False, True])
def test_no_temporary_file_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    """Chromium's own temporary profile and sockets, of which it forgets some."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with suppress(WebDriverException), chromium(alone=True) as driver:
        driver.get("data:text/html,<p>Here")
        (lent,) = tmp_path.iterdir()
        assert {*lent.iterdir()}
        process = driver.capabilities["goog:processID"]
        if killed:
            os.kill(process, signal.SIGKILL)
    assert [*tmp_path.iterdir()] == []
    assert not Path("/proc", str(process)).exists()
