"""The lists of a page as grids."""
