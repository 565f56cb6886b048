"""Programs and headers that cheat, and a server that serves them."""
