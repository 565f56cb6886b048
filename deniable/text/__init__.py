"""Texts: their languages, and how numbers, chances and dates are written in them.

=============  =================================================================================
`languages`    the languages in which a survey can be asked, and its texts in each
`translation`  a survey as it reads in one of its languages
`wording`      numbers, chances and conditions as people read them
`sureness`     how sure somebody could get of what is true of a person
`laws`         how protected answers are sent
`timestamps`   dates and times as people write and read them
`safety`       texts without characters that nobody sees
`near`         what somebody may have meant who named what is not there
=============  =================================================================================
"""
