"""Surveys as researchers write them: YAML in, a `Survey` out, every mistake named by line.

A check returns or yields what is wrong, by the way to it (`located.Wrong`), and knows no lines.

In the order in which a file goes through them:

============  ===================================================================================
`located`     YAML that remembers where everything stood; what is wrong, at its place
`values`      what a key can hold by itself: numbers, texts, days, links
`schema`      the keys that there are, each with its values
`meanings`    what each key means, in a sentence
`texts`       texts in several languages
`rules`       what must hold between the keys of a question
`branching`   `ask_if`: which earlier answers a question needs
`channels`    what a question costs: its own channel, or a family that an ε picks one from
`together`    `together`: which questions are randomised as one answer
`spending`    how the questions share ε
`panel`       `waves`: what a survey needs that is asked again over time
`patch`       changes of a file: of its text and of what it says, at once
`compiler`    from the text to a `Survey`: reads, checks, and then finds the line of each mistake
`dictionary`  the same for the columns of data that others collected
`beginnings`  what a form writes for a new question
============  ===================================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
