"""Takes reports and knows nobody.

Its adversary is whoever would learn who answered, and when: from a log, a cookie, a table or the
order of what is stored. So nothing here reads a sender's browser or a cookie, and nothing here
writes anything but the reports themselves, many of them at once, and of phones that join a class a
number. An address is looked at to count
how many reports a network sends, and forgotten; where that is switched off, it is not looked at.

==============  =================================================================================
`endpoint`      ``POST /ADDRESS/reports``: what is checked, and what is answered
`admission`     ``POST /ADDRESS/tokens``: for a code, a signature under what nobody sees
`checks`        what both look at before they read a body
`networks`      which network a request comes from: all that is made of an address
`rate_limit`    so many reports a minute from each network
`steps`         where a class is, for phones that wait, and how many have joined
`access_word`   the word that all respondents of a survey share
`group_commit`  the one writer: many requests, one durable transaction
==============  =================================================================================
"""
