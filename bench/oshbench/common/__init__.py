"""Helpers that need nothing else of oshbench."""
