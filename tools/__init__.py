"""Programs for those who work on the project. They print; nothing fails by what they say.

| Module | What it does |
|---|---|
| `size` | `make size`: lines by room, and the number of things |
| `paths` | `make paths`: the files and lines of three ways through the house |
| `words` | `make words`: brings sentences into the catalogues of all languages |
| `readability` | How hard a text is to read |
| `weight` | What a phone loads before it can ask |
| `evidence` | `make evidence`: measures what `docs/evidence.md` shows, and draws it |
| `peers` | An environment of other packages, which benchmarks and tests compare with |
| `mutation` | How many small faults the tests of a module notice |
| `oldest` | An environment of the oldest versions that the project allows |
| `screenshots` | `make screenshots`: a picture of every page, side by side |
| `pictures` | The pictures of the manual |
"""
