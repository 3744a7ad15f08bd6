def find_tags(body: bytes, most: int, most_bytes: int) -> tuple[list[bytes], int, bool]:
    """Return the tags that name addresses, how many more there were, and whether the page was read to its end."""
