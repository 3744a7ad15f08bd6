"""Say where parts of a page stand in the bytes it was received as.

The map counts bytes of the page in UTF-8. Where it came in another encoding, places are counted anew by encoding what
is before them; where that does not give back what came (undecodable bytes, dropped NULs, repaired pages), no place is
given rather than a wrong one.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from scythe.model import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scythe.page.page import Page

_STEP = 4_096  # characters between two places that are known


class SourcePlaces:
    """Places of one page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def of(self, span: Span | None) -> Span | None:
        """Return where a range of the map's source stands in the bytes as received, None where that is not known."""
        if span is None or not self._is_known:
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

    @cached_property
    def _is_known(self) -> bool:
        page = self._page
        source = getattr(page.map, "source", None)
        if source is None or page.decode_losses:
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
