"""``deniable sheet``: a survey on paper."""

from pathlib import Path

from tests.cli.conftest import DOPING, ROOT, Run


def test_writes_a_page_to_print(run: Run, folder: Path) -> None:
    run("sheet", "doping.yaml", "-o", "sheet.html")
    page = (folder / "sheet.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "Doping in [bold]your[/bold] sport :smile:" in page
    assert "Toss a coin twice" in page
    assert "<style>" in page
    assert run("sheet", "doping.yaml").stdout == page


def test_a_survey_that_hands_cannot_do_is_refused(run: Run) -> None:
    result = run("sheet", "-", typed=DOPING.replace("1/4", "0.0189"), exits=1)
    assert result.stdout == ""
    assert "No coin, die or disc has the chances of doped. 'deniable check' names" in result.stderr
    swapped = "design: {custom: {table: [[.25, .75], [.75, .25]]}}"
    result = run("sheet", "-", typed=DOPING.replace("flip: 1/4", swapped), exits=1)
    assert result.stderr.endswith("No coin, die or disc has the chances of doped.\n")


def test_is_in_one_of_the_survey_s_languages(run: Run) -> None:
    journeys = str(ROOT / "examples" / "journeys.yaml")
    assert "How we get around the city" in run("sheet", journeys, "-n", "1").stdout
    german = run("sheet", journeys, "-n", "1", "--language", "de").stdout
    assert '<html lang="de">' in german
    assert "Kreuzen Sie ein Kästchen an." in german
    assert "How we get" not in german
    assert 'dir="rtl"' in run("sheet", journeys, "-n", "1", "--language", "ar").stdout
    refused = run("sheet", journeys, "-n", "1", "--language", "fr", exits=1).stderr
    assert "expected a language of en, de, ar, found 'fr'" in refused


def test_chance_that_hardly_ever_decides_is_warned_of(run: Run) -> None:
    rare = run("sheet", "-", typed=DOPING.replace("1/4", "1/36"))
    assert "Roll a die twice" in rare.stdout
    assert "<stdin>: warning: By hand, an answer is forced less than once in 20" in rare.stderr
    assert run("sheet", "doping.yaml").stderr == ""


def test_what_chance_draws_is_left_out_and_named(run: Run) -> None:
    """In a sheet's five languages, by `check`, by `sheet`; both questions of a group among them."""
    # No hand can randomise a number of 61 values.
    text = (ROOT / "examples" / "exams.yaml").read_text().replace("max: 5", "max: 60")
    Path("wide.yaml").write_text(text)
    exams = "wide.yaml"
    said = "No sheet asks helped, help, exams: each person is asked only some of these"
    told = run("sheet", exams)
    assert said in told.stderr
    assert "Not asked on this sheet, because each person is asked only some of these" in told.stdout
    left_out = told.stdout.partition('class="left-out"')[2]
    assert all(text in left_out for text in ("have you used help", "What was it", "In how many"))
    assert said in run("check", exams).stdout
    for language in ("de", "fr", "es", "ar"):
        there = run("sheet", "-", typed=f"languages: [{language}]\n{text}").stdout
        assert there.count('class="left-out"') == 1
        assert "each person is asked" not in there
