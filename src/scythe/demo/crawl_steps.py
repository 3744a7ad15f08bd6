"""Crawl the served demo site, list its pages in order, and measure the effect of the redesign."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from scythe.crawl_model import Extracted, Outcome, Receipt
from scythe.crawling.crawl import Crawl, run_watched
from scythe.crawling.crawl_options import CrawlOptions
from scythe.demo.protocol import Request
from scythe.demo.world import World

if TYPE_CHECKING:
    from scythe.archive.archive import Archive
    from scythe.crawling.stats import CrawlStats
    from scythe.demo.serve import DemoThread

AT_ONCE = 8  # requests under way

Watch = Callable[[Crawl], Awaitable[None]]  # shows a run until it is cancelled
Each = Callable[[Crawl], None]  # is called after every page that was stored


@dataclass(frozen=True, slots=True)
class Visited:
    """One page that came into the archive."""

    path: str
    extracted: Extracted | None


@dataclass
class Crawled:
    """What one or more runs over a served site came to."""

    base: str  # of the site
    visited: list[Visited] = field(default_factory=list)  # in the order they came
    tallies: list[CrawlStats] = field(default_factory=list)  # one for each run

    async def take(self, outcome: Outcome, receipt: Receipt) -> None:
        """Take note of a page that was stored."""
        path = outcome.task.url.removeprefix(self.base)
        self.visited.append(Visited(path, outcome.extracted))


def crawl_on(crawled: Crawled, served: DemoThread, archive: Archive, *, watch: Watch, each: Each) -> None:
    """Crawl, or go on crawling, until nothing is left or `each` stops the run.

    The site is ours and on this machine, so it is asked without a pause.
    """

    async def take(outcome: Outcome, receipt: Receipt) -> None:
        if receipt.stored:
            await crawled.take(outcome, receipt)
            each(run)

    options = CrawlOptions(
        limit=2 * len(served.world.paths), delay=0.0, concurrency=AT_ONCE, per_host=AT_ONCE, allow_private=True
    )
    run = Crawl(served.url, archive, options, listener=take)
    asyncio.run(run_watched(run, watch))
    crawled.tallies.append(run.tally)


@dataclass(frozen=True, slots=True)
class Step:
    """One page of the site in the order of the crawl."""

    path: str
    how: str  # cold, cut, mixed, tree
    design: int  # 0: the first one
    share: float  # of its fields that were cut


def order_steps(world: World, crawled: Crawled, log: Sequence[Request], redesign_after: int | None) -> tuple[Step, ...]:
    """Return the pages of the ledger as they came in, with the design each was served in.

    Those before the first that was cut were read cold: the site was learned from them.
    `redesign_after` counts the requests before it. A page that was asked for twice came with the second request: a run
    that is stopped leaves some behind.
    """
    last = {request.target: number for number, request in enumerate(log)}
    own = set(world.paths)
    steps: list[Step] = []
    is_learned = False
    for visit in crawled.visited:
        if visit.path in own and visit.extracted is not None:
            is_new = redesign_after is not None and last.get(visit.path, 0) >= redesign_after
            is_learned = is_learned or visit.extracted.cut_fields > 0
            how = visit.extracted.how if is_learned else "cold"
            delivered = visit.extracted.cut_fields + visit.extracted.tree_fields
            share = visit.extracted.cut_fields / delivered if delivered else 0.0
            steps.append(Step(visit.path, how, int(is_new), share))
    return tuple(steps)


WINDOW = 10  # pages that are looked at together
ENOUGH = 40  # pages in the new design before it can be asked of them to be cut again
_SICK, _WELL = 0.5, 0.9  # of the share that was cut before: below something is wrong, from there on all is well


@dataclass(frozen=True, slots=True)
class RedesignEffect:
    """What a change of design in the middle did. Pages are those of the new design, the first one is 1."""

    after: int  # pages before
    pages: int  # that came after
    before: float  # share of fields that were cut, since the site was learned
    soon: float  # on the first pages after
    later: float  # since it was healed; where it was not, on those that came still later
    noticed: int | None  # the first page that the rules did not fit
    healed: int | None  # pages until they were cut nearly as before
    f1: float | None = None  # of the text on the pages until then; None: they have none, or it was not compared
    log: tuple[str, ...] = ()  # what the profile says was noticed and learned

    @property
    def is_over(self) -> bool:
        """Whether it did no harm any more at the end, as far as there were enough pages to tell."""
        return self.noticed is None or self.healed is not None or self.pages < ENOUGH


def judge_redesign(
    steps: Sequence[Step], log: Iterable[str] = (), f1: Mapping[str, float] | None = None
) -> RedesignEffect | None:
    """Say what a redesign did to the share of fields that were cut; None where there was none, or nothing learned.

    `f1` has that of the text by path.
    """
    before = [step.share for step in steps if step.how != "cold" and step.design == 0]
    after = [step for step in steps if step.design == 1]
    if not before or not after:
        return None
    usual = fmean(before)
    shares = [step.share for step in after]
    noticed = next((at for at, share in enumerate(shares, start=1) if share < _SICK * usual), None)
    healed = None if noticed is None else _first_well(shares, noticed, _WELL * usual)
    scores = [f1[step.path] for step in after[: healed or len(after)] if f1 and step.path in f1]
    return RedesignEffect(
        after=len(steps) - len(after),
        pages=len(after),
        before=usual,
        soon=fmean(shares[:WINDOW]),
        later=fmean(shares[(WINDOW if healed is None else healed) :] or shares),
        noticed=noticed,
        healed=healed,
        f1=fmean(scores) if scores else None,
        log=tuple(log),
    )


def _first_well(shares: Sequence[float], since: int, wanted: float) -> int | None:
    """Return the pages until the first window whose share is high enough again."""
    ends = range(since, len(shares) - WINDOW + 1)
    return next((at for at in ends if fmean(shares[at : at + WINDOW]) >= wanted), None)
