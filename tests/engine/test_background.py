"""Work in a thread of its own, as crawls and watches from Python do: what it puts out, what ends it, what is raised."""

import asyncio
import threading
from contextlib import ExitStack

import pytest

from scythe.engine import background
from scythe.engine.background import Stream
from scythe.errors import ArchiveFailed


def test_what_the_work_raises_is_raised_for_the_one_who_iterates_after_all_it_gave() -> None:
    stream: Stream[int] = Stream("test")
    closed = ExitStack()
    ends: list[str] = []
    closed.callback(ends.append, "closed")

    async def work() -> None:
        await stream.put(1)
        await stream.put(2)
        raise ArchiveFailed("the disk is full")

    followed = stream.follow(work, lambda: None, closed)
    assert [next(followed), next(followed)] == [1, 2]
    with pytest.raises(ArchiveFailed, match="the disk is full"):
        next(followed)
    assert ends == ["closed"]


def test_work_that_is_faster_waits_and_goes_on_when_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_AHEAD", 2)
    monkeypatch.setattr(background, "_LOOK_S", 0.005)
    stream: Stream[int] = Stream("test")
    put: list[int] = []
    is_stuck = threading.Event()

    async def work() -> None:
        for number in range(6):
            if number == 3:
                is_stuck.set()
            await stream.put(number)
            put.append(number)

    followed = stream.follow(work, lambda: None, ExitStack())
    assert next(followed) == 0
    assert is_stuck.wait(30.0)
    assert len(put) <= 3  # one was taken, two wait, and no more
    assert list(followed) == [1, 2, 3, 4, 5]
    assert put == [0, 1, 2, 3, 4, 5]


def test_what_comes_after_nobody_iterates_any_more_is_dropped() -> None:
    stream: Stream[int] = Stream("test")
    ended = threading.Event()
    stop = asyncio.Event()

    async def work() -> None:
        await stream.put(1)
        await stop.wait()
        await stream.put(2)
        ended.set()

    followed = stream.follow(work, stop.set, ExitStack())
    assert next(followed) == 1
    followed.close()  # type: ignore[attr-defined]
    assert ended.is_set()
    assert stream._ready.empty()
