"""How often intervals hold the truth: the tables of ``docs/coverage.md``."""
