"""The HTML report of a run: figures, tables, and the raw data."""
