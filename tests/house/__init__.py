"""How large the house is, what lies on a path, and what its tests notice.

| Module | What it does |
|---|---|
| `size` | `make size`: lines by room, and the number of things |
| `paths` | `make paths`: the files and lines of three ways through the house |
| `mutation` | How many small faults the tests of a room notice |
"""
