"""What is shown of a text that was found: a text and what was looked for come in, marked pieces go out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scythe.archive.searched import Piece, Pieces
from scythe.archive.words import Query, find_marks, fold, may_hold

SNIPPET_CHARS = 260
_BEFORE = 60  # characters shown in front of the first match
_STEP = 4_000  # of a text looked at in one go


class Snippets:
    """Cuts snippets for one page of results; very long texts share a budget, so that no search takes long."""

    def __init__(self, query: Query, budget_chars: int = 2_000_000) -> None:
        self._query = query
        self._left = budget_chars

    def mark(self, text: str, most: int = 10_000) -> Pieces:
        """Return a text with what was looked for marked; one that is longer than `most` is cut."""
        shown = text if len(text) <= most else f"{text[: most - 1]}\u2026"
        return _pieces(shown, find_marks(shown, self._query)) if self._query.terms else (Piece(shown),)

    def cut(self, text: str) -> Pieces:
        """Return the part of a text around the first of what was looked for; else its beginning."""
        at = self._find(text)
        begin = _word_start(text, max(0, at - _BEFORE)) if at > _BEFORE else 0
        end = _word_end(text, begin + SNIPPET_CHARS)
        shown = f"{'… ' if begin else ''}{' '.join(text[begin:end].split())}{' …' if end < len(text) else ''}"
        return self.mark(shown)

    def _find(self, text: str) -> int:
        """Return where the first of what was looked for stands, 0 where it was not found in time."""
        if not self._query.terms:
            return 0
        for start in range(0, len(text), _STEP):
            if self._left <= 0:
                break
            some = text[start : start + _STEP + 100]  # a word may lie across the border
            self._left -= _STEP
            if may_hold(fold(some), self._query):
                found = next(iter(find_marks(some, self._query)), None)
                if found is not None:
                    return start + found[0]
        return 0


def _word_start(text: str, at: int) -> int:
    """Return the beginning of a word near `at`."""
    space = text.find(" ", at, at + _BEFORE // 2)
    return space + 1 if space >= 0 else at


def _word_end(text: str, at: int) -> int:
    """Return the end of a word near `at`, or of the text."""
    space = text.rfind(" ", at - _BEFORE // 2, at) if at < len(text) else -1
    return space if space >= 0 else min(at, len(text))


def _pieces(text: str, marks: Iterable[tuple[int, int]]) -> Pieces:
    return tuple(_split(text, marks))


def _split(text: str, marks: Iterable[tuple[int, int]]) -> Iterator[Piece]:
    last = 0
    for begin, end in marks:
        if begin > last:
            yield Piece(text[last:begin])
        yield Piece(text[begin:end], is_match=True)
        last = end
    if last < len(text):
        yield Piece(text[last:])
