"""Find the literals around a value in a longer text: places on several pages come in, `before` and `after` go out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scythe.learn.places import Place
from scythe.learn.texts import words_of
from scythe.page.follow import part_of

_BEFORE = 40  # characters
_AFTER = re.compile(r"\s*[^\w\s]+\s?|\s*\w+\s?")
_LETTERS = 4  # of a known text at least: shorter ones are everywhere
_DIGITS = re.compile(r"\d")


def frame(places: Sequence[Place], known: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return what stands before and after the value in the texts of all places, or None where nothing does.

    Texts that hold a `known` one, such as the value of another field, do not count: other pages have another there.
    """
    if all(place.is_whole for place in places):
        return "", ""
    before = _shared([place.text[: place.start][::-1] for place in places])
    after = _shared([place.text[place.end :] for place in places])
    if before is None or after is None:
        return None
    before = _last_words(before[::-1], alone=len(places) == 1)
    if _holds_known(before, known) or _holds_known(after, known):
        return None
    for end in _ends_of(after):
        found = [part_of(place.text, before, after[:end]) for place in places]
        if all(_is_it(place, text) for place, text in zip(places, found, strict=True)):
            return before, after[:end]
    return None


def _is_it(place: Place, text: str | None) -> bool:
    return text is not None and words_of(text) == words_of(place.text[place.start : place.end])


def _holds_known(text: str, known: Sequence[str]) -> bool:
    words = f" {words_of(text)} "
    return any(len(value) >= _LETTERS and f" {value} " in words for value in map(words_of, known))


def _shared(texts: Sequence[str]) -> str | None:
    """Return what all texts begin with; None where some go on and nothing is shared."""
    first, last = min(texts), max(texts)
    size = 0
    while size < min(len(first), len(last)) and first[size] == last[size]:
        size += 1
    if not first[:size].strip():
        return None if any(text.strip() for text in texts) else ""
    return first[:size]


def _last_words(before: str, *, alone: bool) -> str:
    """Cut the text in front of a value down to what other pages will have too."""
    if len(before) > _BEFORE:
        before = before[-_BEFORE:]
        before = before[before.find(" ") + 1 :] if " " in before[:-1] else before
    if alone and (digits := list(_DIGITS.finditer(before))):
        before = before[digits[-1].end() :]
    return before


def _ends_of(after: str) -> list[int]:
    """Return the lengths at which the text behind a value may be cut: after one sign or word, two, ... all."""
    if not after:
        return [0]
    ends: list[int] = []
    at = 0
    while len(ends) < 3 and (found := _AFTER.match(after, at)):
        at = found.end()
        ends.append(at)
    return [*ends, len(after)]
