"""Compute the features by which list candidates are ranked.

Leaves and elements of the page are measured as running sums that answer for any range. Records are such ranges, so
their contents are differences, computed for all candidates at once. Candidates are also compared with each other: most
are parts or unions of others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scythe.extension import native
from scythe.package_files import packaged_words
from scythe.page.elements import Elements
from scythe.reading.lists.candidates import Candidate, PageCandidates, Spans
from scythe.reading.lists.role_words import roles, roles_of

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


RIVALS = 64  # the candidates with the most text, with which all are compared: bounds time and memory
CELLS = 6_000_000  # leaves times rivals, and records times rivals, at most
_MOST = 0.8  # share of records from which a relation counts
_NEARLY = 0.88  # share of records that have a field
_LESS, _HALF = 0.98, 0.5  # share of the text: less than all, and not so little that the rest is something else


Numbers = NDArray[np.unsignedinteger[Any]]


class Pairs(NamedTuple):
    """Pairs of candidates: `whole[i]` has all of `part[i]`, and more."""

    part: Ints
    whole: Ints


class _Relations(NamedTuple):
    """Pairs of a rival and a candidate most of whose records lie each in one record of the rival."""

    rival: Ints  # 0 is the rival with the most text
    other: Ints  # number of the candidate
    share: Floats  # of the records of the candidate
    distinct: Floats  # records of the rival that have them
    ratio: Floats  # text of the candidate against that of the rival
    times: Floats  # records, likewise
    smaller: NDArray[np.bool_]  # the candidate has clearly less text


def compare(at: Ranges, chars: Floats, leaves: int) -> tuple[dict[str, NDArray[np.generic]], Pairs]:
    """Return what the relations to the largest rivals say, and which candidates are a field of the records of another.

    `chars` is the text of each candidate.
    """
    count = at.count.astype(np.float64)
    size = min(RIVALS, max(CELLS // max(leaves, len(at.owner)), 1), len(count))
    rivals = np.argsort(-chars, kind="stable")[:size]
    smaller = chars < 0.97 * chars[rivals, None]
    first, last = at.leaf[at.start], at.leaf_end[at.start + at.count - 1]
    spans = (first >= first[rivals, None]) & (last <= last[rivals, None]) & smaller
    related = _relate(at, rivals, leaves, chars, smaller)
    said, inside = _describe_relations(related, count, size)
    said["spans around"] = spans.sum(axis=0)
    inside = {"spans inside": spans.sum(axis=1)} | inside | {"a rival": np.ones(size)}
    for name, values in inside.items():
        column = np.zeros(len(count))
        column[rivals] = values
        said[name] = column
    own = count[related.other]
    alone = (related.share >= _NEARLY) & (related.distinct >= _NEARLY * own) & (own >= 3) & (related.times <= 1.0)
    alone &= (related.times >= _NEARLY) & (related.ratio <= _LESS) & (related.ratio >= _HALF)
    return said, Pairs(related.other[alone], rivals[related.rival[alone]])


def _relate(at: Ranges, rivals: Ints, leaves: int, chars: Floats, smaller: NDArray[np.bool_]) -> _Relations:
    """Return which candidates lie in rivals: few of all pairs, so that whatever is said of them is cheap."""
    within, distinct = _containment(at, rivals, leaves)
    share = within / at.count[:, None]
    at_most = np.flatnonzero(share >= _MOST)
    other, rival = np.divmod(at_most, share.shape[1])
    whole = rivals[rival]
    ratio = chars[other] / np.maximum(chars[whole], 1.0)
    times = at.count[other] / at.count[whole]
    found = distinct.ravel()[at_most].astype(np.float64)
    return _Relations(rival, other, share.ravel()[at_most], found, ratio, times, smaller[rival, other])


def _describe_relations(
    related: _Relations, count: Floats, rivals: int
) -> tuple[dict[str, NDArray[np.generic]], dict[str, NDArray[np.generic]]]:
    """Return what candidates are to rivals, and what rivals are to candidates."""
    rival, other, _, distinct, ratio, times, smaller = related
    own = count[other]
    column = np.flatnonzero((distinct >= _MOST * own) & smaller & (own >= 3))
    finer = np.flatnonzero((distinct <= 0.7 * own) & (distinct >= 2))
    nested = np.flatnonzero((distinct == 1) & smaller)
    full = column[times[column] >= _MOST]
    rows = finer[ratio[finer] >= _MOST]
    said: dict[str, NDArray[np.generic]] = {}
    for name, kept in (("column of", column), ("full column of", full), ("nested in", nested)):
        said[name] = np.bincount(other[kept], minlength=len(count))
        said[f"{name} share"] = least = np.ones(len(count))
        np.minimum.at(least, other[kept], ratio[kept])
    inside: dict[str, NDArray[np.generic]] = {}
    for name, kept in (("columns", column), ("full columns", full), ("lists inside", nested), ("finer ones", finer)):
        inside[name] = np.bincount(rival[kept], minlength=rivals)
    inside["full columns share"] = _most(rival[full], ratio[full], np.zeros(rivals))
    inside["lists inside share"] = _most(rival[nested], ratio[nested], np.zeros(rivals))
    said["finer than"] = np.bincount(other[finer], minlength=len(count))
    said["finer than share"] = _most(other[finer], ratio[finer], np.zeros(len(count)))
    said["cells of"] = np.bincount(other[rows], minlength=len(count))
    said["cells of times"] = _most(other[rows], times[rows], np.ones(len(count)))
    inside["cells"] = np.bincount(rival[rows], minlength=rivals)
    inside["cells times"] = _most(rival[rows], times[rows], np.ones(rivals))
    return said, inside


def _most(where: Ints, values: Floats, known: Floats) -> Floats:
    np.maximum.at(known, where, values)
    return known


def _containment(at: Ranges, rivals: Ints, leaves: int) -> tuple[Numbers, Numbers]:
    """Return per candidate and rival: how many of its records lie in one record of the rival, and in how many."""
    record = _record_of_leaf(at, rivals, leaves)  # leaves first: the rivals of a leaf lie side by side in memory
    first = record.take(np.minimum(at.leaf, leaves - 1), axis=0)
    last = record.take(np.clip(at.leaf_end - 1, 0, leaves - 1), axis=0)
    inside = first == last
    inside &= first > 0
    fresh = np.ones_like(inside)
    np.not_equal(first[1:], first[:-1], out=fresh[1:])
    fresh[at.start] = True
    fresh &= inside
    return at.counts(inside), at.counts(fresh)


def _record_of_leaf(at: Ranges, rivals: Ints, leaves: int) -> Numbers:
    """Return per leaf and rival the number of the record the leaf is in, from 1; 0 where it is in none.

    There are columns of zeros after those of the rivals.
    """
    number = np.full(len(at.count), -1)
    number[rivals] = np.arange(len(rivals))
    of = number[at.owner]
    kept = np.flatnonzero(of >= 0)
    of, start, end = of[kept], at.leaf[kept], at.leaf_end[kept]
    # running sums of several rivals share a 64-bit word, which none of them outgrows
    lane, lanes = (np.uint16, 4) if len(kept) < 1 << 16 else (np.uint32, 2)
    width = fill_words(len(rivals)) // lanes
    change = np.zeros((leaves + 1, width), dtype=np.uint64)
    order = np.arange(1, len(kept) + 1, dtype=np.uint64) << (of % lanes * (64 // lanes)).view(np.uint64)
    flat, of = change.reshape(-1), of // lanes
    np.add.at(flat, start * width + of, order)
    np.subtract.at(flat, end * width + of, order)
    return np.cumsum(change, axis=0, out=change)[:leaves].view(lane)


def describe_parts(pairs: Pairs, at: Ranges, chars: Floats, uniform: Floats) -> dict[str, Floats]:
    """Return how a candidate stands to those it is part of; `uniform` says how alike the records of each are."""
    part, whole = pairs
    count = at.records.astype(np.float64)
    times, share = count[whole] / count[part], chars[part] / np.maximum(chars[whole], 1.0)
    nobody = np.zeros(len(count))
    said = {name: nobody.copy() for name in ("part of", "part of times", "part of uniform", "parts", "parts share")}
    said |= {name: np.ones(len(count)) for name in ("part of share", "part of next")}
    np.add.at(said["part of"], part, 1.0)
    np.maximum.at(said["part of times"], part, times)
    np.maximum.at(said["part of uniform"], part, uniform[whole])
    np.minimum.at(said["part of share"], part, share)
    said["part of next"][part] = 0.0
    np.maximum.at(said["part of next"], part, 1.0 / times)
    np.add.at(said["parts"], whole, 1.0)
    np.maximum.at(said["parts share"], whole, 1.0 / times)
    return said


def find_parts(at: Ranges, leaves: int) -> Pairs:
    """Return which candidates are part of others: having the first, middle and last record counts as having all."""
    size = len(at.count)
    record = (at.leaf * (leaves + 1) + at.leaf_end) * size  # a page has too few leaves for this to overflow
    having = np.sort(record + at.owner, kind="stable")  # all (record, candidate); much is sorted already
    start = record[at.start]
    begin = np.searchsorted(having, start)
    sharing = np.searchsorted(having, start + size) - begin
    part = np.repeat(np.arange(size), sharing)
    offset = np.arange(len(part)) - np.repeat(np.cumsum(sharing) - sharing, sharing)
    whole = having[np.repeat(begin, sharing) + offset] % size
    kept = at.records[whole] > at.records[part]
    part, whole = part[kept], whole[kept]
    for probe in (at.start + at.count - 1, at.start + at.count // 2):
        wanted = record[probe[part]] + whole
        found = np.searchsorted(having, wanted)
        kept = having[np.minimum(found, len(having) - 1)] == wanted
        part, whole = part[kept], whole[kept]
    return Pairs(part, whole)


RECORD_TAGS, HOLDER_TAGS = (
    {tag: number for number, tag in enumerate(tags.split())}
    for tags in (
        "li tr div article a p dt td section span h1 h2 h3 h4 dl table ul",
        "ul ol tbody table dl div section main article body p form",
    )
)
SAID = frozenset("related comment tags category share ingredient step nutrition note recipe article product".split())
SHARES = ("link", "heading", "hidden", "bold", "score")
MARKS = ("digit", "date", "price", "sentence", "short", "long", "quantity", "measure", "repeated", "colon")

_FEATURE_NAMES_SIZES = ("chars", "leaves", "words")
_SPREADS = ("spread", "least", "most")
_TEXTS = "records|chars|chars share|chars total|leaves|leaves share|leaf chars|comma".split("|")
_FEATURE_NAMES_LINKED = "linked records|unlinked records|headed records|score of page|score against page".split("|")
_PLACE = (
    "first leaf|last leaf|chars before|chars after|gaps|held|holder share|holder depth|record depth|parents|contiguous"
    "|heading distance"
).split("|")
_LIKE = ("tags", "classes", "texts", "first texts", "heads")
_SIZE = "rivals|size rank|of largest|of most records".split("|")
_RIVALRY = (
    "column of|column of share|full column of|full column of share|finer than|finer than share|cells of|cells of times"
    "|nested in|nested in share|spans around|spans inside|columns|full columns|full columns share|lists inside"
    "|lists inside share|finer ones|cells|cells times|a rival"
).split("|")
_PARTS = "part of|part of times|part of uniform|parts|parts share|part of share|part of next".split("|")


@lru_cache(maxsize=1)
def feature_names() -> tuple[str, ...]:
    """Return the names of all columns."""
    named = roles()
    names = [*_TEXTS, *(f"{size} {spread}" for spread in _SPREADS for size in _FEATURE_NAMES_SIZES)]
    names += [f"{name} share" for name in SHARES]
    names += [f"{name} leaves" for name in MARKS] + [f"{name} records" for name in MARKS]
    names += [*_FEATURE_NAMES_LINKED, *_PLACE, *(f"heading says {role}" for role in named if role in SAID)]
    names += [f"{name} each" for name in TAG_TRAITS] + [f"{name} records" for name in TAG_TRAITS]
    names += ["tags apart", "rows", *(f"rows {spread}" for spread in _SPREADS), "targets"]
    names += [f"{place} {role}" for place in ("records are", "records have", "holder is", "above is") for role in named]
    names += ["furniture above", "furniture near", *(f"inside {tag}" for tag in ABOVE_TAGS)]
    names += [f"record tag {tag}" for tag in RECORD_TAGS] + [f"holder tag {tag}" for tag in HOLDER_TAGS]
    names += [f"{name} {what}" for name in _LIKE for what in ("kinds", "usual")]
    return (*names, *_SIZE, *_RIVALRY, *_PARTS)


@lru_cache(maxsize=1)
def feature_columns() -> dict[str, int]:
    """Return at which column each name stands."""
    return {name: column for column, name in enumerate(feature_names())}


_NEAR = 6  # leaves: a heading this close above a list speaks about it
_FAR = 50
_FURNITURE = frozenset(
    "menu breadcrumb pager tags share footer header side related advert filter form language brand toc tool".split()
)
_COUNTED = {name: column for column, name in enumerate(LEAF_TRAITS)}
_SHARE_COLUMNS, _MARK_COLUMNS = ([_COUNTED[name] for name in names] for names in (SHARES, MARKS))
_SIZES = [_COUNTED[name] for name in ("chars", "one", "words")]  # how evenly they are spread over records tells
_LINKED, _UNLINKED, _NEW_PARENT, _NEXT = range(4)  # flags of records that are no sums


class Described(NamedTuple):
    """The candidates of a page in numbers."""

    names: tuple[str, ...]  # of the columns
    rows: Floats  # one per candidate
    parts: Pairs  # which candidates have all records of another, and more
    fields: Pairs  # which candidates have in each record one of another, and more

    def column(self, name: str) -> Floats:
        """Return one number per candidate."""
        return self.rows[:, feature_columns()[name]]


class FeatureTable:
    """The rows of a page while they are filled, by names of columns."""

    def __init__(self, candidates: int) -> None:
        self.rows = np.empty((candidates, len(feature_names())))
        self._at = feature_columns()

    def __setitem__(self, name: str, values: NDArray[np.generic]) -> None:
        self.rows[:, self._at[name]] = values

    def __getitem__(self, name: str) -> Floats:
        return self.rows[:, self._at[name]]

    def put(self, first: str, block: NDArray[np.generic]) -> None:
        """Fill several columns that stand side by side."""
        start = self._at[first]
        self.rows[:, start : start + block.shape[1]] = block


class Measured(NamedTuple):
    """What the records of each candidate amount to; columns as those of `Traits`."""

    at: Ranges
    leaves: Floats  # sums over records
    tags: Floats | Counts
    apart: Floats  # how far the tags of records are from their mean, all together
    with_leaves: Floats  # shares of records that have any
    with_tags: Floats
    with_roles: Floats
    with_own: Floats  # shares of records whose first row has the role
    flags: Floats  # shares of records
    sizes: Floats  # per candidate: spread, least and most, against the mean, of each of _SIZES and rows


def describe(elements: Elements, traits: Traits, candidates: Sequence[Candidate]) -> Described:
    """Measure the candidates, of which there must be one."""
    at, table = ranges_of(candidates), FeatureTable(len(candidates))
    measured = _measure(at, traits)
    _describe_texts(table, measured, traits)
    _describe_place(table, measured, traits, elements)
    _describe_marks(table, measured)
    _describe_roles(table, measured, traits)
    _describe_likeness(table, at, traits)
    chars, leaves = np.ascontiguousarray(table["chars total"]), len(traits.leaf_text)
    _describe_size(table, chars)
    parts = find_parts(at, leaves)
    rivalry, fields = compare(at, chars, leaves)
    for relations in (rivalry, describe_parts(parts, at, chars, table["heads usual"])):
        for name, values in relations.items():
            table[name] = values
    return Described(feature_names(), table.rows, parts, fields)


def _measure(at: Ranges, traits: Traits) -> Measured:
    """Measure all records, and what those of each candidate amount to."""
    return _measure_by_arrays(at, traits) if native is None else _measure_compiled(at, traits, native)


def _measure_compiled(at: Ranges, traits: Traits, module: ModuleType) -> Measured:
    records = (at.start, at.count, at.row, at.row_end, at.leaf, at.leaf_end)
    sums = (traits.leaves, traits.tags, traits.roles, traits.own_roles, traits.parent)
    columns = (_COUNTED["chars"], _COUNTED["link"], *_SIZES)
    told = np.frombuffer(module.measure_records(*records, *sums, columns))
    leaves, tags, roles_ = traits.leaves.shape[1], traits.tags.shape[1], traits.roles.shape[1]
    widths = np.array([leaves, tags, 1, leaves, tags, roles_, roles_, 4, 12])
    parts = [part.reshape(len(at.count), -1) for part in np.split(told, (np.cumsum(widths) * len(at.count))[:-1])]
    all_leaves, all_tags, apart, with_leaves, with_tags, with_roles, with_own, flags, sizes = parts
    shares = (with_leaves, with_tags, with_roles, with_own, flags)
    return Measured(at, all_leaves, all_tags, apart.ravel(), *shares, sizes.reshape(-1, 3, 4))


def _measure_by_arrays(at: Ranges, traits: Traits) -> Measured:
    leaves, tags = traits.leaves.take(at.leaf_end, axis=0), traits.tags.take(at.row_end, axis=0)
    leaves -= traits.leaves.take(at.leaf, axis=0)
    tags -= traits.tags.take(at.row, axis=0)
    row = np.minimum(at.row, len(traits.parent) - 1)
    with_roles = traits.roles.take(at.row_end, axis=0) != traits.roles.take(np.minimum(at.row + 1, at.row_end), axis=0)
    count, all_tags = at.count[:, None], np.add.reduceat(tags.view(np.uint64), at.start, axis=0).view(tags.dtype)
    away = (all_tags / count).take(at.owner, axis=0)
    away -= tags
    np.abs(away, out=away)
    return Measured(
        at,
        at.total(leaves[:, : len(LEAF_TRAITS)]),
        all_tags,
        np.add.reduceat(away.ravel(), at.start * away.shape[1]),
        at.counts(leaves > 0.0) / count,
        at.counts(tags > 0) / count,
        at.counts(with_roles) / count,
        at.counts(bits_of(traits.own_roles[row], with_roles.shape[1])) / count,
        at.counts(_flag(at, leaves, traits.parent[row])) / count,
        _spread(at, np.concatenate((leaves[:, _SIZES], (at.row_end - at.row)[:, None]), axis=1)),
    )


def _flag(at: Ranges, leaves: Floats, parent: Ints) -> NDArray[np.bool_]:
    """Say per record whether it is a link, has none, has another parent than the one before, follows it at once."""
    flags, linked = np.zeros((len(at.owner), fill_words(4)), dtype=np.bool_), leaves[:, _COUNTED["link"]]
    np.greater(linked, 0.9 * leaves[:, _COUNTED["chars"]], out=flags[:, _LINKED])
    np.equal(linked, 0.0, out=flags[:, _UNLINKED])
    np.not_equal(parent[1:], parent[:-1], out=flags[1:, _NEW_PARENT])
    flags[at.start, _NEW_PARENT] = True
    np.equal(at.row_end[:-1], at.row[1:], out=flags[1:, _NEXT])
    return flags


def _spread(at: Ranges, sizes: Floats) -> Floats:
    """Return how unlike in size the records are: spread, smallest and largest against the mean."""
    mean = np.maximum(at.total(sizes) / at.count[:, None], 1e-9)
    spread = np.sqrt(np.maximum(at.total(sizes * sizes) / at.count[:, None] - mean * mean, 0.0))
    least, most = np.minimum.reduceat(sizes, at.start, axis=0), np.maximum.reduceat(sizes, at.start, axis=0)
    return np.stack((spread, least, most), axis=1) / mean[:, None]


def _share(part: Floats, whole: Floats) -> Floats:
    return part / np.maximum(whole, 1.0)


def _describe_texts(table: FeatureTable, measured: Measured, traits: Traits) -> None:
    """Say how much text there is and of which kind."""
    at, page = measured.at, traits.leaves[-1]
    sums = measured.leaves * (at.records / at.count)[:, None]  # of all records, where only some are measured
    chars, leaves, score = (sums[:, _COUNTED[name]] for name in ("chars", "one", "score"))
    table["records"] = at.records
    table["chars"] = chars / at.records
    table["chars share"] = chars / max(page[_COUNTED["chars"]], 1.0)
    table["chars total"] = chars
    table["leaves"] = leaves / at.records
    table["leaves share"] = leaves / max(page[_COUNTED["one"]], 1.0)
    table["leaf chars"] = _share(chars, leaves)
    table["comma"] = sums[:, _COUNTED["comma"]] / at.records
    table.put(f"{SHARES[0]} share", sums.take(_SHARE_COLUMNS, axis=1) / np.maximum(chars, 1.0)[:, None])
    table.put(f"{MARKS[0]} leaves", sums.take(_MARK_COLUMNS, axis=1) / np.maximum(leaves, 1.0)[:, None])
    table.put(f"{MARKS[0]} records", measured.with_leaves.take(_MARK_COLUMNS, axis=1))
    table.put("linked records", measured.flags[:, _LINKED : _UNLINKED + 1])
    table["headed records"] = measured.with_leaves[:, _COUNTED["heading"]]
    table.put("chars spread", measured.sizes[:, :, :-1].reshape(len(chars), -1))
    table["score of page"] = score / max(page[_COUNTED["score"]], 1.0)
    table["score against page"] = score / np.maximum(chars, 1.0) - page[_COUNTED["score"]] / max(page[0], 1.0)


def _describe_place(table: FeatureTable, measured: Measured, traits: Traits, elements: Elements) -> None:
    """Say where on the page a list lies, and what is around and between its records."""
    at, sums = measured.at, traits.leaves[:, _COUNTED["chars"]]
    all_chars, all_leaves = max(sums[-1], 1.0), max(len(sums) - 1, 1)
    first, last = at.leaf[at.start], at.leaf_end[at.start + at.count - 1]
    holders, rows = at.holder.tolist(), np.minimum(at.row[at.start], len(elements) - 1).tolist()
    leaf, leaf_end, depth = (
        _pick(column, holders) for column in (elements.leaf_start, elements.leaf_end, elements.depth)
    )
    before, until, held = sums[first], sums[last], sums[leaf_end] - sums[leaf]
    table["first leaf"] = first / all_leaves
    table["last leaf"] = last / all_leaves
    table["chars before"] = before / all_chars
    table["chars after"] = 1.0 - until / all_chars
    table["gaps"] = 1.0 - _share(table["chars total"], until - before)
    table["held"] = _share(table["chars total"], held)
    table["holder share"] = held / all_chars
    table["holder depth"] = depth
    table["record depth"] = _pick(elements.depth, rows) - depth
    table.put("parents", measured.flags[:, _NEW_PARENT : _NEXT + 1])
    _describe_heading(table, first, traits)


def _pick(column: Sequence[int], rows: list[int]) -> Ints:
    return np.fromiter(map(column.__getitem__, rows), dtype=np.int64, count=len(rows))


def _describe_heading(table: FeatureTable, first: Ints, traits: Traits) -> None:
    """Say how far above the last heading is, and what it says."""
    bits = _bits(SAID)
    if not len(traits.heading_leaves):
        distance, said = np.full(len(first), _FAR), np.zeros(len(first), dtype=np.int64)
    else:
        before = np.searchsorted(traits.heading_leaves, first) - 1
        distance = first - traits.heading_leaves[np.maximum(before, 0)]
        distance = np.where(before >= 0, np.minimum(distance, _FAR), _FAR)
        said = np.where(distance <= _NEAR, traits.heading_roles[np.maximum(before, 0)], 0)
    table["heading distance"] = distance
    table.put(f"heading says {roles()[bits[0]]}", bits_of(said, len(roles())).take(bits, axis=1))


@lru_cache(maxsize=2)
def _bits(named: frozenset[str]) -> list[int]:
    return [bit for bit, role in enumerate(roles()) if role in named]


def _describe_marks(table: FeatureTable, measured: Measured) -> None:
    """Say which elements are inside."""
    at, tags = measured.at, measured.tags[:, : len(TAG_TRAITS)]
    table.put("a each", tags / at.count[:, None])
    table.put("a records", measured.with_tags[:, : len(TAG_TRAITS)])
    table["tags apart"] = _share(measured.apart, tags.sum(axis=1))
    table["rows"] = np.add.reduceat(at.row_end - at.row, at.start) / at.count
    table.put("rows spread", measured.sizes[:, :, -1])


def _describe_roles(table: FeatureTable, measured: Measured, traits: Traits) -> None:
    """Say what tags and names mean: of records, of what is inside them, of the holder and of everything above."""
    names, at, count = roles(), measured.at, len(roles())
    are, have = measured.with_own[:, :count], measured.with_roles[:, :count]
    holder, above = bits_of(traits.own_roles[at.holder], count), bits_of(traits.above_roles[at.holder], count)
    for place, block in (("records are", are), ("records have", have), ("holder is", holder), ("above is", above)):
        table.put(f"{place} {names[0]}", block)
    furniture = _bits(_FURNITURE)
    table["furniture above"] = above.take(furniture, axis=1).sum(axis=1)
    table["furniture near"] = are.take(furniture, axis=1).sum(axis=1) + holder.take(furniture, axis=1).sum(axis=1)
    table.put(f"inside {ABOVE_TAGS[0]}", bits_of(traits.above_tags[at.holder], len(ABOVE_TAGS)))
    row = np.minimum(at.row[at.start], len(traits.tag) - 1)
    for name, known, rows in (("record", RECORD_TAGS, row), ("holder", HOLDER_TAGS, at.holder)):
        flags = np.array([known.get(tag, -1) for tag in traits.tag_names])[:, None] == np.arange(len(known))
        table.put(f"{name} tag {next(iter(known))}", flags[traits.tag[rows]])


def _describe_likeness(table: FeatureTable, at: Ranges, traits: Traits) -> None:
    """Say how alike the records are in structure, and how different in text and in where their first links lead."""
    links, classes = traits.links[at.row], traits.class_hash[at.row]
    linked = links < traits.links[at.row_end]
    marks = np.empty((6, len(at.owner)), dtype=np.uint64)
    np.subtract(traits.tag_hash[at.row_end], traits.tag_hash[at.row], out=marks[0])
    np.subtract(traits.class_hash[at.row_end], classes, out=marks[1])
    np.subtract(traits.text_hash[at.leaf_end], traits.text_hash[at.leaf], out=marks[2])
    marks[3] = traits.leaf_text[np.minimum(at.leaf, len(traits.leaf_text) - 1)]
    np.subtract(traits.class_hash[np.minimum(at.row + 1, at.row_end)], classes, out=marks[4])
    marks[5] = np.where(linked, traits.link_target[links], 0).view(np.uint64)
    kinds, usual = _agree(at, marks)
    alike = np.stack((kinds[:5], usual[:5]), axis=2) / at.count[:, None]
    table.put("tags kinds", alike.transpose(1, 0, 2).reshape(len(at.count), -1))
    leading = np.add.reduceat(linked.astype(np.int64), at.start)
    table["targets"] = (kinds[5] - (leading < at.count)) / np.maximum(leading, 1)


def _agree(at: Ranges, marks: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Return per row of marks and candidate how many different ones there are, and how many records have the usual."""
    if native is not None:
        both = np.frombuffer(native.count_alike(at.start, at.count, marks), np.int64).reshape(2, len(marks), -1)
        return both[0], both[1]
    keys = np.sort(
        at.owner.astype(np.uint64) << _OWNER_SHIFT | (marks * _SPREAD) >> (_WHOLE - _OWNER_SHIFT), axis=1, kind="stable"
    )
    fresh = np.ones(keys.shape, dtype=np.bool_)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=fresh[:, 1:])
    first = np.flatnonzero(fresh)
    counts = np.diff(first, append=keys.size)
    starts = (np.arange(0, keys.size, len(at.owner))[:, None] + at.start).ravel()  # sorted, candidates stay in place
    place = np.searchsorted(first, starts)
    kinds, usual = np.diff(place, append=len(first)), np.maximum.reduceat(counts, place)
    return kinds.reshape(len(marks), -1), usual.reshape(len(marks), -1)


_WHOLE, _OWNER_SHIFT = np.uint64(64), np.uint64(48)  # keys sort by candidate, then by 48 bits of the mark
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def _describe_size(table: FeatureTable, total: Floats) -> None:
    """Say how a candidate compares in size with the others of the page."""
    count, order = table["records"], np.empty(len(total))
    order[np.argsort(-total, kind="stable")] = np.arange(len(total))
    table["rivals"] = np.full(len(total), len(total))
    table["size rank"] = order / len(total)
    table["of largest"] = total / max(total.max(), 1.0)
    table["of most records"] = count / count.max()
