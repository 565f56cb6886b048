"""What both programs have in common: how a request is read and a response written.

Its adversary reads what a server says by the way: a log, an error, a header. So errors and logs
repeat nothing of a request, and every response carries the same headers whatever it says.

===========  ====================================================================================
`gateway`    every response leaves by it
`body`       reading a request, never much more than a report can be long
`response`   an answer, before its headers are added
`problems`   errors for programs
`headers`    the headers that every response carries
`health`     whether a program works, for the operator
`tls`        what is lost where respondents come without TLS
`pages`      a Flask application that says nothing of a request
`words`      the pages' own words in each language
`wsgi`       Flask's pages behind the event loop
`failures`   logging what went wrong, without logging anybody
===========  ====================================================================================
"""
