"""The topics of five teaching texts, and the pages of the lab that teach them."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from deniable.lab.inputs import Choice
from deniable.lab.page import Page
from deniable.lab.pages import PAGES


class Text(NamedTuple):
    """A text of a course."""

    title: str
    what: str


TEXTS: Final = (
    Text("Foundations of machine learning: differential privacy", "slides, economics, 2026"),
    Text("Lecture 15: Basics of differential privacy", "notes, private machine learning, 2025"),
    Text("Tutorial #12: Differential Privacy I", "introduction on the web"),
    Text("Privacy", "a textbook’s chapter, machine learning in science and society, 2022"),
    Text("Differential Privacy", "slides, data and network security, 2024"),
)


class Row(NamedTuple):
    """A topic, with the texts and the pages that teach it."""

    texts: str  # the numbers of the texts, from 1
    what: str
    pages: dict[str, str]  # from each page to words in the place where it teaches the topic


ROWS: Final = (
    Row("134", "Names removed, linkage, films; 87 % are unique", {"names": "87 %"}),
    Row("34", "k-anonymity, quasi-identifiers, a neighbour’s inference", {"names": "k-anonym"}),
    Row("1345", "Trackers, groups of one, the law of recovery", {"totals": "subtract"}),
    Row("145", "Genes and training sets: membership", {"totals": "training set"}),
    Row("145", "Harm without participation. Slides: society", {"harm": "sprinter"}),
    Row("4", "Cryptography is not enough; the one-time key", {"central": "one-time"}),
    Row("4", "Desiderata", {"adversary": "desiderata"}),
    Row("145", "Algorithm π, simplex Δ(A), a(ω, x)", {"coins": "simplex"}),
    Row("12345", "Randomised response, five stories", {"coins": "spinner"}),
    Row("145", "The share from the reports. Textbook 3", {"coins": "unbiased"}),
    Row("4", "The error of n reports", {"coins": "√(cn)"}),
    Row("4", "The adversary’s posterior; which p. Textbook 2", {"adversary": "Whose p"}),
    Row("5", "Two coins have ε = ln 3", {"coins": "ln 3"}),
    Row("12345", "ε, privacy loss, all sets A, e^ε and 1 + ε", {"adversary": "1 + ε"}),
    Row("145", "Neighbours, and Hamming’s distance. Textbook 1", {"again": "Hamming"}),
    Row("4", "The coin when people join or leave. Textbook 2", {"again": "⊥"}),
    Row("24", "Group privacy kε", {"again": "group privacy"}),
    Row("145", "Chance is necessary", {"adversary": "privacy needs chance"}),
    Row("12345", "Post-processing. Slides: post-processing", {"adversary": "ε still holds after"}),
    Row(
        "1234",
        "Sums of ε and δ; k attributes. Slides: composition",
        {"budget": "ε₁ + ε₂", "again": "losses add up"},
    ),
    Row("2", "Advanced composition, √(6k ln 1/δ), sums of ρ", {"budget": "√(6k ln 1/δ)"}),
    Row("4", "KL-privacy of two answers. Textbook 6", {"budget": "KL-private"}),
    Row("4", "Queries one after another", {"budget": "the table is closed"}),
    Row("12345", "Laplace for numbers and vectors. Slides: Laplace", {"counts": "vector"}),
    Row("4", "Sensitivity as Lipschitz’s constant", {"counts": "Lipschitz"}),
    Row("3", "Sums, clipping, averages in two parts", {"counts": "clip"}),
    Row("4", "Local against central averages", {"central": "square"}),
    Row("124", "The exponential mechanism, its proof and scale", {"choosing": "exp(εu)"}),
    Row("2", "Every pure mechanism is exponential", {"choosing": "every mechanism π"}),
    Row("4", "ε → 0 and ε → ∞, ties. Textbook 4", {"choosing": "equally good"}),
    Row("4", "The distance and its square. Textbook 5", {"choosing": "−|a − x|²"}),
    Row("3", "Median and mode", {"choosing": "median"}),
    Row("5", "Report noisy max", {"choosing": "noisy max"}),
    Row("2345", "Gauss, (ε, δ), zCDP, the error of d numbers", {"counts": "zCDP"}),
    Row("24", "Misprints", {"budget": "upside down", "counts": "misprint"}),
    Row("4", "The reusable holdout; false discoveries", {"holdout": "false discovery"}),
    Row("3", "The cost factor e^ε, choosing ε", {"harm": "e^ε"}),
    Row(
        "4",
        "More data; which k; who uses it",
        {"coins": "more data", "names": "Which k", "central": "census"},
    ),
    Row("2", "The worst case against the average", {"totals": "worst case"}),
)
"""The topics of all five texts, in the order of the textbook."""


COURSES: Final = tuple(
    (
        text,
        tuple(
            slug
            for slug in PAGES
            if any(slug in row.pages and str(number) in row.texts for row in ROWS)
        ),
    )
    for number, text in enumerate(TEXTS, 1)
)
"""Each text with all pages that teach any of its topics, in the order of the lab."""


def places(page: Page, words: str) -> list[str]:
    """Return the names of a page's parts that contain some words."""
    return [name for name, part in _parts(page) if words.lower() in part.lower()]


def _parts(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each part of a page that teaches."""
    yield "text", " ".join((page.title, page.idea, page.why))
    for number, one in enumerate(page.exercises, 1):
        yield f"exercise {number}", f"{one.question} {one.answer}"
    for choice in page.inputs:
        if isinstance(choice, Choice):
            yield f"“{choice.label}”", " ".join(choice.options.values())


def table() -> str:
    """Return all topics as a table in Markdown."""
    lines = ["| Texts | What they teach | Where |", "|---|---|---|"]
    for row in ROWS:
        where = (
            f"`/lab/{slug}`: {', '.join(places(PAGES[slug], words)[:3])}"
            for slug, words in row.pages.items()
        )
        lines.append(f"| {', '.join(row.texts)} | {row.what} | {'; '.join(where)} |")
    return "\n".join(lines)
