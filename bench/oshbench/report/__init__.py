"""The page of a run: what was found, drawn, with the raw numbers inside."""
