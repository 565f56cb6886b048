"""Signatures: blind ones under tokens, those of a board, those of a release.

=========  =====================================================================================
`blind`    signatures under what the signer cannot see: one person, one report
`board`    all reports, signed, so that everybody can count again; receipts
`signing`  signatures of releases, checked
=========  =====================================================================================
"""
