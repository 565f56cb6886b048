"""Links of surveys on the command line: the fingerprint in them is compared."""

import pytest

from deniable.server.loopback import loopback
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from tests.addresses import at
from tests.cli.conftest import DOPING, Run, names
from tests.cli.test_looking_after import Serve


@pytest.mark.slow
def test_a_link_is_taken_as_it_was_printed(run: Run, serve: Serve) -> None:
    server = serve("doping.yaml")
    survey = read(DOPING).survey
    link = server.origin + survey.path
    assert "the same" in run("verify", link).stdout
    here = f"{server.origin}{at('doping')}"
    assert "the same" in run("verify", f"{here}#lang=de&{survey.numbers[0]}").stdout
    said = run("verify", f"{here}#{'5a' * 8}", exits=1).stderr
    assert names(said, survey.fingerprint, "5a5a 5a5a 5a5a 5a5a")


@pytest.mark.parametrize("fragment", ["5a5a", "5A" * 8, "content", "lang=de&x", "5a" * 33])
def test_what_is_no_fingerprint_is_a_mistake_in_the_link(run: Run, fragment: str) -> None:
    said = run("verify", f"http://127.0.0.1:9{at('doping')}#{fragment}", exits=2).stderr
    assert "is not the link of a survey" in said


@pytest.mark.slow
def test_a_trial_is_named_to_whoever_checks_it(run: Run) -> None:
    survey = read(DOPING).survey
    with loopback(trial_of(survey)) as link, loopback(survey) as real:
        checked = run("verify", link)
        assert names(checked.stderr, "'trial.doping'", "is a trial", "made up")
        assert "Yes: this is the program of" in checked.stdout
        assert "trial" not in run("verify", real).stderr
