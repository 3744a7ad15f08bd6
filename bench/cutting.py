"""The ways to cut one element that are timed against each other: a pattern comes in, functions of a body go out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.patterns import LEARNED_PAGES, Pattern
from scythe.site.byte_rules import ByteCutter, ByteRule
from scythe.site.papers.position_hints import HintLearner, HintOptions
from scythe.site.papers.string_search import (
    UNKNOWN,
    ByteSearch,
    CutResult,
    TagRule,
    cut_hinted,
    cut_simple,
    search_by,
)

Extract = Callable[[bytes], Any]  # gives the HTML of the elements, or what the cutter gives


@dataclass(frozen=True, slots=True)
class Method:
    """One way to cut: `make` gives a function for one pattern, fresh, with nothing learned yet."""

    name: str
    make: Callable[[Pattern], Extract]


def texts_of(body: bytes, found: CutResult) -> list[str]:
    """Return what was found as text: the parsers give text too."""
    return [body[start:end].decode("utf-8", "replace") for start, end in found.ranges]


def by_regex(pattern: Pattern) -> Extract:
    """Scan like SET parser: one regular expression finds the tag, one walks over the tags of its name."""
    opening = re.compile(re.escape(pattern.rule.opening))
    name = re.escape(pattern.wanted.name.encode())
    tag = re.compile(rb"<(/?)" + name + rb"(?=[\s/>])[^>]*>", re.IGNORECASE)

    def extract(body: bytes) -> list[str]:
        found, position = [], 0
        while match := opening.search(body, position):
            depth, position = 0, len(body)
            for step in tag.finditer(body, match.start()):
                depth += -1 if step[1] else 1
                if not depth:
                    position = step.end()
                    break
            found.append(body[match.start() : position].decode("utf-8", "replace"))
        return found

    return extract


def simply(search: ByteSearch) -> Callable[[Pattern], Extract]:
    """Cut without hints: the paper's first way."""

    def make(pattern: Pattern) -> Extract:
        rule = TagRule(pattern.rule.opening)
        return lambda body: texts_of(body, cut_simple(body, rule, search))

    return make


def with_hints(search: ByteSearch, *used: str, check: bool = False) -> Callable[[Pattern], Extract]:
    """Cut with the named hints as constants: the paper's third way where all three are named."""

    def make(pattern: Pattern) -> Extract:
        best = pattern.rule
        rule = TagRule(
            best.opening,
            starting_position=best.starting_position if "starting_position" in used else 0,
            inner_tag_count=best.inner_tag_count if "inner_tag_count" in used else UNKNOWN,
            repetition=best.repetition if "repetition" in used else True,
            end_marker=best.end_marker if "end_marker" in used else b"",
        )
        return lambda body: texts_of(body, cut_hinted(body, rule, search, check=check))

    return make


def while_learning(search: ByteSearch, options: HintOptions) -> Callable[[Pattern], Extract]:
    """Cut and learn the hints on the way: the paper's second way, and its default."""

    def make(pattern: Pattern) -> Extract:
        learner, opening = HintLearner(options), pattern.rule.opening

        def extract(body: bytes) -> list[str]:
            position, inner, repetition = learner.predict(len(body))
            found = cut_hinted(body, TagRule(opening, "", position, inner, repetition), search)
            learner.observe(found.first, found.inner_tags, found.repetitions, len(body))
            return texts_of(body, found)

        return extract

    return make


def by_cutter(pattern: Pattern) -> Extract:
    """Cut by scythe's own cutter, which also compares what stands before the tag, and counts the tags inside."""
    best = pattern.rule
    left = pattern.left.decode("latin-1")
    return ByteCutter(
        ByteRule(
            best.opening.decode("latin-1"),
            "",
            left,
            best.starting_position,
            best.end_marker.decode("latin-1"),
            best.inner_tag_count,
        )
    ).cut


@dataclass(frozen=True, slots=True)
class Seconds:
    """How a learned position did on the pages of one pattern."""

    pages: int  # that have the element
    first: int  # second searches on the first ten pages
    rest: int
    before: int  # bytes before the element, over all pages
    searched: int  # bytes that were searched for it


def count_seconds(pattern: Pattern, bodies: Sequence[bytes], options: HintOptions) -> Seconds:
    """Learn the position over the pages and count the searches that had to begin again."""
    learner = HintLearner(options)
    seconds, before, searched, pages = [0, 0], 0, 0, 0
    for number, (body, place) in enumerate(zip(bodies, pattern.ranges, strict=True)):
        if place is None:
            continue
        position = learner.predict(len(body)).starting_position
        pages += 1
        before += place[0]
        searched += place[0] - position
        if position > place[0]:
            seconds[number >= LEARNED_PAGES] += 1
            searched += len(body)  # in vain to the end, then from the start
        learner.observe(place[0], None, 1, len(body))
    return Seconds(pages, seconds[0], seconds[1], before, searched)


PAPER_HINTS = ("starting_position", "inner_tag_count", "repetition")


def paper_methods() -> list[Method]:
    """Return the ways of the paper and our end marker, the slower first."""
    plain, fast = search_by("bytes"), search_by()
    return [
        Method("regex", by_regex),
        Method("simple, bytes.find", simply(plain)),
        Method("simple", simply(fast)),
        Method("only startingPosition", with_hints(fast, "starting_position")),
        Method("only innerTagCount", with_hints(fast, "inner_tag_count")),
        Method("only repetition", with_hints(fast, "repetition")),
        Method("learning", while_learning(fast, HintOptions())),
        Method("learning, 5 % earlier", while_learning(fast, HintOptions(margin=0.05))),
        Method("all hints, bytes.find", with_hints(plain, *PAPER_HINTS)),
        Method("all hints", with_hints(fast, *PAPER_HINTS)),
        Method("end marker", with_hints(fast, "starting_position", "repetition", "end_marker")),
        Method("end marker, checked", with_hints(fast, "starting_position", "repetition", "end_marker", check=True)),
        Method("cutter", by_cutter),
    ]
