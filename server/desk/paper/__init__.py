"""Answers on paper, entered from uploaded sheets.

================  ==================================================================================
`routes`          the page for sheets of paper
`upload_preview`  sheets between the look and the entering
`importer`        sheets of paper, into the store
`undo`            which sheets were entered last
================  ==================================================================================
"""
