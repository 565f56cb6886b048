"""The Python packages that do parts of the same work, and figures beside theirs."""
