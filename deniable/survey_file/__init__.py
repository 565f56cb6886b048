"""Survey files: YAML in, a `Survey` out, every mistake with its line.

A check returns or yields mistakes by their paths (`located.Wrong`), and knows no lines.

`deniable.survey.checks` has many of these rules too, and `waves` and `together` are modules of both
packages. Here the author of a file learns all mistakes at once, each with its place and a remedy,
so that `Survey` finds none. There a `Survey` refuses what breaks a rule, because a document can
come from anybody. What both need to compute is there: checks here ask `cells_of`,
`tells_who_follows` or `would_reveal`.

In the order in which a file goes through them:

============  ===================================================================================
`located`     YAML with the line and column of each value; mistakes and their places
`values`      the value of a single key: numbers, texts, days, links
`schema`      the keys, each with the type of its value
`meanings`    the meaning of each key, in a sentence
`texts`       texts in several languages
`rules`       the rules between the keys of a question
`branching`   `ask_if`: the earlier answers that a question needs
`channels`    the cost of a question: its own channel, or a family from which an ε picks one
`together`    `together`: the questions that are randomised as one answer
`spending`    how the questions share ε
`plan`        `plan`: what the study expects of single questions
`waves`       `waves`: the rules of a survey that is asked several times
`patch`       changes of a file, of its text and its value at once
`compiler`    from the text to a `Survey`: reads, checks, and then finds the line of each mistake
`dictionary`  the same for the columns of data that others collected
`beginnings`  the YAML that a form writes for a new question
============  ===================================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
