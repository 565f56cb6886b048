"""Tests, in folders that mirror the source; packages, so that two folders may use one file name."""

import os

# The linear algebra of the tests is small: threads that wait for one another only slow it down. It
# is read once, when numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
