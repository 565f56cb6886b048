"""What is noted of accounts at the desk, and that it is nothing of people who answer."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from deniable.server.desk import audit
from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.store import Store
from deniable.server.store.accounts import Role, Scope
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import RESPONDENTS, Browser, Caller, report, url_for
from tests.kit.fixtures import signed_in
from tests.server.desk.api.test_routes import WARD
from tests.server.desk.auth.test_accounts import PASSWORD, accounts, enter, quickly

__all__ = ["accounts", "quickly"]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Path]:
    audit.keep(str(tmp_path / "desk.audit"))
    yield tmp_path / "desk.audit"
    for handler in [*logging.getLogger(audit.__name__).handlers]:
        logging.getLogger(audit.__name__).removeHandler(handler)
        handler.close()


def test_accounts_acts_are_noted(accounts: Store, desk: Caller, survey: Survey, kept: Path) -> None:
    browser = Browser(desk)
    assert enter(browser, "ada", "a wrong password").status == 401
    assert enter(browser, "my-password", "a wrong password").status == 401
    assert enter(browser, "x" * 5_000, "a wrong password").status == 401
    assert enter(browser, "ada", PASSWORD).status == 303
    assert browser.see("results.page", slug=survey.slug).status == 200
    assert browser.see("results.reports", slug=survey.slug).status == 200
    visitor = signed_in(accounts, desk, "ada")
    assert visitor.see("results.reports", slug="nothing").status == 404
    assert enter(visitor, "olu-s-word", "a wrong password").status == 401
    lines = kept.read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ", line) for line in lines)
    assert [line.split(" ", 1)[1] for line in lines] == [
        "ada auth.sign_in_by_password refused",
        *2 * ["(no account) auth.sign_in_by_password refused"],
        "ada auth.sign_in_by_password",
        f"ada results.reports doping doping-{survey.revision[:8]}-reports.csv",
        "ada auth.redeem",
        "(no account) auth.sign_in_by_password refused",
    ]


def test_each_file_is_noted_by_its_name(accounts: Store, desk: Caller, kept: Path) -> None:
    ward = accounts.register(read(WARD).survey)
    accounts.share("ward", "ada", Role.OWNER)
    accounts.insert_reports([report(ward, bytes([k % 2, 0, k % 3, k % 2])) for k in range(90)])
    browser = signed_in(accounts, desk, "ada")
    token = make_token(accounts, "ada", "tests", Scope.READ)
    of = f"ward-{ward.revision[:8]}"
    long = "-".join(["years"] * 25)
    plus = long.replace("-", "+")
    files = {
        "estimates.json": f"{of}-estimates.json",
        "reports.csv": f"{of}-reports.csv",
        "compare.csv?item=error&by=ward": f"{of}-compare-error-ward.csv",
        "cross.json?first=error&second=ward": f"{of}-cross-error-ward.json",
        "paper.zip?direct=ward": f"{of}.zip",
        f"regress.csv?formula=error~{quote(plus)}": f"{of}-regress-error-{long}"[:128],
    }
    pictures = {"figures/error.png": f"{of}-error.png", "figures/error.svg": None}
    page = url_for("results.page", slug="ward")
    for file in (*files, *pictures):
        assert browser(f"{page}/{file}").status == 200, file
    assert browser(page).status == browser(f"{page}/paper").status == 200
    assert browser(f"{page}/paper.zip?direct=error").status == 422
    scripts = {
        "tally": None,
        "estimates.json": f"{of}-estimates.json",
        "reports.csv": f"{of}-reports.csv",
    }
    for file in scripts:
        found = desk(f"/api/v1/surveys/ward/{file}", headers={"Authorization": f"Bearer {token}"})
        assert found.status == 200, file
    noted = [line.split(" ") for line in kept.read_text().splitlines()[1:]]
    expected = [*files.values(), pictures["figures/error.png"], *scripts.values()]
    assert len(noted) == len(expected)
    for (_, who, endpoint, of_what, *given), name in zip(noted, expected, strict=True):
        assert (who, of_what) == ("ada", "ward")
        assert "".join(given).startswith(name) if name else endpoint == "api.tally"
        assert sum(map(len, given)) <= 128


def test_nobody_forges_the_log(accounts: Store, desk: Caller, survey: Survey, kept: Path) -> None:
    browser = Browser(desk)
    enter(browser, "ada", PASSWORD)
    kept.rename(kept.with_suffix(".1"))
    token = browser.token(url_for("account.page"))
    for state in ("%0A2026-11-25T01:00:00Z%20olu%20surveys.delete%20doping", "x" * 5_000, "open"):
        form = {"csrf_token": token, "session": "00", "state": state}
        assert browser(url_for("account.end_sessions"), method="POST", form=form).status == 303
    noted = [line.split(" ", 1)[1] for line in kept.read_text().splitlines()]
    assert noted == ["ada account.end_sessions"] * 2 + ["ada account.end_sessions open"]
    assert kept.stat().st_mode & 0o777 == 0o600


def test_no_time_of_a_report_is_noted(accounts: Store) -> None:
    rules = create_desk_app(accounts, RESPONDENTS).url_map.iter_rules()
    assert {rule.endpoint for rule in rules} >= audit.ACTS
    rooms = {one.partition(".")[0] for one in audit.ACTS}
    assert not rooms & {"live", "preview", "projector", "lab", "public"}
