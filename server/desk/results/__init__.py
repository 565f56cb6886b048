"""What the desk shows and exports of a survey's reports.

=============  =====================================================================================
`routes`       the page of results, its figures and files
`files`        files as a browser shows or keeps them
`query`        what was chosen to look at, from the address
`snapshot`     tallies of published reports, as the store keeps them
`compare`      pages that compare groups, cross two questions, and regress
`suppression`  the same with small cells suppressed
`margins`      the form of what is known of the population, to which results are weighted
`formula`      what a formula may hold
`poisoning`    how far invented reports could move each estimate
`public`       the results that everybody may see
`export_zip`   the page for a paper, and its zip
`warmup`       results of large surveys, ready before anybody asks
=============  =====================================================================================
"""
