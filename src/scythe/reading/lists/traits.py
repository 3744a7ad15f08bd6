"""Measure the text leaves and elements of a page, as running sums that answer for any range."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scythe.package_files import packaged_words
from scythe.page.elements import Elements
from scythe.reading.lists.candidates import Candidate, PageCandidates
from scythe.reading.lists.role_words import roles, roles_of
from scythe.reading.lists.similar_elements import Spans

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MEASURED = (
    60_000  # records of all candidates of a page: bounds time and memory; the largest page of our sets has 16 000
)
_LANES = 8  # flags are counted by so many at once


@dataclass(frozen=True, slots=True)
class Ranges:
    """The records of all candidates, one after the other."""

    start: Ints  # per candidate: number of its first record
    count: Ints  # per candidate: how many records are measured
    records: Ints  # per candidate: how many there are
    holder: Ints  # per candidate: row
    owner: Ints  # per record: number of its candidate
    row: Ints  # per record: first row
    row_end: Ints
    leaf: Ints  # per record: first leaf
    leaf_end: Ints

    def total(self, values: Floats) -> Floats:
        """Add up what was measured per record."""
        sums: Floats = np.add.reduceat(values, self.start, axis=0)
        return sums

    def counts(self, flags: NDArray[np.bool_]) -> NDArray[np.unsignedinteger]:
        """Count per candidate the records that have each flag; there must be as many flags as `fill_words` says."""
        # several counts share a 64-bit word, which is fast; a candidate has fewer records than a lane can count
        lane = np.uint8 if self.count.max() < 1 << 8 else np.uint16
        words = flags.view(np.uint8).astype(lane, copy=False).view(np.uint64)
        return np.add.reduceat(words, self.start, axis=0).view(lane)


def fill_words(flags: int) -> int:
    """Return how many flags to make of so many, for them to be counted together."""
    return -(-flags // _LANES) * _LANES


def ranges_of(candidates: Sequence[Candidate]) -> Ranges:
    """Return the records of all candidates, at least one; of very many every n-th of each is measured."""
    page = PageCandidates.of(candidates)
    starts, count, columns = page.starts, page.counts, page.records
    if len(columns.row_start) > MEASURED:
        step = -(-count // max(MEASURED // len(count), 1))
        count = -(-count // step)
        starts = np.cumsum(count) - count
        nth = np.arange(count.sum()) - starts.repeat(count)
        columns = Spans(*(column[page.starts.repeat(count) + nth * step.repeat(count)] for column in columns))
    return Ranges(starts, count, page.counts, page.holders, np.arange(len(count)).repeat(count), *columns)


TEXT_TRAITS = ("chars", "words", "digit", "date", "price", "sentence", "quantity", "measure", "colon", "comma")

_DATE = re.compile(r"\d(?:[./-]\d{1,2}[./-]\d|:\d\d|[年月日時])|\b(?:19|20)\d\d\b")
_CURRENCY = re.compile("[€$£¥₹₽₺₴₩฿₫]")
_READ_CHARS = 100  # a date or a price stands near the beginning, or the text is running text
_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "»", "[…]")
_AMOUNT = re.compile("[克勺匙杯升颗顆]")  # written without spaces
_LONG_WORD = 12  # characters
_PRICE_WORDS, _DATED_WORDS, _AMOUNT_WORDS, _SENTENCE_WORDS = 12, 20, 30, 5
_COMMAS = 10  # counted at most
_SHORT_AMOUNT = 30  # characters
_BEGINNING = itemgetter(slice(3))  # of the name of a month
_SHORT = 60  # characters: longer texts seldom come twice
_DIGITS = frozenset("0123456789½¼¾⅓⅔⅛⅜⅝⅞")
_DIGIT = re.compile(f"[{''.join(sorted(_DIGITS))}]")
# what is read of a text, in the bits of one number: flags in the order of TEXT_TRAITS, commas, words, characters
_HAS_DIGIT, _HAS_DATE, _HAS_PRICE, _IS_SENTENCE, _IS_QUANTITY, _HAS_MEASURE, _HAS_COLON = (1 << bit for bit in range(7))
_COMMAS_SHIFT, _WORDS_SHIFT, _SIZE_SHIFT = 7, 11, 37
_LARGEST = (1 << 26) - 1  # sixty million characters: of one text no more are read


class Signs(NamedTuple):
    """Words that tell what a text is."""

    months: frozenset[str]  # three letters
    times: frozenset[str]
    currencies: frozenset[str]
    measures: frozenset[str]


@lru_cache(maxsize=1)
def _signs() -> Signs:
    found = packaged_words("scythe.reading.lists", "tables/signs.txt")
    ends = ("", ".", ",")  # texts are cut at spaces
    signs = {kind: frozenset(word + end for word in words for end in ends) for kind, words in found.items()}
    return Signs(**signs)


def read_texts(texts: Sequence[str]) -> Floats:
    """Return one row per text, a number for each of TEXT_TRAITS: lengths, then whether it has or looks like something.

    Commas are counted up to ten.
    """
    packed = np.fromiter(map(_read, texts), dtype=np.int64, count=len(texts))
    read = np.empty((len(packed), len(TEXT_TRAITS)))
    read[:, 0] = packed >> _SIZE_SHIFT
    read[:, 1] = packed >> _WORDS_SHIFT & _LARGEST
    read[:, -1] = packed >> _COMMAS_SHIFT & 15
    read[:, 2:-1] = packed[:, None] >> np.arange(_COMMAS_SHIFT) & 1
    return read


def _read(text: str) -> int:
    return _read_short(text) if len(text) <= _SHORT else _pack(text)


def _pack(text: str) -> int:
    """Read one text; one number holds all that is read, so that few numbers go from Python to numpy."""
    text = text[:_LARGEST]
    size, words = len(text), text.count(" ") + 1
    if size > _LONG_WORD * words and not text.isascii():  # a script without spaces
        words = size // 2
    start = text[:_READ_CHARS]
    parts = start.lower().split() if words <= _AMOUNT_WORDS else []
    found = _read_digits(start, words, parts) if _DIGIT.search(start) else 0
    spaceless = size <= _SHORT_AMOUNT and not text.isascii() and _AMOUNT.search(text)
    if spaceless or not _signs().measures.isdisjoint(parts):
        found |= _HAS_MEASURE
    if words >= _SENTENCE_WORDS and text.endswith(_ENDS):
        found |= _IS_SENTENCE
    if text[-1] == ":":
        found |= _HAS_COLON
    if "," in text:
        found |= min(text.count(","), _COMMAS) << _COMMAS_SHIFT
    return size << _SIZE_SHIFT | words << _WORDS_SHIFT | found


def _read_digits(start: str, words: int, parts: list[str]) -> int:
    """Say what the digits of a text mean."""
    found = _HAS_DIGIT | _IS_QUANTITY if start[0] in _DIGITS else _HAS_DIGIT
    if words > _DATED_WORDS:
        return found
    signs = _signs()
    if not signs.times.isdisjoint(parts) or _DATE.search(start) or not signs.months.isdisjoint(map(_BEGINNING, parts)):
        found |= _HAS_DATE
    if words <= _PRICE_WORDS and (_CURRENCY.search(start) or not signs.currencies.isdisjoint(parts)):
        found |= _HAS_PRICE
    return found


_read_short = lru_cache(maxsize=2_048)(_pack)  # pages of a site share most of their short texts

Hashes = NDArray[np.uint64]
Counts = NDArray[np.uint16] | NDArray[np.uint32]
T = TypeVar("T", bound=Hashable)

LEAF_TRAITS = (*TEXT_TRAITS, "one", "link", "heading", "hidden", "bold", "short", "long", "repeated", "score")
TAG_TRAITS = {
    "a": ("a",),
    "img": ("img", "amp-img", "picture", "figure"),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "p": ("p",),
    "li": ("li",),
    "cell": ("tr", "td", "th"),
    "time": ("time",),
    "button": ("button", "form", "label"),
    "inline": ("span", "b", "strong", "em", "i", "small"),
    "div": ("div", "section", "article"),
}
ABOVE_TAGS = ("nav", "header", "footer", "aside", "main", "article", "form", "table", "ul", "li", "p")
_LINK, _HEADING, _HIDDEN, _BOLD = (1 << bit for bit in range(4))
_TAG_SHIFT, _ROLE_SHIFT = 4, 4 + len(ABOVE_TAGS)


_MARKS = dict.fromkeys(TAG_TRAITS["heading"], _HEADING) | dict.fromkeys(("b", "strong"), _BOLD)
for _bit, _tag in enumerate(ABOVE_TAGS, _TAG_SHIFT):
    _MARKS[_tag] = _MARKS.get(_tag, 0) | 1 << _bit
_KINDS = {tag: column for column, tags in enumerate(TAG_TRAITS.values()) for tag in tags}
_ODD = 0x27D4EB2F165667C5  # spreads small numbers
_SCORE = LEAF_TRAITS.index("score")


@dataclass(frozen=True, slots=True)
class Traits:
    """Running sums over leaves and rows of one page: what lies in a range is a difference of two rows."""

    leaves: Floats  # one row more than leaves, one column per LEAF_TRAITS and zeros
    tags: Counts  # one row more than elements, one column per TAG_TRAITS and zeros
    roles: Counts  # one row more than elements, one column per role and zeros
    text_hash: Hashes  # of the texts of leaves
    tag_hash: Hashes  # of the tags of elements
    class_hash: Hashes  # of tags and classes of elements
    leaf_text: Ints  # which text a leaf holds: equal texts have equal numbers
    parent: Ints  # per row; the root is its own
    tag: Ints  # per row: where its tag stands in `tag_names`
    tag_names: list[str]
    own_roles: Ints  # bits, per row
    above_roles: Ints  # bits of the row and everything above it
    above_tags: Ints  # bits of ABOVE_TAGS, of the row and everything above it
    links: Ints  # how many links there are before a row, one row more than elements
    link_target: Ints  # marks of the addresses links lead to, and one more of none: equal addresses have equal marks
    heading_leaves: Ints  # leaves inside headings, ascending
    heading_roles: Ints  # what the words of those headings say, as bits


def measure(elements: Elements, scores: Floats | None = None) -> Traits:
    """Measure a page; `scores` says of each leaf how likely it is main text, where that is known."""
    parent = np.array(elements.parent, dtype=np.int64)
    parent[0] = 0
    tag, tags = _number(elements.tag)
    link_rows = np.fromiter(elements.href, dtype=np.int64, count=len(elements.href))
    means = {names: roles_of(names) for names in set(elements.names)}
    own = np.fromiter(map(means.__getitem__, elements.names), dtype=np.int64, count=len(elements))
    said = own << _ROLE_SHIFT
    said[:2] = 0  # classes of html and body name everything on the site
    if len(elements) > 2 and "body" in elements.tag[2:4]:
        said[elements.tag.index("body")] = 0
    said |= np.array([_MARKS.get(one, 0) for one in tags], dtype=np.int64)[tag]
    said |= np.frombuffer(bytes(elements.hidden), dtype=np.uint8) * np.int64(_HIDDEN)
    said[link_rows] |= _LINK
    above = _gather_above(said, parent)
    leaf_text, texts = _number(elements.text)
    leaves = _leaf_traits(elements, texts, leaf_text, above)
    if scores is not None and len(scores) == len(leaf_text):
        np.multiply(scores, leaves[1:, 0], out=leaves[1:, _SCORE])
    heading_leaves = np.flatnonzero(leaves[1:, LEAF_TRAITS.index("heading")] > 0)
    return Traits(
        leaves=np.cumsum(leaves, axis=0, out=leaves),
        tags=_running(_tag_flags(tags)[tag]),
        roles=_running(bits_of(own, fill_words(len(roles())))),
        text_hash=_running_hash(leaf_text),
        tag_hash=_running_hash(tag),
        class_hash=_running_hash(tag * _ODD + _mark(elements.classes)),
        leaf_text=leaf_text,
        parent=parent,
        tag=tag,
        tag_names=tags,
        own_roles=own,
        above_roles=above >> _ROLE_SHIFT,
        above_tags=above >> _TAG_SHIFT & (1 << len(ABOVE_TAGS)) - 1,
        links=np.cumsum(np.bincount(link_rows + 1, minlength=len(elements) + 1)),
        link_target=np.append(_mark(elements.href.values()), 0),
        heading_leaves=heading_leaves,
        heading_roles=np.array([roles_of(elements.text[leaf]) for leaf in heading_leaves.tolist()], dtype=np.int64),
    )


def _gather_above(said: Ints, parent: Ints) -> Ints:
    """Return the bits of each row and everything above it: every step doubles how far up a row has looked."""
    up, above = parent, said.copy()
    above |= said[0]
    while up.any():
        above |= above[up]
        up = up[up]
    return above


def _leaf_traits(elements: Elements, distinct: list[str], leaf_text: Ints, above: Ints) -> Floats:
    """Return one row of numbers per leaf after a row of zeros; equal texts are read once."""
    leaves = np.zeros((len(leaf_text) + 1, fill_words(len(LEAF_TRAITS))))
    read = leaves[1:]
    read[:, : len(TEXT_TRAITS)] = read_texts(distinct)[leaf_text]
    rest = read[:, len(TEXT_TRAITS) :]
    chars, words = read[:, 0], read[:, 1]
    marks = above[np.array(elements.leaf_row, dtype=np.int64)]
    rest[:, 0] = 1.0
    np.multiply(chars[:, None], marks[:, None] >> np.arange(_TAG_SHIFT) & 1, out=rest[:, 1:5])
    rest[:, 5] = words <= 3
    rest[:, 6] = words >= 12
    rest[:, 7] = np.bincount(leaf_text, minlength=len(distinct))[leaf_text] > 1
    return leaves


def _number(values: Collection[T]) -> tuple[Ints, list[T]]:
    """Give equal values equal numbers, from 0 in order of first use; return the numbers and the distinct values."""
    known = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.fromiter(map(known.__getitem__, values), dtype=np.int64, count=len(values)), list(known)


def _mark(values: Collection[str]) -> Ints:
    """Return numbers that are the same for the same values, but others in each process."""
    return np.fromiter(map(hash, values), dtype=np.int64, count=len(values))


def bits_of(flags: Ints, count: int) -> NDArray[np.bool_]:
    """Return one column per bit, lowest first."""
    octets = flags.astype("<i8", copy=False).view(np.uint8).reshape(-1, 8)
    return np.unpackbits(octets, axis=1, count=count, bitorder="little").view(np.bool_)


def _tag_flags(tags: list[str]) -> NDArray[np.bool_]:
    """Return one row of flags per tag."""
    codes = np.array([_KINDS.get(tag, -1) for tag in tags], dtype=np.int64)
    found: NDArray[np.bool_] = codes[:, None] == np.arange(fill_words(len(TAG_TRAITS)))
    return found


def _running(flags: NDArray[np.bool_]) -> Counts:
    """Return running sums of the columns; several sums share a 64-bit word, which none of them outgrows."""
    lane = np.uint16 if len(flags) < 1 << 16 else np.uint32
    sums = np.zeros((len(flags) + 1, flags.shape[1]), dtype=lane)
    sums[1:] = flags
    words = sums.view(np.uint64)
    np.cumsum(words, axis=0, out=words)
    return sums


def _running_hash(numbers: Ints) -> Hashes:
    """Return running sums of scattered numbers: ranges with the same members have the same difference."""
    sums = np.zeros(len(numbers) + 1, dtype=np.uint64)
    mixed = sums[1:]
    np.multiply(numbers.view(np.uint64) + np.uint64(1), np.uint64(0x9E3779B97F4A7C15), out=mixed)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return np.cumsum(sums, out=sums)
