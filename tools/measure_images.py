"""Learn sites and cut the images of their other pages: `python tools/measure_images.py FILE... [--learn N] [--cap N]`.

Each FILE holds pages as JSON lines (`site html`, perhaps `id`, `url`), compressed or not. N pages of each site, spread
over it, are learned; on the others the images that were cut are compared with those of the same areas on the tree and
with those read cold, and the time of each is taken. `--labels` has images as JSON lines (`site page_url src relevant`);
pages are known by their address or by the one that they call canonical.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from measure_lists import best, open_lines, split

from scythe import Image, Page, Site, read
from scythe.url import absolute

Pages = list[tuple[str, bytes]]
Labels = dict[tuple[str, str], list[tuple[str, bool]]]


def read_sites(paths: Sequence[str], cap: int) -> dict[str, Pages]:
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


class Measured:
    """What was counted on the pages of one site, or of all."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.times: dict[str, list[float]] = defaultdict(list)

    def add(self, other: Measured) -> None:
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
            self.times["cut"].append(best(lambda: site.extract(body, url).images))
            self.times["text"].append(best(lambda: site.extract(body, url)))
            self.times["cold"].append(best(lambda: read(body, url=url).images))
        if gold:
            for name, found in (("site", images), ("cold", cold)):
                count.update({f"{name} {key}": value for key, value in compare(found, gold).items()})
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
            scores = ", ".join(f"{name} {score(count, name)}" for name in ("site", "cold"))
            yield f"{count['labelled pages']} labelled pages: {scores}"


def relevant(images: Sequence[Image]) -> set[str]:
    return {image.src for image in images if image.relevant}


def compare(images: Sequence[Image], gold: list[tuple[str, bool]]) -> dict[str, int]:
    """Count relevant images that are labelled so; an image is known by any address that is offered for it."""
    wanted = {src for src, is_relevant in gold if is_relevant}
    labelled = {src for src, _ in gold}
    found = [image for image in images if image.relevant and not labelled.isdisjoint({image.src, *image.sources})]
    hits = sum(not wanted.isdisjoint({image.src, *image.sources}) for image in found)
    reached = {address for image in found for address in (image.src, *image.sources)}
    return {"hits": hits, "found": len(found), "reached": len(wanted & reached), "wanted": len(wanted)}


def score(count: Counter[str], name: str) -> str:
    precision = count[f"{name} hits"] / max(1, count[f"{name} found"])
    recall = count[f"{name} reached"] / max(1, count[f"{name} wanted"])
    f = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f"f {f:.3f} (p {precision:.3f}, r {recall:.3f})"


def find_labels(labels: Labels, site: str, url: str, body: bytes) -> Any:
    canonical = Page.from_bytes(body, url=url).metadata.canonical if labels else None
    return next((labels[site, name] for name in (url, canonical) if name and (site, name) in labels), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--learn", type=int, default=12)
    parser.add_argument("--cap", type=int, default=50)
    parser.add_argument("--labels")
    options = parser.parse_args()
    labels, every = read_labels(options.labels), Measured()
    for name, pages in read_sites(options.files, options.cap).items():
        learned, others = split(pages, options.learn)
        site = Site.learn(learned, fields=["title", "text", "images"])
        measured = Measured()
        for url, body in others:
            measured.measure(site, url, body, find_labels(labels, name, url, body))
        every.add(measured)
        print(name, *measured.report(), sep="\n  ", flush=True)
    print("all", *every.report(), sep="\n  ")


if __name__ == "__main__":
    main()
