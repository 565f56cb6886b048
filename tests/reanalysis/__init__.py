"""Methods that no browser of ours asks."""
