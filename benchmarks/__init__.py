"""Measured claims: ``python -m benchmarks`` prints each figure the documentation quotes."""
