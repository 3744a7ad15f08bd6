"""The published methods for reading one page, under their own names and with their papers' parameters."""
