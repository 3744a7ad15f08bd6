"""Find lines that repeat across the pages of a site and are therefore not content.

Digits, months and the like are folded, so that "Posted: 2:51 pm" is one line. A pattern is a folded line; `...` at its
start or end matches all short lines that end or begin so, `^` only above the first paragraph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.site.cut.cutter import ABOVE, LONGEST_LINE, MORE, SHORT_LINE, Boilerplate, count_top, fold
from scythe.site.learn.value_sources import LearnedPage

_EDGE_WORDS = 3
_LONG = 12  # words; excerpts of one page stand on others, so longer lines must stand on most
_BYLINE = 10  # words
_LEAST_PAGES = 3
_PATTERNS = 400  # kept of one site
_HEADS = frozenset("h1 h2 h3 h4 h5 h6 dt th caption legend summary".split())
_BY = frozenset("by von por par di door av af text: autor: author: posted written".split())


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
    top = count_top([blocks.text[i] for i in kept])
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
        top = count_top([blocks.text[i] for i in chosen])
        picked = {i: n for n, i in enumerate(chosen)}
        for i, text in enumerate(blocks.text):
            if len(text) > LONGEST_LINE or MORE in text or not any(map(str.isalpha, text)):
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
        if _EDGE_WORDS < len(words) <= SHORT_LINE:
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
