"""Settings that all tests share; what a test needs of the machine is in ``tests/needs.py``."""

import hypothesis

# No deadline: a busy machine is not a wrong answer. Under CI hypothesis draws the same
# examples every time by itself, so a failure there can be repeated here.
hypothesis.settings.register_profile("deniable", deadline=None)
hypothesis.settings.load_profile("deniable")
