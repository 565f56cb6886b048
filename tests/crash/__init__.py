"""The campaign of crashes: ``python -m tests.crash``, a part of ``make campaign``.

`campaign` kills and harms, on the `places` that the two engines give it, with `harm` to disk and
clock, while `senders` send until they are acknowledged. It ends only processes that it started.
"""
