"""CITATION.cff: how to cite the data, and the software that collected them."""

import json
from typing import Final

from deniable import __version__
from deniable.publication.material import Material
from deniable.results.figures.watermark import TRIAL

AUTHORS: Final = "the deniable authors"
"""The authors as the project's CITATION.cff names them; a test compares the two."""

SOFTWARE: Final = f"deniable, version {__version__}, by {AUTHORS}. Software, MIT licence."
"""How to cite the program in a list of references."""


def citation_file(material: Material) -> str:
    """Write the citation in the Citation File Format 1.2.0."""
    survey = material.survey
    organisation = survey.about.organisation or "FILL IN: who asked"
    lines = [
        "cff-version: 1.2.0",
        "message: If you use these data, please cite them as below.",
        "type: dataset",
        f"title: {_text(f'Noisy reports and estimates: {survey.title}')}",
        "authors:",
        f"  - name: {_text(organisation)}",
        f"version: {_text(survey.shown_number)}",
        f"abstract: {_text(_abstract(material))}",
        "references:",
        "  - type: software",
        "    title: deniable",
        f"    version: {_text(__version__)}",
        "    license: MIT",
        "    authors:",
        f"      - name: {AUTHORS}",
        "  - type: article",
        "    title: 'Randomized response: a survey technique for eliminating evasive answer bias'",
        "    authors:",
        "      - family-names: Warner",
        "        given-names: Stanley L.",
        "    journal: Journal of the American Statistical Association",
        "    volume: '60'",
        "    start: 63",
        "    end: 69",
        "    year: 1965",
        "    doi: 10.1080/01621459.1965.10480775",
    ]
    return "\n".join([*lines, ""])


def _abstract(material: Material) -> str:
    trial = f"{TRIAL} " if material.survey.kind == "trial" else ""
    return (
        f"{trial}{material.n:,} reports ({material.of_revisions}), randomised on the "
        f"respondents' devices (local differential privacy, epsilon {material.survey.epsilon:g}), "
        "with estimates and programs that recompute them."
    )


def _text(text: str) -> str:
    # Every JSON string is also a YAML string.
    return json.dumps(text, ensure_ascii=False)
