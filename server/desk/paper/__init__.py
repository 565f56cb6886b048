"""Answers on paper, entered from uploaded sheets.

================  ==================================================================================
`routes`          the page for sheets of paper
`upload_preview`  uploaded sheets, counted before they are stored
`importer`        sheets into the store
`undo`            which sheets were entered last
================  ==================================================================================
"""
