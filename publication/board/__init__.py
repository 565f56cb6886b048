"""Parts of the pages that an ethics board and a registry read before collection.

=================  ==============================================================================
`randomisation`    what the device does with each answer, with its numbers
`blanks`           facts that no survey file contains, for the researchers to fill in
`markdown`         the same pages as Markdown
=================  ==============================================================================
"""
