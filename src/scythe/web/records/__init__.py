"""The lists of a page."""
