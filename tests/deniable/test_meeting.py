"""The three surveys of one question of a class: what tells them apart."""

from deniable.server.desk.editor.starters import ready_questions
from deniable.survey.kind import MeetingQuestion
from deniable.survey.meeting import (
    asked_directly,
    asked_for_a_guess,
    can_be_played,
    in_meeting,
    played,
)
from deniable.survey_file import read


def test_three_surveys_have_texts_in_every_language() -> None:
    """A device lists them by their titles, and only one of them has a bound."""
    survey = read(ready_questions()["seasons"]).survey
    (question,) = (one for one in survey.questions if can_be_played(survey, one))
    noisy = in_meeting(played(survey, question), MeetingQuestion("K7M4RX", 1))
    direct = asked_directly(noisy, 10)
    guess = asked_for_a_guess(noisy, 2, 10)
    titles = [
        [one.title, *(texts.title for texts in one.translations)] for one in (noisy, direct, guess)
    ]
    assert titles[1][0] == f"{survey.title} (asked directly)"
    for at, language in enumerate(survey.languages):
        told = [those[at] for those in titles]
        assert len(set(told)) == 3, language
        assert all(title.startswith(told[0]) for title in told), language
    assert [one.epsilon_of(one.questions[0]) for one in (direct, guess)] == [None, None]
    assert (noisy.asked_directly, guess.spent_millionths) == ((), 0)
    # A guess names the question and the answer that it is about.
    assert guess.languages == noisy.languages == ("en", "de", "fr", "es", "ar")
    for asked, of in zip(guess.translations, noisy.translations, strict=True):
        ((_, told_of),), ((_, meant),) = asked.questions, of.questions
        assert dict(meant.answers)[noisy.items[0].truths[2].code] in told_of.text
        assert meant.text in told_of.text
