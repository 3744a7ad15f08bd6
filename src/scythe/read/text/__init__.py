"""Main text of one page, by the published methods and by `auto`."""
