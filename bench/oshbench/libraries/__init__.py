"""The libraries under test: found, probed, compiled for, and launched."""
