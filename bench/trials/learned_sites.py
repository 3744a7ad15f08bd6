"""Learn sites and cut the lists, or with `--images` the images, of their other pages.

Each file holds pages as JSON lines (`site html`, perhaps `id`, `url`), compressed or not. Some pages of each site,
spread over it, are learned; on the others what was cut is compared with what the same rules give on the tree and with
what is read cold, and the time of each is taken. Lists: only pages count whose best list scores `--score` when read
cold. Images: `--labels` has images as JSON lines (`site page_url src relevant`); pages are known by their address or by
the one that they call canonical.
"""

from __future__ import annotations

import gzip
import json
import lzma
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar

from bench.record_scoring import count_records
from bench.trials.harness import least_us
from scythe import Image, Page, RecordList, Site, read
from scythe.reading.lists.find_lists import read_records
from scythe.site.extract import ListExtractor
from scythe.url import absolute

Pages = list[tuple[str, bytes]]
Labels = dict[tuple[str, str], list[tuple[str, bool]]]
P = TypeVar("P")


class Body(NamedTuple):
    """One page, and the records that people marked on it, if anyone did: their texts, and those of its main region."""

    url: str
    source: bytes
    marked: tuple[tuple[str, ...], ...] = ()
    main: tuple[tuple[str, ...], ...] = ()


_SCORES = ("page cut", "page cold", "main cut", "main cold")


class Times(NamedTuple):
    """Microseconds of CPU on one page."""

    find: float
    cut: float
    cold: float


def read_lists(paths: Sequence[str], cap: int) -> dict[str, list[Body]]:
    """Return the pages of each site, `cap` at most."""
    sites: dict[str, list[Body]] = defaultdict(list)
    for path in paths:
        for line in open_lines(path):
            page = json.loads(line)
            own = sites[page["site"]]
            if len(own) < cap:
                own.append(_body(page, len(own)))
    return {site: pages for site, pages in sites.items() if len(pages) > 1}


def open_lines(path: str) -> Iterator[str]:
    """Yield the lines of a file, compressed or not."""
    opener: Any = {".xz": lzma.open, ".gz": gzip.open}.get(Path(path).suffix, open)
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from lines


def _body(page: dict[str, Any], number: int) -> Body:
    gold = page["gold"] if isinstance(page.get("gold"), list) else []
    marked = tuple(tuple(record["leaves"]) for record in gold)
    main = tuple(tuple(record["leaves"]) for record in gold if record["region"] == 0)
    return Body(page.get("url") or f"https://www.example.org/{number}", page["html"].encode(), marked, main)


def split(pages: Sequence[P], count: int) -> tuple[list[P], list[P]]:
    """Return pages to learn, spread over the site, and the others."""
    count = min(count, len(pages) - 1)
    chosen = {int(i * len(pages) / count) for i in range(count)}
    return [pages[i] for i in sorted(chosen)], [page for i, page in enumerate(pages) if i not in chosen]


def words_of(regions: Sequence[RecordList]) -> Counter[tuple[str, ...]]:
    """Return the records of all regions by their words, whatever the columns."""
    return Counter(tuple(sorted(" ".join(record.fields).split())) for region in regions for record in region.records)


def measure_lists(site: Site, page: Body, least: float, tally: Counter[str]) -> None:
    """Extract one page and note how its records were got and whether they are right."""
    url, body = page.url, page.source
    cold = read_records(Page.from_bytes(body, url=url))
    if not cold or cold[0].score < least:
        return
    tally["pages"] += 1
    document = site.extract(body, url)
    records = document.lists
    how = document.how.get("records", "tree: read cold")
    kind = "cut" if how.startswith("cut") else "by rules on the tree" if "by rules" in how else "read cold"
    tally[kind] += 1
    if kind != "cut":
        return
    by_tree = site.extract(body, url, via="tree")
    followed = by_tree.lists
    tally["as the tree rule"] += records == followed
    mine, theirs = words_of(records), words_of(cold)
    tally["as read cold"] += mine == theirs
    tally["records"] += sum(mine.values())
    tally["records cold"] += sum(theirs.values())
    tally["records in both"] += sum((mine & theirs).values())
    if page.marked:
        for name, regions in (("cut", records), ("cold", cold)):
            tally[f"F1 page {name}"] += round(1e6 * f1_of(regions, page.marked))
            tally[f"F1 main {name}"] += round(1e6 * f1_of(regions[:1], page.main))
    times = take_times(site, page)
    for name, value in times._asdict().items():
        tally[f"us {name}"] += round(value)


def f1_of(regions: Sequence[RecordList], marked: Sequence[Sequence[str]]) -> float:
    """Return the F1 of the records of some regions against those marked."""
    counts = count_records([record.fields for region in regions for record in region.records], marked)
    return 2 * counts.hits / max(1, 2 * counts.hits + counts.extra + counts.missed)


def take_times(site: Site, page: Body) -> Times:
    """Time finding, cutting and reading cold; the least of three."""
    url, body = page.url, page.source
    number = site._extractor._dispatcher.pick(body, url)
    assert number is not None
    cutter = ListExtractor(site.profile.layouts[number]).cutter
    base = absolute(url)

    def cut() -> None:
        cutter.read(body, cutter.find(body), base)

    cut()
    return Times(
        least_us(lambda: cutter.find(body)),
        least_us(cut),
        least_us(lambda: read_records(Page.from_bytes(body, url=url))),
    )


def report_lists(tally: Counter[str]) -> Iterator[str]:
    """Yield what was counted."""
    ways = ", ".join(f"{kind} {tally[kind]}" for kind in ("cut", "by rules on the tree", "read cold"))
    yield f"pages {tally['pages']}: {ways}"
    cut = tally["cut"]
    if not cut:
        return
    yield f"as the tree rule {tally['as the tree rule']}, as read cold {tally['as read cold']} of {cut} pages cut"
    yield f"records cut {tally['records']}, cold {tally['records cold']}, in both {tally['records in both']}"
    if tally["F1 page cold"]:
        scores = [f"{name} {tally[f'F1 {name}'] / 1e6 / cut:.3f}" for name in _SCORES]
        yield f"record F1 against what is marked: {', '.join(scores)}"
    find, whole, cold = (tally[f"us {name}"] / cut for name in ("find", "cut", "cold"))
    yield f"us a page: find {find:.0f}, cut {whole:.0f}, cold {cold:.0f}; x {cold / find:.0f} and {cold / whole:.1f}"


def read_image_pages(paths: Sequence[str], cap: int) -> dict[str, Pages]:
    """Return the pages of each site, `cap` at most."""
    sites: dict[str, Pages] = defaultdict(list)
    for path in paths:
        for page in map(json.loads, open_lines(path)):
            own = sites[page["site"]]
            if len(own) < cap:
                own.append((page.get("url") or f"https://{page.get('id', len(own))}", page["html"].encode()))
    return {site: pages for site, pages in sites.items() if len(pages) > 1}


def read_labels(path: str | None) -> Labels:
    """Return the images of each page with whether they are relevant."""
    labels: Labels = defaultdict(list)
    for row in map(json.loads, open_lines(path)) if path else ():
        src = absolute(row["src"], row["page_url"])
        if src is not None:
            labels[row["site"], row["page_url"]].append((src, bool(row["relevant"])))
    return labels


class MeasuredImages:
    """What was counted on the pages of one site, or of all."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.times: dict[str, list[float]] = defaultdict(list)

    def add(self, other: MeasuredImages) -> None:
        self.count += other.count
        for name, times in other.times.items():
            self.times[name] += times

    def measure(self, site: Site, url: str, body: bytes, gold: list[tuple[str, bool]] | None) -> None:
        """Extract one page and note how its images were got and whether they are right."""
        count = self.count
        document = site.extract(body, url)
        images, how = document.images, document.how["images"]
        kind = "none to cut" if "no relevant" in how else how.split(":")[0] if " by rules" in how else ""
        kind = kind or ("cut" if how.startswith("cut") else "read cold")
        count["pages"] += 1
        count[kind] += 1
        cold = read(body, url=url).images
        mine, theirs = relevant(images), relevant(cold)
        count["relevant"] += len(mine)
        count["relevant cold"] += len(theirs)
        count["relevant in both"] += len(mine & theirs)
        if how.startswith("cut"):
            count["as on the tree"] += images == site.extract(body, url, via="tree").images
            count["same relevant as cold"] += mine == theirs
        if kind == "cut":
            self.times["cut"].append(least_us(lambda: site.extract(body, url).images))
            self.times["text"].append(least_us(lambda: site.extract(body, url)))
            self.times["cold"].append(least_us(lambda: read(body, url=url).images))
        if gold:
            for name, found in (("site", images), ("cold", cold)):
                count.update({f"{name} {key}": value for key, value in compare_labels(found, gold).items()})
            count["labelled pages"] += 1

    def report(self) -> Iterator[str]:
        """Yield what was counted."""
        count = self.count
        kinds = ("cut", "none to cut", "tree", "read cold")
        yield f"pages {count['pages']}: " + ", ".join(f"{kind} {count[kind]}" for kind in kinds)
        sure = count["cut"] + count["none to cut"]
        yield f"as on the tree {count['as on the tree']}, relevant as cold {count['same relevant as cold']} of {sure}"
        yield ", ".join(f"{name} {count[name]}" for name in ("relevant", "relevant cold", "relevant in both"))
        if self.times["cut"]:
            cut, text, cold = (median(self.times[name]) for name in ("cut", "text", "cold"))
            yield f"median us of CPU: images {cut - text:.0f}, page with images {cut:.0f}, read cold {cold:.0f}"
        if count["labelled pages"]:
            scores = ", ".join(f"{name} {score_images(count, name)}" for name in ("site", "cold"))
            yield f"{count['labelled pages']} labelled pages: {scores}"


def relevant(images: Sequence[Image]) -> set[str]:
    return {image.src for image in images if image.relevant}


def compare_labels(images: Sequence[Image], gold: list[tuple[str, bool]]) -> dict[str, int]:
    """Count relevant images that are labelled so; an image is known by any address that is offered for it."""
    wanted = {src for src, is_relevant in gold if is_relevant}
    labelled = {src for src, _ in gold}
    found = [image for image in images if image.relevant and not labelled.isdisjoint({image.src, *image.sources})]
    hits = sum(not wanted.isdisjoint({image.src, *image.sources}) for image in found)
    reached = {address for image in found for address in (image.src, *image.sources)}
    return {"hits": hits, "found": len(found), "reached": len(wanted & reached), "wanted": len(wanted)}


def score_images(count: Counter[str], name: str) -> str:
    precision = count[f"{name} hits"] / max(1, count[f"{name} found"])
    recall = count[f"{name} reached"] / max(1, count[f"{name} wanted"])
    f = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f"f {f:.3f} (p {precision:.3f}, r {recall:.3f})"


def find_labels(labels: Labels, site: str, url: str, body: bytes) -> Any:
    canonical = Page.from_bytes(body, url=url).metadata.canonical if labels else None
    return next((labels[site, name] for name in (url, canonical) if name and (site, name) in labels), None)


def run(
    files: list[str],
    *,
    images: bool = False,
    learn: int | None = None,
    cap: int = 50,
    score: float = 0.5,
    labels: str | None = None,
) -> None:
    """Measure lists, or with `images` those; `cap` pages of a site at most."""
    reports = (
        _image_reports(files, learn or 12, cap, labels) if images else _list_reports(files, learn or 8, cap, score)
    )
    for name, lines in reports:
        print(name, *lines, sep="\n  ", flush=True)


def _list_reports(files: list[str], learn: int, cap: int, score: float) -> Iterator[tuple[str, Iterator[str]]]:
    every: Counter[str] = Counter()
    for name, pages in read_lists(files, cap).items():
        learned, others = split(pages, learn)
        site = Site.learn([page[:2] for page in learned], fields=["title", "records"])
        tally: Counter[str] = Counter()
        for page in others:
            measure_lists(site, page, score, tally)
        every += tally
        yield name, report_lists(tally)
    yield "all", report_lists(every)


def _image_reports(files: list[str], learn: int, cap: int, labelled: str | None) -> Iterator[tuple[str, Iterator[str]]]:
    labels, every = read_labels(labelled), MeasuredImages()
    for name, pages in read_image_pages(files, cap).items():
        learned, others = split(pages, learn)
        site = Site.learn(learned, fields=["title", "text", "images"])
        measured = MeasuredImages()
        for url, body in others:
            measured.measure(site, url, body, find_labels(labels, name, url, body))
        every.add(measured)
        yield name, measured.report()
    yield "all", every.report()
