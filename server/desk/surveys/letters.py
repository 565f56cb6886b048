"""Texts of an invitation and a reminder in each language of a survey, for any mail program.

The adversary is a letter that promises more than the survey's page does, or says who has answered.
So its sentences on protection are the page's own, and a reminder goes to everybody.
"""

from dataclasses import dataclass
from typing import Final

from deniable.server.web.words import Words, words
from deniable.survey import Survey
from deniable.text.sureness import implication
from deniable.text.translation import in_language

LINK: Final = "{{link}}"
"""Where a mail program puts the cell of the column `link`."""


@dataclass(frozen=True)
class Letters:
    """The texts in one language; the first line of each is its subject."""

    words: Words
    invitation: str
    reminder: str


def letters(survey: Survey) -> list[Letters]:
    """Write the texts, in the order of the survey's languages."""
    return [_texts_in(words(language), survey) for language in survey.languages]


def _texts_in(said: Words, original: Survey) -> Letters:
    _, survey = said.say, in_language(original, said.language, said.say)
    about = survey.about
    protection = ""
    if survey.randomised:
        protection = (
            _(
                "Your own browser mixes your answers to sensitive questions with chance before it "
                "sends them."
            )
            if survey.asked_directly
            else _("Your own browser mixes your answers with chance before it sends them.")
        )
    sure = implication(survey, said.say) if survey.randomised else ()
    link = survey.if_kept(
        _("Your own link takes one answer in each wave. Please do not pass it on:")
    ) or _("Your own link takes one answer. Please do not pass it on:")
    # No device keeps a language, so the link asks for it, in every wave.
    spoken = f"&lang={said.language}" if len(original.languages) > 1 else ""
    middle = [f"{link}\n{LINK}{spoken}", " ".join((protection, *sure)).strip()]
    end = [
        _("Taking part is voluntary. No report tells which link it came with."),
        "\n".join(filter(None, (about.organisation, about.contact and about.written("contact")))),
    ]
    again = _(
        "This reminder goes to everyone who was invited. If you have answered already, thank you: "
        "you do not need to do anything."
    )
    return Letters(
        said,
        _join(_("Invitation: {title}", title=survey.title), about.purpose, *middle, *end),
        _join(_("Reminder: {title}", title=survey.title), again, *middle, *end),
    )


def _join(*paragraphs: str) -> str:
    return "\n\n".join(filter(None, paragraphs))
