"""Align the blocks of a page with its gold text: the words of each block that the gold has, or the chunks it holds."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from scythe.page.blocks import Blocks

_DENSE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_DENSE}]|[^\W_{_DENSE}]+")
SHORT = 6  # words: shorter blocks must occur in the gold as a phrase, single words match anything


@dataclass(frozen=True)
class Labels:
    """What is known about the blocks of one page. Chunk pages have `chunks`, the others `hits` and `gold_words`."""

    words: NDArray[np.float32]  # per block
    hits: NDArray[np.float32] | None = None  # per block: words that the gold has too, in order
    gold_words: int = 0
    chunks: tuple[tuple[bool, tuple[tuple[int, int], ...]], ...] = ()  # wanted, block ranges where it occurs


def words_of(text: str) -> list[str]:
    """Split text into lower-case words; a character of a script without spaces is a word."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).lower())


def label_gold(blocks: Blocks, gold: str) -> Labels:
    """Match page and gold by their longest common subsequence of words."""
    texts = [words_of(text) for text in blocks.text]
    lengths = np.array([len(words) for words in texts], dtype=np.intp)
    wanted = words_of(gold)
    rows: dict[str, int] = {}
    gold_rows = [rows.setdefault(word, len(rows)) for word in wanted]
    flat = [(place, rows[word]) for place, word in enumerate(word for words in texts for word in words) if word in rows]
    matched = np.zeros(int(lengths.sum()), dtype=np.float32)
    if flat and gold_rows:
        for step in LCSseq.opcodes([row for _, row in flat], gold_rows):
            if step.tag == "equal":
                matched[[flat[i][0] for i in range(step.src_start, step.src_end)]] = 1
    owner = np.repeat(np.arange(len(texts)), lengths)
    hits = np.bincount(owner, weights=matched, minlength=len(texts)).astype(np.float32)
    phrase = f" {' '.join(wanted)} "
    for number, words in enumerate(texts):
        if 0 < len(words) <= SHORT and hits[number] and f" {' '.join(words)} " not in phrase:
            hits[number] = 0
    return Labels(lengths.astype(np.float32), hits, len(wanted))


def label_chunks(blocks: Blocks, must: list[str], must_not: list[str]) -> Labels:
    """Find the blocks in which annotated chunks stand."""
    page = " ".join(blocks.text)
    starts = np.cumsum([0] + [len(text) + 1 for text in blocks.text])
    chunks = []
    for wanted, texts in ((True, must), (False, must_not)):
        for text in (" ".join(text.split()) for text in texts):
            places = []
            at = page.find(text) if text else -1
            while at >= 0 and len(places) < 20:
                first, last = np.searchsorted(starts, [at, at + len(text) - 1], "right") - 1
                places.append((int(first), int(last) + 1))
                at = page.find(text, at + 1)
            chunks.append((wanted, tuple(places)))
    words = np.array([len(words_of(text)) for text in blocks.text], dtype=np.float32)
    return Labels(words, chunks=tuple(chunks))
