"""Surveys as researchers write them: YAML in, a `Survey` out, every mistake named by line.

In the order in which a file goes through them:

============  ==================================================================================
`located`     YAML that remembers where everything stood; what is wrong, at its place
`texts`       texts in several languages: the first is read on, the others are put aside
`values`      what a key can hold by itself: numbers, texts, days, links
`schema`      the keys that there are, each with its values
`meanings`    what each key means, in a sentence
`rules`       what must hold between the keys of a question
`branching`   `ask_if`: which earlier answers a question needs
`together`    `together`: which questions are randomised as one answer
`panel`       `waves`: what a survey needs that is asked again over time
`spending`    who gets which part of ε
`patch`       changes of a file: of its text and of what it says, at once
`compiler`    from the text to a `Survey`, with every complaint
`dictionary`  the same for the columns of data that others collected
============  ==================================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
