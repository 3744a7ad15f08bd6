"""Fingerprint the text of a page by 64 bits, so that nearly equal texts differ in few of them.

The bits are those of read/text/simhash.py with all weights 1. There the votes of many texts are counted as tables;
here those of one text are added up as one long number with a lane of 16 bits for each bit, which takes a tenth of
the time and no table.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from scythe.read.text.simhash import BITS

LEAST_WORDS = 100  # below, a few words decide most bits, and texts that have little in common look alike
_LONG_WORD = 20  # characters on average: the language does not put blanks between words
_KEPT_WORDS = 20_000  # whose lanes are remembered, some 5 MB
_LANE = np.dtype("<u2")
_MOST_WORDS = 65_535  # that a lane can count; a text of more is told by its beginning
_lanes: dict[str, int] = {}


def text_simhash(text: str) -> int | None:
    """Return the SimHash of a text's words, unsigned; None where there are too few."""
    words = _words(text)
    if len(words) < LEAST_WORDS:
        return None
    try:
        total = sum(map(_lanes.__getitem__, words))
    except KeyError:
        total = sum(map(_spread, words))
    votes = np.frombuffer(total.to_bytes(BITS * _LANE.itemsize, "little"), _LANE)
    return int.from_bytes(np.packbits(votes > len(words) // 2).tobytes(), "big")


def _words(text: str) -> list[str]:
    words = text.lower().split()[:_MOST_WORDS]
    if len(text) > _LONG_WORD * len(words):
        joined = "".join(words)
        return [joined[at : at + 2] for at in range(min(len(joined) - 1, _MOST_WORDS))]
    return words


def _spread(word: str) -> int:
    """Return the hash of a word with each of its bits in a lane of its own, the first bit in the lowest."""
    lanes = _lanes.get(word)
    if lanes is None:
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=BITS // 8).digest()
        bits = np.unpackbits(np.frombuffer(digest, np.uint8)).astype(_LANE)
        lanes = int.from_bytes(bits.tobytes(), "little")
        if len(_lanes) >= _KEPT_WORDS:
            _lanes.clear()
        _lanes[word] = lanes
    return lanes
