"""What the desk shows and exports of a survey's reports.

=============  =====================================================================================
`routes`       the surveys and their results
`files`        figures and downloads
`query`        what the researcher chose to look at, from the address
`snapshot`     tallies of the reports that may be seen, as the store keeps them
`compare`      pages that compare groups, cross two questions, and regress
`suppression`  what several questions together may say of people
`formula`      what a formula may hold
`invented`     how far invented reports could move each estimate
`public`       the results that everybody may see
`export_zip`   the page for a paper, and its zip
`warmup`       results of large surveys, ready before anybody asks
=============  =====================================================================================
"""
