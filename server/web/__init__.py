"""The code that both programs share: how a request is read and a response written.

Its adversary reads a server's logs, errors and headers. So errors and logs repeat nothing of a
request, and every response carries the same headers whatever its body.

===========  ====================================================================================
`gateway`    adds headers to every response
`body`       reads a request's body, up to a limit
`response`   a response, before the security headers are added
`problems`   errors for programs
`headers`    the headers that every response carries
`health`     whether a program works, for the operator
`tls`        the warning for operators without TLS
`pages`      a Flask application that logs nothing of a request
`words`      the pages' own words in each language
`wsgi`       Flask's pages behind the event loop
`failures`   logs errors without data of a request
===========  ====================================================================================
"""
