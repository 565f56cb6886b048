import sys
from pathlib import Path

import pytest

from tests import needs


def test_a_program_beside_this_python_is_found_without_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    name = Path(sys.executable).name
    assert Path(needs.program(name, "-")) == Path(sys.executable)


@pytest.mark.parametrize(
    ("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)]
)
def test_a_missing_thing_is_left_out_on_a_laptop_and_fails_in_ci(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="get it by: asking nicely"):
        needs.program("no-such-program", "asking nicely")
    with pytest.raises(outcome, match="get it by: asking nicely"):
        needs.file(tmp_path / "none", "asking nicely")
    with pytest.raises(outcome, match=r"get it by: python -m tools.peers Nobody"):
        needs.peer("no_such_module", "Nobody")
    with pytest.raises(outcome, match="no_such_package, which is not here; get it by: asking"):
        needs.packages(["pytest", "no_such_package"], "asking nicely")
