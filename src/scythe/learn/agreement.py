"""Say how far two texts agree: two texts come in, the F1 of their words goes out."""

from __future__ import annotations

import re
from collections import Counter

# Thai, Lao, Burmese, Khmer, kana and Han are written without spaces: each character counts as a word
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def count_words(text: str) -> int:
    """Return the number of words of a text."""
    return sum(1 for _ in _WORD.finditer(text))


def agree(one: str, other: str) -> float:
    """Return the F1 of two texts as multisets of words; two empty ones agree."""
    left, right = Counter(_WORD.findall(one.lower())), Counter(_WORD.findall(other.lower()))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0
