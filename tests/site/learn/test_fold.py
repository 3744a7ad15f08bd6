"""Folding a line makes what changes from page to page alike, word by word."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.site.cut.cutter import Boilerplate, fold

LINES = st.text(alphabet="aAmMpPjJnN159.,:/-@ \t\u03a3\u03c3\u00df\u0130\u00a0", max_size=30)


@settings(max_examples=500, deadline=None)
@given(LINES)
def test_folding_never_reaches_across_a_space(line: str) -> None:
    assert fold(line) == " ".join(map(fold, line.split(" ")))


def test_long_lines_are_known_by_the_whole_line() -> None:
    line = "Posted 12 May 2026 by the staff of this paper, who read every letter that reaches them in time."
    known = Boilerplate((fold(line),))
    assert known.holds(line.replace("12 May", "3 June"))
    assert not known.holds(line.replace("staff", "friends"))
    assert not known.holds(line.replace("Posted", "Written"))
