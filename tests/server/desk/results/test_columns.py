"""Direct columns at the desk: who chooses them, and what is said of wrong ones."""

from html import unescape

import pytest

from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Role, Scope
from deniable.survey import Survey
from deniable.survey_file import read
from tests.cli.test_columns import CLINIC, WRONG, answers
from tests.kit import Browser, Start, of_wave, url_for
from tests.server.desk.api.test_routes import Script, told

pytestmark = pytest.mark.promise("few", "rows")


@pytest.fixture
def clinic(store: Store) -> Survey:
    """Register a survey of sex, ward and age, and store the reports of its first wave."""
    survey = store.register(read(CLINIC).survey, CLINIC)
    first = answers()[:250, :-1]
    store.insert_reports([of_wave(survey, 1, answers=row.tobytes()) for row in first])
    return survey


@pytest.mark.parametrize("columns", WRONG)
def test_wrong_groups_are_named(
    researcher: Browser, store: Store, clinic: Survey, start_desk: Start, columns: str
) -> None:
    said = WRONG[columns][:1].upper() + WRONG[columns][1:]
    script = Script(start_desk(), make_token(store, NOBODY, "tests", Scope.READ))
    query = columns.replace("+", "%2B").replace(" ", "%20")
    detail = str(told(script(f"/surveys/clinic/reports.csv?direct={query}"), 422)["detail"])
    assert detail.startswith(said)
    if columns == "sex,sex":
        return  # a box is ticked once
    name, _, groups = columns.partition(":")
    typed = {"direct": name, f"groups.{name}": groups}
    for endpoint in ("export.page", "export.download"):
        answer = researcher.see(endpoint, slug="clinic", **typed)
        assert answer.status == 422
        assert said in unescape(answer.text)
    page = unescape(researcher.see("export.page", slug="clinic", **typed).text)
    if groups:
        assert f'name="groups.{name}" type="text" value="{groups}"' in page, "it is there to mend"
    assert store.left("clinic") == ("", 0)


def test_only_owners_choose_further_columns(
    store: Store, clinic: Survey, start_desk: Start
) -> None:
    desk = start_desk()
    store.add_user("ada", Role.ADMINISTRATOR)
    for name, role in {"olu": Role.OWNER, "ana": Role.ANALYST}.items():
        store.add_user(name, role)
        store.share("clinic", name, role)
    owner, reader = (
        Script(desk, make_token(store, name, "tests", Scope.ALL)) for name in ("olu", "ana")
    )
    reports = "/surveys/clinic/reports.csv"
    assert "The survey's owners choose" in str(
        told(reader(f"{reports}?direct=age:18-39%2B40-80"), 403)["detail"]
    )
    assert store.left("clinic") == ("", 0)
    written = owner(f"{reports}?direct=sex,age:18-39%2B40-80")
    assert written.status == 200
    assert [*written.rows[0]][:2] == ["sex", "age"]
    assert store.left("clinic") == ("sex,age:18-39+40-80", 5)
    # What left already, or coarser groups of it, adds nothing to what readers know.
    for columns, header in (
        ("sex,age:18-39%2B40-80", ["sex", "age"]),
        ("sex:man%2B[woman%20other]", ["sex"]),
        ("age:18-39%2B40-80", ["age"]),
        ("", ["took_noisy"]),
    ):
        found = reader(f"{reports}?direct={columns}")
        assert found.status == 200
        assert [*found.rows[0]][: len(header)] == header
    assert [*reader(reports).rows[0]][:2] == ["sex", "age"]
    refused = told(owner(f"{reports}?direct=ward"), 422)["detail"]
    assert str(refused).startswith("Too few people to show ward with sex, age: ")


def test_an_empty_file_decides_nothing(store: Store, researcher: Browser) -> None:
    store.register(read(CLINIC).survey, CLINIC)
    assert researcher.see("results.reports", slug="clinic").status == 200
    assert store.left("clinic") == ("", 0)


def test_the_page_names_the_number_that_holds(
    researcher: Browser, store: Store, clinic: Survey
) -> None:
    page = researcher.see("export.page", slug="clinic").text
    assert "if at least 5 people gave each combination" in page
    planned = f'{CLINIC}plan: {{hide_below: 12, columns: "age:18-48+49-80"}}\n'
    store.register(clinic, planned)
    page = researcher.see("export.page", slug="clinic").text
    assert "if at least 12 people gave each combination" in page
    assert 'name="groups.age" type="text" value="18-48+49-80"' in page
    results = researcher.see("results.page", slug="clinic").text
    assert "that fewer than 12 people gave" in results
    assert "left out where fewer than 12 people would share" in results
    assert "shown for all revisions together" not in results
    assert url_for("export.page", slug="clinic") in results


def test_each_field_of_groups_has_a_label(researcher: Browser, clinic: Survey) -> None:
    page = researcher.see("export.page", slug="clinic").text
    for name in ("sex", "ward", "age"):
        assert f"<span>Groups of <code>{name}</code></span> <input" in page


def test_answers_are_put_together_at_compare(
    researcher: Browser, store: Store, clinic: Survey
) -> None:
    """An age in years has too many groups; in three it has a table, which leaves as a file does."""
    whole = {"slug": "clinic", "kind": "compare", "item": "took", "by": "age"}
    refused = researcher.see("analyses.page", **whole)
    assert refused.status == 422
    assert "at most 12 groups" in unescape(refused.text).lower()
    page = researcher.see("analyses.page", **whole, groups="age:18-39+40-59+60-80")
    assert page.status == 200
    assert 'value="age:18-39+40-59+60-80"' in page.text
    for group in ("18 to 39", "40 to 59", "60 to 80"):
        assert group in page.text
    rows = researcher.see("analyses.file", **whole, form="csv", groups="age:18-39+40-59+60-80").rows
    people = {row["group"]: int(row["n"]) for row in rows if row["statistic"] == "share"}
    age = answers()[:250, 2] + 18
    assert people == {
        "18-39": (age < 40).sum(),
        "40-59": ((age >= 40) & (age < 60)).sum(),
        "60-80": (age >= 60).sum(),
    }
    assert store.left("clinic") == ("age:18-39+40-59+60-80", 5)
    # Two direct questions leave together; finer groups than those that left do not.
    cross = {"slug": "clinic", "kind": "cross", "first": "sex", "second": "age"}
    both = researcher.see("analyses.page", **cross, groups="sex:[man other]+woman,age:18-39+40-80")
    assert both.status == 200
    assert store.left("clinic")[0] == "age:18-39+40-59+60-80,sex:[man other]+woman"
    finer = researcher.see("analyses.page", **cross, groups="age:18+19-80,sex:[man other]+woman")
    assert finer.status == 422
    assert "too few people to show age" in unescape(finer.text).lower()
    wrong = researcher.see("analyses.page", **whole, groups="age:18-39")
    assert wrong.status == 422
    assert "'age': expected each answer in a group" in unescape(wrong.text)
