"""Compute the features of every text block for the network, as whole-page array operations."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scythe.package_files import packaged_bytes
from scythe.page.blocks import Blocks

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READ_CHARS = 400  # utility classes can fill kilobytes; what an element is for stands near the front
_READ_WORDS = 24
_REMEMBERED = 50_000  # distinct attribute texts; a large site has a few thousand
COMMENT_NAMES = frozenset(
    "comment comments commentlist commenttext commentbody commentator respond responses reply replies disqus dsq "
    "livefyre kommentar kommentare commentaires comentarios commenti yorum yorumlar talkback guestbook "
    "usercomments".split()
)
PAGE_TAGS = frozenset(("html", "body", "main", "article"))  # "comments-open" on these says nothing about their text


def split_names(names: str) -> tuple[str, ...]:
    """Split attribute text such as `postBody entry-content` into distinct lower-case words."""
    found = (word.lower() for word in _WORD.findall(names[:_READ_CHARS]) if len(word) > 1)
    return tuple(dict.fromkeys(found))[:_READ_WORDS]


class KnownElement(NamedTuple):
    """An element as the vocabulary sees it."""

    rows: tuple[int, ...]
    key: str  # tag and words, without digits: elements that look alike share it
    comment: bool  # whether the names say that readers wrote what is inside


class Vocabulary:
    """The names, words and page tokens that a network has vectors for, by row; row 0 means unknown."""

    def __init__(self, names: list[str], words: list[str], page: list[str]) -> None:
        self.names = {name: row for row, name in enumerate(names, 1)}
        self.words = {word: row for row, word in enumerate(words, 1)}
        self.page = {token: row for row, token in enumerate(page, 1)}
        self._seen: dict[tuple[str, str], KnownElement] = {}

    def names_of(self, tag: str, names: str) -> KnownElement:
        """Return the rows of an element's tag and names."""
        asked = (tag, names)
        known = self._seen.get(asked)
        if known is None:
            words = split_names(names)
            rows = (self.names.get(f"<{tag}>", 0), *(self.names[word] for word in words if word in self.names))
            comment = tag not in PAGE_TAGS and not COMMENT_NAMES.isdisjoint(words)
            known = KnownElement(rows, f"{tag} {'-'.join(words)}", comment)
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            self._seen[asked] = known
        return known


SPACE, LOWER, UPPER, DIGIT, STOP, COMMA, COLON, QUOTE, BRACKET, BAR, DASH, SIGN, MONEY, DENSE, LETTER, OTHER = range(16)


class Letters(NamedTuple):
    """What one histogram over the whole page tells of each text."""

    counts: NDArray[np.float32]  # one row per text, one column per character kind
    sentences: NDArray[np.float32]  # sentence ends: a stop before a space, before a quote, or at the end
    first: NDArray[np.uint8]  # kind of the first character
    last: NDArray[np.uint8]


CODES = 0x10000  # the basic plane; the few characters above are asked one by one


@lru_cache(maxsize=1)
def characters() -> NDArray[np.uint32]:
    r"""Return what is known of each code point of the basic plane: its kind, 16 where it is a \w, its lower case above.

    0 stands for a lower case that depends on the letters around, or is more than one. `tools/characters.py` wrote it.
    """
    packed = zlib.decompress(packaged_bytes("scythe.reading.text", "characters.bin"))
    lower = np.frombuffer(packed, "<u2", CODES).astype(np.uint16) + np.arange(CODES, dtype=np.uint16)
    known = np.frombuffer(packed, np.uint8, offset=2 * CODES)
    return known | lower.astype(np.uint32) << np.uint32(16)


@lru_cache(maxsize=1)
def _kinds() -> NDArray[np.uint8]:
    """Return the kind of every code point of the basic plane; the last one stands for all others."""
    return (characters() & np.uint32(15)).astype(np.uint8)


def count_letters(texts: list[str]) -> Letters:
    """Return the letter counts of texts, none of which may be empty."""
    lengths = np.fromiter(map(len, texts), dtype=np.intp, count=len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), dtype=np.uint32)
    found = _kinds()[np.minimum(codes, 0xFFFF)]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    owner = np.repeat(np.arange(len(lengths)) * 16, lengths)
    counts = np.bincount(owner + found, minlength=len(lengths) * 16).reshape(-1, 16).astype(np.float32)
    stops = found == STOP
    closing = stops.copy()
    following = found[1:]
    # a full-width stop ends a sentence without a space after it
    closing[:-1] &= (following == SPACE) | (following == QUOTE) | (codes[:-1] > 0x3000)
    closing[ends - 1] = stops[ends - 1]
    running = np.concatenate(([0], np.cumsum(closing)))
    return Letters(counts, (running[ends] - running[starts]).astype(np.float32), found[starts], found[ends - 1])


Floats = NDArray[np.float32]
Ints = NDArray[np.intp]

LEVELS = 5  # how many boxes around a block are described
WORD = re.compile(r"\w+")
_COMPARED_CHARS = 600  # longer blocks are not titles, and their words are not boilerplate phrases
_OPENING_CHARS = 120
_OPENING_WORDS = 10
_UNKNOWN = (0,) * _OPENING_WORDS
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


class HeadSummary(NamedTuple):
    """What the features need to know about the page as a whole."""

    title: str
    description: str
    tokens: tuple[str, ...]  # kind of page, generator, schema types


class Bags(NamedTuple):
    """Embedding rows of many owners in one list: those of owner i are ids[offsets[i]:offsets[i + 1]]."""

    ids: list[int]
    offsets: list[int]


@dataclass(frozen=True, slots=True)
class Features:
    """One page as the network sees it."""

    numbers: Floats  # one row per block
    words: NDArray[np.float64]  # per block, a character of a script without spaces counts as one
    box: Ints  # per block
    heading: Ints  # per block: the last heading at or before it, else the first block
    cluster: Ints  # per block: blocks of one style share a number
    comment: NDArray[np.bool_]  # per block: inside a box named for comments
    box_parent: Ints
    box_depth: Ints
    box_start: Ints
    box_end: Ints
    names: Bags  # per box
    leads: Bags  # per block: the first inline element
    openings: Bags  # per block: first words of the text
    page_ids: list[int]


class _Boxes(NamedTuple):
    parent: Ints
    depth: Ints
    style: Ints  # boxes with the same tag and names, here and in the parent, share a number
    path: Ints  # boxes with the same tag path share a number
    siblings: Floats  # how many boxes of this look the parent holds
    comment: Floats  # 1 inside a box named for comments
    article: Floats  # ordinal of the article element around, 0 for none
    names: Bags


def _describe_boxes(blocks: Blocks, vocabulary: Vocabulary) -> _Boxes:
    looks: dict[str, int] = {}
    paths: dict[tuple[str, int], int] = {}
    depth: list[int] = []
    look: list[int] = []
    path: list[int] = []
    ids: list[int] = []
    comment: list[bool] = []
    article: list[int] = []
    articles = 0
    offsets = [0]
    for tag, names, parent in zip(blocks.box_tag, blocks.box_names, blocks.box_parent, strict=True):
        known = vocabulary.names_of(tag, names)
        ids += known.rows
        offsets.append(len(ids))
        look.append(looks.setdefault(known.key, len(looks)))
        if parent < 0:
            depth.append(0)
            path.append(paths.setdefault((tag, -1), len(paths)))
            comment.append(known.comment)
            article.append(0)
        else:
            depth.append(depth[parent] + 1)
            path.append(paths.setdefault((tag, path[parent]), len(paths)))
            comment.append(known.comment or comment[parent])
            if tag == "article" and not article[parent]:
                articles += 1
                article.append(articles)
            else:
                article.append(article[parent])
    up = np.maximum(np.array(blocks.box_parent, dtype=np.intp), 0)
    looking = np.array(look, dtype=np.intp)
    _, kin, counts = np.unique(up * len(looks) + looking, return_inverse=True, return_counts=True)
    style = np.unique(looking * len(looks) + looking[up], return_inverse=True)[1]
    siblings = counts[kin].astype(np.float32)
    return _Boxes(
        parent=up,
        depth=np.array(depth, dtype=np.intp),
        style=style,
        path=np.array(path, dtype=np.intp),
        siblings=siblings,
        comment=np.array(comment, dtype=np.float32),
        article=np.array(article, dtype=np.float32),
        names=Bags(ids, offsets),
    )


def _read_openings(blocks: Blocks, head: HeadSummary, vocabulary: Vocabulary) -> tuple[Floats, Bags]:
    """Compare each block with title and description (shares of common words, both ways) and look up its first words."""
    title = frozenset(WORD.findall(head.title.lower()))
    description = frozenset(WORD.findall(head.description.lower()))
    known = vocabulary.words
    overlap = np.zeros((len(blocks), 4), dtype=np.float32)
    ids: list[int] = []
    offsets = [0]
    for number, text in enumerate(blocks.text):
        short = len(text) <= _COMPARED_CHARS
        found = WORD.findall((text if short else text[:_OPENING_CHARS]).lower())
        ids += map(known.get, found[:_OPENING_WORDS], _UNKNOWN)
        if len(found) <= _OPENING_WORDS:
            ids.append(known.get(f"={len(found)}", 0))
        offsets.append(len(ids))
        if not short:
            continue
        if not title.isdisjoint(found):
            words = frozenset(found)
            common = len(words & title)
            overlap[number, :2] = common / len(words), common / len(title)
        if not description.isdisjoint(found):
            words = frozenset(found)
            common = len(words & description)
            overlap[number, 2:] = common / len(words), common / len(description)
    return overlap, Bags(ids, offsets)


def _read_leads(blocks: Blocks, vocabulary: Vocabulary) -> Bags:
    ids: list[int] = []
    offsets = [0]
    for tag, names in zip(blocks.lead_tag, blocks.lead_names, strict=True):
        if tag:
            ids += vocabulary.names_of(tag, names).rows
        offsets.append(len(ids))
    return Bags(ids, offsets)


class _Sizes(NamedTuple):
    """Basic quantities per block."""

    chars: Floats
    words: Floats
    linked: Floats  # characters inside links
    prose: Floats  # sentences outside links, at most eight
    is_p: Floats
    is_heading: Floats


def _measure(blocks: Blocks, letters: Letters) -> _Sizes:
    counts = letters.counts
    chars = counts.sum(axis=1)
    words: Floats = (counts[:, SPACE] + 1 + counts[:, DENSE] / 2).astype(np.float32)
    linked = np.array(blocks.link_chars, dtype=np.float32)
    prose = np.where(linked * 2 < chars, np.minimum(letters.sentences, 8.0), 0.0).astype(np.float32)
    tags = [blocks.box_tag[box] for box in blocks.box]
    is_p = np.array([tag == "p" for tag in tags], dtype=np.float32)
    is_heading = np.array([tag in _HEADINGS for tag in tags], dtype=np.float32)
    return _Sizes(chars, words, linked, prose, is_p, is_heading)


def _own_columns(blocks: Blocks, letters: Letters, size: _Sizes) -> list[Floats]:
    """Describe the text of each block by itself."""
    counts, chars, words = letters.counts, size.chars, size.words
    all_letters = counts[:, LOWER] + counts[:, UPPER] + counts[:, LETTER] + counts[:, DENSE]
    shares = counts / chars[:, None]
    texts = Counter(blocks.text)
    copies = np.array([texts[text] for text in blocks.text], dtype=np.float32)
    rows = np.array(blocks.image_block, dtype=np.intp)
    images = np.bincount(np.minimum(rows, len(blocks) - 1), minlength=len(blocks))
    hidden = np.array([blocks.box_hidden[box] for box in blocks.box], dtype=np.float32)
    return [
        np.log1p(chars), np.log1p(words), np.log1p(letters.sentences),
        np.log1p(np.array(blocks.links, dtype=np.float32)),
        size.linked / chars, np.array(blocks.bold_chars, dtype=np.float32) / chars,
        letters.sentences / words * 10, all_letters / words / 6, np.log1p(counts[:, COMMA]),
        *(shares[:, column] for column in _SHARES),
        np.log(copies + 1), np.minimum(images, 4), np.minimum(blocks.breaks, 4), hidden, size.is_p, size.is_heading,
        *(letters.first == column for column in _FIRST), *(letters.last == column for column in _LAST),
        words <= 1, words > 10, words > 25, size.linked >= chars * 0.9,
    ]  # fmt: skip


_SHARES = (
    UPPER, DIGIT, STOP, COMMA, COLON, QUOTE, BRACKET, BAR, DASH, SIGN,
    MONEY, DENSE,
)  # fmt: skip
_FIRST = (LOWER, UPPER, DIGIT, QUOTE, BAR, BRACKET, SIGN)
_LAST = (LOWER, DIGIT, STOP, COLON, QUOTE, BRACKET, COMMA, BAR)


def _place_columns(size: _Sizes, overlap: Floats) -> list[Floats]:
    """Describe where each block stands on the page, and how far from the line that repeats the title."""
    n = len(overlap)
    order = np.arange(n, dtype=np.float32)
    running = np.cumsum(size.chars, dtype=np.float64)
    likeness = overlap[:, 0] * overlap[:, 1] + 0.3 * size.is_heading * overlap[:, 0]
    anchored = bool(overlap[:, 0].any())
    distance = order - float(np.argmax(likeness)) if anchored else np.zeros(n, dtype=np.float32)
    return [
        order / n, np.log1p(order) / 3, np.log1p(n - order) / 3,
        running / running[-1], (running - size.chars) / running[-1],
        np.sign(distance), np.clip(distance / 20, -3, 3), *overlap.T,
    ]  # fmt: skip


def _around_columns(boxes: _Boxes, box: Ints, inside: NDArray[np.float64]) -> Floats:
    """Describe the boxes around each block by what they hold; `inside` has the totals of each box."""
    chars, linked, prose, paragraphs, count = inside.T
    held = np.stack([
        np.log1p(chars) / 3, linked / np.maximum(chars, 1), np.log1p(prose), np.log1p(count) / 2,
        chars / max(chars[0], 1), prose / max(prose[0], 1), paragraphs / np.maximum(count, 1),
        np.log1p(boxes.siblings) / 2,
    ])  # fmt: skip
    levels = [held[:, box]]
    for _ in range(LEVELS - 1):
        box = boxes.parent[box]
        levels.append(held[:, box])
    return np.concatenate(levels).astype(np.float32)


def _thread_columns(size: _Sizes, boxes: _Boxes, box: Ints) -> list[Floats]:
    """Tell comments from the post above them, and the first article from those that follow it."""
    comment, article = boxes.comment[box], boxes.article[box]
    prose = max(float(size.prose.sum()), 1.0)
    other = float((size.prose * (1 - comment)).sum())
    same = np.zeros(len(box), dtype=np.float32)
    return [
        comment, np.maximum.accumulate(comment), np.cumsum(comment) / len(box), same + comment.mean(),
        same + other / prose, same + np.log1p(other) / 3, article > 0, article == 1, np.minimum(article, 5) / 5,
        same + np.log1p(article.max()) / 2,
    ]  # fmt: skip


def _kin_columns(size: _Sizes, number: Ints) -> list[NDArray[np.float64]]:
    """Describe the blocks that share a number, as a style or a tag path: how many, how long, how linked."""
    total, total_prose = max(float(size.chars.sum()), 1.0), max(float(size.prose.sum()), 1.0)
    parts = (None, size.chars, size.linked, size.prose)
    count, chars, linked, prose = (np.bincount(number, weights=part)[number] for part in parts)
    return [
        np.log1p(count) / 2, chars / total, linked / np.maximum(chars, 1), prose / total_prose,
        np.log1p(chars / count) / 3,
    ]  # fmt: skip


def _page_row(blocks: Blocks, head: HeadSummary, letters: Letters, size: _Sizes, overlap: Floats) -> list[float]:
    total = float(size.chars.sum())
    return [
        np.log1p(len(blocks)) / 4, np.log1p(total) / 6, float(size.linked.sum()) / total,
        np.log1p(size.prose.sum()) / 3,
        float(size.is_p.mean()), float(letters.counts[:, DENSE].sum()) / total,
        float(letters.counts[:, LETTER].sum()) / total, float(bool(head.description)), float(overlap[:, 1].max()),
        float((size.chars * size.is_p).sum()) / total, np.log1p(len(blocks.image_block)) / 3,
        np.log1p(len(blocks.box_tag)) / 5,
    ]  # fmt: skip


def describe(blocks: Blocks, head: HeadSummary, vocabulary: Vocabulary) -> Features:
    """Return the features of a page that has at least one block. Linear in blocks, boxes and characters."""
    n = len(blocks)
    letters = count_letters(blocks.text)
    size = _measure(blocks, letters)
    boxes = _describe_boxes(blocks, vocabulary)
    overlap, openings = _read_openings(blocks, head, vocabulary)
    box = np.array(blocks.box, dtype=np.intp)
    start, end = np.array(blocks.box_start, dtype=np.intp), np.array(blocks.box_end, dtype=np.intp)
    sums = np.zeros((n + 1, 5))
    np.cumsum(np.stack([size.chars, size.linked, size.prose, size.is_p, np.ones(n)], axis=1), axis=0, out=sums[1:])
    style = boxes.style[box]
    columns: list[NDArray[np.floating[Any]]] = [*_own_columns(blocks, letters, size), *_place_columns(size, overlap)]
    columns += [*_kin_columns(size, style), *_kin_columns(size, boxes.path[box])]
    columns += _thread_columns(size, boxes, box)
    around = _around_columns(boxes, box, sums[end] - sums[start])
    whole = _page_row(blocks, head, letters, size, overlap)
    numbers = np.empty(
        (len(columns) + len(around) + len(whole), n), dtype=np.float32
    )  # a row per feature: quicker to fill
    for number, column in enumerate(columns):
        numbers[number] = column
    numbers[len(columns) : len(columns) + len(around)] = around
    numbers[len(columns) + len(around) :] = np.array(whole, dtype=np.float32)[:, None]
    return Features(
        numbers=numbers.T,
        words=(size.words + letters.counts[:, DENSE] / 2).astype(np.float64),
        box=box,
        heading=np.maximum.accumulate(np.where(size.is_heading > 0, np.arange(n), 0)),
        cluster=np.unique(style, return_inverse=True)[1],
        comment=boxes.comment[box] > 0,
        box_parent=boxes.parent,
        box_depth=boxes.depth,
        box_start=start,
        box_end=end,
        names=boxes.names,
        leads=_read_leads(blocks, vocabulary),
        openings=openings,
        page_ids=[vocabulary.page[token] for token in head.tokens if token in vocabulary.page],
    )
