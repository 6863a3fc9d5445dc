"""The recorder of this project: profiles, goals and records of the pages in docs/bench. It is not installed."""
