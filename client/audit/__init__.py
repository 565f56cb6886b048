"""The audit: it answers a survey's real page with chosen truths, and checks what leaves it.

Two people with different truths get the same random words, with which both must send the same
report. Whatever else leaves the page or stays behind must then be the same, to the byte.

===========  ==================================================================================
`tape`       one person's truths and random words, and the report that follows from them
`pairs`      two such tapes that differ in nothing but their truths
`chromium`   a browser, driven by the DevTools protocol
`wire`       the proxy that gets all of the browser's requests
`server`     the stand-in for the survey's server
`visitor`    answers the page; `look.js` reads it, `trap.js` watches what it calls
`inputs`     which inputs of the page to press
`judge`      finds what no honest page does, and what depends on the answers
===========  ==================================================================================
"""
