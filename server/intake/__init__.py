"""Takes reports and knows nobody.

Its adversary is whoever would learn who answered, and when: from a log, a cookie, a table or the
order of what is stored. So nothing here reads a sender's address, their browser or a cookie, and
nothing here writes anything but the reports themselves, many of them at once.

==============  =================================================================================
`endpoint`      ``POST /s/<slug>/reports``: what is checked, and what is answered
`group_commit`  the one writer: many requests, one durable transaction
==============  =================================================================================
"""
