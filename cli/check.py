"""``deniable check``: the ε that a survey costs, and the precision that it reaches."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final

import click
from rich.console import RenderableType

from deniable import coins, disc, paper, survey_file
from deniable.analysis.planning.advice import LEVEL, advice, people_expected
from deniable.analysis.planning.budgets import Precision, measure_of, precision
from deniable.analysis.planning.together import together_words
from deniable.cli.estimate_options import respondents_option
from deniable.cli.help import ending
from deniable.cli.options import form_option
from deniable.cli.output import TO_STDOUT, filled
from deniable.cli.stores import following_published
from deniable.cli.survey_files import read_survey_files, survey_path
from deniable.exact import MILLION
from deniable.results.plan import applies_words, reach_words, width_cell
from deniable.results.text import table
from deniable.roles import yes_of
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question
from deniable.text.sureness import at_most, loss_if_forgotten, sureness
from deniable.text.wording import asked_if_codes, brief_loss, loss_in_all, shares_words, time_tells

_SPLITS: Final = (
    "even: the widest of these intervals is as narrow as can be (a number counts by its range). "
    "optimal: the variances of all estimates add up to the least, so one question may stay wide."
)
"""The meaning of the splits in the table of ways to spend the same ε."""


@click.command(epilog=ending("deniable check survey.yaml", "survey-file"))
@click.argument("surveys", metavar="SURVEY...", nargs=-1, required=True, type=survey_path)
@respondents_option
@click.option(
    "--published",
    metavar="FILE|STORE",
    help="Say what is corrected of a survey.json, or of what a store holds.",
)
@form_option
def check_command(
    surveys: tuple[str, ...], respondents: int | None, published: str | None, form: str
) -> None:
    """Check survey files: every mistake, or what each item costs."""
    named = read_survey_files(surveys)
    if form == "json":
        documents = [
            _document(survey, people_expected(survey.plan, respondents)) for survey in named
        ]
        if published is not None:
            for document, one in zip(documents, named, strict=True):
                document["follows"] = following_published(one.survey, published)
        TO_STDOUT.write(json.dumps(documents, indent=2, ensure_ascii=False) + "\n")
        return
    for place, survey in enumerate(named):
        TO_STDOUT.show(
            *([""] if place else []),
            *_as_table(survey, people_expected(survey.plan, respondents)),
            *([] if published is None else ["", *following_published(survey.survey, published)]),
        )


def _as_table(named: survey_file.SurveyFile, respondents: int) -> list[RenderableType]:
    survey = named.survey
    numbers = ("Answers", "Flip", "ε", "of total", "95 %")
    rows = table("Item", *numbers, numbers=numbers)
    found = _found(named, respondents)
    for one in found:
        item = one.item
        rows.add_row(
            item.id,
            str(len(item.truths)),
            _flip_words(item),
            "direct" if item.epsilon is None else brief_loss(item.epsilon),
            "–" if item.epsilon is None else f"{_share(item, named):.0%}",
            width_cell(one),
        )
    return [
        f"{named.source}: {survey.title} ({survey.slug})",
        f"Check number: {survey.shown_number}",
        "",
        rows,
        "",
        *_asked_words(survey),
        *(filled(one) for one in together_words(survey, respondents, LEVEL)),
        *_deletion_words(survey),
        *_waves_words(survey),
        *_branching_words(named, respondents),
        _spent_words(survey),
        *_direct_words(survey),
        *_sureness_words(survey),
        filled(f"95 %: with {respondents:,} respondents, {reach_words(found)}"),
        *map(filled, applies_words(found)),
        *(
            f"{named.source}:{note.line}:{note.column}: note: {note.message}"
            for note in named.notes
        ),
        *(filled(f"Warning: {one}") for one in _advice(named, respondents)),
        *_by_hand_words(survey),
        *_comparison(named, respondents),
    ]


def _found(named: survey_file.SurveyFile, respondents: int) -> tuple[Precision, ...]:
    return precision(named.survey, respondents, measure_of(named.plan))


def _advice(named: survey_file.SurveyFile, respondents: int) -> tuple[str, ...]:
    return tuple(map(str, advice(named.survey, respondents, measure=measure_of(named.plan))))


def _spent_words(survey: Survey) -> str:
    """Say the ε of all answers, and the promised ε."""
    parts = [item.epsilon for item in survey.items if item.epsilon is not None]
    spent = loss_in_all(survey.spent_millionths / MILLION, parts)
    return f"ε: {spent} in all, of {brief_loss(survey.epsilon)} promised."


def _direct_words(survey: Survey) -> list[str]:
    """Name the questions that ε does not cover."""
    if not survey.asked_directly:
        return []
    named = ", ".join(question.id for question in survey.asked_directly)
    return [f"No ε bounds what is asked directly: {named}."]


def _sureness_words(survey: Survey) -> list[str]:
    """Say how sure somebody could get, and the tier of the respondents' wording."""
    found = sureness(survey)
    if found is None:
        return []
    parts = [f"{at_most(found.one)} from one answer by itself (tier: {found.tier.value})"]
    if found.all > found.one:
        how = "both" if found.answers == 2 else f"all {found.answers}"
        parts.append(f"{at_most(found.all)} if {how} point to the same thing")
    if found.fact is not None:
        about = "are about the same fact"
        parts.append(f"{at_most(found.fact)} from the {found.times} answers that {about}")
    if found.unlimited:
        parts.append("no limit if an answer changes between waves")
    elif found.changed is not None and found.changing is not None:
        parts.append(f"{at_most(found.changed)} if one changes between waves")
        parts.append(f"{at_most(found.changing)} if all of all waves point to the same thing")
    if survey.keeps_noise:
        parts.append(
            f"{at_most(found.forgot)} from one answer and {at_most(found.forgot_all)} from all "
            "reports if browsers forget between waves"
        )
    return [filled(f"Someone who thought it was 50:50 can be: {'; '.join(parts)}.")]


def _deletion_words(survey: Survey) -> list[str]:
    """Say when the reports are deleted, which respondents read too."""
    day = survey.about.delete_reports
    if not day:
        return []
    over = day <= datetime.now(UTC).date().isoformat()
    warning = "Warning: this day has come, so no server begins this survey."
    return [f"Deleted: all reports, on {day} (UTC). People read this.", *([warning] * over)]


def _waves_words(survey: Survey) -> list[str]:
    """Give the ε of one wave, of all waves, and of answers that change."""
    if not survey.keeps_noise:
        one = brief_loss(survey.one_report_millionths / MILLION)
        others = f"Waves: {survey.waves}, with other people in each. A device answers one: ε {one}."
        return survey.if_repeated([others]) or []
    any_history = survey.any_history_millionths
    most = "not bounded" if any_history is None else brief_loss(any_history / MILLION)
    flips = sorted({f"{item.memory.flip:.4f}" for item in survey.randomised if item.memory})
    longitudinal = brief_loss(survey.spent_millionths / MILLION)
    forgotten = brief_loss(loss_if_forgotten(survey))
    return [
        f"Waves: asked {survey.waves} times. A device keeps a noisy answer for each answer.",
        "In each wave it reports the one that belongs to the true answer or, with probability",
        f"{' or '.join(flips)}, another one.",
        f"  ε of one report: {brief_loss(survey.one_report_millionths / MILLION)}.",
        f"  ε of all reports ever, while the answers stay the same: {longitudinal}.",
        f"  ε of {survey.waves} waves, if browsers forget what they keep: {forgotten}.",
        f"  ε of {survey.waves} waves, whatever changes, even if someone has the device: {most}.",
    ]


def _by_hand_words(survey: Survey) -> list[str]:
    """Say how to randomise each item by hand; its answers, which may be long, are No and Yes."""
    ids: dict[str, list[str]] = {}
    is_placed = False
    left_out = survey.drawn_places - paper.places_drawn(survey)
    for place, item in enumerate(survey.items):
        can_be = item.has_spinner or disc.disc_for(item) or coins.can_be_forced(item)
        is_left_out = item.group is not None and not paper.can_be_made(survey, place)
        if can_be and not is_left_out and place not in left_out:
            has_yes = yes_of(survey.question(item.question)) is not None
            is_placed |= coins.can_be_forced(item) and not has_yes
            ids.setdefault(_by_hand(item, _yes_at(survey, item)), []).append(item.id)
    lines = [f"  {', '.join(alike)}: {how}" for how, alike in ids.items()]
    lines += [filled(one) for one in paper.left_off_sheets(survey)]
    if paper.draws_on_sheet(survey):
        lines.append("Each sheet asks what is drawn for it: 'deniable sheet -n 100' prints 100.")
    placed = " (where no answer says yes, No is the first answer, Yes the second)" * is_placed
    return ["", f"By hand{placed}:", *lines] if lines else []


def _yes_at(survey: Survey, item: Item) -> int:
    """Return the place of the answer that is called Yes: the one that says yes, else the second."""
    place = yes_of(survey.question(item.question))
    return 1 if place is None else place


def _by_hand(item: Item, yes_at: int) -> str:
    spin = "spin a paper clip on the disc that the sheet shows"
    if item.has_spinner:
        return f"{spin}, and reply to the statement"
    made = coins.procedure_of(item)
    if made is not None:
        return made.line(("No", "Yes") if yes_at else ("Yes", "No"))
    if disc.has_steps(item):
        return f"{spin}; each part says what to tick"
    if disc.disc_for(item):
        together = "" if item.group is None else ", once for all of the group"
        return f"{spin}{together}; a part without a number: the truth"
    near = coins.nearest_procedure(item.channel)
    tool = near.tool.name.lower()
    epsilon = brief_loss(near.channel.epsilon)
    return f"not possible; the nearest is {near.setting(yes_at)} (ε {epsilon}), by {tool}"


def _asked_words(survey: Survey) -> list[str]:
    """Say which questions are drawn for each respondent, and which come first."""
    words = []
    sets = math.prod(math.comb(len(draw.choices), draw.count) for draw in survey.draws)
    several = f", once for all waves: the set, one of {sets:,}, links the reports of one person"
    drawn = f"drawn for each respondent{survey.if_kept(several)}"
    if survey.ask is not None:
        words.append(f"Asked: {survey.ask.count} of {shares_words(survey)}, {drawn}.")
    words += [
        f"Asked: {question.ask} of the {len(question.parts)} items of {question.id}, {drawn}."
        for question in survey.questions
        if question.ask is not None
    ]
    if survey.comprehension:
        words.append(
            "Asked first: two questions about the protection. The answers to them stay on the page."
        )
    return [filled(one) for one in words]


def _branching_words(named: survey_file.SurveyFile, respondents: int) -> list[str]:
    """Say to whom follow-ups apply, and what they cost in precision."""
    survey = named.survey
    branching = [question for question in survey.questions if question.ask_if]
    if not branching:
        return []
    lines = [
        f"Applies {asked_if_codes(survey, question)}: {question.id}"
        + _price(named, question, respondents)
        + "."
        for question in branching
    ]
    shown = [question.id for question in branching if survey.is_shown_to_all(question)]
    said = f"Shown to everybody, who say whether it applies: {', '.join(shown)}. " if shown else ""
    return [
        *lines,
        filled(
            f"{said}If a question does not apply, a report to it is sent all the same: “Does not "
            "apply” is one more answer and is randomised like the others. So no randomised report "
            "shows to whom it applies. ε stays the same, but one more answer costs precision. "
            + (time_tells(survey) if survey.follow_ups else "")
        ),
        "",
    ]


def _price(named: survey_file.SurveyFile, question: Question, respondents: int) -> str:
    """Give a question's precision, and that if everybody were asked; empty if not comparable."""
    try:
        survey = named.asking_everybody()
    except survey_file.SurveyFileError:
        return ""
    place = named.survey.places[question.id][0]
    # A follow-up within a group adds no cell, so it costs no precision.
    if question.protection is Protection.DIRECT or named.survey.items[place].group:
        return ""
    found = _found(named, respondents)[place]
    everybody = precision(survey, respondents)[place]
    return f" ({_width_words(found)}, if everyone is asked {_width_words(everybody)})"


def _comparison(named: survey_file.SurveyFile, respondents: int) -> list[RenderableType]:
    """Make the table of the ways to spend the survey's ε; empty if no two questions share it."""
    budgets = _budgets(named, respondents)
    if not budgets:
        return []
    names = [budget.name for budget in budgets]
    rows = table("The same ε", *names, numbers=names)
    for place, id in enumerate(named.sharing):
        rows.add_row(
            id, *(_width_words(budget.found[place]).partition(" among ")[0] for budget in budgets)
        )
    return ["", rows, "", filled(_SPLITS)]


@dataclass(frozen=True)
class _Budget:
    """A way to spend a survey's ε on the questions that share it."""

    split: str
    ask: int | None
    here: bool  # whether this is the survey file's own way
    # The precision of one item of each question; None where ε is too small.
    found: tuple[Precision | None, ...]

    @property
    def name(self) -> str:
        """The way in the words of a survey file."""
        if self.ask is None:
            name = self.split
        else:
            name = f"ask: {self.ask}" + ("" if self.split == "equal" else f", {self.split}")
        return f"{name}, as here" if self.here else name


def _budgets(file: survey_file.SurveyFile, respondents: int) -> list[_Budget]:
    """Return the ways to compare: equal, even and optimal splits, one question each, the file's."""
    if len(file.sharing) < 2:
        return []
    here = (file.split, None if file.survey.ask is None else file.survey.ask.count)
    ways = dict.fromkeys([("equal", None), ("even", None), ("optimal", None), ("equal", 1), here])
    found = list[_Budget]()
    for way in ways:
        each: tuple[Precision | None, ...] = (None,) * len(file.sharing)
        with suppress(survey_file.SurveyFileError):
            survey = file.survey if way == here else file.under(*way)
            items = precision(survey, respondents, measure_of(file.plan))
            # All items of such a question have the same channel and number of respondents.
            each = tuple(items[survey.places[id][0]] for id in file.sharing)
        found.append(_Budget(*way, way == here, each))
    return found


def _document(named: survey_file.SurveyFile, respondents: int) -> dict[str, Any]:
    survey = named.survey
    return {
        "file": named.source,
        "survey": survey.slug,
        "title": survey.title,
        "revision": survey.revision,
        "check_number": survey.shown_number,
        "epsilon": survey.epsilon,
        "epsilon_spent": survey.spent_millionths / MILLION,
        "ask": survey.document.get("ask"),
        "waves": survey.document.get("waves"),
        "sureness": _sureness_document(survey),
        "comprehension": survey.comprehension,
        "delete_reports": survey.about.delete_reports or None,
        "respondents": respondents,
        "level": LEVEL,
        "items": [
            {
                "item": found.item.id,
                "question": found.item.question,
                "text": found.item.text,
                "protection": found.item.protection.value,
                "answers": [answer.code for answer in found.item.truths],
                "ask_if": {
                    condition.item: list(condition.answers)
                    for condition in survey.question(found.item.question).ask_if
                },
                "flip": found.item.flips,
                "epsilon": found.item.epsilon,
                "epsilon_share": None if found.item.epsilon is None else _share(found.item, named),
                "respondents": found.respondents,
                "applies": found.applies if found.is_of_some else None,
                "reach": None if found.shares is None else found.shares.tolist(),
                "among_reach": found.among,
                "mean_reach": found.mean,
                "by_hand": _by_hand_document(found.item, _yes_at(survey, found.item)),
            }
            for found in _found(named, respondents)
        ],
        "budgets": [
            {
                "split": budget.split,
                "ask": budget.ask,
                "as_here": budget.here,
                "reach": {
                    id: None if found is None else found.widest
                    for id, found in zip(named.sharing, budget.found, strict=True)
                },
            }
            for budget in _budgets(named, respondents)
        ],
        "warnings": list(_advice(named, respondents)),
        "notes": [
            {"line": note.line, "column": note.column, "message": note.message}
            for note in named.notes
        ],
    }


def _sureness_document(survey: Survey) -> dict[str, Any] | None:
    found = sureness(survey)
    if found is None:
        return None
    return {**asdict(found), "tier": found.tier.value, "colour": found.colour.value}


def _by_hand_document(item: Item, yes_at: int) -> dict[str, Any] | None:
    """Describe how to randomise an item by hand; None without a disc or a forced response."""
    made = coins.procedure_of(item)
    parts = [float(part) for part in disc.disc_for(item)]
    if made is None and parts:
        rare = paper.is_rare(item)
        return {"possible": True, "rare": rare, "tool": "disc", "parts": parts}
    if not coins.can_be_forced(item):
        return None
    way = made or coins.nearest_procedure(item.channel)
    answers = (item.truths[0].text, item.truths[1].text)
    return {
        "possible": made is not None,
        "rare": way.rare,
        "tool": way.tool.name.lower(),
        "action": way.action(),
        "forced": [{"if": words, "answer": answer} for words, answer in way.cases(answers)],
        "otherwise": "the truth",
        "flip": [float(chance) for chance in way.chances],
        "epsilon": way.channel.epsilon,
        "setting": way.setting(yes_at),
    }


def _share(item: Item, named: survey_file.SurveyFile) -> float:
    return item.epsilon_millionths / named.survey.epsilon_millionths


def _flip_words(item: Item) -> str:
    if item.flips is None:
        return "–"
    least, most = f"{min(item.flips):.4f}", f"{max(item.flips):.4f}"
    return least if least == most else f"{least} to {most}"


def _width_words(found: Precision | None) -> str:
    return "too little" if found is None else width_cell(found)
