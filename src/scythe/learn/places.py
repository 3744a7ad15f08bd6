"""Find where a value stands on a page: its text comes in, elements, text runs and attributes that hold it go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scythe.learn.texts import Texts, words_of
from scythe.page.source import unmark
from scythe.rules import ATTRIBUTE, ELEMENT

_HITS = 60  # of one value on one page that are looked at: a short value may be everywhere
_PLACES = 40  # kept of one field and page
_AROUND = 3  # elements with the same text, one around the other, that are kept
_TEXT = 3_000  # characters of a text of which a value is a part, at most
_PARTS_OF_ATTRIBUTES = 200  # attributes that hold a value among other words


@dataclass(frozen=True, slots=True)
class Place:
    """An opening tag, what to take there, and where in the taken text the value stands."""

    offset: int
    take: str
    attribute: str
    text: str  # squeezed
    start: int  # of the value in `text`
    end: int
    sameness: int  # 3: as given, 2: in other case, 1: the same words
    level: int = 0  # elements inside with the same text

    @property
    def is_whole(self) -> bool:
        return not self.text[: self.start].strip() and not self.text[self.end :].strip()


def find_places(texts: Texts, values: Sequence[str]) -> list[Place]:
    """Return where one of the values stands, whole texts before parts, as given before similar."""
    found: dict[tuple[int, str, str], Place] = {}
    for value in values:
        value = " ".join(value.split())
        words = words_of(value)
        if not words:
            continue
        for place in (*_whole(texts, value, words), *_parts(texts, value, words), *_attributes(texts, value, words)):
            key = (place.offset, place.take, place.attribute)
            if key not in found or found[key].sameness < place.sameness:
                found[key] = place
    return sorted(found.values(), key=_rank)[:_PLACES]


def _rank(place: Place) -> tuple[bool, bool, int]:
    return not place.is_whole, place.take == ATTRIBUTE, -place.sameness


def _whole(texts: Texts, value: str, words: str) -> list[Place]:
    """Return the elements and text runs whose text is the value and no more."""
    found: list[Place] = []
    for start, end in texts.find_words(words, _HITS):
        row = texts.element_around(start, end)
        for level in range(_AROUND):
            if row < 0 or words_of(texts.text[texts.start[row] : texts.end[row]][: len(value) * 3 + 200]) != words:
                break
            place = _place(texts.offset[row], ELEMENT, _squeeze(texts, texts.start[row], texts.end[row]), value)
            found.append(replace(place, level=level))
            row = texts.parent[row]
    for run in texts.runs_by_words.get(words, ())[:_HITS]:
        found.append(_place(run.offset, run.take, _squeeze(texts, run.start, run.end), value))
    for opening in texts.source.openings:
        if opening.name == "title" and opening.shown:
            text = " ".join(unmark(opening.node.text()).split())
            if words in words_of(text) and (part := _part(opening.offset, ELEMENT, "", text, value)):
                found.append(part)
            break
    return found


def _parts(texts: Texts, value: str, words: str) -> list[Place]:
    """Return the text runs, or else the elements, of whose text the value is a part."""
    found: list[Place] = []
    for start, end in texts.find_words(words, _HITS):
        run = texts.run_around(start, end)
        row = texts.element_around(start, end)
        if run is not None and run.end - run.start <= _TEXT:
            part = _part(run.offset, run.take, "", _squeeze(texts, run.start, run.end), value)
        elif row >= 0 and texts.end[row] - texts.start[row] <= _TEXT:
            part = _part(texts.offset[row], ELEMENT, "", _squeeze(texts, texts.start[row], texts.end[row]), value)
        else:
            continue
        if part is not None and not part.is_whole:
            found.append(part)
    return found


def _attributes(texts: Texts, value: str, words: str) -> list[Place]:
    found: list[Place] = []
    for offset, name, text in texts.attributes_by_words.get(words, ())[:_HITS]:
        found.append(_place(offset, ATTRIBUTE, text, value, name))
    if not found:
        for offset, name, text in texts.attributes_with(words, _PARTS_OF_ATTRIBUTES):
            part = _part(offset, ATTRIBUTE, name, text, value)
            if part is not None:
                found.append(part)
    return found


def _squeeze(texts: Texts, start: int, end: int) -> str:
    return " ".join(texts.text[start:end].split())


def _place(offset: int, take: str, text: str, value: str, attribute: str = "") -> Place:
    sameness = 3 if text == value else 2 if text.casefold() == value.casefold() else 1
    return Place(offset, take, attribute, text, 0, len(text), sameness)


def _part(offset: int, take: str, attribute: str, text: str, value: str) -> Place | None:
    """Return where a value, written as given, begins and ends in a text."""
    if text == value:
        return _place(offset, take, text, value, attribute)
    start = text.find(value)
    if start < 0:
        return None
    return Place(offset, take, attribute, text, start, start + len(value), 3)
