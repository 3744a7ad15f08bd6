"""Find the name of what a page is about as the page shows it: page and lines come in, a leaf or nothing goes out.

The name is a text that the page's title repeats, mostly a heading. Titles add the site's name and words such as
"Review" or "online kaufen" to it, headings a format or a place in a leaf of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scythe.page import Page
from scythe.page.elements import Elements
from scythe.read.records.visible import Lines

_LEAVES = 3_000  # looked at; names stand in the first half of a page
_SHORTEST, _LONGEST = 2, 250  # characters
_WORD = re.compile(r"\w+")
_NAMED = re.compile(r"head|product|subject|who|entry|summary|fn\b", re.I)
_TITLED = re.compile(r"title|(?<!user)name(?!s)|headline", re.I)
_TAGS = {"h1": 3.0, "h2": 1.5, "h3": 1.0, "h4": 0.7, "h5": 0.7, "caption": 0.7, "strong": 0.5, "b": 0.5, "font": 0.3}
_SEPARATORS = re.compile(r"\s[-–—|:•·»«/~]+\s|[|｜»«]|:\s|\s-|,\s|\(|\)|;\s|\s(?:by|at|in|from|von|bei|de|par|di)\s")
_HEADINGS = 50
_CLIMBED = 4  # elements above a leaf that may be its heading
_SHORTER = 0.4  # the least share of a name that may stand for it
_REPEATED, _MOST_REPEATS = 0.2, 5  # a name recurs on its page, in other texts too
_SURE = 2.8  # below that a text is no name


@dataclass(frozen=True, slots=True)
class Naming:
    """The name of a page's subject and where it stands."""

    text: str = ""
    leaf: int = -1


def find_name(page: Page, lines: Lines) -> Naming:
    """Return the best name of the subject, an empty one if none is sure."""
    elements = page.elements
    title = page.head.title or page.metadata.title
    words = " ".join(_WORD.findall(title.lower()))
    edges = _edges(title)
    whole = "\n".join(text[:_LONGEST] for text in elements.text[:_LEAVES])
    known = frozenset(words.split())
    headed = _headed(elements)
    best, best_score, headings = Naming(), _SURE, list[Naming]()
    for leaf, text in enumerate(elements.text[:_LEAVES]):
        if not _SHORTEST <= len(text) <= _LONGEST or (first := _WORD.search(text)) is None:
            continue
        if first[0].lower() not in known and leaf not in headed:
            continue
        own = " ".join(_WORD.findall(text.lower()))
        in_title = f" {own} " in f" {words} "
        heading = _heading(elements, leaf)
        if (not in_title and heading < 3) or own.isdigit() or text[0] + text[-1] == "()":
            continue
        score = heading - leaf / _LEAVES
        if in_title:
            if " " not in own and own not in edges and heading < 1:
                continue  # a word of the title, not a name
            score += 1 + (own in edges) + 2 * len(own) / len(words) + (own + " ").startswith(words[: len(own)] + " ")
        row = elements.leaf_row[leaf]
        score -= 2.5 * lines.aside[row] + (heading < 1 and row in elements.href)
        if score + _REPEATED * _MOST_REPEATS > best_score:
            score += _REPEATED * min(whole.count(text) - 1, _MOST_REPEATS)
        if score > best_score:
            best, best_score = Naming(text, leaf), score
        if heading >= 1 and not lines.aside[row]:
            headings.append(Naming(text, leaf))
    return _shorten(best, headings, whole) if best.text else _lone_heading(elements, lines)


def _shorten(best: Naming, headings: list[Naming], whole: str) -> Naming:
    """Return a heading that is part of the name and recurs more often: `Vivace` rather than `Vivace Review`."""
    often = whole.count(best.text) + 2
    shorter = [
        other
        for other in headings
        if other.text in best.text and len(best.text) * _SHORTER <= len(other.text) < len(best.text)
    ]
    return next((other for other in shorter if whole.count(other.text) >= often), best)


def _lone_heading(elements: Elements, lines: Lines) -> Naming:
    """Return the first second heading of a page that has no first heading and a title that says nothing of it."""
    if "h1" in elements.tag or "h2" not in elements.tag:
        return Naming()
    row = elements.tag.index("h2")
    leaf = elements.leaf_start[row]
    if elements.leaf_end[row] - leaf != 1 or lines.aside[row] or len(elements.text[leaf]) > _LONGEST:
        return Naming()
    return Naming(elements.text[leaf], leaf)


def _headed(elements: Elements) -> set[int]:
    """Return the leaves of first headings; anything else is a name only if the title repeats it."""
    rows = [row for row, tag in enumerate(elements.tag) if tag == "h1"][:_HEADINGS]
    return {leaf for row in rows for leaf in range(elements.leaf_start[row], elements.leaf_end[row])}


def _edges(title: str) -> set[str]:
    """Return what stands between the separators of a title, and what begins or ends there."""
    parts = [" ".join(_WORD.findall(part.lower())) for part in _SEPARATORS.split(title)]
    joined = {" ".join(parts[start:end]) for start in range(len(parts)) for end in range(start + 1, len(parts) + 1)}
    return joined if len(parts) <= 20 else set(parts)


def _heading(elements: Elements, leaf: int) -> float:
    """Return how much the elements around a leaf make it a heading."""
    row, best, named = elements.leaf_row[leaf], 0.0, 0.0
    for _ in range(_CLIMBED):
        if row < 0 or elements.leaf_end[row] - elements.leaf_start[row] > 6:
            break
        best = max(best, _TAGS.get(elements.tag[row], 0.0))
        if names := elements.names[row]:
            named = max(named, 1.3 if _TITLED.search(names) else 0.8 if _NAMED.search(names) else 0.0)
        row = elements.parent[row]
    return best + named
