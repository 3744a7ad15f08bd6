"""The record between finding, ranking and filling a region."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """Where the records of a possible region begin and end, in rows and leaves of `page.elements`.

    A record is a run of siblings: its rows `first : end` hold whole elements with all inside them, and may be none for
    a line of bare text. Its leaves are one range as well. Records are in page order, none overlap.
    """

    found: str  # by which finder
    holder: int  # row of the innermost element around all records
    rows: tuple[tuple[int, int], ...]  # per record: first row, row after the last
    leaves: tuple[tuple[int, int], ...]  # per record: first leaf, leaf after the last
