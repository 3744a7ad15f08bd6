"""Write src/scythe/reading/text/characters.bin: what the text network is told of each character of the basic plane.

Two planes, packed: the lower case of each code point less the code point, in two bytes, 0 for a lower case that depends
on the letters around or is more than one; then its kind, with 16 added where it is a \\w.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scythe.reading.text.block_features import (
    BAR,
    BRACKET,
    CODES,
    COLON,
    COMMA,
    DASH,
    DENSE,
    DIGIT,
    LETTER,
    LOWER,
    MONEY,
    OTHER,
    QUOTE,
    SIGN,
    SPACE,
    STOP,
    UPPER,
    WORD,
)

TARGET = Path(__file__).resolve().parent.parent / "src" / "scythe" / "reading" / "text" / "characters.bin"

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


def _kinds() -> NDArray[np.uint8]:
    """Return the kind of every code point of the basic plane; the last row stands for all others."""
    table = np.fromiter((_kind(chr(code)) for code in range(CODES)), dtype=np.uint8, count=CODES)
    for low, high in _DENSE:
        table[low : high + 1] = DENSE
    for number, members in _MEMBERS.items():
        for char in members:
            table[ord(char)] = number
    table[0xD800:0xE000] = table[ord("?")]  # half a character becomes a question mark
    return table


def table() -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Return the lower case of each code point, and its kind."""
    every = np.arange(CODES, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    known = _kinds()
    for found in WORD.finditer(every):
        known[found.start() : found.end()] |= 16
    lower = re.sub("[\u0130\u03a3]", "\0", every).lower().encode("utf-32-le", "surrogatepass")
    return np.frombuffer(lower, "<u4").astype(np.uint16), known


def write_table() -> None:
    """Write what this Python says of each code point."""
    lower, known = table()
    moved = (lower - np.arange(CODES, dtype=np.uint16)).astype("<u2")
    TARGET.write_bytes(zlib.compress(moved.tobytes() + known.tobytes(), 9))


if __name__ == "__main__":
    write_table()
