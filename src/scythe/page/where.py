"""Say where parts of a page stand in the bytes it was received as.

The map counts bytes of the page in UTF-8. Where it came in another encoding, places are counted anew by encoding what
is before them; where that does not give back what came (undecodable bytes, dropped NULs, repaired pages), no place is
given rather than a wrong one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scythe.model import Span
from scythe.page.dates import find_days, to_iso
from scythe.page.map import BLANK, CONTINUES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scythe.page.page import Page

_STEP = 4_096  # characters between two places that are known
_DATED = re.compile(rb'"(?:datePublished|dateCreated|uploadDate)" {0,9}: {0,9}"([^"\\]{1,99})"')
_DATED_CHARS = 2_000  # of a text that may name a day
_NEAR = 2  # texts behind a label that may be its value
_PARTS = 40  # texts that make up a value
_LABELS = 300  # places of one label that are looked at; one that stands in more says nothing
_BEHIND_LABELS = " :\uff1a"
_BYLINE = 20  # characters that may stand around a name in a text: "By", a date


class SourcePlaces:
    """Places of one page; `as_came` says that the map was made of the very bytes that came."""

    def __init__(self, page: Page, *, as_came: bool = False) -> None:
        self._page = page
        self._as_came = as_came

    def of(self, span: Span | None) -> Span | None:
        """Return where a range of the map's source stands in the bytes as received, None where that is not known."""
        if span is None or self._as_came:
            return span
        if not self._is_known:
            return None
        if self._page.encoding == "utf-8":
            return span[0] + self._page.mark_bytes, span[1] + self._page.mark_bytes
        return self._count(span[0]), self._count(span[1])

    def of_nodes(self, first: int, last: int) -> Span | None:
        """Return where the nodes from one to another stand, which are rows, or ~run for texts."""
        made = getattr(self._page.map, "made", None)
        if made is None:
            return None
        return self.of((made.element(first).span[0], made.element(last).span[1]))

    def of_block(self, block: int) -> Span | None:
        """Return where the words of a block stand, from the first to the last."""
        blocks = self._page.blocks
        rows: Sequence[int] | None = getattr(blocks.leaves, "rows", None)
        start, end = blocks.leaf_start[block], blocks.leaf_end[block]
        return self.of_nodes(rows[start], rows[end - 1]) if rows is not None and start < end else None

    def of_value(self, value: str) -> Span | None:
        """Return where a value stands that the page declares or shows, as it is there; None where that is not found."""
        if not value or getattr(self._page.map, "made", None) is None:
            return None
        declared = next((span for text, span in self._declared if text == value), None)
        return self.of(declared or self._in_json(value) or self._in_text(value))

    def of_pairs(self, pairs: Sequence[tuple[str, str]]) -> tuple[Span | None, ...]:
        """Return where the value of each pair of label and value stands, None where that is not known.

        That is the only place that declares or shows it, the one behind its label, the end of a text that begins with
        the label, or a text of JSON-LD.
        """
        if getattr(self._page.map, "made", None) is None:
            return (None,) * len(pairs)
        found = self._places_of({value for _, value in pairs})
        texts: dict[str, list[int]] = {}  # numbers of the texts that begin so
        for number, text in enumerate(self._page.elements.text):
            for label in {text.rstrip(_BEHIND_LABELS), text.partition(":")[0]}:
                texts.setdefault(label, []).append(number)
        spans = []
        for label, value in pairs:
            places = found[value]
            if len(places) != 1:
                labels = texts.get(label.rstrip(_BEHIND_LABELS), [])
                labels = labels if len(labels) <= _LABELS else []
                places = self._behind(labels, value) or self._in_labelled(labels, value)
                if not places and (said := self._in_json(value)) is not None:
                    places = [said]
            spans.append(self.of(places[0]) if len(places) == 1 else None)
        return tuple(spans)

    def _places_of(self, values: set[str]) -> dict[str, list[Span]]:
        """Return all places that declare or show nothing but each of some values."""
        page_map, elements, made = self._page.map, self._page.elements, self._page.map.made
        found: dict[str, list[Span]] = {value: [] for value in values}
        for text, span in self._declared:
            if text in found:
                found[text].append(span)
        for text, run in zip(elements.text, elements.leaf_run, strict=True):
            if text in found:
                found[text].append(made.element(~run).span)
        unshown = page_map.run_flags & (CONTINUES | BLANK) == 0
        unshown[elements.leaf_run] = False
        openings = {value.partition(" ")[0] for value in values}
        for run in unshown.nonzero()[0].tolist():
            words = page_map.run_text(run).split(None, 1)  # scripts are long, and few begin as a value does
            if words and words[0] in openings and (text := " ".join(" ".join(words).split())) in found:
                found[text].append(made.element(~run).span)
        return found

    def _behind(self, labels: Sequence[int], value: str) -> list[Span]:
        """Return the places of the texts just behind some others that are a value, one or several together."""
        elements, made = self._page.elements, self._page.map.made
        letters, found = "".join(value.split()), dict[int, Span]()
        for first in {label + 1 + skipped for label in labels for skipped in range(_NEAR)}:
            behind = ""
            for run, text in zip(
                elements.leaf_run[first : first + _PARTS], elements.text[first : first + _PARTS], strict=True
            ):
                behind += "".join(text.split())
                if behind == letters:
                    found[first] = (made.element(~elements.leaf_run[first]).span[0], made.element(~run).span[1])
                if len(behind) >= len(letters) or not letters.startswith(behind):
                    break
        return list(found.values())

    def _in_labelled(self, labels: Sequence[int], value: str) -> list[Span]:
        """Return the places of a value at the end of some texts."""
        elements, found, coded = self._page.elements, list[Span](), value.encode()
        for label in labels:
            if elements.text[label].endswith(value):
                start, end = self._page.map.made.element(~elements.leaf_run[label]).span
                at = self._page.map.source.rfind(coded, start, end)
                found += [(at, at + len(coded))] if at >= 0 else []
        return found

    def of_date(self, date: str) -> Span | None:
        """Return where a date stands, in whatever form the page gives it."""
        if not date or getattr(self._page.map, "made", None) is None:
            return None
        for start, end in self._scripts:
            for found in _DATED.finditer(self._page.map.source, start, end):
                if to_iso(found[1].decode("utf-8", "replace")) == date:
                    return self.of(found.span(1))
        declared = (span for text, span in self._declared if date[:4] in text and to_iso(text) == date)
        return self.of(next(declared, None) or self._in_dated(date[:10]))

    def _in_dated(self, day: str) -> Span | None:
        """Return where the first text stands that names a day with its year."""
        page_map, year = self._page.map, day[:4].encode()
        for run, start, end in self._runs:
            if page_map.source.find(year, start, end) >= 0:
                text = page_map.run_text(run)[:_DATED_CHARS]
                days = (*find_days(text), *find_days(text, is_month_first=True))
                if any(one.isoformat() == day for one, _, _ in days):
                    return start, end
        return None

    @cached_property
    def _scripts(self) -> list[Span]:
        """The contents of the JSON-LD scripts."""
        found = self._page.map.having("type", "ld+json")
        return [(int(self._page.map.inner[node.row]), int(self._page.map.close[node.row])) for node in found]

    @cached_property
    def _declared(self) -> list[tuple[str, Span]]:
        """The values of meta and time elements."""
        page_map = self._page.map
        places = [(node.row, "content") for node in page_map.find("meta")]
        places += [(node.row, "datetime") for node in page_map.find("time")]
        spans = ((row, name, page_map.place(row, name)) for row, name in places)
        return [(" ".join((page_map.attribute(row, name) or "").split()), span) for row, name, span in spans if span]

    def _in_json(self, value: str) -> Span | None:
        source = self._page.map.source
        for literal in dict.fromkeys(json.dumps(value, ensure_ascii=pure).encode() for pure in (False, True)):
            for start, end in self._scripts:
                at = source.find(literal, start, end)
                if at >= 0:
                    return at + 1, at + len(literal) - 1
        return None

    def _in_text(self, value: str) -> Span | None:
        """Return where a text is the value, or has it and little else."""
        page_map, coded = self._page.map, value.encode()
        near: Span | None = None
        for run, start, end in self._runs:
            at = page_map.source.find(coded, start, end)
            if at >= 0 or end - start >= len(coded):
                text = " ".join(page_map.run_text(run).split())
                if text == value:
                    return start, end
                if near is None and at >= 0 and len(text) <= len(value) + _BYLINE:
                    near = at, at + len(coded)
        return near

    @property
    def _runs(self) -> Iterator[tuple[int, int, int]]:
        """The first run of each text with where the text begins and ends; that of a run that continues one is its."""
        page_map = self._page.map
        first = (page_map.run_flags & CONTINUES == 0).nonzero()[0]
        ends = page_map.run_end[np.append(first[1:], len(page_map.run_end)) - 1] if len(first) else first
        return zip(first.tolist(), page_map.run_start[first].tolist(), ends.tolist(), strict=True)

    @cached_property
    def _is_known(self) -> bool:
        page = self._page
        source = getattr(page.map, "source", None)
        if source is None or getattr(page.map, "made", None) is None or page.decode_losses:
            return False
        whole = page.html.encode()
        if len(source) != len(whole):  # a page that was opened again has other bytes
            return False
        return page.encoding == "utf-8" or self._steps is not None

    @cached_property
    def _steps(self) -> tuple[list[int], list[int]] | None:
        """Places in UTF-8 and in the page's encoding of every so many characters; None where they cannot be told."""
        html, codec = self._page.html, self._page.encoding
        ours, theirs, before, behind = [0], [0], 0, self._page.mark_bytes
        theirs[0] = behind
        try:
            for at in range(0, len(html), _STEP):
                part = html[at : at + _STEP]
                coded = part.encode(codec)
                if coded.decode(codec) != part:
                    return None
                before, behind = before + len(part.encode()), behind + len(coded)
                ours.append(before)
                theirs.append(behind)
        except (UnicodeError, LookupError):
            return None
        return ours, theirs

    def _count(self, offset: int) -> int:
        assert self._steps is not None
        ours, theirs = self._steps
        step = bisect_right(ours, offset) - 1
        part = self._page.html[step * _STEP : (step + 1) * _STEP].encode()[: offset - ours[step]]
        return theirs[step] + len(part.decode().encode(self._page.encoding))
