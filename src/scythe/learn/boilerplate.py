"""Find what only many pages show: pages with their chosen blocks come in, lines that are no content go out.

A line that stands on several pages was not written for one of them. Digits, months and the like are folded, so that
"Posted: 2:51 pm" is the same line every day. A pattern is a folded line; with `...` at its end or its start it stands
for all short lines that begin or end so, and with `^` before it only above the first paragraph.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from scythe.learn.sample import Sample
from scythe.page import Page
from scythe.page.blocks import Blocks

MORE = "..."
ABOVE = "^"

_LONGEST = 400  # characters of a repeated line
_SHORT = 14  # words of a line that a beginning or an end decides
_EDGE_WORDS = 3
_PARAGRAPH = 15  # words; the first line with so many ends the top of the text
_TOP_LINES = 12
_PATTERNS = 400  # kept of one site
_HEADS = frozenset("h1 h2 h3 h4 h5 h6 dt th caption legend summary".split())
_DIGITS = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DATES = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?|[ap]\.?m|[ecmp][ds]t)\b"
)
_BY = frozenset("by von por par di door av af text: autor: author: posted written".split())
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w.-]{1,64}")


def fold(text: str) -> str:
    """Return a line in lower case with its numbers, dates and addresses made alike."""
    text = text.lower()
    if "@" in text:
        text = _MAIL.sub("@", text)
    return _DATES.sub("#", _DIGITS.sub("#", text))


@dataclass(frozen=True)
class Boilerplate:
    """Patterns of lines that are no content, ready to be asked."""

    patterns: tuple[str, ...] = ()

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(p for p in self.patterns if MORE not in p)

    @cached_property
    def _first_words(self) -> frozenset[str]:
        return frozenset(p.partition(" ")[0] for p in self._whole)

    @cached_property
    def _starts(self) -> tuple[str, ...]:
        return tuple(p[: -len(MORE)] for p in self.patterns if p.endswith(MORE) and not p.startswith(ABOVE))

    @cached_property
    def _ends(self) -> tuple[str, ...]:
        return tuple(p[len(MORE) :] for p in self.patterns if p.startswith(MORE))

    @cached_property
    def _tops(self) -> tuple[str, ...]:
        return tuple(p[len(ABOVE) : -len(MORE)] for p in self.patterns if p.startswith(ABOVE))

    def holds(self, line: str, *, at_top: bool = False) -> bool:
        """Say whether a line is known to be no content."""
        if len(line) > _LONGEST:
            return False
        is_long = line.count(" ") >= _SHORT
        # folding never reaches across a space, so the first word tells most paragraphs apart: 1 us instead of 10
        if is_long and fold(line.partition(" ")[0]) not in self._first_words:
            return False
        folded = fold(line)
        if folded in self._whole:
            return True
        if is_long:
            return False
        if (self._starts and folded.startswith(self._starts)) or (self._ends and folded.endswith(self._ends)):
            return True
        return at_top and bool(self._tops) and folded.startswith(self._tops)

    def clean(self, text: str) -> str:
        """Return a text without the lines that are no content."""
        if not self.patterns:
            return text
        lines = text.split("\n")
        top = _top_of(lines)
        kept = [line for n, line in enumerate(lines) if not line or not self.holds(line, at_top=n < top)]
        if len(kept) == len(lines):
            return text
        return _squeeze_gaps(kept)


def learn_boilerplate(samples: Sequence[Sample]) -> Boilerplate:
    """Return what the pages show of lines that belong to the site, not to a page."""
    if len(samples) < 3:
        return Boilerplate()
    seen = _Seen()
    for number, sample in enumerate(samples):
        seen.add(number, sample)
    return Boilerplate(tuple(seen.patterns(len(samples)))[:_PATTERNS])


def find_boilerplate(samples: Sequence[Sample]) -> tuple[str, ...]:
    """Return the patterns of lines that many pages share, as a profile keeps them."""
    return learn_boilerplate(samples).patterns


def improve_samples(samples: Sequence[Sample]) -> tuple[tuple[Sample, ...], Boilerplate]:
    """Return the pages with what the others show taken out of their chosen blocks."""
    known = learn_boilerplate(samples)
    return tuple(replace(sample, kept=_improved(sample.page.blocks, sample.kept, known)) for sample in samples), known


def improve(page: Page, kept: Sequence[int], patterns: Sequence[str]) -> tuple[int, ...]:
    """Return the chosen blocks of a page without those that its site is known to show on many pages."""
    return _improved(page.blocks, kept, Boilerplate(tuple(patterns)))


def _improved(blocks: Blocks, kept: Sequence[int], known: Boilerplate) -> tuple[int, ...]:
    if not known.patterns or not kept:
        return tuple(kept)
    top = _top_of([blocks.text[i] for i in kept])
    rest = tuple(i for n, i in enumerate(kept) if not known.holds(blocks.text[i], at_top=n < top))
    return rest or tuple(kept)


class _Seen:
    """Counts on how many pages a line, a beginning or an end of a line occurs among the chosen blocks."""

    def __init__(self) -> None:
        self.whole: dict[str, set[int]] = defaultdict(set)
        self.heads: dict[str, set[int]] = defaultdict(set)  # lines that head something
        self.others: dict[str, set[int]] = defaultdict(set)  # not chosen
        self.starts: dict[str, set[int]] = defaultdict(set)
        self.ends: dict[str, set[int]] = defaultdict(set)
        self.tops: dict[str, set[int]] = defaultdict(set)

    def add(self, number: int, sample: Sample) -> None:
        blocks, chosen = sample.blocks, sample.chosen
        title = fold(sample.title)
        texts = [blocks.text[i] for i in chosen]
        top = _top_of(texts)
        picked = set(chosen)
        for i, text in enumerate(blocks.text):
            if len(text) <= _LONGEST and i not in picked and not blocks.link_chars[i]:
                self.others[fold(text)].add(number)
        for n, i in enumerate(chosen):
            text = blocks.text[i]
            if len(text) > _LONGEST:
                continue
            folded = fold(text)
            if folded == title or not any(map(str.isalpha, text)):
                continue
            if blocks.box_tag[blocks.box[i]] in _HEADS or folded.endswith(":"):
                self.heads[folded].add(number)
                continue
            self.whole[folded].add(number)
            words = folded.split()
            if len(words) <= _SHORT and len(words) > _EDGE_WORDS:
                self.starts[" ".join(words[:_EDGE_WORDS])].add(number)
                self.ends[" ".join(words[-_EDGE_WORDS:])].add(number)
            if n < top and 1 < len(words) <= 10 and words[0] in _BY:
                self.tops[words[0]].add(number)

    def patterns(self, pages: int) -> Iterator[str]:
        few = max(2, round(0.2 * pages))
        some = max(3, round(0.3 * pages))
        half = max(3, round(0.5 * pages))
        for folded, on in self.whole.items():
            on |= self.others.get(folded, set())
        yield from _common(self.whole, few)
        yield from (f"{start} {MORE}".replace(" ...", " ...") for start in _common(self.starts, some))
        yield from (f"{MORE} {end}" for end in _common(self.ends, some))
        yield from (f"{ABOVE}{word} {MORE}" for word in _common(self.tops, half))


def _common(counts: dict[str, set[int]], pages: int) -> list[str]:
    found = [(-len(on), text) for text, on in counts.items() if len(on) >= pages]
    return [text for _, text in sorted(found)]


def _top_of(lines: Iterable[str]) -> int:
    """Return the number of lines above the first paragraph."""
    top = 0
    for line in lines:
        if top >= _TOP_LINES or line.count(" ") >= _PARAGRAPH - 1:
            return top
        top += 1
    return top


def _squeeze_gaps(lines: list[str]) -> str:
    out: list[str] = []
    for line in lines:
        if line or (out and out[-1]):
            out.append(line)
    return "\n".join(out).strip("\n")
