"""Compare cuts with the tree and print every difference.

Rules are made up for pages in which every mistake occurs; with `--sites` they are learned on demo sites, which are
extracted as they are and redesigned.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from tests.differential.cuts import compare_sites
from tests.property.soup import layout_of, make_filler, make_page, make_way

from scythe.page.source import read_source
from scythe.site.cut.cutter import Cutter
from scythe.site.follow.follow_fields import follow


def check_cases(cases: int, seed: int, faults: tuple[float, ...] = (0.0, 0.1, 0.3, 1.0)) -> tuple[Counter[str], int]:
    """Return how often each outcome occurred, and the number of silent differences."""
    random = Random(seed)
    seen: Counter[str] = Counter()
    wrong = done = 0
    while done < cases:
        share = random.choice(faults)
        page = make_page(random, random.choice([3, 8, 20, 60]), faults=share)
        if random.random() < 0.3:
            page = make_filler(random, 30).encode() + page
        source = read_source(page)
        for _ in range(8):
            way = make_way(random, page)
            if way is None or (len(page) > 2500 and way.rules[0].position < 2500):
                break
            done += 1
            cutter = Cutter(layout_of(way))
            truth = follow(source, way, loosely=False).values
            # the quick way does not look at the whole page, so it cannot know how broken that is
            local = (share < 1 or len(page) < 2000) and is_utf8(page) and b"<frameset" not in page.lower()
            for thorough in (True, False) if local else (True,):
                cut = cutter.cut_field(page, 0, thorough=thorough)
                seen[f"{share} {thorough} {cut.state} {cut.why if cut.state == 'doubt' else ''}"] += 1
                if (cut.state == "cut" and cut.values != truth) or (cut.state == "absent" and truth):
                    wrong += 1
                    if wrong < 20 or len(page) < 250:
                        print(f"seed {seed} thorough={thorough}\n  {page[-800:]!r}\n  {way}\n  {cut}\n  tree: {truth}")
    return seen, wrong


def is_utf8(page: bytes) -> bool:
    """Say whether a page is valid UTF-8."""
    return "\ufffd" not in page.decode(errors="replace")


def check_sites(pages: int, seed: int) -> tuple[Counter[str], int]:
    """Return how often each outcome occurred on the pages of learned sites, and the number of differences."""
    seen: Counter[str] = Counter()
    wrong = 0
    for difference in compare_sites(pages, seed, seen):
        wrong += 1
        print(f"{difference.url} ({difference.design}) {difference.name}")
        print(f"  cut:  {difference.cut!r:.300}\n  tree: {difference.tree!r:.300}")
    return seen, wrong


def run(cases: int, *, seed: int = 1, sites: bool = False) -> int:
    """Compare `cases` made-up rules; with `sites`, rules learned on demo sites with so many pages."""
    outcomes, differences = (check_sites if sites else check_cases)(cases, seed)
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:8} {outcome}")
    print(f"{differences} differences")
    return int(differences > 0)
