"""What the desk shows and exports of a survey's reports.

===================  ===============================================================================
`routes`             the page of results, its figures and files
`files`              files of results, shown by a browser or downloaded
`query`              the choices in the address: revision, wave, level and interval
`study`              the study of a request: tallies, and reports only where they are needed
`compare`            pages that compare groups, cross two questions, and regress
`several_questions`  compare, cross, correlate and regress, among people who may be shown
`margins`            the form of margins: known shares of a population, for weights
`formula`            terms of a regression, in the words of the survey
`poisoning`          how far invented reports could move each estimate
`public`             the results that everybody may see
`export_zip`         the page for a paper, and its zip
`warmup`             results of large surveys, computed before the first request
===================  ===============================================================================
"""
