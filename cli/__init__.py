"""The command line: wires the rooms together; nothing imports it."""
