"""Writing surveys at the desk: drafts, the editor, checking and publishing."""

import re
from collections.abc import Mapping
from urllib.parse import quote_plus

import pytest

from deniable.server.desk.editor.beginnings import MAX_TEXT
from deniable.server.desk.editor.lint import check
from deniable.server.desk.editor.starters import BLANK, examples, published_questions
from deniable.server.store import Draft, Store
from deniable.server.store.accounts import Role
from deniable.server.web.body import MAX_BODY
from deniable.survey_file import read
from tests import vectors
from tests.kit import RESPONDENTS, Answer, Browser, Caller, at, url_for
from tests.kit.fixtures import signed_in

pytestmark = pytest.mark.promise("drafts")

LIST = url_for("editor.drafts")

DOPING = examples()["doping"]


def encoded(**form: str) -> Mapping[str, str]:
    return {name: quote_plus(value) for name, value in form.items()}


def begin(browser: Browser, **form: str) -> str:
    """Begin a draft, and return its address."""
    answer = browser.post(LIST, **form)
    assert answer.status == 303
    return answer.headers["Location"]


def only(store: Store) -> Draft:
    (draft,) = store.drafts()
    return draft


def save(browser: Browser, path: str, text: str, **more: str) -> Answer:
    return browser.post(path, **encoded(text=text, **more))


def fields(page: str) -> dict[str, str]:
    """Return what the hidden fields of the editor hold, else those of the last form of a page."""
    forms = page.split("<form")
    form = max(reversed(forms), key=lambda one: 'name="shown"' in one)
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))


def publish(browser: Browser, path: str, **more: str) -> Answer:
    """Open the page that publishes a draft, and press its button."""
    page = browser(f"{path}/publish")
    assert page.status == 200
    return browser(f"{path}/publish", method="POST", form={**fields(page.text), **more})


@pytest.mark.parametrize("name", ["", "exams", "plagiarism"])
def test_drafts_begin_blank_or_as_shipped(store: Store, researcher: Browser, name: str) -> None:
    path = begin(researcher, example=name)
    assert only(store).text == {"": BLANK, **examples(), **published_questions()}[name]
    assert researcher(path).status == 200
    assert path in researcher(LIST).text
    assert researcher.post(LIST, example="../secret").status == 400


def test_no_two_drafts_begin_under_one_name(store: Store, researcher: Browser) -> None:
    publish(researcher, begin(researcher))
    begin(researcher)
    begin(researcher)
    names = {draft.text.split("survey: ")[1].split()[0] for draft in store.drafts(None)}
    assert names == {"my-survey", "my-survey-2", "my-survey-3"}


def test_drafts_of_one_title_are_told_apart(
    store: Store, researcher: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their name, when each was saved, and whether people are asked it; the last one first."""
    saved = iter(range(0, 7_200, 60))
    monkeypatch.setattr("deniable.server.store.drafts.time", lambda: next(saved))
    published, changed, fresh = (begin(researcher) for _ in range(3))
    for path in (published, changed):
        publish(researcher, path)
    (text,) = (one.text for one in store.drafts() if one.survey == "my-survey-2")
    save(researcher, changed, text.replace("Have you", "Did you"))
    listed = researcher(LIST).text.partition('id="drafts"')[2].partition("</ul>")[0]
    assert re.findall(r'href="([^"]+)">My survey</a>', listed) == [changed, published, fresh]
    told = re.findall(
        r'badge [\w ]+">([^<]+)<.*?<code>([\w-]+)</code>.*?>([^<]+ UTC)<', listed, re.S
    )
    assert told == [
        ("Changed since published", "my-survey-2", "1 January 1970, 00:05 UTC"),
        ("Published", "my-survey", "1 January 1970, 00:03 UTC"),
        ("Draft", "my-survey-3", "1 January 1970, 00:02 UTC"),
    ]


def test_a_file_is_uploaded_as_it_is(store: Store, researcher: Browser) -> None:
    answer = researcher.upload(LIST, "\ufeffsurvey: « x »\r\n".encode())
    assert answer.status == 303
    assert only(store).text == "survey: « x »\n"
    for wrong in (b"", b"\xff\xfe\x00", b"#" * (MAX_TEXT + 1)):
        refused = researcher.upload(LIST, wrong)
        assert refused.status == 422
        assert 'role="alert"' in refused.text
    assert len(store.drafts()) == 1


def test_a_draft_is_duplicated_and_removed(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    assert save(researcher, path, "survey: twins\ntitle: Twins").status == 303
    copy, _ = (researcher.post(f"{path}/copy").headers["Location"] for _ in range(2))
    # Each is another survey.
    assert "named twins-copy" in researcher(copy).text
    names = sorted(one.text.splitlines()[0] for one in store.drafts())
    assert names == ["survey: twins", "survey: twins-copy", "survey: twins-copy-2"]
    assert researcher.post(f"{path}/remove").status == 303
    assert len(store.drafts()) == 2
    assert researcher(path).status == 404
    assert researcher.post(f"{path}/remove").status == 404


def test_a_text_is_kept_with_its_mistakes(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    typed = "title: </textarea><script>\n questions: [é\n"
    assert save(researcher, path, typed.replace("\n", "\r\n")).status == 303
    assert only(store).text == typed
    page = researcher(path)
    assert "&lt;/textarea&gt;&lt;script&gt;" in page.text.partition("<textarea")[2]
    assert re.search(r'<li data-line="\d+" data-column="\d+"', page.text)
    assert "data-question" not in page.text
    assert "<h2>What people will read" in page.text
    assert researcher.post(path).status == 400
    assert save(researcher, path, "#" * (MAX_TEXT + 1)).status == 413
    assert only(store).text == typed


def test_what_is_wanted_is_met_or_missed(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    for plan, said in (
        (
            "{people: 1000, within: 5, one: 80}",
            ("±6.3 points (±5 wanted: missed)", "80 wanted: met"),
        ),
        (
            "{people: 2000, within: 5, one: 60}",
            ("±4.4 points (±5 wanted: met)", "60 wanted: missed"),
        ),
        ("{people: 1000}", ("±6.3 points",)),
    ):
        save(researcher, path, f"{DOPING}plan: {plan}\n")
        page = researcher(path).text
        shown = page.partition('data-question="doped"')[2].partition("</tr>")[0]
        assert all(one in shown for one in said), shown
        assert ("wanted" in shown) == ("within" in plan)
        # One press where it is missed leads to the ways that reach it.
        (card,) = re.findall(r'id="q-doped-protection-field".*?</div>\n<', page, re.DOTALL)
        leads = 'name="then" value="ways"'
        assert (leads in card) == ("missed" in shown)
        assert (page.count(leads) > 1) == ("missed" in shown)
    assert "above 50" in check(f"{DOPING}plan: {{one: 50}}\n", 1000)["mistakes"][0]["message"]


def test_a_deleted_survey_s_name_is_refused(store: Store, researcher: Browser) -> None:
    store.register(read(BLANK).survey)
    store.delete("my-survey")
    path = begin(researcher)
    save(researcher, path, BLANK)
    page = researcher(path).text
    (field,) = re.findall(r'id="first-survey-field".*?</div>', page, re.DOTALL)
    assert "A survey had this name and was deleted. my-survey-2 is free." in field
    assert 'value="my-survey-2"' in field
    begin(researcher)
    assert any("survey: my-survey-2" in one.text for one in store.drafts(None))


def test_a_change_from_elsewhere_is_not_replaced_unseen(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    shown = fields(researcher(path).text)["shown"]
    assert save(researcher, path, "title: one", shown=shown).status == 303
    refused = save(researcher, path, "title: two", shown=shown)
    assert refused.status == 409
    assert "title: two" in refused.text
    assert only(store).text == "title: one"
    form = encoded(csrf_token=researcher.token(), text="title: two", shown=shown)
    by_script = researcher(path, method="POST", form=form, accept="application/json")
    assert by_script.status == 409
    # Whoever has read that it was changed may save all the same.
    again = fields(refused.text)["shown"]
    assert by_script.json == {"shown": again}
    assert save(researcher, path, "title: two", shown=again).status == 303
    assert only(store).text == "title: two"
    kept = researcher(
        path,
        method="POST",
        form={**form, "shown": fields(researcher(path).text)["shown"]},
        accept="application/json",
    )
    assert (kept.status, kept.json.keys()) == (200, {"shown"})


def test_a_text_is_checked_without_being_kept(store: Store, researcher: Browser) -> None:
    address = begin(researcher, example="exams") + "/form"
    wrong = researcher.post(address, **encoded(text=DOPING + "titel: x\n")).text
    assert re.findall(r'<li data-line="(\d+)"', wrong) == [f"{DOPING.count(chr(10)) + 1}"]
    assert "<tr data-question=" not in wrong
    plan = f"{DOPING}plan: {{people: 2000}}".replace("\n", "\r\n")
    right = researcher.post(address, **encoded(text=plan)).text
    assert "No mistakes" in right
    assert ">±4.4 points" in right
    assert only(store).text == examples()["exams"]
    assert store.current_revision("doping") != read(DOPING).survey.revision
    assert researcher.post(address).status == 400


def test_only_editor_and_typeface_are_kept_by_a_browser(researcher: Browser) -> None:
    bundle = url_for("desk.static", filename="vendor/codemirror.js")
    answer = researcher(bundle)
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Content-Type"].startswith("text/javascript")
    again = researcher._call(
        bundle, headers={"Cookie": researcher.cookie, "If-None-Match": answer.headers["ETag"]}
    )
    assert (again.status, again.body) == (304, b"")
    assert researcher(LIST).headers["Cache-Control"] == "no-store"
    # Not even asked after: a page does not wait for it.
    (typeface,) = re.findall(r'rel="preload"[^>]* href="([^"]+)"', researcher(LIST).text)
    assert "max-age=2592000" in researcher(typeface).headers["Cache-Control"]


def test_a_draft_is_taken_away_as_saved(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    text = BLANK.replace("my-survey", "first") + "# with a mistake: ["
    save(researcher, path, text)
    answer = researcher(f"{path}/survey.yaml")
    assert answer.text == only(store).text
    assert "first.yaml" in answer.headers["Content-Disposition"]
    assert f'href="{path}/survey.yaml"' in researcher(path).text


def test_a_draft_is_planned_and_tried_first(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    text = store.drafts()[0].text.replace("epsilon: 1 ", "epsilon: 7/6 ")
    assert save(researcher, path, text, then="plan").headers["Location"] == f"{path}/plan"
    assert f'href="{path}"' in researcher(f"{path}/plan?n=400").text
    assert save(researcher, path, text, then="ethics").headers["Location"] == f"{path}/ethics"
    packet = researcher(f"{path}/ethics").text
    assert f'href="{path}"' in packet
    assert "ε = 7/6;" in packet
    # The form goes on as it is, to what begins the trial.
    answer = save(researcher, path, text, then="try")
    assert (answer.status, answer.headers["Location"]) == (307, f"{path}/try")
    answer = researcher.post(f"{path}/try")
    id = path.rpartition("/")[2]
    there = url_for("preview.page", slug=f"trial.my-survey.{id}", draft=id)
    assert (answer.status, answer.headers["Location"]) == (303, there)
    page = researcher(there).text
    assert f'href="{path}"' in page
    assert (
        researcher.post(there.replace("?", "/answers?"), people="10").headers["Location"] == there
    )
    assert [one.survey.slug for one in store.surveys()] == ["doping", f"trial.my-survey.{id}"]
    # Another one stands beside the form, where the page's script begins it anew.
    shown = researcher(path)
    assert re.findall('<iframe class="phone" src="([^"]*)', shown.text) == ["about:blank"]
    assert f"frame-src {RESPONDENTS}" in shown.headers["Content-Security-Policy"]
    save(researcher, path, text.replace("My survey", "Yours"))
    begun = researcher(
        f"{path}/try",
        method="POST",
        form=encoded(csrf_token=researcher.token()),
        accept="application/json",
    )
    trial = store.survey(f"trial.my-survey.beside.{id}")
    assert trial.title == "Yours"
    assert store.snapshot(trial.slug).count() == 0
    # What was tried keeps its answers, and the list shows one trial.
    assert store.snapshot(f"trial.my-survey.{id}").count() == 10
    assert researcher.see("surveys.index").text.count("trial of a draft") == 1
    assert begun.json == {"link": f"{RESPONDENTS}{trial.path}"}
    # Publishing ends it, and nothing that was made up is in the survey: it was tried, though.
    assert publish(researcher, path).status == 303
    listed = ["doping", "my-survey", "trial.my-survey"]
    assert [one.survey.slug for one in store.surveys()] == listed
    assert [store.snapshot(one).count() for one in listed[1:]] == [0, 10]
    save(researcher, path, text.replace("My survey", "Ours"))
    assert publish(researcher, path).status == 303
    assert store.survey("trial.my-survey").title == "Ours"
    assert store.snapshot("trial.my-survey").count() == 10
    save(researcher, path, text.replace("single", "singel"))
    for answer, undone in (
        (researcher(f"{path}/plan"), "planned"),
        (researcher(f"{path}/ethics"), "written"),
        (researcher.post(f"{path}/try"), "tried"),
        (researcher(f"{path}/publish"), "published"),
        (researcher.post(f"{path}/publish"), "published"),
    ):
        assert answer.headers["Location"] == f"{path}?mend={undone}"
        assert f"Nothing was {undone}" in researcher(f"{path}?mend={undone}").text
    assert "Nothing was" not in researcher(f"{path}?mend=burnt").text


@pytest.fixture
def ada(store: Store, desk: Caller) -> Browser:
    """Sign an administrator in, among others."""
    store.add_user("ada", Role.ADMINISTRATOR)
    store.add_user("olu", Role.OWNER)
    store.add_user("una", Role.OWNER)
    return signed_in(store, desk, "ada")


def test_a_draft_copies_a_visible_survey(store: Store, desk: Caller, ada: Browser) -> None:
    publish(ada, begin(ada, example="exams"))
    begin(ada, example="copy:exams")
    (copied,) = [one for one in store.drafts("ada") if "exams-copy" in one.text]
    assert copied.text == examples()["exams"].replace("survey: exams\n", "survey: exams-copy\n")
    assert copied.survey == ""
    olu = signed_in(store, desk, "olu")
    assert "copy:exams" not in olu(LIST).text
    assert olu.post(LIST, example="copy:exams").status == 400


def test_only_owner_and_administrator_see_it(store: Store, desk: Caller, ada: Browser) -> None:
    olu, una = (signed_in(store, desk, name) for name in ("olu", "una"))
    path = begin(olu)
    save(olu, path, "title: Olu's own")
    for browser, sees in ((olu, True), (una, False), (ada, True)):
        assert (path in browser(LIST).text) is sees
        assert browser(path).status == (200 if sees else 404)
    # Whoever edits it as an administrator does not take it.
    save(ada, path, "title: Mended")
    assert only(store) == Draft(path.rpartition("/")[2], "title: Mended", "olu")
    # A copy is whose who makes it.
    ada.post(f"{path}/copy")
    assert {one.owner for one in store.drafts()} == {"ada", "olu"}


def test_who_publishes_owns_survey_and_name(store: Store, desk: Caller, ada: Browser) -> None:
    olu, una = (signed_in(store, desk, name) for name in ("olu", "una"))
    mine = begin(olu)
    save(olu, mine, BLANK.replace("my-survey", "hers"))
    assert publish(olu, mine).status == 303
    assert store.shares("hers") == {"olu": Role.OWNER}
    published = store.survey("hers")
    theirs = begin(una)
    save(una, theirs, BLANK.replace("my-survey", "hers").replace("My survey", "Another"))
    page = una(f"{theirs}/publish")
    assert "is taken" in page.text
    assert 'id="publish"' not in page.text
    assert published.title not in page.text
    form = {**fields(page.text), "current": published.revision}
    assert una(f"{theirs}/publish", method="POST", form=form).status == 422
    # As an analyst of it she knows of it, and may change it no more than before.
    store.share("hers", "una", Role.ANALYST)
    assert una(f"{theirs}/publish", method="POST", form=form).status == 422
    assert store.survey("hers") == published
    assert una.send("editor.edit", slug="hers").status == 403
    # Another owner has a draft of her own, from what is published.
    store.share("hers", "una", Role.OWNER)
    edited = una.send("editor.edit", slug="hers").headers["Location"]
    assert edited not in (mine, theirs)
    assert store.draft(edited.rpartition("/")[2]) == Draft(
        edited.rpartition("/")[2], BLANK.replace("my-survey", "hers"), "una", "hers"
    )
    # An administrator may, and owns what she publishes even if she is none any more.
    by_her = begin(ada)
    save(ada, by_her, BLANK)
    assert publish(ada, by_her).status == 303
    assert store.shares("my-survey") == {"ada": Role.OWNER}
    assert ada.see("sharing.page", slug="my-survey").text.count("ada, ") == 1


def test_of_several_drafts_the_published_opens(researcher: Browser, store: Store) -> None:
    store.keep_draft(Draft("-" * 22, f"{BLANK}plan: {{people: 9}}\n", "", "my-survey"))
    path = begin(researcher)
    save(researcher, path, BLANK)
    publish(researcher, path)
    assert researcher.send("editor.edit", slug="my-survey").headers["Location"] == path


def test_no_colleague_sees_a_draft_s_trial(store: Store, desk: Caller, ada: Browser) -> None:
    olu, una = (signed_in(store, desk, name) for name in ("olu", "una"))
    ids = {}
    for browser, title in ((olu, "Olu's own"), (una, "Una's own")):
        path = begin(browser)
        assert save(browser, path, BLANK.replace("My survey", title)).status == 303
        ids[browser] = path.rpartition("/")[2]
        # Neither the trial's name nor that of a new draft tells that there is another one.
        there = url_for("preview.page", slug=f"trial.my-survey.{ids[browser]}", draft=ids[browser])
        assert browser.post(f"{path}/try").headers["Location"] == there
        assert browser(there).status == 200
    hers = f"trial.my-survey.{ids[olu]}"
    assert store.shares(hers) == {"olu": Role.OWNER}
    # Nor does an address that somebody could compute.
    assert store.survey(hers).path != at("trial.my-survey")
    # To publish the name, and to delete it again, ends the own trial alone and opens no other.
    assert publish(una, f"{LIST}/{ids[una]}").status == 303
    for page in ("preview.page", "results.page"):
        assert una.see(page, slug=hers).status == 404
    assert hers not in una.see("preview.page", slug="my-survey").text
    assert olu.post(f"{LIST}/{ids[olu]}/try").headers["Location"] == f"{LIST}/{ids[olu]}"
    assert "is taken" in olu(f"{LIST}/{ids[olu]}").text
    assert "Una's own" not in olu.see("preview.page", slug=hers).text
    assert hers in olu(url_for("surveys.index")).text
    store.delete("my-survey")
    assert store.survey(hers).title == "Olu's own"
    # It goes with its draft.
    assert olu.post(f"{LIST}/{ids[olu]}/remove").status == 303
    assert [one.survey.slug for one in store.surveys()] == ["doping"]


def test_the_limit_leaves_room_for_line_ends() -> None:
    assert MAX_TEXT + 8000 < MAX_BODY


def test_only_published_files_begin_drafts(researcher: Browser, store: Store) -> None:
    text = vectors.branching_file()
    survey = store.register(read(text).survey, text)
    with store._engine.transaction() as db:
        db.execute("UPDATE revisions SET source = replace(source, 'repeated', 'repealed')")
    for answer in (
        researcher.send("editor.edit", slug="exams"),
        researcher.see("planner.page", slug="exams"),
    ):
        assert answer.status == 409
        assert "is not the one that was published" in answer.text
        assert "Ask who runs this server" in answer.text
    assert store.drafts("una") == []
    assert researcher.see("results.page", slug="exams").status == 200
    # As it says: the survey's own file again.
    store.register(survey, text)
    assert researcher.send("editor.edit", slug="exams").status == 303
