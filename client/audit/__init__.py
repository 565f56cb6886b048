"""Filling in a survey's real page with answers of one's own choosing, to see what leaves it.

Two people of whom different things are true get the same random words, by which both must send the
same report. Whatever else leaves the page or stays behind must then be the same, to the byte.

===========  ==================================================================================
`tape`       what is true of somebody and which random words they get, and their right report
`pairs`      two such tapes that may differ in nothing but what is true
`chromium`   a browser, spoken to by its own protocol
`wire`       the socket that all of the browser's requests come to
`server`     what answers in the place of the survey's server
`visitor`    fills in the page; `look.js` is its eyes, `trap.js` watches what the page calls
`inputs`     which inputs of the page are pressed
`judge`      what no honest page does, and what may not depend on the answers
===========  ==================================================================================
"""
