"""How much each found value is to be doubted, and why, in words: what rules found on all pages comes in.

A doubt is a share from 0 to 1. Reasons are taken as independent: two of one half make three quarters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from scythe.learn.texts import words_of
from scythe.web.filters import shorten

DOUBTFUL = 0.3  # from here on a cell is worth a look
_MOST = 0.5  # share of pages that have a field, from which on a page without it is strange
_FEW = 3  # values before they say what is usual
_FORM = 0.8  # share of values with digits (or letters) from which on one without is strange
_TIMES = 3  # longer or shorter than the middle ...
_ROOM_CHARS = 12  # ... by at least so many characters
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")

WRONG, DIFFERENT, MISSING, STRANGE, OTHER_KIND, CANDIDATES, SAME, UNCUT = 0.95, 0.8, 0.6, 0.5, 0.5, 0.4, 0.35, 0.3
CHANGED, CHANGED_WITH_MANY = 0.35, 0.1  # where most of a field changed, that was meant, most likely
SECOND = 0.9  # above all but contradictions: docs/why/web-fields.md has what a second page is worth


@dataclass(frozen=True, slots=True)
class Found:
    """What rules gave for one field of one page, by their bytes and by the tree."""

    values: tuple[str, ...]
    how: str  # as a document says: cut: ..., tree: ..., missing: ...
    by_tree: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # what further ways to the field give
    shown: tuple[str, ...] | None = None  # what somebody said; None: nobody did
    is_other_kind: bool = False  # a page of a layout that nothing was shown on
    earlier: tuple[str, ...] | None = None  # what was found before the last change, where that was something else
    is_second: bool = False  # the page on which it should be looked at next, as only one page was shown so far


@dataclass(frozen=True, slots=True)
class Doubt:
    """How much, and why."""

    share: float = 0.0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usually:
    """What the values of a field look like on all pages together."""

    pages: int
    present: int
    middle: float  # characters
    digits: float  # share of values with some
    letters: float
    is_same: bool  # on all pages
    divided: int = 0  # pages on which further ways give something else
    changed: int = 0  # pages on which something else is found than before the last change

    @classmethod
    def of(cls, found: Sequence[Found]) -> Usually:
        """Sum up what was found; pages of other kinds say nothing."""
        own = [each for each in found if not each.is_other_kind]
        firsts = [each.values[0] for each in own if each.values]
        return cls(
            len(own),
            len(firsts),
            median(map(len, firsts)) if firsts else 0,
            sum(bool(_DIGIT.search(value)) for value in firsts) / max(1, len(firsts)),
            sum(bool(_LETTER.search(value)) for value in firsts) / max(1, len(firsts)),
            len(firsts) >= _FEW and len(set(firsts)) == 1,
            sum(bool(each.others) for each in own),
            sum(each.earlier is not None for each in own),
        )


def doubt(found: Found, usually: Usually) -> Doubt:
    """Judge one cell against all others of its field."""
    if found.shown is not None:
        return _contradiction(found)
    reasons = _doubt_value(found, usually) if found.values else _doubt_gap(found, usually)
    if found.earlier is not None:
        share = CHANGED if 2 * usually.changed <= usually.pages else CHANGED_WITH_MANY
        was = _short(found.earlier[0]) if found.earlier else "nothing"
        reasons.append((share, f"before your last change: {was}"))
    left = 1.0
    for share, _ in reasons:
        left *= 1 - share
    return Doubt(round(1 - left, 3), tuple(reason for _, reason in sorted(reasons, reverse=True)))


def _contradiction(found: Found) -> Doubt:
    """What was shown is right, but the rules may not give it."""
    shown = found.shown or ()
    got = {words_of(value) for value in found.values}
    if not shown:
        return Doubt(WRONG, ("the rule finds something here, you said there is none",)) if got else Doubt()
    if not got:
        return Doubt(WRONG, ("the rule does not find what you showed",))
    return Doubt() if got <= {words_of(value) for value in shown} else Doubt(WRONG, ("the rule finds something else",))


def _doubt_gap(found: Found, usually: Usually) -> list[tuple[float, str]]:
    share = usually.present / max(1, usually.pages)
    if share < _MOST or found.is_other_kind:
        return []
    return [(MISSING * share, f"missing, though {usually.present} of {usually.pages} pages have it")]


def _doubt_value(found: Found, usually: Usually) -> list[tuple[float, str]]:
    reasons: list[tuple[float, str]] = []
    is_cut = found.how.startswith("cut")
    if found.is_other_kind:
        reasons.append((OTHER_KIND, "a page of another kind: say whether this is right"))
    elif not is_cut:
        reasons.append((UNCUT, "found by the tree only, not by the bytes"))
    if is_cut and found.by_tree and _words(found.values) != _words(found.by_tree):
        reasons.append((DIFFERENT, f"the bytes and the tree differ: {_short(found.by_tree[0])} by the tree"))
    elif found.others and 2 * usually.divided <= usually.pages:  # else the ways lead to different spellings
        reasons.append((CANDIDATES, f"another way gives {_short(found.others[0])}"))
    if found.is_second:
        reasons.append((SECOND, "only one page is shown so far: is this right?"))
    if usually.is_same:
        reasons.append((SAME, f"the same on all {usually.present} pages"))
    if usually.present >= _FEW:
        reasons += _doubt_form(found.values[0], usually)
    return reasons


def _doubt_form(value: str, usually: Usually) -> list[tuple[float, str]]:
    size, middle = len(value), usually.middle
    reasons: list[tuple[float, str]] = []
    if size > _TIMES * middle and size > middle + _ROOM_CHARS:
        reasons.append((STRANGE, f"much longer than the others: {size} characters, usually {middle:.0f}"))
    elif _TIMES * size < middle and size < middle - _ROOM_CHARS:
        reasons.append((STRANGE, f"much shorter than the others: {size} characters, usually {middle:.0f}"))
    for share, pattern, what in ((usually.digits, _DIGIT, "digits"), (usually.letters, _LETTER, "letters")):
        if _FORM <= share < 1 and not pattern.search(value):
            reasons.append((STRANGE, f"without {what}, which nearly all others have"))
        elif _FORM <= 1 - share < 1 and pattern.search(value):
            reasons.append((STRANGE, f"with {what}, which nearly all others lack"))
    return reasons


def _words(values: Sequence[str]) -> list[str]:
    return [words_of(value) for value in values]


def _short(text: str) -> str:
    return f"\u201c{shorten(text, 40)}\u201d"
