"""Cut learned fields out of the bytes of a page: bytes and rules come in, text and byte ranges go out."""
