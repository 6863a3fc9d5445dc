"""Intervals, differences and verdicts."""
