"""codebook.html: the codebook for people, in one file that loads no other."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Final

from deniable.publication.codebook import published
from deniable.publication.material import Material
from deniable.publication.names import file_names, values_of
from deniable.publication.table import described
from deniable.results.figures.watermark import TRIAL
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Question
from deniable.survey.revisions import history
from deniable.text.wording import needs, noise

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max(24%, 7rem) minmax(0, 1fr); gap: 0.1rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: start; padding: 0.2rem 1rem 0.2rem 0; border-bottom: 1px solid #8888; }
caption { text-align: start; font-weight: bold; padding: 1rem 0 0.2rem; }
"""

_PUBLISHED: Final = {
    "yes": "yes",
    "no": "no: direct answers are published only where their authors chose to",
}


def codebook_page(material: Material) -> str:
    """Write the codebook as an HTML page."""
    survey = material.survey
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        '<head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Codebook: {escape(survey.title)}</title>",
        f"<style>{_STYLE}</style></head>",
        f"<body><h1>Codebook: {_text(survey, survey.title)}</h1>",
    ]
    parts.append(
        f"<p>{material.n:,} reports to revision <code>{survey.revision}</code>. Columns whose "
        "names end in <code>_noisy</code> hold randomised reports. A cell of them is no answer, "
        "and says nothing certain about any person.</p>"
    )
    if survey.kind == "trial":
        parts.append(f"<p><strong>{TRIAL}</strong></p>")
    parts += [f"<p>Corrected: {escape(line)}</p>" for line in history(survey)]
    if survey.introduction:
        parts.append(f"<h2>Introduction</h2><p>{_text(survey, survey.introduction)}</p>")
    for _, columns in groupby(described(survey), key=lambda one: one[1].id):
        _, questions, items = zip(*columns, strict=True)
        parts += _question(material, questions[0], items)
    return "\n".join([*parts, "</body></html>", ""])


def _question(material: Material, question: Question, items: Sequence[Item]) -> Iterator[str]:
    survey = material.survey
    yield f"<h2>{_text(survey, question.text)}</h2>"
    yield "<dl>"
    facts = [("Question", question.id), ("Type", question.type.value)]
    if question.hint:
        facts.append(("Hint", question.hint))
    if question.ask_if:
        facts.append(("Applies after", ", and ".join(needs(survey, question))))
    if question.ask is not None:
        facts.append(("Asked of each person", f"{question.ask} of its items, drawn at random"))
    if (epsilon := survey.epsilon_of(question)) is not None:
        facts.append(("ε of the question", f"{epsilon:g}"))
    yield from _facts(facts)
    yield "</dl>"
    for item in items:
        yield from _item(material, question, item)


def _item(material: Material, question: Question, item: Item) -> Iterator[str]:
    column = material.table.of(item)
    facts = [("Published", _PUBLISHED[published(material, item)])]
    if column is not None:
        short = file_names(one.name for one in material.table.columns)[column.name]
        facts = [("Column", column.name), ("In SPSS and Stata", short), *facts]
    facts.append(("How it is reported", noise(item)))
    if item.text != question.text:
        yield f"<h3>{_text(material.survey, item.text)}</h3>"
    yield "<dl>"
    yield from _facts(facts)
    yield "</dl>"
    named_after = item.reports == item.truths
    values = [f"{value:g}" for value in values_of(item, is_number=question.is_number)]
    if not named_after:
        answers = [[truth.code, item.in_full(truth)] for truth in item.truths]
        yield from _codes(f"Answers: {item.id}", ["Code", "Answer"], answers)
    head = ["Code", "Answer" if named_after else "Report", "In SPSS and Stata"]
    reports = [
        [report.code, report.text, value]
        for report, value in zip(item.reports, values, strict=True)
    ]
    caption = f"Answers and reports: {item.id}" if named_after else f"Reports: {item.id}"
    yield from _codes(caption, head, reports)


def _facts(facts: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, text in facts:
        yield f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>"


def _codes(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    label = escape(caption)
    yield f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
    yield f"<table><caption>{label}</caption>"
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    yield f"<thead><tr>{columns}</tr></thead><tbody>"
    for code, *others in rows:
        cells = "".join(f'<td dir="auto">{escape(text)}</td>' for text in others)
        yield f'<tr><th scope="row"><code>{escape(code)}</code></th>{cells}</tr>'
    yield "</tbody></table></div>"


def _text(survey: Survey, text: str) -> str:
    """Write a text of the survey as HTML, with its language and direction."""
    lines = escape(text).replace("\n", "<br>")
    return f'<span lang="{escape(survey.languages[0])}" dir="auto">{lines}</span>'
