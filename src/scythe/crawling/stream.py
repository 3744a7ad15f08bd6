"""Crawl from Python: a start comes in, documents go out one by one while the crawl goes on behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from scythe.archive.open import open_archive
from scythe.crawling.documents import to_document
from scythe.crawling.options import CrawlOptions
from scythe.crawling.run import Crawl
from scythe.crawling.thread import Stream
from scythe.errors import BadInput
from scythe.model import Document
from scythe.profiles.profile import open_profile
from scythe.site import Site
from scythe.visits import Outcome, Receipt


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
    store: str = "",
    options: CrawlOptions | None = None,
) -> Iterator[Document]:
    """Crawl a site and yield its pages as they are stored, each once.

    `archive` is a file or a `postgresql://` address; a crawl into the same archive goes on where the last one stopped,
    and yields only what is new. Without it everything is forgotten at the end. `delay` is in seconds, `profile` what
    was learned before; it and `options.parts` are kept with the site, for runs that do not say them. Responses
    as they came, where `options` want them kept, go into `store` ("folder:responses"), else into the archive. `options`
    has everything else that can be said; what is named here goes before it. Raises BadInput on wrong arguments,
    ArchiveFailed where the archive cannot be used; a page that fails is left out.
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
        opened = stack.enter_context(open_archive(archive, store=store))
        stream: Stream[Document] = Stream("scythe-crawl")

        async def take(outcome: Outcome, receipt: Receipt) -> None:
            if outcome.extracted is not None and receipt.stored in ("new", "changed", "duplicate", "cut"):
                await stream.put(to_document(outcome.extracted, outcome.task.url))

        run = Crawl(start, opened, said, profile=profile_text(profile), listener=take)
        return stream.follow(run.run, run.stop, stack.pop_all())
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
