"""Every output of the desk, over a survey that was corrected: none tells of one to four people.

What there is comes from the routes' rights, so an output that is new must be named here. Each is
read for the groups of people that it counts, by their direct answers. No group is small, and none
is a few people larger than the same group in another output.
"""

import csv
import io
import itertools
import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from random import Random
from urllib.parse import quote

import pytest

from deniable.analysis.privacy.disclosure import LEAST
from deniable.server.desk.api.routes import api
from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.desk.permissions import Right, Route
from deniable.server.desk.results.compare import ANALYSES
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Scope
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import RESPONDENTS, Browser, Caller, first_of, report, url_for

pytestmark = pytest.mark.promise("few", "rows")

STAFF = """\
version: 1
survey: staff
title: Staff
epsilon: 9
questions:
  - {id: took, text: Took it, type: single, answers: [No, Yes]}
  - {id: more, text: More than once, type: single, answers: [No, Yes], ask_if: {took: yes}}
  - {id: cash, text: Cash, type: single, answers: [No, Yes]}
  - {id: year, text: Year, type: single, answers: [First, Second, Third], protection: direct}
  - {id: dept, text: Department, type: single, answers: [A, B], protection: direct}
  - {id: led, text: Led it, type: single, answers: [No, Yes], protection: direct,
     ask_if: {dept: a}}
"""

DIRECT = {
    "year": {"first", "second", "third"},
    "dept": {"a", "b"},
    "led": {"no", "yes", "does_not_apply", "does not apply"},
}
"""The answers to each direct question, as codes and texts."""

Groups = Iterator[tuple[frozenset[tuple[str, str]], int]]


AT_ONCE = STAFF.replace("epsilon: 9", "epsilon: 9\nbatch: 1")
IN_WAVES = AT_ONCE.replace("batch: 1", "batch: 1\nwaves: {count: 2, redraw: 1/10}")


def fill(store: Store, survey: Survey, people: dict[tuple[int, int, int], int]) -> None:
    # By their ids the store draws which of them are held back.
    ids = Random(survey.revision)
    for (year, dept, led), count in people.items():
        rows = [bytes([k % 2, k % 3, k % 2, year, dept, led]) for k in range(count)]
        wave = survey.on_wire(1)
        store.insert_reports(
            [report(survey, row, ids.randbytes(16))._replace(wave=wave) for row in rows]
        )


def corrected(store: Store, text: str) -> Survey:
    """Register a survey, and a correction of which few reports of each kind are shown."""
    first, second = read(text).survey, read(f"{text}exit: none\n").survey
    # By default half of the correction's reports are held back.
    times = 1 if first.batch == 1 else 2
    for survey, people in (
        (first, {(0, 0, 0): 16, (0, 0, 1): 12, (1, 1, 2): 17, (2, 1, 2): 5}),
        (second, {(0, 0, 0): 5, (1, 1, 2): 4, (2, 0, 1): 1}),
    ):
        store.register(survey)
        fill(store, survey, {kind: count * times for kind, count in people.items()})
    return second


@pytest.fixture(
    params=first_of([STAFF, AT_ONCE, IN_WAVES]), ids=["by default", "at once", "in waves"]
)
def staff(request: pytest.FixtureRequest, store: Store, monkeypatch: pytest.MonkeyPatch) -> Survey:
    # Which reports are held back, the store draws.
    monkeypatch.setattr("secrets.randbelow", Random(5).randrange)
    return corrected(store, request.param)


def test_no_output_tells_of_few_people(
    researcher: Browser, store: Store, desk: Caller, staff: Survey
) -> None:
    token = make_token(store, NOBODY, "test", Scope.READ)
    bearer = {"Authorization": f"Bearer {token}"}
    seen: dict[frozenset[tuple[str, str]], set[int]] = defaultdict(set)
    first = next(one for one in store.revisions("staff") if one != staff.revision)
    tables = 0
    for endpoint, reader in READERS.items():
        for address in addresses(endpoint, first):
            answer = (
                researcher(url_for("results.page", slug="staff") + f"/{address}")
                if not endpoint.startswith("api.")
                else desk(f"/api/v1/surveys/staff/{address}", b"", method="GET", headers=bearer)
            )
            assert answer.status in (200, 422), (endpoint, address, answer.text)
            if answer.status == 200:
                found = [*reader(answer.body)]
                tables += bool(found)
                for said, count in found:
                    seen[said].add(count)
    assert tables > 15
    assert seen
    for said, counts in seen.items():
        sizes = {0, *counts}
        few = [pair for pair in itertools.permutations(sizes, 2) if 0 < pair[0] - pair[1] < LEAST]
        assert not few, (said, counts)


ASKED = {
    "compare.json": [
        "item=dept&by=year",
        *(f"item={item}&by={by}" for item in ("took", "cash") for by in ("year", "led")),
    ],
    "cross.json": [f"first=year&second={item}" for item in ("took", "cash", "dept")],
    "correlate.json": ["first=dept&second=cash"],
    "ratios.json": [f"item={item}&by=year" for item in ("took", "cash")],
    "regress.json": [f"formula={quote(one)}" for one in ("cash ~ year", "took ~ year + dept")],
    "paper.zip": ["direct=year", f"direct={'&direct='.join(DIRECT)}"],
}
"""What is asked for, where an address alone asks for nothing."""


def addresses(endpoint: str, first: str) -> Iterator[str]:
    """Yield what is asked for: of all revisions, as each of them asks, and of some columns."""
    name = endpoint.partition(".")[2]
    if endpoint.startswith("api."):
        names = ["reports.csv" if name == "reports" else name.replace("_", ".")]
    elif endpoint == "analyses.file":
        names = [f"{kind}.json" for kind in ANALYSES]
    else:
        files = {"estimates": "estimates.json", "reports": "reports.csv", "download": "paper.zip"}
        names = [files[name]]
    for name in names:
        for query in ASKED.get(name, [""]):
            yield f"{name}?{query}"
            yield f"{name}?{query}&revision={first}"


def in_rows(body: bytes) -> Groups:
    """Read a file of rows: each combination of direct answers, with the pattern and without it."""
    rows = [*csv.DictReader(io.StringIO(body.decode()))]
    columns = [one for one in DIRECT if rows and one in rows[0]]
    for size in range(1, len(columns) + 1):
        for some in itertools.combinations(columns, size):
            told = [row for row in rows if all(row[one] for one in some)]
            counts = Counter(frozenset((one, row[one]) for one in some) for row in told)
            yield from counts.items()
            was_cash = Counter(
                frozenset([*((one, row[one]) for one in some), ("cash", "")])
                for row in told
                if not row["cash_noisy"]
            )
            yield from was_cash.items()


def in_zip(body: bytes) -> Groups:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        names = {name.partition("/")[2]: name for name in archive.namelist()}
        yield from in_rows(archive.read(names["reports.csv"]))
        shares = csv.DictReader(io.StringIO(archive.read(names["estimates.csv"]).decode()))
        yield from in_shares([*shares])
        readme = archive.read(names["README.md"]).decode()
    assert "is unique by them and by what was not asked" in readme
    assert "may find their row" in readme


def in_shares(rows: list[dict[str, str]]) -> Groups:
    for row in rows:
        if row["protection"] == "direct" and row["statistic"] == "share" and row["observed"]:
            count = round(float(row["observed"]) * int(row["n"]))
            yield frozenset({(row["item"], row["answer"])}), count


def in_estimates(body: bytes) -> Groups:
    text = body.decode()
    rows = (
        json.loads(text)["estimates"] if text.startswith("{") else csv.DictReader(text.splitlines())
    )
    yield from in_shares([row for row in rows if row.get("since") in (None, "")])


def in_tally(body: bytes) -> Groups:
    for item in json.loads(body)["items"]:
        if item["protection"] == "direct":
            for answer, count in item["counts"].items():
                if count is not None:
                    yield frozenset({(item["item"], answer)}), count


def in_analysis(body: bytes) -> Groups:
    """Read what a comparison or a cross table counts."""
    found = json.loads(body)
    rows = found.get("estimates", [])
    if "n_by_group" in found:
        for group, count in found["n_by_group"].items():
            yield frozenset({(rows[0]["group_question"], group)}), count
    elif "group_question" in found:
        for row in rows:
            if row["statistic"] in ("share", "mean"):
                yield frozenset({(found["group_question"], row["group"])}), row["n"]
    elif "counts" in found and found["first_question"] in DIRECT:
        answers = dict.fromkeys(row["first_answer"] for row in rows if row["first_answer"])
        for answer, counts in zip(answers, found["counts"], strict=True):
            yield frozenset({(found["first_question"], answer)}), sum(counts)


READERS: dict[str, Callable[[bytes], Groups]] = {
    "results.estimates": in_estimates,
    "results.reports": in_rows,
    "export.download": in_zip,
    "analyses.file": in_analysis,
    "api.tally": in_tally,
    "api.estimates_json": in_estimates,
    "api.estimates_csv": in_estimates,
    "api.reports": in_rows,
}
"""What counts people by their direct answers, and how it is read."""

OTHERS = {
    "results.page": "the numbers of results.estimates",
    "results.figure": "the numbers of results.estimates",
    "results.trend": "the numbers of results.estimates",
    "status.page": "how many reports there are",
    "status.numbers": "how many reports there are",
    "analyses.page": "the numbers of analyses.file",
    "export.page": "the columns of export.download",
    "collection.qr": "no report",
    "planner.page": "no report",
    "planner.ethics": "no report",
    "planner.preregistration": "no report",
    "planner.packet_file": "no report",
    "preview.page": "simulated reports",
    "api.survey": "how many reports there are",
    "api.surveys": "how many reports there are",
    "api.document": "no report",
}
"""What somebody who may read results can also ask for, and what is in it."""


def test_every_output_is_read_here(store: Store) -> None:
    readable = {
        rule.endpoint
        for rule in create_desk_app(store, RESPONDENTS).url_map.iter_rules()
        if isinstance(rule, Route) and rule.needs in (Right.READ, Right.READ_SURVEY)
    }
    readable |= {f"api.{one.answer.__name__}" for one in api.operations if one.method == "GET"}
    assert readable == READERS.keys() | OTHERS.keys()
    assert {f"{kind}.json" for kind in ANALYSES} <= ASKED.keys()
