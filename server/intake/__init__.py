"""The intake: it takes reports, and learns nothing of their senders.

Its adversary wants to learn who answered, and when: from a log, a cookie, a table or the order of
the stored reports. So nothing here reads a sender's browser or a cookie, and all that it writes is
the reports, many at once, and the number of phones that join a class. It reads a sender's address
only to count the network's reports, then forgets it; without a rate limit it reads none.

==============  =================================================================================
`endpoint`      ``POST /ADDRESS/reports``: its checks and its answers
`tokens`        ``POST /ADDRESS/tokens``: signs a blinded id in return for a code
`request_head`  what both check before they read a body
`networks`      which network a request comes from; the only reader of addresses
`rate_limit`    limits the reports a minute from each network
`steps`         the step of a class, for waiting phones, and how many have joined
`access_word`   the word that all respondents of a survey share
`group_commit`  the one writer: many requests, one durable transaction
==============  =================================================================================
"""
