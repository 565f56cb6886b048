"""What a prompt shows of a survey and of a channel fits on a screen, and is true."""

import re
from pathlib import Path

import pytest

from deniable import designs, identity
from deniable.survey_file import read

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_every_example_fits_on_a_screen(path: Path) -> None:
    survey = read(path.read_text(encoding="utf-8")).survey
    lines = repr(survey).splitlines()
    assert len(lines) == 1 + len(survey.questions)
    assert f"ε {survey.epsilon:g}" in lines[0]
    assert survey.fingerprint in lines[0]
    for question, line in zip(survey.questions, lines[1:], strict=True):
        assert line.split()[0] == question.id
        epsilon = survey.epsilon_of(question)
        assert ("direct" if epsilon is None else f"ε {epsilon:g}") in line
    direct = sum(" direct " in line for line in lines[1:])
    # No bound is said of a set that holds an answer without one.
    assert (f"ε {survey.epsilon:g}; {direct} asked directly;" in lines[0]) == (direct > 0)
    page = survey._repr_html_()
    assert page.count("<tr>") == len(lines)


def test_a_survey_says_how_many_are_left_out() -> None:
    questions = "".join(
        f"  - {{id: q{n}, text: 'A <b> & {'long ' * 50}', type: single, answers: [No, Yes]}}\n"
        for n in range(60)
    )
    head = "version: 1\nsurvey: s\ntitle: T\nepsilon: 1\nquestions:\n"
    survey = read(head + questions).survey
    assert repr(survey).endswith("… and 40 more questions")
    assert "A &lt;b&gt; &amp; long" in survey._repr_html_()


def test_a_channel_shows_its_chances_truth_by_truth() -> None:
    assert repr(designs.k_ary(3, keep="1/2")) == (
        "Channel(3 truths, 3 reports, ε 0.693148: 0.5 0.25 0.25 / 0.25 0.5 0.25 / 0.25 0.25 0.5)"
    )
    assert "ε inf" in repr(identity(2))
    large = designs.k_ary(255, 3)
    assert "255 truths, 255 reports" in repr(large)
    rows = re.findall(r"<tr><th>([^<]*)</th>(.*?)</tr>", large._repr_html_())
    assert [name for name, _ in rows[1:]] == ["0", "1", "2", "3", "…", "254"]
    # The diagonal is the chance of the truth, in the first rows and in the last.
    kept = f"{large.probabilities[0, 0]:.4g}"
    assert [place for place, (_, cells) in enumerate(rows[1:]) if f"<td>{kept}</td>" in cells] == [
        0, 1, 2, 3, 5,
    ]  # fmt: skip
