"""How long 300 students take to answer from one address, and the projector to show it."""

from typing import Final

from benchmarks.measuring import Figure, folder, tell
from tests.server.test_classroom import play

STUDENTS: Final = 300

TIMES: Final = 3


def run() -> list[Figure]:
    """Play the question a few times, each on a server of its own."""
    answered, followed = [], []
    for _ in range(TIMES):
        tell(f"{STUDENTS} students answer")
        with folder() as path:
            seconds, later = play(path, STUDENTS)
        answered.append(seconds)
        followed.append(later)
    who = f"{STUDENTS} students"
    return [
        Figure(f"{who}: until all answers are acknowledged", answered, "s", goal="< 10"),
        Figure(f"{who}: until the projector shows the last", followed, "s", goal="< 2"),
    ]
