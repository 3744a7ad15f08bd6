"""Cut learned fields, lists and images out of the bytes of a page."""
