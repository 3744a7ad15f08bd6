"""The acts of the demo: serve, crawl, learn, cut, redesign, crawl on, watch a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import site_rows, stored_profile
from scythe.demo.crawl_results import (
    KindRow,
    Lap,
    LearnedBefore,
    Results,
    SamplePages,
    choose_article,
    choose_listing,
    count_fields,
    race,
    score_kinds,
    score_texts,
)
from scythe.demo.crawl_steps import (
    AT_ONCE,
    Crawled,
    RedesignEffect,
    Step,
    Watch,
    crawl_on,
    judge_redesign,
    order_steps,
)
from scythe.demo.serve import DemoOptions, DemoThread, serve_demo
from scythe.demo.watched_list import ShowWatch, Watched, watch_growth
from scythe.demo.wording import describe_change
from scythe.demo.world import World
from scythe.site.site import Site
from scythe.watching.events import Event

_FIRST_PART = 0.45  # of the pages, after which the crawl is stopped for a while
_RACED = 120  # pages at most


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What to show."""

    pages: int = 120  # content pages; lists come on top
    seed: int = 1
    design: int = 0  # to begin with
    watch_s: float = 14.0  # that the list is watched, and until the next visit; 0: it is not


class Show:
    """A demo under way: the site is served."""

    def __init__(self, options: ShowOptions, site: DemoThread, archive: Archive, folder: Path) -> None:
        self.options, self.site = options, site
        self.laps: tuple[Lap, ...] = ()
        self.laps_after: tuple[Lap, ...] = ()
        self.learned: LearnedBefore | None = None
        self.redesigned: RedesignEffect | None = None
        self.watched: Watched | None = None
        self.crawled = Crawled(site.world.base)
        self._archive, self._folder = archive, folder
        self._began = monotonic()
        self._paths = set(site.world.paths)
        self._redesigned_after: int | None = None  # requests

    @property
    def world(self) -> World:
        return self.site.world

    @property
    def steps(self) -> tuple[Step, ...]:
        """The pages of the site that came in so far, in order."""
        return order_steps(self.world, self.crawled, self.site.log, self._redesigned_after)

    @property
    def came(self) -> int:
        """How many these are."""
        return sum(visit.path in self._paths for visit in self.crawled.visited)

    def crawl(self, watch: Watch) -> None:
        """Crawl the first part of the site; on the way it is learned, and its pages are cut."""
        wanted = round(_FIRST_PART * len(self._paths))
        crawl_on(
            self.crawled,
            self.site,
            self._archive,
            watch=watch,
            each=lambda run: run.stop("the first part is here") if self.came >= wanted else None,
        )
        cold = sum(step.how == "cold" for step in self.steps)
        profile = self._profile
        if profile is not None:
            layouts = Site.from_json(profile).profile.layouts
            names = dict.fromkeys(rules.name for layout in layouts for rules in layout.fields)
            lists = ["records"] if any(layout.records.lists for layout in layouts) else []
            self.learned = LearnedBefore(cold, len(layouts), (*names, *lists))

    def race(self) -> tuple[Lap, ...]:
        """Get the pages that came so far by the tree and by what was learned, and take the time of both."""
        self.laps = self._race(self.steps)
        return self.laps

    def redesign(self, watch: Watch) -> None:
        """Go on with the crawl; the design changes after as many requests as may be under way at once."""
        self._redesigned_after = self.site.redesign(1 - self.world.design, AT_ONCE)
        crawl_on(self.crawled, self.site, self._archive, watch=watch, each=lambda run: None)
        notes, scores = _noticed(self._profile), score_texts(self.world, self.crawled.visited)
        self.redesigned = judge_redesign(self.steps, notes, scores)

    def race_again(self) -> tuple[Lap, ...]:
        """The same with the pages since the crawl was healed, by what was learned by then."""
        redesign = self.redesigned
        if redesign is not None and redesign.healed is not None:
            healed = redesign.after + redesign.healed
            self.laps_after = self._race(self.steps[healed:])
        return self.laps_after

    def watch(self, tell: Callable[[Event], None], show: ShowWatch | None = None) -> Watched:
        """Watch a list of another site that grows meanwhile."""
        options = self.options
        self.watched = watch_growth(self._folder, options.watch_s, seed=options.seed, tell=tell, show=show)
        return self.watched

    def score(self) -> tuple[KindRow, ...]:
        """Compare the pages that came so far with what they hold."""
        return score_kinds(self.world, self.crawled.visited, {visit.path for visit in self.crawled.visited})

    def judge_redesign(self) -> RedesignEffect | None:
        """Say what the redesign has done so far."""
        return judge_redesign(self.steps)

    @property
    def listing(self) -> SamplePages:
        """Some records of a list page."""
        return choose_listing(self.crawled.visited, self.world)

    def results(self) -> Results:
        """Sum up."""
        number = site_rows(self._archive)[0].id
        log, visited, tallies = self.site.log, self.crawled.visited, self.crawled.tallies
        return Results(
            url=self.site.url,
            pages=len(self._paths),
            seconds=monotonic() - self._began,
            requests=len(log),
            received=sum(tally.received for tally in tallies),
            records=count_archive(self._archive, number).records,
            kinds=score_kinds(self.world, visited),
            fields=count_fields(visit for visit in visited if visit.path in self._paths),
            steps=self.steps,
            redesign=self.redesigned,
            laps=self.laps,
            laps_after=self.laps_after,
            learned=self.learned,
            watched=self.watched,
            article=choose_article(visited, self.world),
            listing=self.listing,
        )

    @property
    def _profile(self) -> str | None:
        sites = site_rows(self._archive)
        return stored_profile(self._archive, sites[0].id) if sites else None

    def _race(self, steps: Sequence[Step]) -> tuple[Lap, ...]:
        profile = self._profile
        count = min(len(steps), _RACED)
        chosen = [steps[at * len(steps) // count] for at in range(count)]
        first = self.world.design
        written = (self.world.page(step.path, first if step.design == 0 else 1 - first) for step in chosen)
        pages = [page for page in written if page]
        return race(profile, pages) if profile and pages else ()


@contextmanager
def open_show(options: ShowOptions) -> Iterator[Show]:
    """Serve the site until the block ends; whatever was written on the way is gone then."""
    with (
        TemporaryDirectory() as name,
        serve_demo(DemoOptions(options.seed, options.pages, options.design)) as site,
        open_archive(Path(name) / "demo.scythe.db") as archive,
    ):
        yield Show(options, site, archive, Path(name))


def _noticed(profile: str | None) -> list[str]:
    """Return what a profile says was noticed and learned, in words, each thing once."""
    changes = Site.from_json(profile).drift.log if profile else ()
    said = [describe_change(change) for change in changes if change.what in ("opened", "learned")]
    return list(dict.fromkeys(said))
