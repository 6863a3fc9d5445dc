"""The commands that measure: profiles, their choice, and runs."""
