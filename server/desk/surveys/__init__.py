"""What a survey's owner sets.

=============  =====================================================================================
`routes`       the list of surveys: state, waves, deletion
`sharing`      the page that shares a survey
`collection`   the page about how people get to a survey, and when it takes reports
`invitations`  the page that makes codes for one report each
`slips`        these codes as they are handed out: a table, or slips of paper
`letters`      texts of an invitation and a reminder
`status`       the page about a survey that is under way
=============  =====================================================================================
"""
