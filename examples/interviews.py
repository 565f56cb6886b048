"""Make ``interviews.csv``: made-up athletes, asked with a die whether they ever doped.

Every row is one athlete. The die asks for the truth on 2 to 5, makes them say no on 1 and yes on 6,
so that ``doped`` holds randomised responses, less those of 27 people who were not asked. Doping
is made to be rarer among women and likelier with age::

    log odds = -1.2 + 0.05 (age - 25) - 0.7 female + 0.5 (sport is endurance)

so that the tutorial's regression has something to find. ``python examples/interviews.py`` prints
it.
"""

import sys

import numpy as np

from deniable import designs
from deniable.client.randomiser import randomise
from deniable.client.randomness import seeded_words

ROWS = 3000
SPORTS = ("endurance", "strength", "team")


def lines() -> list[str]:
    """Return the lines of the file, the header first."""
    random = np.random.default_rng(1965)
    age = random.integers(16, 46, ROWS)
    female = random.integers(0, 2, ROWS)
    sport = random.integers(0, len(SPORTS), ROWS)
    log_odds = -1.2 + 0.05 * (age - 25) - 0.7 * female + 0.5 * (sport == 0)
    doped = (random.random(ROWS) < 1 / (1 + np.exp(-log_odds))).astype(np.uint8)
    said = randomise(designs.forced_response("2/3", "1/2"), doped, seeded_words(6)(ROWS))
    cells = said.astype(str)
    cells[random.choice(ROWS, 27, replace=False)] = "NA"
    columns = (cells, age, female, np.array(SPORTS)[sport])
    rows = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    return ["doped,age,female,sport", *rows]


if __name__ == "__main__":
    sys.stdout.write("\n".join(lines()) + "\n")
