"""Find lines that repeat across the pages of a site and are therefore not content.

Digits, months and the like are folded, so that "Posted: 2:51 pm" is one line. A pattern is a folded line; `...` at its
start or end matches all short lines that end or begin so, `^` only above the first paragraph.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.site.learn.value_sources import LearnedPage

MORE = "..."
ABOVE = "^"

_LONGEST = 400  # characters of a repeated line
_SHORT = 14  # words of a line that a beginning or an end decides
_EDGE_WORDS = 3
_PARAGRAPH = 15  # words; the first line with so many ends the top of the text
_TOP_LINES = 12
_LONG = 12  # words; excerpts of one page stand on others, so longer lines must stand on most
_BYLINE = 10  # words
_LEAST_PAGES = 3
_REMEMBERED = 10_000  # first words
_PATTERNS = 400  # kept of one site
_HEADS = frozenset("h1 h2 h3 h4 h5 h6 dt th caption legend summary".split())
_DIGITS = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DATE_WORDS = """
jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov
november dec december mon monday tue tues tuesday wed wednesday thu thurs thursday fri friday sat saturday sun sunday
am pm a.m p.m est edt cst cdt mst mdt pst pdt gmt utc
januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag uhr
janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì venerdì
janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
""".split()
_DATES = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, _DATE_WORDS), key=len, reverse=True))})\b")
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
    def _starts(self) -> tuple[str, ...]:
        return tuple(p[: -len(MORE)] for p in self.patterns if p.endswith(MORE) and not p.startswith(ABOVE))

    @cached_property
    def _ends(self) -> tuple[str, ...]:
        return tuple(p[len(MORE) :] for p in self.patterns if p.startswith(MORE))

    @cached_property
    def _tops(self) -> tuple[str, ...]:
        return tuple(p[len(ABOVE) : -len(MORE)] for p in self.patterns if p.startswith(ABOVE))

    @cached_property
    def _first_words(self) -> frozenset[str]:
        return frozenset(p.partition(" ")[0] for p in (*self._whole, *self._starts, *self._tops))

    @cached_property
    def _last_words(self) -> frozenset[str]:
        return frozenset(p.rpartition(" ")[2] for p in self._ends)

    @cached_property
    def _known_words(self) -> dict[str, bool]:
        return {}

    def holds(self, line: str, *, at_top: bool = False) -> bool:
        """Say whether a line is known to be no content."""
        if len(line) > _LONGEST or not (self._may_begin(line) or (self._ends and self._may_end(line))):
            return False
        folded = fold(line)
        if folded in self._whole:
            return True
        if line.count(" ") >= _SHORT:
            return False
        if (self._starts and folded.startswith(self._starts)) or (self._ends and folded.endswith(self._ends)):
            return True
        return at_top and bool(self._tops) and folded.startswith(self._tops)

    def _may_begin(self, line: str) -> bool:
        # folding never reaches across a space, so the first word tells most lines apart: 0.2 us instead of 10
        word = line.partition(" ")[0]
        known = self._known_words.get(word)
        if known is None:
            if len(self._known_words) >= _REMEMBERED:
                self._known_words.clear()
            known = self._known_words[word] = fold(word) in self._first_words
        return known

    def _may_end(self, line: str) -> bool:
        return fold(line[line.rfind(" ") + 1 :]) in self._last_words

    def clean(self, text: str) -> str:
        """Return a text without the lines that are no content."""
        if not self.patterns:
            return text
        lines = text.split("\n")
        known = self._known_words
        # most lines are told by their first word; the loop runs for every line of every page
        if not self._ends and not any(known.get(line.partition(" ")[0], True) for line in lines if line):
            return text
        top = _top_of(lines)
        doubted = known if not self._ends else {}
        kept = [
            line
            for n, line in enumerate(lines)
            if not line or not doubted.get(line.partition(" ")[0], True) or not self.holds(line, at_top=n < top)
        ]
        if len(kept) == len(lines):
            return text
        return _squeeze_gaps(kept)


def learn_boilerplate(samples: Sequence[LearnedPage]) -> Boilerplate:
    """Return what the pages show of lines that belong to the site, not to a page."""
    numbers = _number_different(samples)
    pages = len(set(numbers))
    if pages < _LEAST_PAGES:
        return Boilerplate()
    seen = _Seen()
    for number, sample in zip(numbers, samples, strict=True):
        seen.add(number, sample)
    return Boilerplate(tuple(seen.patterns(pages))[:_PATTERNS])


def _number_different(samples: Sequence[LearnedPage]) -> list[int]:
    """Number the pages so that those with the same text, such as a copy for printing, count as one."""
    numbers: list[int] = []
    texts: list[frozenset[str]] = []
    for number, sample in enumerate(samples):
        own = frozenset(text for i in sample.chosen if (text := sample.blocks.text[i]).count(" ") >= _LONG)
        same = (numbers[i] for i, other in enumerate(texts) if len(own & other) * 3 > min(len(own), len(other)) > 0)
        numbers.append(next(same, number))
        texts.append(own)
    return numbers


def find_boilerplate(samples: Sequence[LearnedPage]) -> tuple[str, ...]:
    """Return the patterns of lines that many pages share, as a profile keeps them."""
    return learn_boilerplate(samples).patterns


def improve_samples(samples: Sequence[LearnedPage]) -> tuple[tuple[LearnedPage, ...], Boilerplate]:
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
        self.others: dict[str, set[int]] = defaultdict(set)  # not chosen
        self.starts: dict[str, set[int]] = defaultdict(set)
        self.ends: dict[str, set[int]] = defaultdict(set)
        self.tops: dict[str, set[int]] = defaultdict(set)

    def add(self, number: int, sample: LearnedPage) -> None:
        """Count the lines of one page."""
        blocks, chosen = sample.blocks, sample.chosen
        title = fold(sample.title)
        top = _top_of([blocks.text[i] for i in chosen])
        picked = {i: n for n, i in enumerate(chosen)}
        for i, text in enumerate(blocks.text):
            if len(text) > _LONGEST or MORE in text or not any(map(str.isalpha, text)):
                continue
            folded = fold(text)
            if i in picked and folded != title:
                self._add_chosen(number, blocks, i, folded, at_top=picked[i] < top)
            elif i not in picked and not blocks.link_chars[i]:
                self.others[folded].add(number)

    def _add_chosen(self, number: int, blocks: Blocks, block: int, folded: str, *, at_top: bool) -> None:
        words = folded.split()
        is_head = blocks.box_tag[blocks.box[block]] in _HEADS or folded.endswith(":")
        is_link = 2 * blocks.link_chars[block] > len(blocks.text[block]) and len(words) > _EDGE_WORDS
        if is_head or is_link:
            return  # many pages may have a part of the same name, and lists of pages have titles
        self.whole[folded].add(number)
        if _EDGE_WORDS < len(words) <= _SHORT:
            self.starts[" ".join(words[:_EDGE_WORDS])].add(number)
            self.ends[" ".join(words[-_EDGE_WORDS:])].add(number)
        if at_top and 1 < len(words) <= _BYLINE and words[0] in _BY:
            self.tops[words[0]].add(number)

    def patterns(self, pages: int) -> Iterator[str]:
        """Yield what enough pages share; the longer a line is, the more of them must."""
        few, some, half = (max(least, round(share * pages)) for least, share in ((2, 0.2), (3, 0.3), (3, 0.5)))
        for folded, on in self.whole.items():
            on |= self.others.get(folded, set())
        for folded in _common(self.whole, few):
            if not folded.startswith(ABOVE) and (folded.count(" ") < _LONG or len(self.whole[folded]) >= half):
                yield folded
        yield from (f"{start} {MORE}" for start in _common(self.starts, some) if _has_words(start))
        yield from (f"{MORE} {end}" for end in _common(self.ends, some) if _has_words(end))
        yield from (f"{ABOVE}{word} {MORE}" for word in _common(self.tops, half))


def _has_words(folded: str) -> bool:
    return sum(map(str.isalpha, folded)) >= _EDGE_WORDS


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
