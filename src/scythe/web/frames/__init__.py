"""Saved pages to look at."""
