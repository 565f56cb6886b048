"""Programs for developers of the project. They print figures; no figure makes a build fail."""
