"""Extract pages of a learned site: bytes and a profile come in, documents go out, cut where they can be."""
