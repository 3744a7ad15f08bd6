"""Redesign learned sites and count what goes wrong.

Each site is learned from ten pages spread over it, by example where the pages have gold values. Ten more pages come as
they are, then forty redesigned ones, by turns of those twenty and new. A value is wrong if it is neither gold nor what
the page gave before its redesign; for fields that reading finds, titles may have the site's name and dates the time.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from tests.faults.redesign import REDESIGNS, change_everything

from bench.sites import SitePages, load_sites
from bench.trials.harness import print_table
from scythe.model import Document
from scythe.site.site import Site

LEARNED = 10
ALL_REDESIGNS = {**REDESIGNS, "all of them": change_everything}
COLUMNS = ("sites", "noticed", "in 3 pages", "learned", "by page", "fields", "got", "wrong", "after: cut", "after: all")


class Visit(NamedTuple):
    """One page: its address, its bytes and the values that are right."""

    url: str
    body: bytes
    gold: dict[str, list[str]]


def visits(site: SitePages) -> list[Visit]:
    """Return the pages of a site, with addresses where the page set has none."""
    rows = zip(site.urls, site.bodies, site.gold, strict=True)
    return [Visit(url or f"https://{site.name}.example/{n}", body, gold) for n, (url, body, gold) in enumerate(rows)]


def redesign_site(pages: list[Visit]) -> Iterator[tuple[str, Counter[str]]]:
    """Yield what each redesign did to a site."""
    learned = pages[:: len(pages) // LEARNED][:LEARNED]
    rest = [page for page in pages if page not in learned]
    examples = [page.gold for page in learned] if any(page.gold for page in learned) else None
    site = Site.learn([(page.url, page.body) for page in learned], examples)
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "site.json"
        site.save(profile)
        before = {page.url: site.extract(page.body, page.url).detach() for page in pages}
        for name, redesign in ALL_REDESIGNS.items():
            again = Site.load(profile)
            for page in rest[:LEARNED]:
                again.extract(page.body, page.url)
            seen, new = [*learned, *rest[:LEARNED]], rest[LEARNED:]
            yield name, _follow(again, list(chain(*zip(seen, new, strict=False))), redesign, before)


def _follow(
    site: Site, pages: list[Visit], redesign: Callable[[bytes], bytes], before: dict[str, Document]
) -> Counter[str]:
    count: Counter[str] = Counter(sites=1)
    odd = 0
    for number, page in enumerate(pages, 1):
        document = site.extract(redesign(page.body), page.url)
        changes = {change.what for change in site.drift.log if change.page > LEARNED}
        was_learned = count["learned"]
        odd += any(_is_odd(document.how[name], how) for name, how in before[page.url].how.items())
        if "opened" in changes and not count["noticed"]:
            count["noticed"], count["in 3 pages"] = 1, int(odd <= 3)
        if "learned" in changes and not was_learned:
            count["learned"], count["by page"] = 1, number
        for name, field in before[page.url].fields.items():
            if name != "images" and field.values:
                count.update(_judge(name, document, field.values[0], page.gold, bool(was_learned)))
    return count


def _is_odd(how: str, before: str) -> bool:
    return before.startswith("cut") and not how.startswith("cut")


def _judge(name: str, document: Document, before: str, gold: dict[str, list[str]], learned: bool) -> Counter[str]:
    field = document.fields[name]
    count = Counter({"fields": 1, "after: all": int(learned)})
    if field.values:
        count["got"] = 1
        count["after: cut"] = int(learned and field.how.startswith("cut"))
        by_rule = "read cold" not in field.how
        count["wrong"] = int(
            by_rule and not is_right(name, field.values[0], before, gold.get(name, []), plain=not gold)
        )
    return count


def is_right(name: str, value: str, before: str, gold: list[str], *, plain: bool) -> bool:
    """Say whether a value is gold or what the page gave before; `plain` fields are those that reading finds."""
    words = words_of(value)
    if words in {words_of(before), *map(words_of, gold)}:
        return True
    if plain and name == "text":
        both, there = Counter(words.split()) & Counter(words_of(before).split()), len(words.split())
        return 2 * both.total() >= 0.7 * (there + len(words_of(before).split()))
    if plain and name == "title":
        return words in words_of(before) or words_of(before) in words
    return plain and name == "date" and value[:10] == before[:10]


def words_of(text: str) -> str:
    """Return the words of a text in lower case."""
    return " ".join(re.findall(r"\w+", text.lower()))


def run(data: Path, *, sites: int | None = None) -> None:
    """Print one row per page set and redesign."""
    totals: dict[tuple[str, str], Counter[str]] = {}
    for site in load_sites(data, limit=sites):
        pages = visits(site)
        if len(pages) < 4 * LEARNED:
            continue
        kind = "by example" if any(page.gold for page in pages) else "by itself"
        for name, count in redesign_site(pages):
            totals.setdefault((kind, name), Counter()).update(count)
            print(site.name, name, dict(count), file=sys.stderr, flush=True)
    for count in totals.values():
        count["by page"] = round(count["by page"] / max(1, count["learned"]))
    rows = ((kind, name, *(count[column] for column in COLUMNS)) for (kind, name), count in totals.items())
    print_table(("learned", "redesign", *COLUMNS), rows)
