"""The respondents' pages and the program that they load.

Its adversary wants a respondent to run another program, or believe another promise, than the
published one: by an altered file, a script of another site, or a page that depends on who asks. So
these pages are the same for everybody, keep nothing and set no cookie.

===============  ==================================================================================
`app`            the pages as an application
`pages`          the addresses, and what each serves
`headers`        what the pages allow a browser to do
`label`          the privacy label, computed from the channels
`joining_in`     ways to a survey: the letters of its address, and a poster
`onward`         from an altered address to the survey's own
`meetings`       how a phone joins a class
`sheet`          the survey on paper
`shell`          the page of questions, made of the parts of the program
`views`          a survey's pages in each of its languages
`drawing`        the hundred people of the privacy page, and the disc of a sheet
`program`        the files that a browser loads, and their hashes
`manifest`       these hashes and the known headers, as a release signs them
`known_headers`  which headers are harmless, and which are not
`catalogues`     the program's sentences in each language, as scripts
`joining`        all modules in one file
`compression`    brotli and gzip, for pages without secrets
===============  ==================================================================================
"""
