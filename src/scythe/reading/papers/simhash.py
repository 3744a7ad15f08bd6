"""SimHash fingerprints of 64 bits, by which similar texts differ in few bits (Charikar, STOC 2002)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

BITS = 64
CHUNK = 16_384  # votes counted at once: 8 MB of numbers

Bits = npt.NDArray[np.bool_]


def fingerprint(texts: Sequence[Sequence[str]], weigh: Callable[[str], float]) -> Bits:
    """Return one row of bits per list of keywords; `weigh` gives a keyword's weight, times how often it occurs."""
    votes = np.zeros((len(texts), BITS))
    hashes: dict[str, int] = {}  # keyword -> its row in the table of hash bits
    rows: list[int] = []
    words: list[int] = []
    weights: list[float] = []
    for row, text in enumerate(texts):
        for word, times in Counter(text).items():
            rows.append(row)
            words.append(hashes.setdefault(word, len(hashes)))
            weights.append(times * weigh(word))
    signs = _signs(list(hashes))
    for start in range(0, len(rows), CHUNK):
        part = slice(start, start + CHUNK)
        np.add.at(votes, rows[part], signs[words[part]] * np.array(weights[part])[:, None])
    return votes > 0


def distance(one: Bits, other: Bits) -> npt.NDArray[np.int64]:
    """Return the Hamming distance of rows of bits."""
    differing: npt.NDArray[np.int64] = (one != other).sum(axis=-1)
    return differing


def _signs(words: Sequence[str]) -> npt.NDArray[np.float64]:
    digests = b"".join(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=BITS // 8).digest() for word in words)
    bits = np.unpackbits(np.frombuffer(digests, dtype=np.uint8)).reshape(len(words), BITS)
    return bits.astype(np.float64) * 2 - 1
