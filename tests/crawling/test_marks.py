from random import Random

from scythe.crawling.traps import HashSet


def made(count: int, seed: int = 1) -> list[int]:
    random = Random(seed)
    return [random.getrandbits(64) for _ in range(count)]


def test_marks_are_known_while_the_table_gets_wider() -> None:
    marks, seen = HashSet(), made(20_000)
    assert sum(marks.is_new(mark) for mark in seen) == 20_000
    known = sum(not marks.is_new(mark) for mark in seen)
    assert known >= 19_980  # a few of a table that was half full share a bucket with too many


def test_what_came_last_is_known_however_many_came_before() -> None:
    marks, seen = HashSet((1 << 10, 1 << 12)), made(20_000)
    for mark in seen:
        marks.is_new(mark)
    assert len(marks) == 1 << 12
    assert sum(not marks.is_new(mark) for mark in reversed(seen[-1_500:])) >= 1_490
