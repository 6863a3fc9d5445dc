"""Runs for readers: on the terminal, as text for scripts, and as an HTML page."""
