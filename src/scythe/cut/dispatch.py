"""Pick the layout of a page by literals in its source: bytes come in, the number of a layout or None goes out."""

from __future__ import annotations

from collections.abc import Sequence

from scythe.cut.search import search_by
from scythe.rules import Layout
from scythe.url import url_shape

ENOUGH = 0.6  # share of a layout's marks that a page of it has ...
ENOUGH_OF_FEW = 0.5  # ... and of a site's only layout, learned from so few pages that a mark may be chance
FEW = 5  # pages
_BEFORE = 1_024  # bytes before the place where a mark was last seen at which the search for it begins


class Dispatcher:
    """The layouts of a site by their marks, and where on a page each mark was last seen.

    Layouts are tried in a fixed order until a page has all marks of one. A mark is searched for from where it was last
    seen, then from the start, and the mark that was last found missing is looked for first: what was seen before
    changes the time taken, never the answer. Some 3 us for a page of the first layout, 5 us more for each one passed.
    """

    def __init__(self, layouts: Sequence[Layout]) -> None:
        marks = sorted({mark for layout in layouts for mark in layout.marks if mark})
        number = {mark: at for at, mark in enumerate(marks)}
        self._marks = marks
        self._seen = [0] * len(marks)  # byte offsets
        self._own = [[number[mark] for mark in dict.fromkeys(layout.marks) if mark] for layout in layouts]
        # a layout with more marks says more of itself; where pages have all marks of two, it is the one
        tried = sorted(range(len(layouts)), key=lambda at: (-len(self._own[at]), -layouts[at].pages, at))
        self._order = [at for at in tried if self._own[at]]
        bare = [at for at in tried if not self._own[at]]
        self._bare = bare[0] if bare else None  # nothing is known of its source: it takes what is left
        self._enough = ENOUGH_OF_FEW if len(layouts) == 1 and layouts[0].pages < FEW else ENOUGH
        self._find = search_by().find
        self._shapes = [frozenset(layout.shapes) for layout in layouts]

    def pick(self, body: bytes, url: str | None = None) -> int | None:
        """Return the number of the layout with the largest share of its marks on the page, or None if none has enough.

        Ties go to the layout with more marks, then to the one with more pages. A page that lacks some marks is not of
        the layout either if its address looks like those of others only: what is left after a redesign are marks that
        all pages of a site share, and the addresses stay.
        """
        for layout in self._order:
            if self._has_all(body, self._own[layout]):
                return layout
        best = self._pick_by_share(body)
        return None if best is not None and url and self._is_of_others(url, best) else best

    def share(self, body: bytes, layout: int) -> float:
        """Return the share of a layout's marks that a page has; 0 for a layout without marks."""
        own = self._own[layout]
        return sum(self._has(body, mark) for mark in own) / len(own) if own else 0.0

    def _is_of_others(self, url: str, layout: int) -> bool:
        shape = url_shape(url)
        own = self._shapes[layout]
        return bool(own) and shape not in own and any(shape in shapes for shapes in self._shapes)

    def _has_all(self, body: bytes, own: list[int]) -> bool:
        # what `_has` does, written out: this runs for every mark of every page
        find, marks, seen = self._find, self._marks, self._seen
        for at, mark in enumerate(own):
            start = seen[mark] - _BEFORE
            place = find(body, marks[mark], start) if start > 0 else -1
            if place < 0:
                place = find(body, marks[mark], 0)
                if place < 0:
                    own[0], own[at] = mark, own[0]
                    return False
            seen[mark] = place
        return True

    def _has(self, body: bytes, mark: int) -> bool:
        start = self._seen[mark] - _BEFORE
        place = self._find(body, self._marks[mark], start) if start > 0 else -1
        if place < 0:
            place = self._find(body, self._marks[mark], 0)
            if place < 0:
                return False
        self._seen[mark] = place
        return True

    def _pick_by_share(self, body: bytes) -> int | None:
        present = [self._has(body, mark) for mark in range(len(self._marks))]
        best, most = self._bare, 0.0
        for layout in self._order:
            own = self._own[layout]
            share = sum(present[mark] for mark in own) / len(own)
            if share > most and share >= self._enough:
                best, most = layout, share
        return best
