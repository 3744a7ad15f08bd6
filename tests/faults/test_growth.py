"""The judge of growth tells linear work from squared work, so that tests which rest on it can fail."""

from __future__ import annotations

from tests.faults.growth import is_linear


def linear(n: int) -> int:
    return sum(i % 7 for i in range(n * 100))


def squared(n: int) -> int:
    return sum(i % 7 for i in range(n * n))


def test_work_that_grows_with_its_size_is_linear() -> None:
    assert is_linear(linear, 500)


def test_work_that_squares_is_not() -> None:
    assert not is_linear(squared, 500, tries=2)
