"""Cut against tree on whole sites: demo sites are learned, then pages are cut, and read by the same rules on the tree.

A cut is what the tree holds, or the field says that it is in doubt. Pages are also taken in other designs than the site
was learned in, where most rules fail: none may fail in silence. `python -m bench.trials
cut-differences PAGES --sites` runs many.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from tests.faults.redesign import REDESIGNS

from scythe.demo import DemoPage, site
from scythe.model import Document
from scythe.site.site import Site

LEARNED = 36  # pages of a site that it is learned from: three of each kind and language
AS_IS = "as learned"


class Difference(NamedTuple):
    """A field that a cut and the tree give differently."""

    url: str
    design: str
    name: str
    cut: tuple[str, ...]
    tree: tuple[str, ...]


def compare_sites(pages: int, seed: int, seen: Counter[str]) -> Iterator[Difference]:
    """Compare `pages` extractions over as many sites as they take; `seen` counts the outcomes by design."""
    done = number = 0
    while done < pages:
        made = site(seed=seed + number, pages=LEARNED + 60, design=number % 2)
        given, others = made[:LEARNED], made[LEARNED:]
        learned = Site.learn([(page.url, page.html) for page in given])
        for design, page, body in _dressed(others, number):
            if done >= pages:
                return
            done += 1
            yield from compare_page(learned, page.url, body, design, seen)
        number += 1


def _dressed(pages: tuple[DemoPage, ...], number: int) -> Iterator[tuple[str, DemoPage, bytes]]:
    """Yield every page as it is, and every third in one redesign after the other."""
    designs = list(REDESIGNS.items())
    for at, page in enumerate(pages):
        yield AS_IS, page, page.html
        if at % 3 == 0:
            name, redesign = designs[(at // 3 + number) % len(designs)]
            yield name, page, redesign(page.html)


def compare_page(learned: Site, url: str, body: bytes, design: str, seen: Counter[str]) -> Iterator[Difference]:
    """Yield the fields of a page that are cut, and that the tree has otherwise."""
    by_cut, by_tree = (learned.extract(body, url, via=via) for via in ("cut", "tree"))  # type: ignore[arg-type]
    for name, field in by_cut.fields.items():
        is_cut = field.how.startswith("cut")
        seen[f"{design}: {'cut' if field.values else 'empty' if is_cut else 'doubt'}"] += 1
        if field.values and not _is_same(name, by_cut, by_tree):
            yield Difference(url, design, name, field.values, by_tree.fields[name].values)


def _is_same(name: str, by_cut: Document, by_tree: Document) -> bool:
    return by_cut.fields[name].values == by_tree.fields[name].values
