"""Score extracted text against what a page should give: counts per page come in, one `Score` per page set goes out.

Three metrics decide, each named by the rows of a page set: `shingles` (runs of four words as multisets), `chunks`
(passages that must and must not occur) and `tokens` (words as multisets). Two published measures stand beside them: the
efficiency Ea of the sentence counter's authors and the sentence sets of VSSE's; docs/why/papers.md explains both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from scythe.demo.scoring import Counts, Rates, compare, cut_tokens, rate, words_of

METRICS = ("shingles", "chunks", "tokens")
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s|(?<=[\u3002\uff01\uff1f\u0964])")


@dataclass(frozen=True, slots=True)
class Truth:
    """What a page should give: its main text, or passages that must and must not occur in it."""

    metric: str
    gold: str | None = None
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()


def cut_shingles(text: str, size: int = 4) -> Counter[Hashable]:
    """Count the runs of `size` words; a shorter text is one run."""
    words = _WORD.findall(text)
    if not words:
        return Counter()
    return Counter(tuple(words[i : i + size]) for i in range(max(1, len(words) - size + 1)))


def cut_sentences(text: str) -> frozenset[str]:
    """Return the different sentences, each as its words in lower case.

    Line breaks end nothing: some gold texts are wrapped at 70 columns, others put headings on lines of their own.
    """
    # cut before folding, which turns the full-width ends of Chinese sentences into narrow ones without a space
    sentences = (" ".join(words_of(sentence)) for sentence in _SENTENCE_END.split(text))
    return frozenset(sentence for sentence in sentences if sentence)


def count(truth: Truth, text: str) -> Counts:
    """Compare one extracted text with its page's truth by the metric the truth names."""
    if truth.metric == "chunks":
        return _count_chunks(truth, _squeeze(text))
    cut: Callable[[str], Counter[Hashable]] = cut_shingles if truth.metric == "shingles" else cut_tokens
    return compare(cut(truth.gold or ""), cut(text))


def count_sentences(truth: Truth, text: str) -> Counts | None:
    """Compare sentence sets, or return None where the page has no whole text to compare with."""
    if truth.gold is None:
        return None
    gold, got = cut_sentences(truth.gold), cut_sentences(text)
    hits = len(gold & got)
    return Counts(hits, len(got) - hits, len(gold) - hits)


def deviate(truth: Truth, text: str) -> float | None:
    """Return how far the number of characters is from the right one, as a share of it; None without a whole text."""
    if truth.gold is None:
        return None
    required, acquired = _count_characters(truth.gold), _count_characters(text)
    if not required:
        return 1.0 if acquired else 0.0
    return abs(acquired / required - 1)


def pool(counts: Iterable[Counts]) -> Rates:
    """Rate the sum of all counts."""
    return rate(sum(counts, Counts()))


def aggregate(metric: str, counts: Sequence[Counts]) -> Rates:
    """Rate a page set: chunks pooled; tokens as means of pages; shingles as means whose harmonic mean is F1."""
    if metric == "chunks":
        return pool(counts)
    pages = [rate(c) for c in counts]
    if metric == "tokens":
        return Rates(_mean(p.precision for p in pages), _mean(p.recall for p in pages), _mean(p.f1 for p in pages))
    precision = _mean(p.precision for p, c in zip(pages, counts, strict=True) if c.hits + c.extra)
    recall = _mean(p.recall for p, c in zip(pages, counts, strict=True) if c.hits + c.missed)
    both = precision + recall
    return Rates(precision, recall, 2 * precision * recall / both if both else 0.0)


def efficiency(deviations: Iterable[float]) -> float:
    """Return Ea in per cent: 100 minus the mean deviation of the number of characters. May be negative."""
    return 100 - 100 * _mean(deviations)


def _count_chunks(truth: Truth, text: str) -> Counts:
    hits = sum(_squeeze(chunk) in text for chunk in truth.must)
    return Counts(hits, sum(_squeeze(chunk) in text for chunk in truth.must_not), len(truth.must) - hits)


def _count_characters(text: str) -> int:
    return sum(map(len, text.split()))


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return fmean(known) if known else 0.0
