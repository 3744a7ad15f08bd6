"""The second half of `scythe demo`: learn the site from some pages, cut the others, compare with reading them."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

import scythe

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from scythe.demo import DemoPage
    from scythe.site import Site

LEARNED = 20  # pages learned from
PAGES = 240  # content pages of the site; a few are too few to show a speed
_ARTICLES = ("news", "blog")  # of the other kinds the demo has only three each, over and over


@dataclass(slots=True)
class Outcome:
    """What cutting the pages not learned came to."""

    site: Site
    learn_s: float
    pages: int = 0
    read_s: float = 0.0
    cut_s: float = 0.0
    how: dict[str, Counter[str]] = field(default_factory=dict)  # field -> cut, tree, missing
    same: Counter[str] = field(default_factory=Counter)  # field -> pages on which the tree gives the same
    read_f1: float = 0.0  # sums over the pages
    cut_f1: float = 0.0


def learn_and_cut(pages: tuple[DemoPage, ...]) -> Outcome:
    """Learn the site from some of its articles and cut the others."""
    content = [page for page in pages if page.kind in _ARTICLES]
    Random(len(content)).shuffle(content)
    began = time.process_time()
    site = scythe.Site.learn((page.url, page.html) for page in content[:LEARNED])
    outcome = Outcome(site, time.process_time() - began)
    for page in content[LEARNED:]:
        _cut_one(outcome, page)
    return outcome


def _cut_one(outcome: Outcome, page: DemoPage) -> None:
    site = outcome.site
    began = time.process_time()
    document = site.extract(page.html, url=page.url)
    between = time.process_time()
    read = scythe.read(page.html, url=page.url)
    outcome.read_s += time.process_time() - between
    outcome.cut_s += between - began
    outcome.pages += 1
    truth = site.extract(page.html, url=page.url, via="tree")
    for name, got in document.fields.items():
        outcome.how.setdefault(name, Counter())[got.how.partition(":")[0]] += 1
        outcome.same[name] += got.values == truth.fields[name].values
    outcome.read_f1 += _f1(page.gold_text, read.text)
    outcome.cut_f1 += _f1(page.gold_text, document.text)


def _f1(gold: str, text: str) -> float:
    from scythe.bench.scoring import compare, cut_tokens, rate

    return rate(compare(cut_tokens(gold), cut_tokens(text))).f1


def show_cut(console: Console, outcome: Outcome) -> None:
    """Print the table of fields and the comparison of times."""
    layouts = outcome.site.profile.layouts
    console.print(_table(outcome))
    read_ms, cut_us = outcome.read_s / outcome.pages * 1e3, outcome.cut_s / outcome.pages * 1e6
    console.print(
        f"Learned {sum(layout.pages for layout in layouts)} pages in {outcome.learn_s:.1f} s, "
        f"{len(layouts)} layout{'' if len(layouts) == 1 else 's'}. "
        f"Reading a page by its tree takes {read_ms:.2f} ms, cutting it {cut_us:.0f} us: "
        f"[bold]{outcome.read_s / max(outcome.cut_s, 1e-9):.0f} times as fast[/bold]. Mean F1 of the text "
        f"[bold]{outcome.cut_f1 / outcome.pages:.3f}[/bold], read page by page {outcome.read_f1 / outcome.pages:.3f}."
    )


def _table(outcome: Outcome) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    title = f"Articles of the site: {LEARNED} learned, then {outcome.pages} others cut out of their bytes"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("field")
    for name in ("cut", "by the tree", "missing", "same by the tree"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, how in outcome.how.items():
        share = [f"{100 * how[kind] / outcome.pages:.0f} %" for kind in ("cut", "tree", "missing")]
        table.add_row(name, *share, f"{100 * outcome.same[name] / outcome.pages:.0f} %")
    return table
