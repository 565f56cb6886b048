"""Programs for developers of the project. They print figures; no figure makes a build fail.

| Module | What it does |
|---|---|
| `size` | `make size`: lines by room, and the number of things |
| `paths` | `make paths`: the files and lines of three ways through the house |
| `words` | `make words`: brings sentences into the catalogues of all languages |
| `weight` | The bytes that a phone loads before the first question |
| `campaign` | `make campaign`: runs what takes hours, and sums it up |
| `evidence` | Measures what `docs/evidence.md` shows, and draws it |
| `materials` | The bill of materials of a release |
| `peers` | An environment of other packages, for comparisons in benchmarks and tests |
| `mutation` | The share of small faults in a module that its tests notice |
| `oldest` | An environment of the oldest versions that the project allows |
| `screenshots` | `make screenshots`: a picture of every page, side by side |
| `pictures` | The pictures of the manual |
"""
