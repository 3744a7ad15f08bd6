"""The places that rules are learned for: a page and an offset come in, the opening tag and its surroundings go out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from scythe.learn.literals import common_prefix, end_of_label, name_of, stable_prefix, steady_prefix, whole_attributes
from scythe.learn.texts import words_of
from scythe.page.follow import span_of
from scythe.page.source import Source, tag_end
from scythe.rules import Way

_OWN_TEXT = 60  # bytes behind the target's own tag that may be a label
_WORDS_ALONE = 3  # of a label that one page alone shows
_MARKUP = re.compile(rb"<[^<>]*>")
_VOLATILE = re.compile(rb"\d{4}")
_LETTERS = 6  # with the spaces around: of an example value from which a text that holds it is taken for volatile


class Spot(NamedTuple):
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
class Target:
    """The same place on several pages, and the texts of these pages that are known to vary."""

    spots: tuple[Spot, ...]
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
        if len(self.spots) == 1 and _VOLATILE.search(markup):
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


def spot_of(source: Source, offset: int, take: str) -> Spot | None:
    """Return the target at an offset, or None where no rule may lead to it."""
    opening = source.at(offset)
    if opening is None or not opening.shown:
        return None
    end = span_of(source, opening, Way(take, ()))[1]
    return Spot(source, bisect_left(source.offsets, offset), end)


def target_of(spots: Sequence[Spot], known: Sequence[Sequence[str]]) -> Target:
    """Bring the spots of one field together with the texts of each page that are known to vary."""
    return Target(tuple(spots), tuple(frozenset(filter(None, map(words_of, texts))) for texts in known))
