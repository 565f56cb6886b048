"""The manual at the desk: somebody who searches it finds the page; and its site builds."""

import subprocess
import sys
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import element_to_be_clickable
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.checks import axe_problems
from tests.browser.chromium import chromium
from tests.browser.page import PATIENCE
from tests.browser.serving import serving

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    subprocess.run([ROOT / "scripts" / "manual.sh", sys.executable, tmp_path], check=True)
    assert "mean_only" in (tmp_path / "docs" / "epsilon.html").read_text()


def test_somebody_who_searches_the_manual_finds_the_page() -> None:
    with serving(ROOT / "examples" / "doping.yaml") as served, chromium() as driver:
        driver.get(f"{served.desk}/desk/help")
        assert axe_problems(driver) == []
        driver.find_element(By.NAME, "q").send_keys("mean_only\n")
        found = (By.PARTIAL_LINK_TEXT, "How much ε")
        WebDriverWait(driver, PATIENCE).until(element_to_be_clickable(found)).click()
        assert driver.find_element(By.TAG_NAME, "h1").text.startswith("How much ε")
        refused = driver.get_log("browser")  # type: ignore[no-untyped-call]  # by the policy
        assert not refused
