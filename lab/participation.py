"""Taking part is a secret too: neighbours by edits, neighbours by presence, and groups."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from deniable import designs
from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Cells, Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, typed
from deniable.lab.pictures import Columns, Drag, Picture, Records, Series
from deniable.lab.said import decimal, number, percent

PEOPLE: Final = ("Ada", "Ben", "Cem", "Dot", "Eli", "Fay")
_LETTERS: Final = {"n": "no", "y": "yes", "a": "not in it"}
_ROWS: Final = "nya"
"""What a letter stands for is this row of the channel."""

_HOW: Final = {
    "plain": "those in the table report",
    "sampled": "… and are left out by chance",
    "all": "every device reports",
}

_CODE: Final = """\
import numpy as np

from deniable import designs

# Rows: no, yes, not in the table. Columns: what is seen of a person: no, yes, ⊥.
channel = {channel}
first, second = "{first}", "{second}"  # Ada to Fay: n(o), y(es), a(bsent)

# Rows that are only in the one table, or only in the other.
gone = sum(a != b and a != "a" for a, b in zip(first, second))
new = sum(a != b and b != "a" for a, b in zip(first, second))
steps = gone + new  # people taken out and put in
edits = gone if gone == new else np.inf  # rows changed, in tables of one length

# The greatest privacy loss of a report: this row against that row.
P = channel.probabilities
with np.errstate(divide="ignore", invalid="ignore"):
    ratios = np.nan_to_num(P[:, None] / P[None], nan=0, posinf=np.inf)  # 0/0: never sent
    loss = np.log(ratios.max(axis=2))
epsilon_edit, epsilon_step = loss[0, 1], max(loss[2].max(), loss[:, 2].max())

# All people together, for the first table against the second, and the other way round.
pairs = [("nya".index(a), "nya".index(b)) for a, b in zip(first, second)]
loss_here = max(sum(loss[a, b] for a, b in pairs), sum(loss[b, a] for a, b in pairs))
telling = 1 - P[1][P[2] > 0].sum()  # how often a report says for sure that its sender is in
"""

TABLES: Final = Cells(
    "tables",
    "Two tables: edit them",
    PEOPLE,
    ("First", "Second"),
    _LETTERS,
    "ynnnyynnnnyy",
)


@lru_cache(maxsize=256)
def channel_of(how: str, flip: Fraction, sampled: Fraction) -> Channel:
    """Return what is seen of a person: no, yes or ⊥, if it is no, yes, or they are not there."""
    if how == "plain":
        return designs.participation(flip, 1)
    if how == "all":
        return designs.participation(flip, sampled)
    p, q = flip, sampled
    return designs.custom([[q * (1 - p), q * p, 1 - q], [q * p, q * (1 - p), 1 - q], [0, 0, 1]])


def losses(channel: Channel) -> FloatArray:
    """Return the greatest privacy loss of a report, for each truth against each other one."""
    table = channel.probabilities
    with np.errstate(divide="ignore", invalid="ignore"):
        # 0/0 is a report that neither sends.
        ratios = np.nan_to_num(table[:, None] / table[None], nan=0, posinf=np.inf)
        greatest: FloatArray = np.log(ratios.max(axis=2))
    return greatest


def together(loss: FloatArray, first: str, second: str) -> float:
    """Return the greatest privacy loss of the reports of two tables.

    People's coins are independent, so their losses add up. But all must point the same way: what
    speaks for the first table in one report and for the second one in another cancels.
    """
    pairs = [
        (_ROWS.index(one), _ROWS.index(other)) for one, other in zip(first, second, strict=True)
    ]
    forth, back = sum(loss[pair] for pair in pairs), sum(loss[pair[::-1]] for pair in pairs)
    return float(max(forth, back))


def distances(first: str, second: str) -> tuple[float, int]:
    """Return how many edits, and how many people taken out or put in, are between two tables."""
    both = list(zip(first, second, strict=True))
    gone = sum(one not in (other, "a") for one, other in both)
    new = sum(other not in (one, "a") for one, other in both)
    return (gone if gone == new else math.inf), gone + new


def counted(channel: Channel, table: str, reports: tuple[int, ...]) -> FloatArray:
    """Return how likely it is that 0, 1, … 6 people are seen to send one of these reports."""
    law = np.ones(1)
    for letter in table:
        chance = channel.probabilities[_ROWS.index(letter)][list(reports)].sum()
        law = np.convolve(law, [1 - chance, chance])
    return np.asarray(law, dtype=np.float64)


def _channel_of(read: Any) -> Channel:
    return channel_of(read.how, read.flip, read.sampled)


def compute(settings: Settings) -> Shown:
    """Return how far two tables are apart, and how well somebody can tell them apart."""
    letters = str(settings["tables"])
    first, second = (TABLES.column(letters, place) for place in (0, 1))
    read = typed(settings, how=str, flip=Fraction, sampled=Fraction, first=first, second=second)
    loss = losses(_channel_of(read))
    edits, steps = distances(read.first, read.second)
    edit, step = _epsilons(loss)
    here = together(loss, read.first, read.second)
    table = _channel_of(read).probabilities
    telling = 1 - float(table[1][table[2] > 0].sum())
    return Shown(
        said=(
            (
                "No edits lead from the first table to the second: their lengths differ."
                if math.isinf(edits)
                else f"From the first table to the second it takes {edits} by edits."
            ),
            f"By taking people out and putting them in, it takes {steps}.",
            (
                "Somebody can tell these two tables apart for sure by some reports."
                if math.isinf(here)
                else f"No reports are more than {number(math.exp(here), 2)} times as likely from "
                f"the one table as from the other: a loss of {number(here)}."
            ),
        ),
        values=(
            Value("edits", "Edits between the tables", edits, number(edits)),
            Value("steps", "Taken out or put in", steps, str(steps)),
            Value("epsilon_edit", "ε for one edit", edit, number(edit)),
            Value("epsilon_step", "ε for one person more or less", step, number(step)),
            Value("loss_here", "Greatest loss, these tables", here, number(here)),
            Value("telling", "Tells for sure that you are in", telling, percent(telling)),
        ),
        code=_code(read),
        pictures=(_lengths(read), _yes(read), _price(read, edit, step)),
        records=(_channel(read),),
    )


def _epsilons(loss: FloatArray) -> tuple[float, float]:
    """Return ε for an edit, and for one person more or less."""
    return float(loss[0, 1]), float(max(loss[2].max(), loss[:, 2].max()))


def _channel(read: Any) -> Records:
    names, seen = ("no", "yes", "not in the table"), ("no is seen", "yes is seen", "⊥")
    return Records(
        id="channel",
        caption=(
            "What is seen of a person, by what is true of them. ⊥ means: nothing. A column with a "
            "0 beside another number tells for sure."
        ),
        table=Columns(names, dict(zip(seen, _channel_of(read).probabilities.T, strict=True))).table(
            "Truth", percent
        ),
    )


def _bars(read: Any, reports: tuple[int, ...], id: str, caption: str, x: str) -> Picture:
    bars = Columns(
        [str(place) for place in range(len(PEOPLE) + 1)],
        {
            "first table": counted(_channel_of(read), read.first, reports),
            "second table": counted(_channel_of(read), read.second, reports),
        },
        mark="bars",
    )
    return Picture(
        id=id,
        caption=caption,
        x=x,
        y="Probability",
        series=bars.series,
        table=bars.table(x, percent, 2),
        y_range=(0, 1),
    )


def _lengths(read: Any) -> Picture:
    return _bars(
        read,
        (0, 1),
        "lengths",
        (
            "How many reports come that are a no or a yes. If only those in the table report, this "
            "number is the length of the table, and no coin hides it."
        ),
        "Reports that are not ⊥",
    )


def _yes(read: Any) -> Picture:
    return _bars(
        read,
        (1,),
        "yes",
        "How many “yes” come. Here the coins work: one edit moves the bars only a little.",
        "“Yes” among the reports",
    )


def _price(read: Any, edit: float, step: float) -> Picture:
    places = [Fraction(place, 100) for place in range(51, 100)]
    laws = [_epsilons(losses(channel_of("all", read.flip, place))) for place in places]
    edits, steps = zip(*laws, strict=True)
    lines = Columns(
        [float(place) for place in places], {"one edit": edits, "one person more or less": steps}
    )
    return Picture(
        id="price",
        drag=Drag("sampled"),
        caption=(
            "If everybody’s device reports: ε for one edit, and for one person more or less. At q "
            "= 1/(1 + 2p) both are the same, so that hiding who takes part costs nothing more."
        ),
        x="q: chance that those who take part are in the sample",
        y="ε",
        series=(
            *lines.series,
            *(
                [Series("", "dots", (float(read.sampled),) * 2, (edit, step), 1)]
                if read.how == "all"
                else []
            ),
        ),
        table=lines.table(
            ("q", "One edit", "One person more or less"),
            number,
            at=(0, 4, 9, 14, 16, 19, 24, 29, 34, 39, 44, 48),
            x=number,
        ),
        x_range=(0.5, 1),
    )


def _code(read: Any) -> str:
    p, q = decimal(float(read.flip)), decimal(float(read.sampled))
    kept, flipped = (decimal(float(read.sampled * each)) for each in (1 - read.flip, read.flip))
    left = decimal(float(1 - read.sampled))
    channel = {
        "plain": f'designs.participation(flip="{p}", sampled=1)',
        "all": f'designs.participation(flip="{p}", sampled="{q}")',
        "sampled": (
            f'designs.custom([["{kept}", "{flipped}", "{left}"], '
            f'["{flipped}", "{kept}", "{left}"], [0, 0, 1]])'
        ),
    }[read.how]
    return _CODE.format(channel=channel, first=read.first, second=read.second)


PAGE: Final = Page(
    slug="participation",
    title="Taking part is a secret too",
    summary="Coins hide what you say. Edit two tables, and see what hides that you said anything.",
    paragraphs=(
        (
            "ε promises that two neighbours look nearly the same. But which tables are neighbours? "
            "Some texts change one row: an edit. Others take a person out or put one in. The "
            "second asks for more. If all members of a clinic are asked, it tells that you are "
            "one."
        ),
        (
            "Plain coins fail there: the number of reports is the number of people. To be left out "
            "by chance helps by half: “nothing”, written ⊥, is then no proof that you stayed away. "
            "But a report is still proof that you came. So some who stay away must seem to answer."
        ),
    ),
    sources=(
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "sections 2.3 and 3.2. (Neighbours, sampling, groups.)"
        ),
        (
            "D. Kifer and A. Machanavajjhala (2011). No free lunch in data privacy. SIGMOD. (What "
            "a choice of neighbours leaves out.)"
        ),
        (
            "Ú. Erlingsson et al. (2020). Encode, shuffle, analyze privacy revisited. "
            "arXiv:2001.03618."
        ),
    ),
    inputs=(
        TABLES,
        Choice("how", "Who is seen to report", _HOW),
        Slider("flip", "p: chance that a report is flipped", "0.05", "0.45", "0.05", "0.25"),
        Slider(
            "sampled",
            "q: chance to be in the sample (unless all in the table report)",
            "0.51",
            "0.99",
            "0.01",
            "0.67",
        ),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "Change one answer of the first table. How far is it by edits, and by people taken out "
            "or put in?",
            "One edit. By people it is two steps: take the person out, put them in again with the "
            "other answer. So edit neighbours are 2-neighbours here, always. A method that is "
            "ε-private for one person more or less is 2ε-private for an edit.",
            {"tables": "ynnnyynnnnyy"},
            check=Number(2, 0, "steps by people"),
        ),
        Exercise(
            "Is the reverse true? Take one person out, and look at the edits.",
            "No. Edits keep the length of a table, so no number of edits leads there. The page "
            "says ∞. A method can be private for edits and tell the length to everybody.",
            {"tables": "yynnyynnnnya"},
            check=Pick("No", ("Yes",)),
        ),
        Exercise(
            "Show that plain randomised response is not private if a person more or less is a "
            "neighbour.",
            "The table of n people gives n reports, the other one n − 1. A list of n reports has a "
            "chance above 0 from the first, and 0 from the second. Their ratio has no bound, so no "
            "ε is large enough.",
            {"tables": "yynnyynnnnya", "how": "plain"},
            check=Pick(
                "The number of reports tells",
                ("The coins are not fair", "Too few people take part"),
            ),
        ),
        Exercise(
            "Now those who take part are in the sample with probability q only, else ⊥ is seen. "
            "Is it private now?",
            "Half. A ⊥ may come from anybody: that side has ε = ln(1/(1 − q)). But whoever stays "
            "away is always seen as ⊥, so a “yes” proves that you are in. It happens with "
            "probability q. Texts that allow a failure δ count it there: δ = q, which is far too "
            "much. A small q would need very many people.",
            {"tables": "yynnyynnnnya", "how": "sampled"},
            check=Pick(
                "A “yes” proves that one took part",
                ("A ⊥ proves that one did not", "Yes, it is private now"),
            ),
        ),
        Exercise(
            "How must people who stay away behave, so that ε is finite? What is the best q?",
            "They must be seen with each report now and then: with 1 − q their device sends a fair "
            "coin. Then ε is the larger one of ln((1 − p)/p) and ln(2q(1 − p)/(1 − q)). Both are "
            "the same at q = 1/(1 + 2p), which is 2/3 for p = 1/4. Then ε is ln 3, as without this "
            "secret.",
            {"how": "all", "flip": "0.25", "sampled": "0.67"},
            check=Number(0.667, 0.01, "is the best q"),
        ),
        Exercise(
            "Group privacy: three people of a family change their answers together. What does ε "
            "promise them?",
            "Three edits, so the loss is at most 3ε: with p = 1/4 it is 3 ln 3 = 3.296, and "
            "reports may be 27 times as likely. ε protects one person well, three much less, and "
            "all six hardly at all. That is how it must be, or nothing could be learned.",
            {"tables": "ynynynnnnnyy", "how": "plain"},
            check=Number(3.3, 0.01),
        ),
    ),
    topics=("neighbours: edit, add/delete, Hamming distance", "group privacy"),
    guess=Guess(
        "Everybody in a table sends a report, by coins; nobody else does. How sure are you that "
        "somebody took part, if you know all others?",
        "telling",
        0,
        100,
    ),
)
