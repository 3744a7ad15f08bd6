"""Compare cuts with lexbor's tree on damaged pages of whole sites.

Sites are learned from a dozen pages each; more pages of them, damaged in 24 ways, are cut by rules, and read by the
same rules in a process that has lexbor's tree of the same bytes and no extension. A cut may be in doubt; where it says
something else than the tree, that is a fault, unless lexbor builds something else than the HTML standard there.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.differential.cuts import LEARNED, compare_site, judge, keep

from bench.sites import load_sites


@dataclass
class Verdict:
    """How many pages, and what became of their fields."""

    sites: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    def faults(self) -> int:
        """Return on how many pages something differs."""
        return self.seen.get("differing", 0)


def run(
    data: Path, *, pages: int = 100_000, limit: int | None = None, seed: int = 1, out: Path | None = None
) -> Verdict:
    """Compare `pages` pages of the sites at `data`, the first `limit` of each set; keep what differs in `out`."""
    sites = [site for site in load_sites(data, limit=limit) if len(site.bodies) >= LEARNED + 3]
    verdict, seen = Verdict(len(sites)), Counter[str]()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    with judge() as pool:
        for number, site in enumerate(sites):
            urls = (url or f"https://site{number}.example/{at}" for at, url in enumerate(site.urls))
            given = list(zip(urls, site.bodies, strict=True))
            step = max(1, len(given) // LEARNED)
            given = [*given[::step], *(page for at, page in enumerate(given) if at % step)]
            share = pages * (number + 1) // len(sites) - pages * number // len(sites)
            for found in compare_site(pool, given, share, seed + number, seen):
                if out is not None:
                    keep(found, out, len(verdict.differences))
                verdict.differences.append(f"{site.name}: {found.mutation}: {found.name}: {found.url}")
            verdict.seen = dict(seen)
            print(
                f"{number + 1} of {len(sites)} sites: {seen['pages']} pages, {verdict.faults()} differ", file=sys.stderr
            )
    return verdict
