"""Reduce tags and contexts to the literals that stay the same from page to page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from scythe.page.source import Source, tag_end
from scythe.site.follow.follow_fields import span_of
from scythe.site.learn.page_text import words_of
from scythe.site.rules import Way

DELIMITERS = b"\"'=/?&-_ >"
_NAME = re.compile(rb"<[A-Za-z][^\t\n\f\r />]*")
_ATTRIBUTE = re.compile(rb"""[\s/]+([^\s/>="']+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>"']*))?""")
_OPEN_VALUE = re.compile(rb"""[\s/]+[^\s/>="']+\s*=\s*(?:"[^"]+|'[^']+|[^\s>"']+)$""")
_VOLATILE = re.compile(rb"\d{3,}|[0-9a-fA-F]*\d[0-9a-fA-F]{7,}")
# attributes that say what an element is for keep their values; these say what it holds on this one page
_CONTENT = frozenset(b"href src srcset title alt content value action datetime for style".split())
_LABEL = re.compile(rb"\s*[A-Za-z\x80-\xff][^<>]*(?:</[^<>]*>|[:\s])")
_TAG_BYTES = 400  # of an opening tag; longer literals are no more telling


def common_prefix(literals: Sequence[bytes]) -> bytes:
    """Return what all literals begin with."""
    first, last = min(literals), max(literals)
    low, high = 0, min(len(first), len(last))
    while low < high:
        middle = (low + high + 1) // 2
        if first[:middle] == last[:middle]:
            low = middle
        else:
            high = middle - 1
    return first[:low]


def common_suffix(literals: Sequence[bytes]) -> bytes:
    """Return what all literals end with."""
    return common_prefix([literal[::-1] for literal in literals])[::-1]


def name_of(tag: bytes) -> bytes:
    """Return the `<name` that a tag begins with."""
    found = _NAME.match(tag)
    return found[0] if found else tag[:1]


def stable_prefix(tags: Sequence[bytes]) -> bytes:
    """Return the stable part of the same opening tag on several pages, cut back to a delimiter.

    Of a single tag the values that look like numbers or hashes are taken for volatile.
    """
    if len(tags) == 1:
        return steady_prefix(tags[0])
    prefix = common_prefix(tags)[:_TAG_BYTES]
    return prefix if all(tag == prefix for tag in tags) else _cut_back(prefix)


def steady_prefix(tag: bytes) -> bytes:
    """Return the part of one opening tag that other pages will probably share."""
    at = len(name_of(tag))
    while found := _ATTRIBUTE.match(tag, at):
        value = found[2] or b""
        key = found[1].lower()
        if key in _CONTENT or key.startswith((b"data-", b"on")):
            return tag[:at]
        volatile = _VOLATILE.search(value)
        if volatile:
            return _cut_back(tag[: found.start(2) + volatile.start()])
        at = found.end()
        if at > _TAG_BYTES:
            return _cut_back(tag[:_TAG_BYTES])
    return tag


def shorter_prefixes(tag: bytes) -> list[bytes]:
    """Return the prefixes of a tag literal that end with a whole attribute, longest first, `<name` last."""
    at = len(name_of(tag))
    ends = [at]
    while (found := _ATTRIBUTE.match(tag, at)) and found.end() < len(tag):
        at = found.end()
        if found[2] is None or found[2][:1] in (b'"', b"'") or tag[at : at + 1] not in (b'"', b"'"):
            ends.append(at)
    return [tag[:end] for end in reversed(ends)]


def whole_attributes(tag: bytes) -> bytes:
    """Return a tag literal without the value that it cuts short, if any."""
    return next((prefix for prefix in shorter_prefixes(tag + b" ") if not prefix.endswith(b"=")), name_of(tag))


def end_of_label(literal: bytes, start: int, *, guess: bool) -> bytes:
    """Return a literal up to the end of the words that begin at `start`, or nothing where none do.

    With `guess` only a text that ends with a colon counts: on one page alone any text may be the value.
    """
    if guess:
        literal = literal[: literal.find(b":", start) + 1]
    found = _LABEL.match(literal, start)
    return literal[: found.end()] if found else b""


def occurs_once(body: bytes, literal: bytes) -> bool:
    """Say whether a literal stands exactly once in a body."""
    at = body.find(literal)
    return at >= 0 and body.find(literal, at + 1) < 0


def _cut_back(prefix: bytes) -> bytes:
    """Cut a prefix that ends anywhere back to its last delimiter, and an attribute without a value off."""
    end = len(prefix)
    while end and prefix[end - 1] not in DELIMITERS:
        end -= 1
    whole = len(name_of(prefix))
    while found := _ATTRIBUTE.match(prefix, whole):
        quoted = found[2] is not None and found[2][:1] in (b'"', b"'")
        if found.end() > end or not (quoted or prefix[found.end() : found.end() + 1].isspace()):
            break
        whole = found.end()
    return prefix[:end] if _OPEN_VALUE.match(prefix[:end], whole) else prefix[:whole]


_OWN_TEXT = 60  # bytes behind the target's own tag that may be a label
_WORDS_ALONE = 3  # of a label that one page alone shows
_MARKUP = re.compile(rb"<[^<>]*>")
_SPOTS_VOLATILE = re.compile(rb"\d{4}")
_LETTERS = 6  # with the spaces around: of an example value from which a text that holds it is taken for volatile


class TagOnPage(NamedTuple):
    """A target on its page: which opening tag it is, and where what is taken there ends."""

    source: Source
    at: int  # index into source.openings
    end: int  # byte offset

    @property
    def offset(self) -> int:
        return self.source.offsets[self.at]

    @property
    def tag(self) -> bytes:
        return self.source.body[self.offset : tag_end(self.source.body, self.offset)]


@dataclass(frozen=True)
class PlaceOnPages:
    """The same place on several pages, and the texts of these pages that are known to vary."""

    spots: tuple[TagOnPage, ...]
    known: tuple[frozenset[str], ...]  # of each page: words of example values

    @property
    def bodies(self) -> list[bytes]:
        return [spot.source.body for spot in self.spots]

    @cached_property
    def own(self) -> bytes:
        """What the opening tag begins with on every page."""
        return stable_prefix([spot.tag for spot in self.spots])

    @cached_property
    def own_text(self) -> bytes:
        """The opening tag with the label that its text begins with on every page, or nothing."""
        first, alone = self.spots[0], len(self.spots) == 1
        tag = first.tag
        shared = common_prefix([spot.source.body[spot.offset :][: len(tag) + _OWN_TEXT] for spot in self.spots])
        if not shared.startswith(tag) or (alone and self.own != tag):
            return b""
        found = end_of_label(shared, len(tag), guess=alone)
        label = _MARKUP.sub(b" ", found[len(tag) :]).decode(first.source.encoding, "replace")
        if self.is_known(label) or (alone and label.count(" ") > _WORDS_ALONE):
            return b""
        return found

    @cached_property
    def steps(self) -> tuple[bytes, ...]:
        """The literals by which tags are counted up to the target, the plain name first."""
        found = (name_of(self.own), steady_prefix(self.own), whole_attributes(self.own), self.own, self.own_text)
        return tuple(step for step in dict.fromkeys(found) if step)

    def is_common(self, literal: bytes) -> bool:
        """Say whether a literal stands on most of the pages: a rule may be silent on some."""
        bodies = self.bodies
        return 3 * sum(literal in body for body in bodies) >= 2 * len(bodies)

    def is_steady(self, markup: bytes) -> bool:
        """Say whether markup holds nothing that is known to vary or, seen on one page, looks as if it did."""
        if len(self.spots) == 1 and _SPOTS_VOLATILE.search(markup):
            return False
        texts = _MARKUP.sub(b"\n", markup).decode(self.spots[0].source.encoding, "replace").split("\n")
        return not any(self.is_known(text) for text in texts)

    def is_known(self, text: str) -> bool:
        """Say whether a text is made of example values of every page, which other pages will not have."""
        words = words_of(text)
        if not words or (text.rstrip().endswith(":") and len(self.spots) > 1):
            return False
        inner = f" {words} "
        return all(any(_overlap(inner, f" {value} ") for value in values) for values in self.known)


def _overlap(words: str, value: str) -> bool:
    return words in value or (len(value) >= _LETTERS and value in words)


def spot_of(source: Source, offset: int, take: str) -> TagOnPage | None:
    """Return the target at an offset, or None where no rule may lead to it."""
    opening = source.at(offset)
    if opening is None or not opening.shown:
        return None
    end = span_of(source, opening, Way(take, ()))[1]
    return TagOnPage(source, bisect_left(source.offsets, offset), end)


def target_of(spots: Sequence[TagOnPage], known: Sequence[Sequence[str]]) -> PlaceOnPages:
    """Bring the spots of one field together with the texts of each page that are known to vary."""
    return PlaceOnPages(tuple(spots), tuple(frozenset(filter(None, map(words_of, texts))) for texts in known))
