"""Crawl from Python: a start comes in, documents go out one by one while the crawl goes on behind them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from queue import Empty, Full, Queue
from tempfile import TemporaryDirectory

from scythe.archive.open import open_archive
from scythe.crawling.documents import to_document
from scythe.crawling.options import CrawlOptions
from scythe.crawling.run import Crawl
from scythe.errors import BadInput
from scythe.model import Document
from scythe.profile import open_profile
from scythe.site import Site
from scythe.visits import Outcome, Receipt

_AHEAD = 32  # documents that wait for whoever takes them; then the crawl waits
_LOOK_S = 0.05


def crawl(
    start: str,
    *,
    archive: str | Path | None = None,
    limit: int | None = None,
    delay: float | None = None,
    depth: int | None = None,
    allow: Sequence[str] | None = None,
    deny: Sequence[str] | None = None,
    allow_private: bool | None = None,
    profile: Site | str | Path | None = None,
    options: CrawlOptions | None = None,
) -> Iterator[Document]:
    """Crawl a site and yield its pages as they are stored, each once.

    `archive` is a file or a `postgresql://` address; a crawl into the same archive goes on where the last one stopped,
    and yields only what is new. Without it everything is forgotten at the end. `delay` is in seconds, `profile` what
    was learned before. `options` has everything else that can be said; what is named here goes before it. Raises
    BadInput on wrong arguments, ArchiveFailed where the archive cannot be used; a page that fails is left out.
    """
    said = options or CrawlOptions()
    said = replace(
        said,
        limit=said.limit if limit is None else limit,
        delay=said.delay if delay is None else delay,
        depth=said.depth if depth is None else depth,
        allow=said.allow if allow is None else _patterns(allow, "allow"),
        deny=said.deny if deny is None else _patterns(deny, "deny"),
        allow_private=said.allow_private if allow_private is None else allow_private,
    )
    stack = ExitStack()
    with stack:
        if archive is None:
            archive = Path(stack.enter_context(TemporaryDirectory(prefix="scythe-"))) / "crawl.db"
        opened = stack.enter_context(open_archive(archive))
        stream = _Stream()
        stream.crawl = Crawl(start, opened, said, profile=profile_text(profile), listener=stream.take)
        return stream.follow(stack.pop_all())
    raise AssertionError("unreachable")


def _patterns(given: Sequence[str], name: str) -> tuple[str, ...]:
    if isinstance(given, str):
        raise BadInput(f"{name} is a list of patterns, not one text")
    return tuple(given)


def profile_text(profile: Site | str | Path | None) -> str | None:
    """Return what was learned of a site as a crawl takes it; a file is checked. Raises BadInput and OSError."""
    if profile is None:
        return None
    if isinstance(profile, Site):
        return profile.to_json()
    open_profile(profile)
    return Path(profile).read_text(encoding="utf-8")


class _Stream:
    """A crawl in a thread of its own, and the documents on their way out of it."""

    crawl: Crawl

    def __init__(self) -> None:
        self._ready: Queue[Document] = Queue(_AHEAD)
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_left = threading.Event()

    async def take(self, outcome: Outcome, receipt: Receipt) -> None:
        """Put a page out that was stored, waiting for room."""
        if outcome.extracted is None or receipt.stored not in ("new", "changed", "duplicate", "cut"):
            return
        document = to_document(outcome.extracted, outcome.task.url)
        while not self._is_left.is_set():
            try:
                self._ready.put_nowait(document)
            except Full:
                await asyncio.sleep(_LOOK_S)
            else:
                return

    def follow(self, stack: ExitStack) -> Iterator[Document]:
        with stack:
            thread = threading.Thread(target=self._run, name="scythe-crawl", daemon=True)
            thread.start()
            try:
                while thread.is_alive() or not self._ready.empty():
                    try:
                        yield self._ready.get(timeout=_LOOK_S)
                    except Empty:
                        continue
            finally:
                self._is_left.set()
                self._end(thread)
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        async def run() -> None:
            self._loop = asyncio.get_running_loop()
            await self.crawl.run()

        try:
            asyncio.run(run())
        except Exception as error:  # noqa: BLE001 (raised again for the one who iterates)
            self._error = error

    def _end(self, thread: threading.Thread) -> None:
        """Stop the crawl where it still runs, and wait until the archive is in order."""
        while thread.is_alive():
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self.crawl.stop)
            thread.join(_LOOK_S)
