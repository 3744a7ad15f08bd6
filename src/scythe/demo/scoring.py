"""Score extracted text against the correct text: precision, recall and F1 of words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

# Thai, Lao, Burmese, Khmer, kana and Han: written without spaces, so each character counts as a token
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_INVISIBLE = dict.fromkeys([0x00AD, *range(0x200B, 0x2010), 0x2060, 0xFEFF])


@dataclass(frozen=True, slots=True)
class Counts:
    """What one comparison found: right, too much, and missing."""

    hits: int = 0
    extra: int = 0
    missed: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.hits + other.hits, self.extra + other.extra, self.missed + other.missed)


@dataclass(frozen=True, slots=True)
class Rates:
    """Precision, recall and their harmonic mean, each between 0 and 1."""

    precision: float
    recall: float
    f1: float


def cut_tokens(text: str) -> Counter[Hashable]:
    """Count the words of a text."""
    return Counter(words_of(text))


def words_of(text: str) -> list[str]:
    """Return the words in lower case, compatibility forms folded and invisible characters dropped."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).lower().translate(_INVISIBLE))


def compare(gold: Counter[Hashable], got: Counter[Hashable]) -> Counts:
    """Compare two multisets."""
    hits = (gold & got).total()
    return Counts(hits, got.total() - hits, gold.total() - hits)


def rate(counts: Counts) -> Rates:
    """Turn counts into rates; nothing expected and nothing found is perfect."""
    hits, extra, missed = counts.hits, counts.extra, counts.missed
    if not hits + extra + missed:
        return Rates(1.0, 1.0, 1.0)
    precision = hits / (hits + extra) if hits + extra else 0.0
    recall = hits / (hits + missed) if hits + missed else 0.0
    return Rates(precision, recall, 2 * hits / (2 * hits + extra + missed))
