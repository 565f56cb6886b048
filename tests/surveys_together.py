"""Survey files with questions that are randomised as one answer."""

TOGETHER = """\
version: 1
survey: pair
title: Two as one
epsilon: 3
together: [knew, doped]
questions:
  - {id: doped, text: Doped, type: single, answers: ["No", "Yes"], prefer_not_to_say: true}
  - {id: slept, text: Slept badly, type: single, answers: ["No", "Yes"]}
  - {id: knew, text: The coach knew, type: single, answers: ["No", "Yes"], ask_if: {doped: yes}}
"""
"""Of a follow-up, which has no cells for what cannot be."""

IN_WAVES = TOGETHER.replace("epsilon: 3\n", "epsilon: 3\nwaves: {count: 3, redraw: 1/8}\n")
"""The same, asked three times."""

DRAWN = TOGETHER.replace("epsilon: 3\n", "epsilon: 1.098612\nask: 1\n")
"""The same, of which each respondent is asked the two as one or the other question."""


def together(*sizes: int, epsilon: object = 2) -> str:
    """Write a survey of questions of so many answers each, randomised as one."""
    ids = [f"q{place}" for place in range(len(sizes))]
    questions = "".join(
        f"  - {{id: {id}, text: About {id}, type: single, answers: {[*map(str, range(size))]}}}\n"
        for id, size in zip(ids, sizes, strict=True)
    )
    head = f"version: 1\nsurvey: group\ntitle: As one\nepsilon: {epsilon}\n"
    return f"{head}together: [{', '.join(ids)}]\nquestions:\n{questions}"
