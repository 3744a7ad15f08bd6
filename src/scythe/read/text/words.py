"""Cut text into keywords without a dictionary: any text comes in, words in lower case go out.

Scripts that put no spaces between words (Chinese, Japanese, Thai, Lao, Burmese, Khmer) give overlapping pairs of
characters, which is what search engines index where no segmenter is at hand; a lone character stands for itself.
"""

from __future__ import annotations

import re
import unicodedata

# Thai to Lao, Burmese, Khmer, kana, Han with its extensions A and B, compatibility Han
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
)
_RUN = re.compile(rf"([{UNSPACED}]+)|[^\W_{UNSPACED}]+")

# general punctuation lies below U+3100, its vertical, small and full-width forms between U+FE10 and U+FF65
_MARKS = "".join(
    re.escape(chr(code))
    for span in (range(0x3100), range(0xFE10, 0xFE70), range(0xFF00, 0xFF66))
    for code in span
    if unicodedata.category(chr(code)).startswith("P")
)
_MARK = re.compile(f"[{_MARKS}]")


def cut_words(text: str) -> list[str]:
    """Return the keywords in page order, repetitions included. Linear in the text."""
    words: list[str] = []
    for run in _RUN.finditer(text):
        found = run.group()
        if run.group(1) is None or len(found) == 1:
            words.append(found.lower())
        else:
            words.extend(found[i : i + 2] for i in range(len(found) - 1))
    return words


def count_marks(text: str) -> int:
    """Count the punctuation marks of any script."""
    return len(_MARK.findall(text))
