"""How often 95 % intervals hold the truth: the grid of ``docs/evidence.csv``."""
