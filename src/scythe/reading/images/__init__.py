"""Decide which images of a page belong to its content."""
