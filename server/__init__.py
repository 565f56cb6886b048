"""Where only reports exist: intake, store, pages, the researcher's desk."""
