"""What an ethics board and a registry read of a study before anybody is asked.

=================  ==============================================================================
`laws`             what the device does with each answer, with its numbers
`blanks`           what no survey file follows from, and the researchers fill in
`markdown`         the same pages as Markdown
=================  ==============================================================================
"""
