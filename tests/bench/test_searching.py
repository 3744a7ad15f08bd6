import pytest
from bench.searching import ALGORITHMS, Algorithm
from hypothesis import example, given
from hypothesis import strategies as st

ALL = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.name)
FEW = st.lists(st.sampled_from(b"ab"), max_size=120).map(bytes)
TAGS = st.lists(st.sampled_from([b"<div", b" class=", b'"a"', b">", b"<", b"d", b"\xff\x00"]), max_size=60).map(
    b"".join
)


@ALL
@given(body=FEW, pattern=st.lists(st.sampled_from(b"ab"), min_size=1, max_size=9).map(bytes), start=st.integers(0, 130))
@example(body=b"ab", pattern=b"b", start=1)
def test_few_letters_are_found_where_bytes_find_them(
    algorithm: Algorithm, body: bytes, pattern: bytes, start: int
) -> None:
    assert algorithm.search(algorithm.prepare(pattern), body, start) == body.find(pattern, start)


@ALL
@given(body=TAGS, cut=st.tuples(st.integers(0, 200), st.integers(1, 90)), start=st.integers(0, 50))
def test_pieces_of_markup_are_found_where_bytes_find_them(
    algorithm: Algorithm, body: bytes, cut: tuple[int, int], start: int
) -> None:
    pattern = body[cut[0] : sum(cut)] or b"<div>"
    assert algorithm.search(algorithm.prepare(pattern), body, start) == body.find(pattern, start)


@ALL
def test_a_pattern_longer_than_a_machine_word_is_found(algorithm: Algorithm) -> None:
    pattern = b'<div class="' + b"long-" * 30 + b'">'
    assert algorithm.search(algorithm.prepare(pattern), b"x" * 1_000 + pattern, 0) == 1_000
