"""Small fragments are found plain without vector operations: never where the vectors would object."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scythe.page import tree_guard
from scythe.page.tree_guard import is_plain

pieces = st.lists(
    st.sampled_from([b"<b>", b"<p>", b"<i class=x>", b"</b>", b"text ", b"<a " + b"x " * 600, b"'<'", b"<font>" * 90]),
    max_size=120,
)


@given(pieces)
def test_the_shortcut_agrees_with_the_vectors(parts: list[bytes]) -> None:
    source = b"".join(parts)
    if tree_guard._is_short(source):
        slow = tree_guard._is_short
        tree_guard._is_short = lambda source: False  # type: ignore[assignment]
        try:
            assert is_plain(source)
        finally:
            tree_guard._is_short = slow
