"""Say how sure a reading is of itself: a page and a scored choice of its blocks come in, the F1 to expect goes out."""

from __future__ import annotations

from scythe.model import Reading
from scythe.page import Page


def expect_f1(page: Page, reading: Reading) -> float:
    """Return the F1, by words, that the scores of all blocks let expect of the chosen ones; 1 without scores."""
    if len(reading.scores) != len(page.blocks):
        return 1.0
    words = [len(text.split()) for text in page.blocks.text]
    expected = [score * count for score, count in zip(reading.scores, words, strict=True)]
    size = sum(words[i] for i in reading.kept) + sum(expected)
    return 2 * sum(expected[i] for i in reading.kept) / size if size else 1.0
