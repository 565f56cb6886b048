"""A survey with a question of every kind, and reports to it."""

from deniable import Channel, Survey, designs, identity
from deniable.survey.items import Item, compile_items
from deniable.survey.questions import Answer, Protection, Question, QuestionType

NO, YES = Answer("no", "No"), Answer("yes", "Yes")

DOPED = Question("doped", "Have you doped?", QuestionType.SINGLE, (NO, YES))
OFFERED = Question(
    "offered",
    "Which were you offered?",
    QuestionType.MANY,
    (Answer("epo", "EPO, for $5 or $10"), Answer("steroids", "Steroids <& others>")),
)
OFTEN = Question(
    "often",
    "How often?",
    QuestionType.GRID,
    (Answer("never", "Never"), Answer("once", "Once"), Answer("more", "More than once")),
    rows=(Answer("season", "In the season"), Answer("off", "Out of season")),
)
AGE = Question(
    "age",
    "How old are you?",
    QuestionType.SINGLE,
    (Answer("young", "Under 20"), Answer("old", "20 or older")),
    protection=Protection.DIRECT,
)
UNEVEN = Question("uneven", "A question of an uncommon design", QuestionType.SINGLE, (NO, YES))

THREE_REPORTS = designs.custom([["1/2", "1/3", "1/6"], ["1/6", "1/4", "7/12"]])
TWO_REPORTS = designs.custom([["3/4", "1/4"], ["1/2", "1/2"], ["1/4", "3/4"]])
GAP = designs.custom([["3/4", "0", "1/4"], ["1/4", "0", "3/4"]])
"""Of two truths, and a report that neither sends."""


def survey(*asked: tuple[Question, Channel]) -> Survey:
    """Compile questions, each with the channel of all its items."""
    items: list[Item] = []
    for question, channel in asked:
        items += compile_items(question, [channel] * len(question.parts))
    return Survey(
        slug="doping",
        title="Doping, sagt man «mal»",
        introduction="",
        epsilon_millionths=sum(item.epsilon_millionths for item in items),
        questions=tuple(question for question, _ in asked),
        items=tuple(items),
    )


EVERY_KIND = survey(
    (DOPED, designs.warner(flip="1/4")),
    (OFFERED, designs.warner(flip="3/10")),
    (OFTEN, designs.k_ary(3, 1)),
    (AGE, identity(2)),
    (UNEVEN, THREE_REPORTS),
)
"""Items: doped, offered.epo, offered.steroids, often.season, often.off, age, uneven."""
