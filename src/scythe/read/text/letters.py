"""Count the kinds of characters in every block at once: texts come in, a histogram per text goes out."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SPACE, LOWER, UPPER, DIGIT, STOP, COMMA, COLON, QUOTE, BRACKET, BAR, DASH, SIGN, MONEY, DENSE, LETTER, OTHER = range(16)
_MEMBERS = {
    STOP: ".!?\u2026\u3002\uff01\uff1f\u061f\u0964\u1362\u0589",
    COMMA: ",;\uff0c\u3001\uff1b\u060c\u061b",
    COLON: ":\uff1a",
    QUOTE: "\"'\u201c\u201d\u201e\u201f\u00ab\u2039\u2018\u2019\u201a\u300c\u300d\u300e\u300f",
    BRACKET: "()[]{}\uff08\uff09\u3010\u3011\u300a\u300b\u3008\u3009",
    BAR: "|/\\\u2022\u00b7\u25aa\u25ba\u25b6\u25b8\u2192\u00bb\u203a\u25a0\u25cf\u25c6\u2605\u2606\u2713"
    "\u2190\u2191\u2193\u00a6",
    DASH: "-\u2013\u2014\u2015",
    SIGN: "@\u00a9\u00ae\u2122#*+=&%_~^<>",
    MONEY: "$\u20ac\u00a3\u00a5\u20ba\u20b9\u20bd",
}
# scripts written without spaces: Thai and Lao, Burmese, Khmer, kana, Han
_DENSE = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF))


class Letters(NamedTuple):
    """What one histogram over the whole page tells of each text."""

    counts: NDArray[np.float32]  # one row per text, one column per character kind
    sentences: NDArray[np.float32]  # sentence ends: a stop before a space, before a quote, or at the end
    first: NDArray[np.uint8]  # kind of the first character
    last: NDArray[np.uint8]


def _kind(char: str) -> int:
    if char.isspace():
        return SPACE
    if char.isdigit():
        return DIGIT
    if char.islower():
        return LOWER
    if char.isupper():
        return UPPER
    return LETTER if char.isalpha() else OTHER


@lru_cache(maxsize=1)
def kinds() -> NDArray[np.uint8]:
    """Return the kind of every code point of the basic plane; the last row stands for all others."""
    table = np.fromiter((_kind(chr(code)) for code in range(0x10000)), dtype=np.uint8, count=0x10000)
    for low, high in _DENSE:
        table[low : high + 1] = DENSE
    for number, members in _MEMBERS.items():
        for char in members:
            table[ord(char)] = number
    return table


def count_letters(texts: list[str]) -> Letters:
    """Return the letter counts of texts, none of which may be empty."""
    lengths = np.fromiter(map(len, texts), dtype=np.intp, count=len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), dtype=np.uint32)
    found = kinds()[np.minimum(codes, 0xFFFF)]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    owner = np.repeat(np.arange(len(lengths)) * 16, lengths)
    counts = np.bincount(owner + found, minlength=len(lengths) * 16).reshape(-1, 16).astype(np.float32)
    stops = found == STOP
    closing = stops.copy()
    following = found[1:]
    # a full-width stop ends a sentence without a space after it
    closing[:-1] &= (following == SPACE) | (following == QUOTE) | (codes[:-1] > 0x3000)
    closing[ends - 1] = stops[ends - 1]
    running = np.concatenate(([0], np.cumsum(closing)))
    return Letters(counts, (running[ends] - running[starts]).astype(np.float32), found[starts], found[ends - 1])
