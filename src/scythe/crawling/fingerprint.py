"""Fingerprint the text of a page by 64 bits, so that nearly equal texts differ in few of them."""

from __future__ import annotations

import numpy as np

from scythe.read.text.simhash import fingerprint

LEAST_WORDS = 100  # below, a few words decide most bits, and texts that have little in common look alike


def text_simhash(text: str) -> int | None:
    """Return the SimHash of a text's words, unsigned; None where there are too few."""
    words = text.lower().split()
    if len(words) < LEAST_WORDS:
        return None
    bits = fingerprint([words], lambda word: 1.0)[0]
    return int.from_bytes(np.packbits(bits).tobytes(), "big")
