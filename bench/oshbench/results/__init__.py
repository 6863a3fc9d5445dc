"""A run, its file, and its rows."""
