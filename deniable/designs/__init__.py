"""Randomised-response designs: functions that return a channel, and nothing more.

No part of the project downstream of a channel knows which design it came from, so adding a design
means adding a function here. Probabilities may be written as ``0.25``, ``"1/4"`` or
``Fraction(1, 4)`` and stay exact until the channel rounds them to multiples of 2^-32.

In this project the **flip probability** is the chance that the report differs from the truth.
Warner and most papers after him write ``p`` for the chance of the *truthful* statement, which is
one minus it.

====================  ===========================================================================
`binary`              a yes-or-no question: Warner's design and its successors
`categorical`         one of k answers, and any table at all
`by_name`             the designs that a survey file or a command may name
`collection`          which channels may be used to collect answers
====================  ===========================================================================
"""

from deniable.designs.binary import forced_response, truth_or_lie, warner
from deniable.designs.by_name import BY_NAME, from_name
from deniable.designs.categorical import custom, flip_probability, k_ary, truth_or_random
from deniable.designs.collection import refuse_for_collection

__all__ = [
    "BY_NAME",
    "custom",
    "flip_probability",
    "forced_response",
    "from_name",
    "k_ary",
    "refuse_for_collection",
    "truth_or_lie",
    "truth_or_random",
    "warner",
]
