"""VSSE: keep the text under the tag path shared by most written-out leaves (Zhang et al. 2018).

J. Zhang et al.: Exploiting Multi-Category Characteristics and Unified Framework to Extract Web Content. Data Science
and Engineering 3 (2018) 101-114. Characteristics find certain content, path aggregation widens it to an area, semantics
drop what does not fit the title. docs/why/papers.md has the open points.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Protocol

from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.reading.papers.simhash import distance, fingerprint
from scythe.reading.papers.text_elements import TextElements, number_elements

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


class VisualCharacteristic(Protocol):
    """A property that content leaves have and noise has not; other packages may bring theirs."""

    def weigh(self, elements: TextElements) -> Sequence[float]:
        """Return one value per leaf of `elements`: zero where the property is absent, higher where it is stronger."""
        ...


@dataclass(frozen=True, slots=True)
class VisualText:
    """Long text with many punctuation marks: the paper's visual value of text characteristics, vvtc (formula 1)."""

    def weigh(self, elements: TextElements) -> list[float]:
        """Return length times marks of every leaf, both divided by the number of leaves."""
        total = len(elements.leaf_text)
        return [len(text) / total * count_marks(text) / total for text in elements.leaf_text]


@dataclass(frozen=True, slots=True)
class Vsse:
    """The method with its container of characteristics and its thresholds, the paper's T1, T2 and L."""

    characteristics: tuple[VisualCharacteristic, ...] = (VisualText(),)
    min_share: float = 0.8  # T1: of the highest value, for a leaf to be content beyond doubt
    max_distance: int = 3  # T2: bits in which a text may differ from title and description
    idf_floor: float = 0.01  # L: keeps the weight of a word that occurs everywhere above zero
    judge_all: bool = False  # by semantics, as the paper prints it: then nearly nothing is left on real pages
    name: str = "vsse"

    def __call__(self, page: Page, options: TextOptions) -> Reading:
        """Keep the blocks of the leaves that all three steps leave over."""
        elements = number_elements(page)
        values = combine(self.characteristics, elements)
        highest = max(values, default=0.0)
        if highest <= 0:
            return Reading(self.name, why="no text leaf has any of the characteristics" if values else "no text")
        sure = [leaf for leaf, value in enumerate(values) if value >= self.min_share * highest]
        area = aggregate_paths(elements, sure)
        subject = cut_words(f"{page.metadata.title} {page.metadata.description}")
        fitting = self.refine(elements, area, values, subject)
        kept = tuple(sorted({elements.leaf_block[leaf] for leaf in fitting}))
        return Reading(self.name, kept=kept, why="" if kept else "no text like title and description")

    def refine(self, elements: TextElements, area: list[int], values: Sequence[float], subject: list[str]) -> list[int]:
        """Drop the leaves that no characteristic speaks for and whose words are not those of the subject."""
        doubtful = [leaf for leaf in area if self.judge_all or values[leaf] <= 0]
        if not subject or not doubtful:
            return area
        words = {leaf: cut_words(elements.leaf_text[leaf]) for leaf in area}
        spread = Counter(word for leaf in area for word in set(words[leaf]))

        def weigh(word: str) -> float:
            return log(len(area) / max(spread[word], 1)) + self.idf_floor

        (wanted,) = fingerprint([subject], weigh)
        far = distance(fingerprint([words[leaf] for leaf in doubtful], weigh), wanted) > self.max_distance
        dropped = {leaf for leaf, is_far in zip(doubtful, far, strict=True) if is_far}
        return [leaf for leaf in area if leaf not in dropped]


read = Vsse()


def combine(characteristics: Sequence[VisualCharacteristic], elements: TextElements) -> list[float]:
    """Add up what all characteristics say of each leaf, each measured against its own highest value."""
    total = [0.0] * len(elements.leaf_text)
    for characteristic in characteristics:
        values = characteristic.weigh(elements)
        highest = max(values, default=0.0)
        if highest > 0:
            total = [so_far + value / highest for so_far, value in zip(total, values, strict=True)]
    return total


def aggregate_paths(elements: TextElements, leaves: Sequence[int]) -> list[int]:
    """Return all leaves whose tag path begins with the longest prefix common to the given leaves' paths."""
    path, above = _intern_paths(elements)
    below = [0] * len(above)  # how many of the given leaves have a path that begins so
    for leaf in leaves:
        below[path[elements.leaf_parent[leaf]]] += 1
    for number in range(len(above) - 1, 0, -1):  # longer paths have higher numbers
        below[above[number]] += below[number]
    prefix = max(number for number, count in enumerate(below) if count == len(leaves))
    inside = [False] * len(above)
    for number in range(prefix, len(above)):
        inside[number] = number == prefix or inside[above[number]]
    return [leaf for leaf, parent in enumerate(elements.leaf_parent) if inside[path[parent]]]


def _intern_paths(elements: TextElements) -> tuple[list[int], list[int]]:
    # tag paths as numbers: path of every element, and for every path the one without its last tag
    path = [0] * len(elements.tag)
    above = [-1]
    known: dict[tuple[int, str], int] = {}
    for element in range(1, len(path)):
        key = (path[elements.parent[element]], elements.tag[element])
        number = known.setdefault(key, len(above))
        if number == len(above):
            above.append(key[0])
        path[element] = number
    return path, above
