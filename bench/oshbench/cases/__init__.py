"""What is measured: the kinds of cases, and what the sources of the programs declare."""
