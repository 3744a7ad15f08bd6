"""Annotate relevant images."""
