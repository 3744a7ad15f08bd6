"""Watch from Python: lists come in, events go out one by one while the watch goes on behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from scythe.archive.open import open_archive
from scythe.crawling.thread import Stream
from scythe.errors import BadInput
from scythe.watching.events import Event
from scythe.watching.hooks import HookOptions
from scythe.watching.options import ListOptions, WatchOptions
from scythe.watching.run import Watch, add_lists


def watch(
    sites: Sequence[str] = (),
    *,
    archive: str | Path,
    miss: float | None = None,
    max_delay_s: float | None = None,
    follow: bool | None = None,
    once: bool | None = None,
    allow_private: bool | None = None,
    lists: ListOptions | None = None,
    options: WatchOptions | None = None,
    hooks: HookOptions | None = None,
) -> Iterator[Event]:
    """Watch pages with lists and yield what happens: visits, new records, gaps, troubles.

    `archive` is a file or a `postgresql://` address; a watch of the same archive goes on where the last one stopped,
    and without `sites` with all that it watches. `miss` is the share of records that may be missed, `max_delay_s` the
    longest that one may stay unseen. With `once` it visits what is due, once; otherwise it goes on until you stop
    iterating. `lists`, `options` and `hooks` have everything else that can be said; what is named here goes before.
    Raises BadInput on wrong arguments, ArchiveFailed where the archive cannot be used.
    """
    if isinstance(sites, str):
        raise BadInput("sites is a list of addresses, not one text")
    wanted = lists or ListOptions()
    goals = wanted.goals
    goals = replace(
        goals,
        miss=goals.miss if miss is None else miss,
        max_delay_s=goals.max_delay_s if max_delay_s is None else max_delay_s,
    )
    wanted = replace(wanted, goals=goals, follow=wanted.follow if follow is None else follow)
    said = options or WatchOptions()
    said = replace(
        said,
        once=said.once if once is None else once,
        allow_private=said.allow_private if allow_private is None else allow_private,
    )
    stack = ExitStack()
    with stack:
        opened = stack.enter_context(open_archive(archive))
        only = add_lists(opened, sites, wanted) if sites else None
        stream: Stream[Event] = Stream("scythe-watch")
        run = Watch(opened, said, listener=stream.put, only=only, hooks=hooks)
        return stream.follow(run.run, run.stop, stack.pop_all())
    raise AssertionError("unreachable")
