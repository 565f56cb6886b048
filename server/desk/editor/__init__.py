"""Drafts of surveys: written, checked, planned, tried and published.

==============  ====================================================================================
`routes`        the drafts, and the editor of one
`publish`       the page that publishes one
`registration`  a survey under its name: published, or tried before it is
`preview`       the page that tries a survey, in a phone's frame
`trials`        trials in the store: begun, answered by made-up people, ended
`lint`          what is wrong with a text, and what the survey costs
`lint_worker`   the process in which texts are checked
`starters`      what a draft can begin from
`planner`       the planner and the ethics packet, before anybody is asked
==============  ====================================================================================
"""
