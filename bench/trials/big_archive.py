"""Make a big archive for measurements: sites with documents in several versions, records, watched lists with journals.

Everything is stored as a crawl and a watch store it, so that what is measured on it is what users have.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.schema import digest_text
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site, save_profile
from scythe.archive.watches import add_watch
from scythe.crawl_model import Extracted, FoundUrl, Looked, Outcome, Task
from scythe.demo import site as demo_site
from scythe.model import Record, RecordList
from scythe.schedule.policies import make_policy
from scythe.site.site import Site
from scythe.url import Url
from scythe.watch_model import Goals, Observation, VisitPlan

BATCH = 64
VISITS = 40  # of each watched list
LISTED = 20  # records that a list shows
KINDS = ("article", "product", "website", "")
BEGAN = datetime.now(UTC).replace(microsecond=0) - timedelta(days=22)  # the last visits were lately
SYLLABLES = ("ha", "ri", "mo", "lan", "ter", "ve", "so", "ki", "ber", "nu", "dra", "sti", "pol", "ga", "en", "wi")
CHINESE = "今年的收成比去年好得多，农民们说雨水来得正是时候，北京的市场上粮食价格也稳定了下来。"


@dataclass
class Maker:
    """Makes things up, the same ones each time."""

    chance: random.Random = field(default_factory=lambda: random.Random(1))
    words: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    records: int = 0

    def __post_init__(self) -> None:
        words = {"".join(self.chance.choices(SYLLABLES, k=self.chance.randint(2, 4))) for _ in range(6_000)}
        self.words = ["harvest", "field", "market", *sorted(words)]
        self.weights = list(accumulate(1 / (rank + 3) for rank in range(len(self.words))))  # as in any language

    def sentence(self, count: int) -> str:
        return " ".join(self.chance.choices(self.words, cum_weights=self.weights, k=count)).capitalize() + "."

    def text(self, words: int) -> str:
        paragraphs = [self.sentence(self.chance.randint(20, 60)) for _ in range(max(1, words // 40))]
        return "\n".join([*paragraphs, CHINESE] if self.chance.random() < 0.1 else paragraphs)

    def region(self, host: str, count: int) -> RecordList:
        """Return a list of new records."""
        records = []
        for number in range(self.records, self.records + count):
            said = (self.sentence(6), f"{number % 97 + 1}.50 €", self.sentence(14), "2 days ago")
            link, picture = Url(f"http://{host}/thing/{number}"), Url(f"http://{host}/images/{number}.jpg")
            html = f"<li><a href=/thing/{number}>{said[0]}</a> {said[1]}</li>"
            records.append(Record(said, (link,), (picture,), html))
        self.records += count
        return RecordList(tuple(records), ("title", "price", "text", "date"), "products")

    def extracted(self, title: str, text: str, regions: tuple[RecordList, ...] = ()) -> Extracted:
        kind = self.chance.choice(KINDS)
        images = [{"src": f"http://pictures.example/{n}.jpg", "alt": title, "relevant": n == 0} for n in range(3)]
        metadata = {"title": title, "kind": kind, "language": "en", "author": "A. Writer", "description": text[:120]}
        rest = {"metadata": metadata, "images": images, "how": {"title": "auto", "text": "auto"}}
        simhash = self.chance.getrandbits(64)
        plain = json.dumps(rest, ensure_ascii=False)
        return Extracted(title, text, None, None, plain, kind, "en", "2026-10-01", simhash=simhash, lists=regions)


def visited(task: Task, at: datetime, extracted: Extracted, **more: object) -> Outcome:
    body_hash = digest_text(extracted.text + extracted.title)
    return Outcome(
        task, "done", at, status=200, seconds=0.2, size=60_000, content_type="text/html", body_hash=body_hash,
        extracted=extracted, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def add_pages(archive: Archive, maker: Maker, host: str, pages: int, records: int) -> None:
    """Store documents of a site; a fifth of them list records, a fifth changes once or twice."""
    site = add_site(archive, host, Url(f"http://{host}/"))
    lists = max(1, pages // 5)
    each = -(-records // lists)
    add_urls(archive, site, [FoundUrl(Url(f"http://{host}/page/{number}"), host) for number in range(pages)])
    for round_ in range(3):
        at = BEGAN + timedelta(days=5 * round_)
        tasks = next_tasks(archive, site, host, pages, now=at)
        for start in range(0, len(tasks), BATCH):
            outcomes = []
            for number, task in enumerate(tasks[start : start + BATCH], start):
                regions = (maker.region(host, each),) if round_ == 0 and number < lists and each else ()
                outcomes.append(visited(task, at, maker.extracted(maker.sentence(7), maker.text(500), regions)))
            store_outcomes(archive, outcomes)
        if round_ < 2:
            again = [task.id for task in tasks[:: 5 + round_]]
            _revisit(archive, again)


def _revisit(archive: Archive, tasks: Sequence[int]) -> None:
    from sqlalchemy import update

    from scythe.archive.schema import URLS

    with archive.writing() as connection:
        for start in range(0, len(tasks), 500):
            some = tasks[start : start + 500]
            connection.execute(update(URLS).where(URLS.c.id.in_(some)).values(state="retry", due_at=0.0))


def add_long_page(archive: Archive, maker: Maker, host: str) -> None:
    """Store two versions of a text of a megabyte that differ in the middle and in a hundred places."""
    site = add_site(archive, host, Url(f"http://{host}/"))
    add_urls(archive, site, [FoundUrl(Url(f"http://{host}/long"), host)])
    (task,) = next_tasks(archive, site, host, 1, now=BEGAN)
    paragraphs = [maker.sentence(60) for _ in range(2_500)]
    store_outcomes(archive, [visited(task, BEGAN, maker.extracted("A long one", "\n".join(paragraphs)))])
    for place in range(0, 2_500, 25):
        words = paragraphs[place].split()
        words[len(words) // 2] = "something else"
        paragraphs[place] = " ".join(words)
    _revisit(archive, [task.id])
    at = BEGAN + timedelta(days=3)
    (task,) = next_tasks(archive, site, host, 1, now=at)
    store_outcomes(archive, [visited(task, at, maker.extracted("A long one", "\n".join(paragraphs)))])


def add_watches(archive: Archive, maker: Maker, host: str, watches: int, records: int) -> None:
    """Watch lists of a site, each with two regions, visited many times."""
    site = add_site(archive, host, Url(f"http://{host}/"))
    host = host
    numbers = [
        add_watch(archive, site, FoundUrl(Url(f"http://{host}/list/{number}"), host), "{}", now=BEGAN)
        for number in range(watches)
    ]
    shown: dict[int, tuple[Record, ...]] = dict.fromkeys(numbers, ())
    policies = {number: make_policy("auto", Goals(), None) for number in numbers}
    brought = -(-records // (watches * VISITS))
    wait = timedelta(hours=12)
    for visit in range(VISITS):
        at = BEGAN + visit * wait
        outcomes = []
        for task in next_tasks(archive, site, host, watches, now=at, kinds=("list",)):
            new = maker.region(host, brought)
            shown[task.id] = (*new.records, *shown[task.id])[:LISTED]
            region = RecordList(shown[task.id], new.columns, new.kind)
            seen = Observation(
                at.timestamp(), len(region.records), brought, since_s=wait.total_seconds() if visit else None
            )
            policy = policies[task.id]
            policy.note(seen)
            plan, plain = policy.plan(at.timestamp()), json.dumps(policy.to_plain())
            looked = (
                Looked(1, seen, plan, "news", "products", "li", new.columns, newest=("a", "b"), known=LISTED - brought,
                       estimator=plain, lost=int(visit == 9)),
                Looked(2, Observation(at.timestamp(), 5), VisitPlan(wait.total_seconds()), "aside",
                       estimator=plain, rank=1),
            )  # fmt: skip
            outcomes.append(
                Outcome(task, "retry", at, status=200, seconds=0.2, size=30_000, retry_at=at + wait, looked=looked,
                        extracted=Extracted(lists=(region,)))
            )  # fmt: skip
        store_outcomes(archive, outcomes)


def make(where: str, *, records: int = 100_000, pages: int = 10_000, sites: int = 20, watches: int = 200) -> None:
    """Make an archive with about so much of each; half of the records come from lists that are watched."""
    maker = Maker()
    pages_read = [(page.url, page.html) for page in demo_site(seed=1, pages=24)]
    learned = [Site.learn(pages_read[:12]).to_json(), Site.learn(pages_read).to_json()]
    with open_archive(where) as archive:
        for number in range(sites):
            host = f"site{number:02}.example"
            add_pages(archive, maker, host, pages // sites, records // 2 // sites)
            add_watches(archive, maker, host, max(1, watches // sites), records // 2 // sites)
            for profile in learned:
                save_profile(archive, add_site(archive, host, Url(f"http://{host}/")), profile)
        add_long_page(archive, maker, "site00.example")


def run(archive: str, *, records: int = 100_000, pages: int = 10_000, sites: int = 20, watches: int = 200) -> None:
    began = time.perf_counter()
    make(archive, records=records, pages=pages, sites=sites, watches=watches)
    with open_archive(archive, create=False) as made:
        counts = count_archive(made)
    print(f"{counts.pages} pages, {counts.versions} versions, {counts.records} records, {counts.sightings} sightings")
    print(f"{time.perf_counter() - began:.1f} s")
