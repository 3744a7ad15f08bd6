"""The demo from beginning to end: a site is served, crawled, redesigned meanwhile and crawled on; results go out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.demo.corners import Corner
from scythe.demo.crawled import Crawled, Visited, Watch, crawl_on, list_addresses
from scythe.demo.protocol import Request
from scythe.demo.race import race
from scythe.demo.results import (
    CornerRow,
    Results,
    Sample,
    Step,
    count_fields,
    judge_corners,
    judge_redesign,
    order_steps,
    score_kinds,
)
from scythe.demo.serve import InProcess, serve_demo_process
from scythe.demo.serving import ServeOptions
from scythe.demo.world import World
from scythe.learn.events import Change
from scythe.site import Site

_REDESIGN_AT = 0.6  # of the pages, when the other design is put on
_PATIENCE_S = 20.0  # for what failed: it is tried again after ten to fifteen seconds
_RECORDS = 4
_LINES = 6


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What to show."""

    pages: int = 120  # content pages; lists come on top
    seed: int = 1
    design: int = 0  # to begin with
    has_corners: bool = True


def run_show(options: ShowOptions, *, watch: Watch, say: Callable[[str], AbstractContextManager[object]]) -> Results:
    """Serve, crawl, compare; `say` is told what begins and may show it until it is over."""
    world = World(options.seed, options.pages)
    after = round(_REDESIGN_AT * len(world.paths))
    corners = ("all",) if options.has_corners else ()
    served = ServeOptions(options.seed, options.pages, options.design, after, corners=corners, slow_s=1.0)
    with (
        TemporaryDirectory() as folder,
        serve_demo_process(served) as site,
        open_archive(Path(folder) / "demo.scythe.db") as archive,
    ):
        return _crawl(site, archive, after, watch, say)


def _crawl(
    site: InProcess,
    archive: Archive,
    after: int,
    watch: Watch,
    say: Callable[[str], AbstractContextManager[object]],
) -> Results:
    began = monotonic()
    crawled = Crawled(site.world.base)
    crawl_on(crawled, site, archive, patience_s=0.0, watch=watch)
    steps = order_steps(site.world, crawled, site.log, after)
    number = archive.sites()[0].id
    profile = archive.profile(number)
    with say("Racing what was learned against the tree"):
        pages = [page for step in steps if (page := site.world.page(step.path, _design(site.world, step)))]
        laps = race(profile, pages) if profile else ()
    crawl_on(crawled, site, archive, patience_s=_PATIENCE_S, watch=watch)
    log = site.log
    return Results(
        url=site.url,
        pages=len(site.world.paths),
        seconds=monotonic() - began,
        requests=len(log),
        received=sum(tally.received for tally in crawled.tallies),
        records=archive.counts(number).records,
        profiles=sum(tally.profiles for tally in crawled.tallies),
        kinds=score_kinds(site.world, crawled.visited),
        fields=count_fields(visit for visit in crawled.visited if visit.path in set(site.world.paths)),
        corners=_corners(site, archive, log, crawled.visited),
        steps=steps,
        redesign=judge_redesign(steps, _noticed(profile)),
        laps=laps,
        article=_article(crawled.visited, site.world),
        listing=_listing(crawled.visited, site.world),
    )


def _design(world: World, step: Step) -> int:
    return world.design if step.design == 0 else 1 - world.design


def _corners(
    site: InProcess, archive: Archive, log: Sequence[Request], visited: Sequence[Visited]
) -> tuple[CornerRow, ...]:
    corners = [corner for corner in site.site.corners if isinstance(corner, Corner) and corner.name != "lab"]
    return judge_corners(corners, list_addresses(archive, site.world.base), log, visited)


def _noticed(profile: str | None) -> list[str]:
    """Return what a profile says was noticed and learned, in words, each thing once."""
    changes = Site.from_json(profile).drift.log if profile else ()
    said = [_describe(change) for change in changes if change.what in ("opened", "learned")]
    return list(dict.fromkeys(said))


def _describe(change: Change) -> str:
    if change.what == "learned":
        what = f"{change.field} of {change.layout}" if change.field else change.layout
        return f"learned {what}, {change.note}" if change.field else f"learned {what}: {change.note}"
    if not change.field:
        return "noticed that pages fit nothing learned so far"
    is_missing = "is missing" if change.note == "missing" else "is found only by the tree"
    return f"noticed that {change.field} {is_missing} in {change.layout}"


def _article(visited: Sequence[Visited], world: World) -> Sample:
    """Choose a story that was cut, to show some lines of it."""
    for visit in visited:
        plan = world.ledger.by_path.get(visit.path)
        if plan and visit.extracted and plan.kind == "news" and plan.language == "en" and visit.extracted.how == "cut":
            lines = visit.extracted.text.splitlines()[:_LINES]
            return Sample(visit.extracted.title, "\n".join(lines), world.base + visit.path)
    return Sample()


def _listing(visited: Sequence[Visited], world: World) -> Sample:
    """Choose a list page with records, to show some of them."""
    for visit in visited:
        if visit.path in world.ledger.lists and visit.extracted and visit.extracted.regions:
            region = visit.extracted.regions[0]
            shown = tuple(record.fields for record in region.records[:_RECORDS])
            return Sample(visit.extracted.title, "", world.base + visit.path, region.columns, shown)
    return Sample()
