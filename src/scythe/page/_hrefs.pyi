def find_links(
    body: bytes, most_links: int, most_tags: int, most_bytes: int
) -> tuple[list[bytes | tuple[bytes, bytes]], list[bytes], int, bool]:
    """Return links (href, or href and rel), other tags, how many more there were, and whether all was read."""

def has_many_names(source: bytes, most: int) -> bool:
    """Say whether what looks like tags has attributes of more than so many different names."""
