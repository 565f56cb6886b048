"""Repeated questions, and whether a person takes part: two secrets besides the answer."""

from fractions import Fraction
from math import exp, inf, isinf
from typing import Any, Final

import numpy as np

from deniable import designs
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.privacy import averaging, belief, compose
from deniable.channel import Channel
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Cells, Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, Records, here
from deniable.lab.said import number, percent

_AGAIN: Final = ("what", "again")
_IN_TABLES: Final = ("what", "tables")
PEOPLE: Final = ("Ada", "Ben", "Cem", "Dot", "Eli", "Fay")
MOST: Final = 60


def presence(how: str, p: float, q: float) -> Channel:
    """Return the channel from no, yes or absent to what is seen: no, yes or ⊥ (nothing)."""
    if how == "plain":
        return designs.participation(p, 1)
    if how == "all":
        return designs.participation(p, q)
    kept = Fraction(f"{q}")  # exactly, so that each row sums to 1
    flipped = kept * Fraction(f"{p}")
    sent = kept - flipped
    return designs.custom([[sent, flipped, 1 - kept], [flipped, sent, 1 - kept], [0, 0, 1]])


def losses(channel: Channel) -> FloatArray:
    """Return the greatest privacy loss of a report, for each truth against each other one."""
    table = channel.probabilities
    with np.errstate(divide="ignore", invalid="ignore"):
        # 0/0 is a report that neither sends.
        ratios = np.nan_to_num(table[:, None] / table[None], nan=0, posinf=np.inf)
        return np.asarray(np.log(ratios.max(axis=2)))


def lines(  # noqa: PLR0913  an argument for each input
    *,
    what: str,
    times: int,
    prior: float,
    flip: float,
    seed: int,
    tables: str,
    how: str,
    sampled: float,
) -> dict[str, Any]:
    """Compute what many answers give away, and what their number does."""
    # One person, asked again and again, with fresh coins or by a device that remembers.
    channel = designs.warner(flip=flip)
    before = [1 - prior, prior]
    attack = averaging(channel, before, waves=times)
    without, remembered, fresh = attack.guessed_without, attack.remembered, attack.guessed
    epsilon_fresh = compose([channel], waves=times).epsilon
    epsilon_remembered = compose([channel], waves=times, remembered=True).epsilon
    asked = [1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60]
    guessed = [averaging(channel, before, waves=one).guessed for one in asked]
    # One made-up person, of whom it is true, by the sampler of the project.
    words = np.random.default_rng(seed).integers(0, 2**32, 60)
    answers = [channel.sample(1, word) for word in words.tolist()][:times]
    yes = sum(answers)
    believed = belief(channel, before, answers).posterior[1]

    # Two tables of Ada to Fay: n(o), y(es), or a(bsent). What is only in the one or the other?
    first, second = tables[0::2], tables[1::2]
    pairs = list(zip(first, second, strict=True))
    gone = sum(one not in (other, "a") for one, other in pairs)
    new = sum(other not in (one, "a") for one, other in pairs)
    steps = gone + new  # people taken out and put in
    edits = gone if gone == new else inf  # rows changed, in tables of one length
    # The greatest privacy loss of a report: rows are no, yes, absent.
    seen_of = presence(how, flip, sampled)
    loss = losses(seen_of)
    epsilon_edit, epsilon_step = loss[0, 1], max(loss[2].max(), loss[:, 2].max())
    # All people together, for the first table against the second, and the other way round.
    at = [("nya".index(one), "nya".index(other)) for one, other in pairs]
    loss_here = max(sum(loss[pair] for pair in at), sum(loss[pair[::-1]] for pair in at))
    sees = seen_of.probabilities
    telling = 1 - sees[1][sees[2] > 0].sum()  # how often a report proves that its sender is in
    # If every device reports: both kinds of ε at each q.
    qs = [place / 100 for place in range(51, 100)]
    every = [losses(presence("all", flip, q)) for q in qs]
    edit_at = [one[0, 1] for one in every]
    step_at = [max(one[2].max(), one[:, 2].max()) for one in every]
    return locals()


def _again(found: Found) -> Shown:
    times = found.times
    return Shown(
        said=(
            (
                f"Asked {times} times, each time with new coins, the best guess about a person is "
                f"right with {percent(found.fresh)}. If the first answer is remembered and sent "
                f"again, it stays at {percent(found.remembered)}."
            ),
            f"One made-up person, of whom it is true, sent “yes” {found.yes} times of {times}.",
        ),
        values=values(
            found,
            ("without", "Best guess without any answer", percent),
            ("remembered", "Best guess, one remembered answer", percent),
            ("fresh", "Best guess, fresh answers", percent),
            ("epsilon_fresh", "ε of all fresh answers", number),
            ("epsilon_remembered", "ε of a remembered one", number),
            ("yes", "“Yes” of one made-up person", number),
            ("believed", "Belief in them after these", percent, 3),
        ),
        pictures=(_guesses(found),),
    )


def _guesses(found: Found) -> Picture:
    size = len(found.asked)
    curves = Columns(
        found.asked,
        {
            "fresh answers": found.guessed,
            "a remembered answer": [found.remembered] * size,
            "no answer": [found.without] * size,
        },
        tones=(0, 1, 2),
    )
    return Picture(
        id="found",
        caption="How often the best guess about a person is right.",
        finding="Fresh answers find them out.",
        x="How often they are asked",
        y="Best guess is right",
        series=(*curves.series, here(found.times, found.fresh)),
        table=curves.table("Asked", percent, 2),
        x_range=(1, MOST),
        y_range=(0.5, 1),
    )


def _tables(found: Found) -> Shown:
    edits, here = found.edits, found.loss_here
    return Shown(
        said=(
            (
                "No edits lead from the first table to the second: their lengths differ."
                if isinf(edits)
                else f"From the first table to the second it takes {edits} by edits."
            ),
            f"By taking people out and putting them in, it takes {found.steps}.",
            (
                "Somebody can tell these two tables apart for sure by some reports."
                if isinf(here)
                else f"No reports are more than {number(exp(here), 2)} times as likely from the "
                f"one table as from the other: a loss of {number(here)}."
            ),
        ),
        values=values(
            found,
            ("edits", "Edits (Hamming distance)", number),
            ("steps", "Taken out or put in", number),
            ("epsilon_edit", "ε for one edit", number),
            ("epsilon_step", "ε for one person more or less", number),
            ("loss_here", "Greatest loss, these tables", number),
            ("telling", "Tells for sure that you are in", percent),
        ),
        pictures=(_both(found),),
        records=(_channel(found),),
    )


def _channel(found: Found) -> Records:
    seen = dict(zip(("no is seen", "yes is seen", "⊥"), found.sees.T, strict=True))
    return Records(
        id="channel",
        caption=(
            "What is seen of a person, by what is true of them. ⊥ means: nothing. A column with a "
            "0 beside another number tells for sure."
        ),
        table=Columns(("no", "yes", "not in the table"), seen).table("Truth", percent),
    )


def _both(found: Found) -> Picture:
    curves = Columns(
        found.qs, {"one edit": found.edit_at, "one person more or less": found.step_at}
    )
    at = here(found.sampled, found.epsilon_edit, found.epsilon_step)
    return Picture(
        id="price",
        caption=(
            "If everybody’s device reports: ε for one edit, and for one person more or less. At q "
            "= 1/(1 + 2p) both are the same, so that hiding who takes part costs nothing more."
        ),
        x="q: chance that those who take part are in the sample",
        y="ε",
        series=(
            *curves.series,
            *([at] if found.how == "all" else []),
        ),
        table=curves.table("q", number, at=(0, 4, 9, 14, 16, 19, 24, 29, 34, 39, 44, 48), x=number),
        x_range=(0.5, 1),
    )


PAGE: Final = Page(
    slug="again",
    title="Asked again, and taking part at all",
    summary="Fresh answers find you out, and so does their number. What hides both?",
    idea=(
        "One noisy answer tells little. But what if the same question comes every week, and "
        "you toss new coins each time? The noise averages out. The cure is to remember the "
        "first noisy answer and to send that one again: it says nothing new. That is why a "
        "device keeps what it sent, and a ledger of all the ε that its person has spent."
    ),
    why=(
        "And that you answer at all may tell. If all members of a clinic are asked, it tells "
        "that you are one. Coins do not hide it: the number of reports is the number of "
        "people. ε compares neighbours, so say which: tables with one answer changed, an edit, "
        "or with one person more or less. The second asks for more: some who stay away must "
        "seem to answer."
    ),
    sources=(
        (
            "Ú. Erlingsson, V. Pihur and A. Korolova (2014). RAPPOR: randomized aggregatable "
            "privacy-preserving ordinal response. CCS."
        ),
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "sections 2.3, 3.2 and 3.5. (Neighbours, sampling, groups, repetition.)"
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
        Choice(
            "what",
            "What is looked at",
            {"again": "Asked again", "tables": "Taking part at all"},
        ),
        Slider("times", "How often they are asked", "1", str(MOST), "1", "20", _AGAIN),
        Slider("prior", "Belief before", "0.05", "0.95", "0.05", "0.5", _AGAIN, True),
        Slider("flip", "p: chance that a report is flipped", "0.05", "0.45", "0.05", "0.25"),
        Choice(
            "how",
            "Who is seen to report",
            {
                "plain": "those in the table report",
                "sampled": "… and are left out by chance",
                "all": "every device reports",
            },
            _IN_TABLES,
        ),
        Slider(
            "sampled",
            "q: chance to be in the sample (unless all in the table report)",
            "0.51",
            "0.99",
            "0.01",
            "0.67",
            _IN_TABLES,
        ),
        Cells(
            "tables",
            "Two tables: edit them",
            PEOPLE,
            ("First", "Second"),
            {"n": "no", "y": "yes", "a": "not in it"},
            "ynnnyynnnnyy",
            _IN_TABLES,
            below=True,
        ),
        Slider(
            "seed",
            "Data (made up; each number is another person)",
            *("1", "200", "1", "1"),
            _AGAIN,
            below=True,
        ),
    ),
    lines=lines,
    show={"again": _again, "tables": _tables},
    exercises=(
        Exercise(
            "With p = 1/4, how often must somebody be asked until a guess is right 99 times of "
            "100?",
            "19 times: the page says 99.1 % for 19 fresh answers, and 98.8 % for 17. A person who "
            "is asked each week is found out in less than half a year.",
            {"flip": "0.25", "prior": "0.5", "times": "19"},
            check=Number(19, 0, "times"),
        ),
        Exercise(
            "Each fresh answer has ε = ln 3 ≈ 1.099. What is the ε of ten?",
            "The losses add up: 10 × 1.099 ≈ 10.99. Ten answers that all say “yes” are 3 to the "
            "power of 10 = 59,049 times as likely if it is true.",
            {"flip": "0.25", "times": "10"},
            check=Number(10.99, 0.01),
        ),
        Exercise(
            "A device that remembers sends the same answer for years. What does it not protect?",
            "A truth that changes. If the device draws a new answer for it, that costs ε again, "
            "and the change itself may be seen. If it does not, the answer is about the past. A "
            "survey in waves must be designed for that from the start.",
            check=Pick(
                "A truth that changes", ("A truth that somebody guesses", "The first answer")
            ),
        ),
        Exercise(
            "Change one answer of the first table. How far is it by edits, and by people taken out "
            "or put in?",
            "One edit. By people it is two steps: take the person out, put them in again with the "
            "other answer. Edits count the rows that differ: the Hamming distance Σ [xᵢ ≠ x′ᵢ]. "
            "People count Σ |Nⱼ − N′ⱼ|, where N says how many have each answer. Edit neighbours "
            "are 2-neighbours here, always. A method that is ε-private for one person more or less "
            "is 2ε-private for an edit.",
            {"what": "tables", "tables": "ynnnyynnnnyy"},
            check=Number(2, 0, "steps by people"),
        ),
        Exercise(
            "Is the reverse true? Take one person out, and look at the edits.",
            "No. Edits keep the length of a table, so no number of edits leads there. The page "
            "says ∞. A method can be private for edits and tell the length to everybody.",
            {"what": "tables", "tables": "yynnyynnnnya"},
            check=Pick("No", ("Yes",)),
        ),
        Exercise(
            "Show that plain randomised response is not private if a person more or less is a "
            "neighbour.",
            "The table of n people gives n reports, the other one n − 1. A list of n reports has a "
            "chance above 0 from the first, and 0 from the second. Their ratio has no bound, so no "
            "ε is large enough.",
            {"what": "tables", "tables": "yynnyynnnnya", "how": "plain"},
            check=Pick(
                "The number of reports tells",
                ("The coins are not fair", "Too few people take part"),
            ),
        ),
        Exercise(
            "Now those who take part are in the sample with probability q only, else ⊥ is seen. "
            "Is it private now?",
            "Half. A ⊥ may come from anybody: that side has ε = ln(1/(1 − q)). But those who stay "
            "away are always seen as ⊥, so a “yes” proves that you are in. It happens with "
            "probability q. Texts that allow a failure δ count it there: δ = q, which is far too "
            "much. A small q would need very many people.",
            {"what": "tables", "tables": "yynnyynnnnya", "how": "sampled"},
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
            {"what": "tables", "how": "all", "flip": "0.25", "sampled": "0.67"},
            check=Number(0.667, 0.01, "is the best q"),
        ),
        Exercise(
            "Group privacy: three people of a family change their answers together. What does ε "
            "promise them?",
            "Three edits, so the loss is at most 3ε: with p = 1/4 it is 3 ln 3 = 3.296, and "
            "reports may be 27 times as likely. ε protects one person well, three much less, and "
            "all six hardly at all. That is how it must be, or nothing could be learned.",
            {"what": "tables", "tables": "ynynynnnnnyy", "how": "plain"},
            check=Number(3.3, 0.01),
        ),
    ),
    guess=Guess(
        "Somebody answers the same question 20 times, each time with new coins. How sure can "
        "one be of the truth?",
        "fresh",
        (50, 100),
        start=0.3,  # beside the line of a remembered answer
        at=20,
        seen=("a remembered answer", "no answer"),
    ),
)
