"""Meetings at the desk: begun and led by forms, shown to whoever has the link, and ended."""

import html
import json
import re
import time

import pytest

from deniable.classroom.steps import STEPS, beside
from deniable.server.desk.editor.starters import asked_in, ready_questions
from deniable.server.desk.live import session
from deniable.server.desk.live.session import begin_meeting, change, given, playable, with_questions
from deniable.server.desk.live.state import class_of, moment_of
from deniable.server.store import Outcome, State, Store
from deniable.server.store.accounts import Role
from deniable.server.store.meetings import Meeting
from deniable.server.store.retention import remove_over
from deniable.server.web.words import words
from deniable.survey import Survey
from deniable.survey.kind import ASKS, Asks
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests.kit import Browser, Caller, first_of, panel, report, surveys, url_for
from tests.kit.fixtures import signed_in

pytestmark = pytest.mark.promise("meeting-noise")


@pytest.fixture
def meeting(store: Store) -> Meeting:
    """Begin a meeting of a question with coins."""
    return begin_meeting(store, "", surveys.survey())


def lead(researcher: Browser, meeting: Meeting, do: str, **form: str) -> int:
    return researcher.post(url_for("live.lead", meeting=meeting.id), do=do, **form).status


def shown(store: Store, meeting: Meeting) -> dict[str, object]:
    now = store.meeting(meeting.id)
    found: dict[str, object] = json.loads(moment_of(now, class_of(store, now)))
    return found


@pytest.mark.promise("projector")
def test_it_begins_from_example_or_survey(researcher: Browser, desk: Caller, store: Store) -> None:
    answer = researcher.send("live.begin", survey="example:classroom")
    (begun,) = store.meetings()
    assert answer.headers["Location"] == url_for("live.page", meeting=begun.id)
    assert begun.code in researcher.see("live.meetings").text
    # Nobody has to sign in to see what the class sees.
    page = desk(url_for("projector.page", meeting=begun.id))
    assert page.status == 200
    assert begun.code in page.text
    assert desk(url_for("projector.scene", meeting=begun.id)).json["scene"]["n"] == 0
    assert desk(url_for("projector.qr", meeting=begun.id)).text.startswith("<svg")
    for path in ("", "/scene.json", "/qr.svg"):
        assert desk(url_for("projector.page", meeting=f"{begun.id}x{path}")).status == 404
    assert researcher.send("live.begin", survey="doping").status == 303
    assert researcher.send("live.begin", survey="nothing").status == 400


@pytest.mark.promise("projector")
def test_removing_a_question_ends_no_page(desk: Caller, store: Store, meeting: Meeting) -> None:
    address = url_for("projector.scene", meeting=meeting.id)
    survey = store.survey(meeting.slug())
    store.delete(meeting.slug())
    assert desk(address).status == 503
    store.register(survey)
    assert desk(address).status == 200
    store.remove_meeting(meeting.id)
    assert desk(address).status == 404


def test_only_surveys_for_a_class_are_played(researcher: Browser, store: Store) -> None:
    store.register(panel())
    assert playable(panel()) == []
    asked = surveys.yes_or_no("", ", ask_if: {q0: yes}")
    followed = surveys.file_of(*asked, head="epsilon: 2")
    assert [one.questions[0].id for one in playable(read(followed).survey)] == ["q0"]
    assert researcher.send("live.begin", survey="panel").status == 422
    listed = researcher.see("live.meetings").text
    offered = [name for name in ("example:doping", "example:season") if f'"{name}"' in listed]
    assert offered == ["example:doping"]
    assert f'href="{url_for("editor.drafts")}"' in listed
    assert store.meetings() == []


def test_its_question_takes_reports(researcher: Browser, store: Store, meeting: Meeting) -> None:
    open_at = []
    for step in STEPS:
        now = store.meeting(meeting.id)
        assert now.step == step.slug
        states = {
            asks: store.state(slug) is State.OPEN
            for asks in ASKS
            for slug in [now.slug(asks)]
            if any(one.survey.slug == slug for one in store.surveys())
        }
        open_at.append({asks for asks, is_open in states.items() if is_open})
        if (following := beside(step.slug, 1)) is not None:
            assert lead(researcher, meeting, "step", step=following.slug) == 303
    # Who comes late can answer it at any step.
    late = {"randomised"}
    middle = [late] * (len(STEPS) - 6)
    assert open_at == [set(), *[late] * 3, late | {"prior"}, *middle, late | {"direct"}]
    # There is no other question.
    assert 'data-do="next"' not in researcher(url_for("live.page", meeting=meeting.id)).text


def test_it_is_stopped_and_goes_on(researcher: Browser, store: Store, meeting: Meeting) -> None:
    lead(researcher, meeting, "step", step="question")
    slug = meeting.slug()
    for step in ("question", "bars", "direct"):
        lead(researcher, meeting, "step", step=step)
        assert store.state(slug) is State.OPEN
        # At the direct question, that is stopped, and nobody comes to it any more.
        for do, state in (("stop", State.CLOSED), ("resume", State.OPEN)):
            assert f'data-do="{do}"' in researcher(url_for("live.page", meeting=meeting.id)).text
            assert lead(researcher, meeting, do) == 303
            assert store.state(slug) is state
    lead(researcher, meeting, "step", step="waiting")
    assert store.state(slug) is State.CLOSED


def test_a_button_names_where_it_leads(researcher: Browser, store: Store) -> None:
    """Pressed twice, or in two windows, it goes one step."""
    coins = surveys.survey()
    begun = begin_meeting(store, "", coins)
    change(store, begun.id, lambda now: with_questions(store, now, coins))
    page = url_for("live.page", meeting=begun.id)

    def leads(way: str) -> list[tuple[str, str]]:
        (form,) = re.findall(
            rf'<form[^>]*data-do="{way}">(.*?)</form>', researcher(page).text, re.S
        )
        return re.findall(r'name="(do|step|question)" value="([^"]*)"', form)

    assert leads("next") == [("do", "step"), ("step", "question")]
    lead(researcher, begun, "step", step="coins")
    assert leads("next") == [("do", "step"), ("step", "sent")]
    assert leads("back") == [("do", "step"), ("step", "question")]
    lead(researcher, begun, "step", step=STEPS[-1].slug)
    assert leads("next") == [("do", "question"), ("question", "2")]
    # The totals come after the direct question: until it is stopped, to stop it comes first.
    for first, second in (("Stop answers", "Next"), ("Next", "Take answers")):
        there = researcher(page).text
        assert f'<button class="button">{first}' in there
        assert f'<button class="quiet">{second}' in there
        lead(researcher, begun, "stop")
    for _ in range(2):
        lead(researcher, begun, "question", question="2")
        assert (store.meeting(begun.id).place, store.meeting(begun.id).step) == (1, "waiting")


def send(store: Store, slug: str, answers: str) -> None:
    survey = store.survey(slug)
    outcomes = store.insert_reports([report(survey, bytes([int(one)])) for one in answers])
    assert set(outcomes) == {Outcome.STORED}


@pytest.mark.promise("meeting-totals")
def test_direct_totals_need_ten_people(researcher: Browser, store: Store, meeting: Meeting) -> None:
    lead(researcher, meeting, "step", step="direct")
    slug = meeting.slug("direct")
    # Three digits, as everywhere in class.
    anew = researcher(url_for("live.page", meeting=meeting.id)).text
    assert re.search(r"ε = \d(\.\d{1,3})? once more", anew)
    nothing = shown(store, meeting)
    assert (nothing["count"], nothing["counted"]) == (0, "of 0 answered")

    def counted(n: int) -> dict[str, object]:
        """Return what is shown meanwhile: how many have answered, in the middle of the wall too."""
        crowd = {"came": n, "joined": 0, "kind": "crowd"}
        scene = {**nothing["scene"], "picture": crowd}  # type: ignore[dict-item]
        return {**nothing, "scene": scene, "count": n, "counted": f"of {n} answered"}

    send(store, slug, "111111111")
    assert shown(store, meeting) == counted(9)
    lead(researcher, meeting, "stop")
    nine = shown(store, meeting)
    assert (nine["count"], nine["counted"]) == (0, "reports, answers are closed")
    assert store.snapshot(slug).count() == 0
    lead(researcher, meeting, "resume")
    send(store, slug, "0" * 15)
    assert shown(store, meeting) == counted(24)
    lead(researcher, meeting, "stop")
    text = json.dumps(shown(store, meeting))
    assert store.snapshot(slug).count() == 24
    assert text != json.dumps(nine)
    assert "37.5" in text  # 9 of 24
    assert "37.5" not in json.dumps(nine)


def test_a_class_can_compare_without_the_direct_question(
    researcher: Browser, store: Store, meeting: Meeting
) -> None:
    page = url_for("live.page", meeting=meeting.id)
    button = '<button class="quiet">Compare without asking</button>'
    assert button not in researcher(page).text
    lead(researcher, meeting, "step", step="again")
    assert button in researcher(page).text
    lead(researcher, meeting, "skip")
    now = store.meeting(meeting.id)
    assert (now.step, now.asked) == ("direct", "")
    with pytest.raises(KeyError):  # nobody can ask for it
        store.state(meeting.slug("direct"))
    assert shown(store, meeting)["scene"]["said"] == ["Nobody is asked directly."]  # type: ignore[index]
    # The class thinks again.
    lead(researcher, meeting, "resume")
    assert store.state(meeting.slug("direct")) is State.OPEN


@pytest.mark.slow
def test_ten_guesses_are_shown(researcher: Browser, store: Store, meeting: Meeting) -> None:
    def guessed() -> list[float]:
        """Return the guesses on the wall."""
        lead(researcher, meeting, "step", step="unmix")
        scene = shown(store, meeting)["scene"]
        (row,) = scene["picture"]["rows"]  # type: ignore[index]
        return list(row["guesses"])

    lead(researcher, meeting, "step", step="question")
    send(store, meeting.slug(), "01")
    assert guessed() == []
    lead(researcher, meeting, "step", step="bars")
    slug = meeting.slug("prior")
    assert (store.meeting(meeting.id).asked, store.state(slug)) == (slug, State.OPEN)
    send(store, slug, "0" * 9)
    assert (shown(store, meeting)["count"], shown(store, meeting)["counted"]) == (9, "of 9 guessed")
    assert guessed() == []
    assert (store.state(slug), store.state(meeting.slug())) == (State.CLOSED, State.OPEN)
    lead(researcher, meeting, "step", step="bars")
    send(store, slug, "8" * 9)
    assert guessed() == [*[0.0] * 9, *[0.08] * 9]


def test_the_projector_speaks_the_presenter_s_language(researcher: Browser, store: Store) -> None:
    pets, coins = read(ready_questions()["snooze"]).survey, surveys.survey()
    begun = change(
        store,
        begin_meeting(store, "", pets).id,
        lambda now: with_questions(store, now, coins),
    )
    page = url_for("live.page", meeting=begun.id)
    for language in pets.languages:
        assert lead(researcher, begun, "language", language=language) == 303
        now, scene = (found := shown(store, begun)), found["scene"]
        (texts,) = (
            pets.questions
            if language == "en"
            else pets.translations[pets.languages.index(language) - 1].questions.values()
        )
        assert (now["language"], scene["question"]) == (language, texts.text)  # type: ignore[index]
        assert (scene["answers"] == ["No", "Yes"]) is (language == "en")  # type: ignore[index]
        # What they can go to, or add, is in it too.
        can = html.unescape(researcher(page).text)
        assert f">1. {texts.text}</option>" in can
        assert f">{asked_in('last-digit', language)}</option>" in can
        assert (">How we get around the city</option>" in can) is (language not in ("de", "ar"))
    assert lead(researcher, begun, "language", language="it") == 422
    # A question that is not in it keeps its own; the choice stays for the next one.
    lead(researcher, begun, "question", question="2")
    assert shown(store, begun)["language"] == coins.languages[0]
    arabic = researcher(page).text
    assert '<html lang="ar" dir="rtl">' in arabic
    assert "الخطوة" in arabic
    assert shown(store, begun)["spoken"] == "ar"
    lead(researcher, begun, "question", question="1")
    assert shown(store, begun)["language"] == pets.languages[-1]


def test_a_reset_question_starts_again(researcher: Browser, store: Store, meeting: Meeting) -> None:
    lead(researcher, meeting, "step", step="question")
    survey = store.survey(meeting.slug())
    same = report(survey)
    assert store.insert_reports([same]) == [Outcome.STORED]
    assert lead(researcher, meeting, "reset", confirmed="yes") == 303
    assert store.meeting(meeting.id).playing.round == 2
    assert store.survey(meeting.slug()).revision == survey.revision
    assert store.insert_reports([same]) == [Outcome.STORED]
    assert lead(researcher, meeting, "anew", confirmed="yes") == 303
    anew = store.meeting(meeting.id)
    assert (anew.playing.run, anew.step) == (2, "waiting")
    assert store.insert_reports([same]) == [Outcome.UNKNOWN]
    assert store.survey(anew.slug()).revision != survey.revision


@pytest.mark.parametrize("do", ["reset", "anew"])
@pytest.mark.parametrize(("step", "asks"), [("question", "randomised"), ("direct", "direct")])
def test_answers_are_deleted_only_if_somebody_says_so(
    researcher: Browser, store: Store, meeting: Meeting, do: str, step: str, asks: Asks
) -> None:
    lead(researcher, meeting, "step", step=step)
    page = url_for("live.page", meeting=meeting.id)
    # Of the end of the meeting alone.
    assert researcher(page).text.count('name="confirmed"') == 1
    send(store, meeting.slug(asks), "01")
    answer = researcher.post(page, do=do)
    assert answer.status == 422
    assert "answers would be lost for good" in answer.text.lower()
    assert answer.text.count('name="confirmed"') == 3
    assert given(store, meeting)[asks] == store.count(meeting.slug(asks)) == 2
    assert lead(researcher, meeting, do, confirmed="yes") == 303
    assert given(store, store.meeting(meeting.id))[asks] == 0
    assert researcher(page).text.count('name="confirmed"') == 1


@pytest.mark.parametrize("language", first_of(LANGUAGES, 2))
def test_refusals_speak_its_language(researcher: Browser, store: Store, language: str) -> None:
    begun = begin_meeting(store, "", surveys.survey())
    lead(researcher, begun, "language", language=language)
    lead(researcher, begun, "step", step="question")
    send(store, begun.slug(), "01")
    page, spoken = url_for("live.lead", meeting=begun.id), words(language)
    # As it is said in English, with its values: none of it stays so in another language.
    for form, expected in (
        ({"do": "reset"}, "Answers would be lost for good. Tick the box above the button first."),
        ({"do": "question", "question": "9"}, "Expected a number from 1 to 1."),
    ):
        answer = html.unescape(researcher.post(page, **form).text)
        assert f'<p id="mistake">{spoken.rendered(expected)}</p>' in answer
        assert (expected in answer) is (language == "en")
    researcher.post(url_for("live.remove", meeting=begun.id), confirmed="yes")
    over = spoken.say("The meeting is over. Nothing of it is left here.")
    assert over in html.unescape(researcher(url_for("live.meetings")).text)


@pytest.mark.promise("meeting-ends")
def test_a_meeting_ends_after_a_day(researcher: Browser, store: Store, meeting: Meeting) -> None:
    later = begin_meeting(store, "", surveys.survey())
    assert 23 * 3600 < later.ends - time.time() <= 24 * 3600
    before = [one.survey for one in store.surveys()]
    end = url_for("live.remove", meeting=meeting.id)
    assert researcher.post(end).status == 422
    assert len(store.meetings()) == 2
    assert researcher.post(end, confirmed="yes").status == 303
    assert store.meetings() == [later]
    remove_over(store, later.ends - 1)
    assert store.meetings() == [later]
    remove_over(store, later.ends)
    assert store.meetings() == []
    left = [one.survey for one in store.surveys()]
    assert left == [one for one in before if one.kind != "meeting"]


@pytest.mark.promise("meeting-totals")
def test_a_meeting_s_question_shows_there_only(desk: Caller, store: Store, survey: Survey) -> None:
    store.add_user("ada", Role.ADMINISTRATOR)
    meeting = begin_meeting(store, "ada", surveys.survey())
    ada = signed_in(store, desk, "ada")
    for path in ("", "/estimates.json", "/collect", "/reports.csv"):
        assert ada(url_for("results.page", slug=meeting.slug()) + path).status == 404
    assert meeting.slug() not in ada.see("surveys.index").text
    assert ada.send("surveys.set_state", slug=meeting.slug(), state="open").status == 404


@pytest.mark.promise("meeting-totals")
def test_no_text_comes_before_its_time(
    researcher: Browser, respondents: Caller, store: Store
) -> None:
    begun = begin_meeting(store, "", surveys.survey())

    def told() -> list[int]:
        address = store.survey(begun.slug()).address
        pages = ("", "survey.json", "state.json", "privacy", "privacy.json", "sheet")
        return [respondents(address + page).status for page in pages]

    assert told() == [303, *[404] * 5]
    lead(researcher, begun, "step", step="question")
    assert told() == [200] * 6


def test_a_rehearsal_fills_each_step_and_leaves_nothing(
    researcher: Browser, store: Store, meeting: Meeting
) -> None:
    page = url_for("live.page", meeting=meeting.id)
    offered = '<button class="quiet">Rehearse with 40 simulated phones</button>'
    assert offered in researcher(page).text
    assert lead(researcher, meeting, "rehearse") == 303
    assert store.meeting(meeting.id).step == "question"
    assert offered not in researcher(page).text
    for step, asks in (("question", "randomised"), ("bars", "prior"), ("direct", "direct")):
        for _ in range(2):  # they answer each once
            lead(researcher, meeting, "step", step=step)
        assert given(store, store.meeting(meeting.id))[asks] == 40  # type: ignore[index]
        now = shown(store, meeting)
        assert now["where"] == "Rehearsal: 40 simulated phones"
        assert f"of 40 {'guessed' if asks == 'prior' else 'answered'}" == now["counted"]
        assert "Rehearsal: 40 simulated phones" in researcher(page).text
    lead(researcher, meeting, "stop")
    lead(researcher, meeting, "step", step="question")
    same = report(store.survey(meeting.slug()))
    assert store.insert_reports([same]) == [Outcome.STORED]
    assert lead(researcher, meeting, "step", step="waiting") == 303
    begun = store.meeting(meeting.id)
    assert set(given(store, begun).values()) == {0}
    assert (begun.playing.simulated, begun.playing.round, begun.playing.run) == (0, 2, 1)
    nobody = shown(store, meeting)
    assert (nobody["where"], nobody["count"], nobody["counted"]) == ("", 0, "joined")
    assert offered in researcher(page).text
    lead(researcher, meeting, "step", step="question")
    # A phone that answered beside them sends the same again.
    assert store.insert_reports([same]) == [Outcome.STORED]
    # Once a class is here, nobody simulated comes among it.
    assert lead(researcher, meeting, "step", step="waiting") == 303
    assert store.count(meeting.slug()) == 1
    assert offered not in researcher(page).text
    assert lead(researcher, meeting, "rehearse") == 400
    assert store.count(meeting.slug()) == 1


def test_a_rehearsal_ends_with_every_other_way_to_begin(
    researcher: Browser, store: Store, meeting: Meeting
) -> None:
    change(store, meeting.id, lambda now: with_questions(store, now, surveys.survey()))
    for form in (
        {"do": "reset", "confirmed": "yes"},
        {"do": "anew", "confirmed": "yes"},
        {"do": "question", "question": "2"},
    ):
        lead(researcher, meeting, "question", question="1")
        assert lead(researcher, meeting, "rehearse") == 303
        assert given(store, store.meeting(meeting.id))["randomised"] == 40
        assert researcher.post(url_for("live.lead", meeting=meeting.id), **form).status == 303
        lead(researcher, meeting, "question", question="1")
        first = store.meeting(meeting.id)
        assert set(given(store, first).values()) == {0}
        assert first.playing.simulated == 0
        lead(researcher, meeting, "step", step="waiting")


def test_simulated_people_answer_as_everybody_expects(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, list[str]]] = []

    def answer(_: Store, __: Survey, people: int, rates: list[str]) -> None:
        asked.append((people, rates))

    monkeypatch.setattr(session, "answer_trial", answer)
    for name, rate in (("first-days", "first_days.yes=30%"), ("snooze", "snooze.yes=20%")):
        begun = begin_meeting(store, "", read(ready_questions()[name]).survey)
        change(store, begun.id, session.rehearse)
        assert asked.pop() == (40, [rate])
        # Guesses are anything; asked directly they say what is true.
        change(store, begun.id, lambda now: session.go(session.stop(now, stopped=True), "bars"))
        assert asked.pop() == (40, [])
        change(store, begun.id, lambda now: session.go(now, "direct"))
        assert asked.pop() == (40, [rate])
        assert asked == []
