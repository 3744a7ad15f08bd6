"""Say how well candidates fit the gold records: bags of words are matched one to one, as in the benchmark."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

PURITY = 0.7  # of the grade on pages of many regions: no strange records, none cut in pieces
SAME = 0.6  # F1 of the words from which a record counts as a gold record
_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def f1(found: float, given: int, wanted: int) -> tuple[float, float, float]:
    """Return precision, recall and their harmonic mean."""
    precision, recall = found / given if given else 0.0, found / wanted if wanted else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


class Gold:
    """The gold records of one page, ready for matching."""

    def __init__(self, records: Sequence[Sequence[str]]) -> None:
        self.bags = [Counter(words_of(" ".join(texts))) for texts in records]
        self.sizes = [sum(bag.values()) for bag in self.bags]
        self.with_word: dict[str, set[int]] = defaultdict(set)
        for number, bag in enumerate(self.bags):
            for word in bag:
                self.with_word[word].add(number)

    def __len__(self) -> int:
        return len(self.bags)

    def match(self, records: Sequence[Counter[str]]) -> list[tuple[float, int]]:
        """Pair records with gold records, the most alike first, each once; return likeness and number of the gold."""
        pairs = []
        for number, bag in enumerate(records):
            size = sum(bag.values())
            for gold in self._alike(bag):
                shared = sum((bag & self.bags[gold]).values())
                if 2 * shared >= SAME * (size + self.sizes[gold]) > 0:
                    pairs.append((2 * shared / (size + self.sizes[gold]), number, gold))
        pairs.sort(reverse=True)
        left, right, found = set[int](), set[int](), []
        for alike, number, gold in pairs:
            if number not in left and gold not in right:
                left.add(number)
                right.add(gold)
                found.append((alike, gold))
        return found

    def _alike(self, bag: Counter[str]) -> list[int]:
        """Return the few gold records that share most of the rarer words."""
        seen = Counter[int]()
        for word in bag:
            having = self.with_word.get(word, ())
            if len(having) <= max(5, len(self) // 2):
                seen.update(having)
        return [gold for gold, _ in seen.most_common(8)] or list(range(min(len(self), 40)))


def locate(records: Sequence[Sequence[str]], texts: Sequence[str]) -> list[tuple[int, int] | None]:
    """Return the range of leaves of each gold record, where its texts stand on the page one after the other."""
    places = defaultdict[str, list[int]](list)
    for leaf, text in enumerate(texts):
        places[text].append(leaf)
    used, found = set[int](), list[tuple[int, int] | None]()
    for record in records:
        wanted = [" ".join(text.split()) for text in record]
        starts = (leaf for leaf in places.get(wanted[0], ()) if leaf not in used) if wanted else ()
        ranges = ((leaf, end) for leaf in starts if (end := _follow(wanted, texts, leaf)))
        place = next(ranges, None)
        if place:
            used.add(place[0])
        found.append(place)
    return found


def _follow(wanted: Sequence[str], texts: Sequence[str], leaf: int) -> int:
    """Return the leaf after the last wanted text, 0 when they are not there; two other leaves may stand between."""
    at, strange = 0, 0
    while at < len(wanted) and leaf < len(texts) and strange < 3:
        if texts[leaf] == wanted[at]:
            at += 1
        else:
            strange += 1
        leaf += 1
    return leaf if at == len(wanted) else 0


def score_whole(gold: Gold, records: Sequence[Sequence[Counter[str]]]) -> np.ndarray:
    """Return the F1 of each candidate against all gold records, as the benchmark counts."""
    return np.array([f1(len(gold.match(one)), len(one), len(gold))[2] for one in records])


def weigh(pairs: Sequence[tuple[float, int]]) -> float:
    """Return how much the pairs of a candidate are worth: a part of a record is worth less than the whole of it."""
    return sum(alike * alike for alike, _ in pairs)


def grade_whole(gold: Gold, records: Sequence[Sequence[Counter[str]]]) -> np.ndarray:
    """Return how well each candidate fits all gold records: right where a page is about one region."""
    return np.array([f1(weigh(gold.match(one)), len(one), len(gold))[2] for one in records])


def grade_part(
    gold: Gold,
    places: Sequence[tuple[int, int] | None],
    records: Sequence[Sequence[Counter[str]]],
    leaves: Sequence[Sequence[tuple[int, int]]],
) -> np.ndarray:
    """Return how well each candidate cuts the gold records that it touches: right where a page has many regions.

    What is beyond `PURITY` of the grade is how many of the records that one candidate could have it has.
    """
    matches = [gold.match(one) for one in records]
    worth = [weigh(pairs) for pairs in matches]
    most = np.zeros(len(gold))
    for own, pairs in zip(worth, matches, strict=True):
        for _, number in pairs:
            most[number] = max(most[number], own)
    grades = np.zeros(len(records))
    for one, pairs in enumerate(matches):
        if pairs:
            met = {number for _, number in pairs} | touched(places, leaves[one])
            kept = float(np.mean([worth[one] / most[number] for _, number in pairs]))
            grades[one] = f1(worth[one], len(records[one]), len(met))[2] * (PURITY + (1 - PURITY) * kept)
    return grades


def touched(places: Sequence[tuple[int, int] | None], leaves: Sequence[tuple[int, int]]) -> set[int]:
    """Return the gold records that share a leaf with a candidate."""
    starts = np.array([start for start, _ in leaves])
    ends = np.array([end for _, end in leaves])
    return {n for n, place in enumerate(places) if place and bool(np.any((starts < place[1]) & (place[0] < ends)))}
