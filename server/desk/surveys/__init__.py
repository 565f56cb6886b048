"""What a survey's owner sets: state, collection, invitations, shares, waves, deletion.

=============  =====================================================================================
`deleting`     the page that deletes a survey for good
`waves`        the page that begins the next wave
`collection`   the page about how people get to a survey, and when it takes reports
`invitations`  the page that makes codes for one report each
`slips`        these codes as they are handed out
`status`       the page about a survey that is under way
=============  =====================================================================================
"""
