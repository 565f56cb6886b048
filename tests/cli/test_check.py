"""``deniable check``: what a survey costs, or every mistake in it."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from deniable.analysis.planning import greatest_reach, mean_reach
from deniable.server.store import open_store
from deniable.survey_file import read
from tests import vectors
from tests.cli.conftest import DOPING, EVERY_TYPE, Run
from tests.kit import surveys

BROKEN = surveys.file_of(
    "id: a, text: A, type: single, answers: [No], flip: 1/4",
    "id: a, text: B, type: single, answers: [No, Yes], flip: 1/2",
    "id: c, text: C, type: text, flip: 1/4",
    "id: d, text: D, type: single, answers: [No, Yes], flipp: 1/4",
    slug="Doping",
)


def test_every_item_has_a_line(run: Run) -> None:
    said = run("check", "every-type.yaml").stdout
    lines = said.split("The same ε")[0].splitlines()
    for item in read(EVERY_TYPE).survey.items:
        (line,) = [line for line in lines if line.startswith(f"{item.id} ")]
        if item.id == "hours":
            width = mean_reach(item.channel, [0, 0.5, 1, 1.5, 2], 1000)
            assert line.endswith(f"mean about ±{width:.2g}")
        else:
            reach = 100 * max(greatest_reach(item.channel, 1000))
            assert line.endswith(f" ±{reach:.1f}")
    assert "\x1b" not in said
    # Forced response, truth 2/3 and yes 1/4: a no becomes yes 1/12 of the time, a yes no 3/12.
    assert "0.0833 to 0.2500" in said


SHARING = surveys.file_of(
    "id: a, text: A, type: single, answers: [No, Yes]",
    "id: b, text: B, type: single, answers: [No, Yes]",
    "id: c, text: C, type: many, answers: [One, Two, Three]",
    "id: d, text: D, type: number, min: 0, max: 20",
    "id: own, text: E, type: single, answers: [No, Yes], flip: 0.49",
    head="epsilon: 1\nsplit: optimal",
)


def compared(said: str) -> list[list[str]]:
    """Return the rows of the second table, with its heading."""
    rows = said.split("The same ε")[1].partition("\n\n")[0].splitlines()
    return [re.split(r"  +", row.strip()) for row in rows if "─" not in row and row.strip()]


def test_the_file_s_budget_is_compared(run: Run) -> None:
    said = run("check", "-", typed=SHARING).stdout
    first, *rows = compared(said)
    assert first == ["equal", "even", "optimal, as here", "ask: 1"]
    # And its column says what the lines of its items say.
    (line,) = [line for line in said.splitlines() if line.startswith("a ")][:1]
    assert line.split()[-1] == rows[0][3]


def test_too_small_a_budget_is_told(run: Run) -> None:
    text = surveys.file_of(*surveys.yes_or_no(*[""] * 5), head="epsilon: 0.000004\nask: 2")
    (_, *rows) = compared(run("check", "-", typed=text).stdout)
    assert rows[0][1:3] == ["too little", "too little"]
    (found,) = json.loads(run("check", "-", "--format", "json", typed=text).stdout)
    assert set(found["budgets"][0]["reach"].values()) == {None}


def test_nothing_is_compared_where_one_question_takes_all(run: Run) -> None:
    assert "The same" not in run("check", "doping.yaml").stdout
    (found,) = json.loads(run("check", "doping.yaml", "--format", "json").stdout)
    assert (found["budgets"], found["ask"]) == ([], None)


def test_a_set_that_is_kept_links_reports(run: Run) -> None:
    ids = "abcde"
    asked = "".join(
        f"  - {{id: {one}, text: T, type: single, answers: [No, Yes]}}\n" for one in ids
    )
    start = "version: 1\nsurvey: s\ntitle: T\nepsilon: 2\nask: 2\n"
    start += "waves: {count: 2, redraw: 1/8}\nquestions:\n"
    said = run("check", "-", typed=start + asked).stdout
    assert "the set, one of 10, links the reports of one person" in " ".join(said.split())


@pytest.mark.slow
def test_what_chance_draws_is_said(run: Run) -> None:
    asking = vectors.asking_file()
    said = run("check", "-", typed=asking).stdout
    assert "Asked: 2 of doped, offered, knew, years, drawn for each respondent." in said
    assert "Asked: 2 of the 4 items of offered, drawn for each respondent." in said
    assert "ε: 3.00 in all, of 3.00 promised." in said
    (found,) = json.loads(run("check", "-", "--format", "json", typed=asking).stdout)
    assert found["ask"] == {"count": 2, "questions": ["doped", "offered", "knew", "years"]}
    assert found["items"][5]["respondents"] == pytest.approx(1000 / 6)
    years = found["items"][8]
    assert years["reach"] is None
    assert years["mean_reach"] == found["budgets"][4]["reach"]["years"]
    assert [(way["split"], way["ask"], way["as_here"]) for way in found["budgets"]] == [
        *((split, None, False) for split in ("equal", "even", "optimal")),
        *(("equal", 1, False), ("equal", 2, True)),
    ]


def test_json_is_for_programs(run: Run) -> None:
    (found,) = json.loads(run("check", "every-type.yaml", "--format", "json").stdout)
    survey = read(EVERY_TYPE).survey
    assert found["revision"] == survey.revision
    assert found["epsilon"] == 12
    assert found["epsilon_spent"] == pytest.approx(12, abs=1e-4)
    assert [item["item"] for item in found["items"]] == [item.id for item in survey.items]
    forced, direct = found["items"][-2:]
    assert forced["flip"] == pytest.approx([1 / 12, 1 / 4])
    assert (direct["flip"], direct["epsilon"], direct["epsilon_share"]) == (None, None, None)
    assert direct["reach"] == pytest.approx([1.96 * 0.5 / 1000**0.5 + 0.5e-3] * 2, rel=1e-3)


@pytest.mark.promise("correction")
def test_words_are_corrected_and_laws_are_new(run: Run, folder: Path) -> None:
    text = DOPING
    current = read(text).survey
    (folder / "survey.json").write_bytes(current.to_json())
    with closing(open_store(f"sqlite:///{folder}/kept.db")) as store:
        store.register(current)
    word, other = ("Have you", "Have YOU"), ("flip: 1/4", "flip: 1/5")
    cases = {
        (): "As published",
        (
            word,
        ): r"keep its revision:\s+(\S+ ?){4}: Question \d, text \(en\): “Have you .*“Have YOU",
        (other,): "Another revision than the published .*: design",
        (word, other): "cannot follow on .* publish the corrected words first",
    }
    for changes, said in cases.items():
        written = text
        for change in changes:
            assert change[0] in written
            written = written.replace(*change)
        (folder / "mended.yaml").write_text(written)
        for published in ("survey.json", f"sqlite:///{folder}/kept.db"):
            found = run("check", "mended.yaml", "--published", published)
            assert re.search(said, " ".join(found.stdout.split()), re.S), found.stdout
    (folder / "other.yaml").write_text(text.replace("survey: doping", "survey: other"))
    for published in ("survey.json", f"sqlite:///{folder}/kept.db"):
        assert "'other'" in run("check", "other.yaml", "--published", published, exits=1).stderr


def test_every_mistake_has_file_line_and_column(run: Run, folder: Path) -> None:
    (folder / "broken.yaml").write_text(BROKEN)
    (folder / "latin1.yaml").write_bytes("title: é\n".encode("latin-1"))
    (folder / "reports.csv").write_text("doped_noisy\n" + "no\n" * 10_000)
    files = ("broken.yaml", "doping.yaml", "latin1.yaml", "reports.csv", "-")
    result = run("check", *files, exits=1, typed="\ufeff")
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        *(f"broken.yaml:{place}" for place in ("2:9", "5:45", "6:10", "6:62", "7:28", "8:5")),
        *("broken.yaml:8:56", "latin1.yaml:1:8", "reports.csv:1:1", "<stdin>:1:1"),
    ]
    assert "found the byte 0xe9" in lines[-3]
    assert len(lines[-2]) < 200, "of a long file a part is repeated"
    assert "<stdin>: Doping" in run("check", "-", typed=DOPING.encode("utf-8-sig")).stdout


def test_says_how_it_is_done_by_hand(run: Run) -> None:
    said = run("check", "doping.yaml").stdout
    assert "  doped: toss a coin twice; tails then tails: No; tails then heads: Yes; other" in said
    (found,) = json.loads(run("check", "doping.yaml", "--format", "json").stdout)
    by_hand = found["items"][0]["by_hand"]
    assert (by_hand["possible"], by_hand["rare"], by_hand["tool"]) == (True, False, "coin")
    assert [one["if"] for one in by_hand["forced"]] == ["tails then tails", "tails then heads"]
    assert (by_hand["flip"], by_hand["epsilon"]) == ([0.25, 0.25], 1.098613)
    said = run("check", "-", typed=DOPING.replace("flip: 1/4", "epsilon: 1")).stdout
    assert "  doped: spin a paper clip on the disc that the sheet shows; a part without" in said
    made = run("check", "-", "--format", "json", typed=DOPING.replace("flip: 1/4", "epsilon: 1"))
    by_hand = json.loads(made.stdout)[0]["items"][0]["by_hand"]
    assert (by_hand["possible"], by_hand["tool"], len(by_hand["parts"])) == (True, "disc", 2)


def test_by_hand_yes_is_the_saying_answer(run: Run) -> None:
    said = run("check", "-", typed=DOPING.replace("[No, Yes]", "[Never, Often]")).stdout
    assert "By hand (where no answer says yes, No is the first answer, Yes the second):" in said
    # A setting that can be made is one of the design, whose yes is the answer Yes.
    design = "design: {forced_response: {truth: 0.9, yes: 0.1}}"
    for answers in ("[No, Yes]", "[Yes, No]"):
        text = DOPING.replace("[No, Yes]", answers).replace("flip: 1/4", design)
        said = run("check", "-", typed=text).stdout
        assert "nearest is design: {forced_response: {truth: 8/9, yes: 1/4}}" in said, answers


def test_what_comes_before_the_questions_is_said(run: Run) -> None:
    text, said = f"comprehension: true\n{DOPING}", "Asked first: two questions"
    assert said in run("check", "-", typed=text).stdout
    (found,) = json.loads(run("check", "-", "--format", "json", typed=text).stdout)
    assert found["comprehension"] is True
    assert said not in run("check", "doping.yaml").stdout


def test_warns_of_words_and_of_the_unlearnable(run: Run) -> None:
    weak = surveys.file_of(*surveys.yes_or_no(", epsilon: 23", ", flip: 0.499"))
    said = " ".join(run("check", "-", typed=weak).stdout.split())
    assert "q0: not possible; the nearest is flip: 1/36" in said
    assert "Warning: People will read, in red: from one answer by itself someone can be" in said
    assert "Someone who thought it was 50:50 can be: more than 99 % sure from one answer" in said
    assert "Warning: Nobody is asked at first. A browser allows one person ε = 10" in said
    assert "Warning: Too wide to be of use, with 1,000 respondents: q1 (±" in said
    (found,) = json.loads(run("check", "-", "--format", "json", typed=weak).stdout)
    assert len(found["warnings"]) == 3
    assert found["sureness"]["tier"] == "close to proof"
    assert not found["items"][0]["by_hand"]["possible"]
    assert "Too wide" not in run("check", "-", "-n", 10**9, typed=weak).stdout
    assert "Warning" not in run("check", "doping.yaml").stdout


def test_says_how_sure_repeated_facts_make(run: Run) -> None:
    """At a flip of 1/8 it is 7 to 1 from each answer: 49 to 1 from two, and 343 to 1 from three."""
    asked = surveys.yes_or_no(*[", flip: 1/8"] * 3)
    text = surveys.file_of(*asked, head="same_fact: [q0, q2]")
    said = " ".join(run("check", "-", typed=text).stdout.split())
    assert "; 98 % sure at most from the 2 answers that are about the same fact." in said
    assert "in red: from the answers about the same fact someone can be 98 % sure at m" in said
    assert "A fact that is asked once leaves it at 88 % sure at most." in said
    (found,) = json.loads(run("check", "-", "--format", "json", typed=text).stdout)
    told = found["sureness"]
    assert (told["all"], told["fact"], told["times"], told["colour"]) == (100, 98, 2, "red")


def test_a_follow_up_counts_as_in_plans(run: Run, folder: Path) -> None:
    questions = (
        "id: a, text: A, type: single, answers: [No, Yes]",
        "id: b, text: B, type: single, answers: [No, Yes], ask_if: {a: yes}",
        "id: n, text: N, type: number, min: 0, max: 9, ask_if: {a: yes}",
    )
    text = surveys.file_of(*questions, head="epsilon: 6\nplan: {applies: {b: 20, n: 30}}")
    (folder / "some.yaml").write_text(text)
    found = {}
    for command in ("check", "plan"):
        said = " ".join(run(command, "some.yaml").stdout.split())
        assert "so many of the people: b 20 %, n 30 %. With" in said
        found[command] = (
            *re.findall(r"\bb .*?(about ±[\d.]+).{,20} among", said)[:1],
            *re.findall(r"\bn .*?(mean about ±[\d.]+)", said)[:1],
        )
    assert found["check"] == found["plan"]
    assert len(found["plan"]) == 2
    items = json.loads(run("check", "some.yaml", "--format", "json").stdout)[0]["items"]
    assert [one["applies"] for one in items] == [None, 0.2, 0.3]


def test_check_says_what_time_tells(run: Run, folder: Path) -> None:
    hidden = vectors.branching_file().replace("survey: exams", "survey: exams\nbranch: hidden")
    (folder / "hidden.yaml").write_text(hidden)
    said = " ".join(run("check", "hidden.yaml").stdout.split())
    assert "guesses it right up to 80 times in 100" in said
    assert "Shown to everybody" not in said
    refused = run("simulate", "hidden.yaml", "-n", 10, "--slips", "10", "-o", "n.csv", exits=2)
    assert "--slips is for surveys" in refused.output
