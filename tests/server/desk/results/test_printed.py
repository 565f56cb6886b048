"""Tables of the analysis as a page of the desk shows them."""

from deniable.results.text import table
from deniable.server.desk.results.printed import Line, Printed, Section, read


def test_rows_of_one_thing_stand_together_and_the_noise_stands_last() -> None:
    made = table(
        "Ward", "Answer", "Observed", "Estimate", "SE", numbers=("Observed", "Estimate", "SE")
    )
    made.add_row("Day", "No", "1", "2", "3")
    made.add_row("", "Yes", "4", "5", "6")
    made.add_row("Night", "No", "7", "8", "9")
    said, shown = read(["  a sentence ", "", made])
    assert said == "a sentence"
    assert shown == Printed(
        "Answer",
        ("Estimate", "Standard error (SE)", "Observed"),
        (
            Section("Day", (Line("No", ("2", "3", "1")), Line("Yes", ("5", "6", "4")))),
            Section("Night", (Line("No", ("8", "9", "7")),)),
        ),
    )


def test_a_single_row_of_each_thing_needs_no_heading() -> None:
    made = table("Groups", "Answer", "Difference", numbers=("Difference",))
    made.add_row("Day − Night", "Yes", "1")
    made.add_row("Day − Care", "Yes", "2")
    (shown,) = read([made])
    assert isinstance(shown, Printed)
    assert shown.first == "Groups: Answer"
    assert [line.name for line in shown.sections[0].lines] == [
        "Day − Night: Yes",
        "Day − Care: Yes",
    ]


def test_a_table_of_one_name_is_one_section() -> None:
    made = table("Term", "Coefficient", numbers=("Coefficient",))
    for term in ("years", "ward"):
        made.add_row(term, "0")
    (shown,) = read([made])
    assert isinstance(shown, Printed)
    assert [section.name for section in shown.sections] == [""]
    assert not shown.is_long
