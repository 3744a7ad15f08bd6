from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.errors import BadInput
from scythe.site.papers.string_search import DEFAULT, NAMES, search_by

BODIES = st.lists(st.sampled_from([b"<div", b">", b"a", b"<", b"\n", b"</div>", b"\xff", b"*"])).map(b"".join)
PATTERNS = st.lists(st.sampled_from([b"<div", b">", b"a", b"<", b".*"]), min_size=1, max_size=3).map(b"".join)


@pytest.mark.parametrize("name", NAMES)
@given(body=BODIES, pattern=PATTERNS, start=st.integers(0, 90), end=st.integers(0, 90))
def test_every_search_finds_and_counts_what_bytes_do(
    name: str, body: bytes, pattern: bytes, start: int, end: int
) -> None:
    search = search_by(name)
    assert search.find(body, pattern, start) == body.find(pattern, start)
    assert search.count(body, pattern, start, end) == body.count(pattern, start, end)


def test_the_default_is_the_fastest_that_is_installed() -> None:
    assert search_by().name == DEFAULT
    assert ("stringzilla" if "stringzilla" in NAMES else "bytes") == DEFAULT
    assert set(NAMES) - {"stringzilla"} == {"bytes", "re"}
    assert all(search_by(name).name == name for name in NAMES)


def test_an_unknown_search_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="bytes"):
        search_by("grep")
