"""Texts: their languages, and the numbers, chances and dates in them.

==============  =================================================================================
`languages`     the languages in which a survey can be asked, and its texts in each
`translation`   a survey as it reads in one of its languages
`wording`       numbers, chances and conditions as people read them
`sureness`      how sure an observer could get of a respondent's answers
`brief`         a survey in a prompt or a notebook
`randomisation` how protected answers are sent
`timestamps`    dates and times as people write and read them
`safety`        texts without invisible characters
`near`          suggestions for misspelt names
==============  =================================================================================
"""
