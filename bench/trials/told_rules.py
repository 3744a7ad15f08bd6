"""Write rules as opening tags, from where the gold values of three pages stand, and follow them on all pages of a site.

A rule is the tag of the value's element, or of one or two around it, that these pages have once; a field that no such
tag tells has none. A rule is found where it leads to an element, cut where that took no tree, equal where the parser's
tree, asked for the same element, gives the same text. The rules exported as CSS and XPath are followed by parsel, white
space aside.
"""

from __future__ import annotations

import json
import lzma
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from parsel import Selector
from selectolax.lexbor import LexborHTMLParser

from bench.trials.harness import print_table
from scythe.page.map import PageMap
from scythe.page.tree_map import TreeMap
from scythe.site.element_patterns import find_elements
from scythe.site.element_rules import opening_of, value_of
from scythe.site.export_rules import CSS, XPATH, ExportedRule, export_rules, to_css
from scythe.site.rule_syntax import compile_rule
from scythe.site.site import Site
from scythe.site.value_places import ELEMENT, ShownText, find_places

SHOWN = 3
_ABOVE = 2  # elements around that of the value: what is further out is a part of the page rather than a field
UNREAD = " or ".join(  # as in the code that `scythe rules --as parsel` writes
    f"ancestor::{name}"
    for name in "audio canvas datalist iframe map noscript object script select style svg "
    "template textarea video".split()
)
SETS = ("records/swde.jsonl.xz", "sites/swde.jsonl.xz")


class GoldPage(NamedTuple):
    """One page and its right values."""

    url: str
    body: bytes
    gold: dict[str, list[str]]


def sites_of(data: Path) -> dict[str, list[GoldPage]]:
    """Return the pages of both sets by site."""
    found: dict[str, dict[str, GoldPage]] = defaultdict(dict)
    for name in SETS:
        with lzma.open(data / name, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                site = row["id"].rpartition("/")[0]
                found[site][row["id"]] = GoldPage(row["id"], row["html"].encode(), row["gold"])
    return {site: list(pages.values()) for site, pages in sorted(found.items())}


def write_rule(pages: Sequence[GoldPage], field: str) -> str | None:
    """Return the opening tag, of those around a gold value, that all of the pages shown have once; the innermost."""
    worth: Counter[str] = Counter()
    sizes: dict[str, int] = {}
    maps = [PageMap(page.body) for page in pages]
    for page, mapped in zip(pages, maps, strict=True):
        for tag, size in _tags_around(mapped, page.gold[field]):
            sizes[tag] = min(size, sizes.get(tag, size))
    for tag in sizes:
        pattern = compile_rule(tag).pattern
        assert pattern is not None
        for page, mapped in zip(pages, maps, strict=True):
            rows = find_elements(mapped, pattern)
            texts = [value_of(mapped, row, pattern) for row in rows[:1]]
            wanted = [" ".join(value.split()) for value in page.gold[field]]
            worth[tag] += len(rows) == 1 and any(value in text for value in wanted for text in texts)
    told = [tag for tag in worth if worth[tag] == len(pages)]
    return min(told, key=sizes.__getitem__, default=None)


def _tags_around(page: PageMap, values: Sequence[str]) -> Iterator[tuple[str, int]]:
    for place in find_places(ShownText(page), values):
        row = place.row
        for _ in range(_ABOVE + 1):
            if place.take == ELEMENT and row > 0:
                yield opening_of(page, row), int(page.last[row]) - row
                row = int(page.parent[row])


def try_site(pages: Sequence[GoldPage]) -> Counter[str]:
    """Follow a rule for every gold field of a site."""
    count: Counter[str] = Counter()
    fields = sorted({field for page in pages for field in page.gold if page.gold[field]})
    rules: dict[str, str] = {}
    for field in fields:
        having = [page for page in pages if page.gold.get(field)]
        rule = write_rule(having[:: max(1, len(having) // SHOWN)][:SHOWN], field)
        if rule is not None:
            rules[field] = f"{rule};repetition=no"
    count["fields"], count["rules"] = len(fields), len(rules)
    site = Site.learn([(page.url, page.body) for page in pages[::4]], rules=rules)
    profile = replace(site.profile, rules=site.rules)
    given = [(page.url, page.body) for page in pages[::2]]
    exported = {form: {rule.field: rule for rule in export_rules(profile, given, form)} for form in (CSS, XPATH)}
    for page in pages:
        document = site.extract(page.body, page.url, via="cut")
        selector = Selector(page.body.decode("utf-8", "replace").removeprefix("\ufeff"))
        for field, rule in rules.items():
            got = document.fields[field]
            if not page.gold.get(field) and not got.values:
                continue
            count["pages"] += 1
            count["found"] += bool(got.values)
            count["cut"] += got.how.startswith("cut")
            text = _by_tree(page.body, rule.partition(";")[0])
            count["equal"] += text == (got.values[0] if got.values else "")
            if got.values:
                count["kept"] += 1
                for form in (CSS, XPATH):
                    count[form] += _same(_by_parsel(selector, exported[form][field]), got.values[0])
    return count


def _by_tree(body: bytes, rule: str) -> str:
    """Return what the parser's tree gives for an opening tag."""
    pattern = compile_rule(rule).pattern
    css = to_css(pattern) if pattern is not None else None
    tree = TreeMap(LexborHTMLParser(body.removeprefix(b"\xef\xbb\xbf")))
    words = [set(test.value.split()) for step in pattern.chains[0] for test in step.tests if test.name == "class"]  # type: ignore[union-attr]
    css = css.partition("[class=")[0] if css and words else css
    for row in sorted(tree.numbers[node.mem_id] for node in tree.tree.css(css or "*")):
        attributes = tree.element(row).attributes
        tests = {test.name: test.value for test in pattern.chains[0][0].tests}  # type: ignore[union-attr]
        if all(
            set((attributes.get(name) or "").split()) == set(value.split())
            if name == "class"
            else attributes.get(name) == value
            for name, value in tests.items()
        ):
            return value_of(tree, row, pattern)  # type: ignore[arg-type]
    return ""


def _by_parsel(selector: Selector, rule: ExportedRule) -> str:
    if not rule.text:
        return ""
    found = selector.css(rule.text) if rule.form == CSS else selector.xpath(rule.text)
    for one in found[:1]:
        if not hasattr(one.root, "tag"):
            return str(one.get())
        return "".join(one.xpath(f".//text()[not({UNREAD})]").getall())
    return ""


def _same(one: str, other: str) -> bool:
    return "".join(one.split()) == "".join(other.split())


def run(data: Path = Path("../shared/data"), limit: int | None = None) -> int:
    """Follow rules on all sites; shares are of the pages that have the field. Counts pages unlike the tree's."""
    total: Counter[str] = Counter()
    rows: list[tuple[object, ...]] = []
    for name, pages in list(sites_of(data).items())[:limit]:
        count = try_site(pages)
        total += count
        shares = [f"{100 * count[key] / max(1, count['pages']):.2f}" for key in ("found", "cut", "equal")]
        kept = [f"{100 * count[form] / max(1, count['kept']):.2f}" for form in (CSS, XPATH)]
        rows.append((name, count["fields"], count["rules"], count["pages"], *shares, *kept))
    print_table(("site", "fields", "rules", "pages", "found", "cut", "equal", "css", "xpath"), rows)
    shares = {key: round(total[key] / max(1, total["pages"]), 5) for key in ("found", "cut", "equal")}
    kept_share = {form: round(total[form] / max(1, total["kept"]), 5) for form in (CSS, XPATH)}
    print({"sites": len(rows), "fields": total["fields"], "rules": total["rules"], **shares, **kept_share})
    return total["pages"] - total["equal"]
