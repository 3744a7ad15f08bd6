"""CETD: keep the elements with dense text (Sun, Song, Liao: DOM Based Content Extraction via Text Density, SIGIR 2011).

The density of an element is its characters per tag, reduced by links; DensitySum adds up those of its children.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.reading.papers.text_elements import TextElements, number_elements

Floats = npt.NDArray[np.float64]


def read(page: Page, options: TextOptions) -> Reading:
    """Keep what the algorithm marks: the densest part of every element that is dense enough."""
    elements = number_elements(page)
    if not elements.leaf_text:
        return Reading("cetd", why="no text")
    kept: set[int] = set()
    for target in choose(elements):
        kept.update(range(*elements.blocks_inside(target)))
    return Reading("cetd", kept=tuple(sorted(kept)))


def choose(elements: TextElements) -> list[int]:
    """Return the elements marked as content, in page order, none inside another. Linear in the number of elements."""
    density = measure_density(elements)
    sums = add_densities(elements, density)
    best = _densest_inside(elements, sums)
    body = elements.tag.index("body") if "body" in elements.tag else 0
    threshold = _threshold(elements, density, best[body], body)
    marked = bytearray(len(elements.tag))
    entered = bytearray(len(elements.tag))
    for element in range(body, elements.end[body]):
        if element != body and not entered[elements.parent[element]]:
            continue
        if not marked[element] and density[element] >= threshold:
            marked[best[element]] = True
            entered[element] = not marked[element]
    return _outermost(elements, marked)


def measure_density(elements: TextElements) -> Floats:
    """Return the composite text density of every element."""
    chars = np.array([len(text) for text in elements.leaf_text], dtype=np.float64)
    linked = np.array(elements.leaf_linked, dtype=np.float64) * chars
    start, end = np.array(elements.leaf_start), np.array(elements.leaf_end)
    inside = _between(chars, start, end)
    inside_linked = _between(linked, start, end)
    numbers = np.arange(len(elements.tag))
    tags: Floats = (np.array(elements.end) - numbers - 1).astype(np.float64)
    links = _between(
        np.array([tag == "a" for tag in elements.tag], dtype=np.float64), numbers + 1, np.array(elements.end)
    )
    return _compose(inside, inside_linked, tags, links, _link_share(chars, linked))


def add_densities(elements: TextElements, density: Floats) -> Floats:
    """Return DensitySum: the densities of an element's children, text between them counting as a child without tags."""
    sums = np.zeros(len(elements.tag))
    np.add.at(sums, np.array(elements.parent[1:], dtype=np.int64), density[1:])
    chars = np.array([len(text) for text in elements.leaf_text], dtype=np.float64)
    linked = np.array(elements.leaf_linked, dtype=np.float64) * chars
    nothing = np.zeros(len(chars))
    own = _compose(chars, nothing, nothing, nothing, _link_share(chars, linked))
    np.add.at(sums, np.array(elements.leaf_parent, dtype=np.int64), own)
    return sums


def _compose(chars: Floats, linked: Floats, tags: Floats, links: Floats, share: float) -> Floats:
    # counts of zero are taken as one, as the authors do, so that no quotient and no logarithm is undefined
    tags, links, linked = np.maximum(tags, 1), np.maximum(links, 1), np.maximum(linked, 1)
    plain = np.maximum(chars - linked, 1)
    base = np.log(np.log(chars / plain * linked + share * chars + np.e))
    with np.errstate(divide="ignore", invalid="ignore"):
        density = chars / tags * np.log(chars / linked * tags / links) / base
    return np.where(chars > 0, density, 0.0)


def _link_share(chars: Floats, linked: Floats) -> float:
    return float(linked.sum() / chars.sum()) if len(chars) else 0.0


def _between(values: Floats, start: npt.NDArray[np.int64], end: npt.NDArray[np.int64]) -> Floats:
    running = np.concatenate([[0.0], np.cumsum(values)])
    total: Floats = running[end] - running[start]
    return total


def _densest_inside(elements: TextElements, sums: Floats) -> list[int]:
    best = list(range(len(elements.tag)))
    for element in range(len(best) - 1, 0, -1):  # children come after parents
        above = elements.parent[element]
        gain = sums[best[element]] - sums[best[above]]
        if gain > 0 or (gain == 0 and best[above] != above):  # of equals, the first in page order
            best[above] = best[element]
    return best


def _outermost(elements: TextElements, marked: bytearray) -> list[int]:
    found, covered = [], 0
    for element, mark in enumerate(marked):
        if mark and element >= covered:
            found.append(element)
            covered = elements.end[element]
    return found


def _threshold(elements: TextElements, density: Floats, element: int, body: int) -> float:
    lowest = float(density[element])
    while element != body:
        element = elements.parent[element]
        lowest = min(lowest, float(density[element]))
    return lowest
