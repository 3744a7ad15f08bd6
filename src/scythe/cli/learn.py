"""`scythe learn`: learn a profile from pages or a sample of a site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scythe.cli.console import FAILED, OK, USAGE, complain, counted, say_lines, shorten
from scythe.cli.options import BaseUrl, Delay, Pages, fetch_flags, option, verb
from scythe.cli.page_inputs import (
    Example,
    keep_good,
    load_pages,
    merge,
    own_examples,
    profile_at,
    read_examples,
    save_site,
    show_on_a_page,
)
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import FROM_FILES, LoadedPage, check_base, is_address, spread
from scythe.model import VALUE_TYPES

if TYPE_CHECKING:
    from scythe.site.rules import FieldRules
    from scythe.site.site import Site


_FROM_SITE = 12  # pages learned from
_LOOKED_AT = 1_000  # pages of an input among which those are chosen
_SHOWN_CHARS = 44


@verb(os_error=USAGE, fetch=fetch_flags)
def learn(
    pages: Pages,
    output: str = option(..., "Write the profile here.", "--output -o PROFILE"),
    examples: str | None = option(None, "Expected values: JSON (page: {field: value}) or CSV (page, fields).", "FILE"),
    field: list[str] | None = option(
        None,
        "Field to learn: title, text, date, author, images, or any other by a VALUE that one page shows. "
        f"TYPE: {', '.join(VALUE_TYPES)}; default: by the values.",
        "NAME|NAME[:TYPE]=VALUE",
    ),
    rule: list[str] | None = option(
        None,
        "Element of a field: <TAG ATTRIBUTES>, #ID, css:SELECTOR or xpath:PATH; behind it ;repetition=yes|no, "
        ";position=BYTES, ;inner=TAGS.",
        "NAME=RULE",
    ),
    method: str = option(
        "",
        "Read pages to learn their text by a published method, such as sentences:minimum=4, now and later.",
        "NAME[:PARAMETERS]",
    ),
    page_count: int | None = option(
        None,
        "Number of pages to learn from; default: 12 of a site, 40 of saved pages, evenly spread.",
        "--pages",
        min=1,
        max=1_000,
    ),
    url: BaseUrl = None,
    delay: Delay = 1.0,
    *,
    fetch: FetchOptions,
) -> int:
    loaded = load_to_learn(pages, check_base(url), page_count, fetch, delay)
    types: dict[str, str] = {}
    field, rule = (
        [_without_type(each, types) for each in field or []],
        [_without_type(each, types) for each in rule or []],
    )
    wanted = _examples(loaded, examples, field)
    loaded, wanted = _choose(loaded, wanted, page_count or FROM_FILES)
    names = tuple(name for name in field if "=" not in name)
    site = _learn(loaded, wanted, names, _rules(rule), types, method)
    if not any(layout.fields for layout in site.profile.layouts) and not any(row.held for row in site.rules):
        for line in (*_gaps(site), "nothing could be learned from these pages"):
            complain(line)
        return FAILED
    kept = _keep_labels(site, loaded, output)
    save_site(output, site, next((page.url for page in loaded if page.url), None))
    say_lines([*_report(site, loaded, output), *kept])
    return OK


def load_to_learn(
    inputs: Sequence[str], base: str | None, count: int | None, fetch: FetchOptions, delay_s: float
) -> list[LoadedPage]:
    """Load the pages; what fails is said and left out. Raises BadInput where nothing is left."""
    if len(inputs) == 1 and is_address(inputs[0]):
        from scythe.crawling.sample_site import sample_site

        pages: Iterable[LoadedPage] = sample_site(inputs[0], count or _FROM_SITE, fetch, delay_s=delay_s)
    else:
        pages = load_pages(inputs, base, fetch, most=_LOOKED_AT)
    good = keep_good(pages)
    if not good:
        raise BadInput("there is no page to learn from")
    return good


def _examples(pages: list[LoadedPage], path: str | None, fields: list[str]) -> list[Example | None] | None:
    """Gather the examples of all kinds, one entry per page, or None where there are none at all."""
    shown = [field for field in fields if "=" in field]
    several = [own_examples(pages)]
    if path is not None:
        several.insert(0, read_examples(Path(path), pages))
    if shown:
        several.insert(0, show_on_a_page(shown, pages))
    examples = merge(*several)
    return examples if any(examples) else None


def _choose(
    pages: list[LoadedPage], examples: list[Example | None] | None, count: int
) -> tuple[list[LoadedPage], list[Example | None] | None]:
    """Keep `count` pages, spread over those given; pages with examples stay."""
    named = [i for i in range(len(pages)) if examples is not None and examples[i]]
    others = [i for i in range(len(pages)) if i not in set(named)]
    state = max(count - len(named), 0)
    chosen = sorted([*named, *(spread(others, state) if state else [])])
    return [pages[i] for i in chosen], [examples[i] for i in chosen] if examples is not None else None


def _rules(given: Sequence[str]) -> dict[str, str]:
    """Split `NAME=RULE` options. Raises BadInput."""
    rules: dict[str, str] = {}
    for each in given:
        name, equals, rule = each.partition("=")
        if not (name.strip() and equals and rule.strip()) or name.strip() in rules:
            raise BadInput(
                f"--rule {each}: write it as name=rule, once for each name, such as 'price=<b class=\"price\">'"
            )
        rules[name.strip()] = rule.strip()
    return rules


def _without_type(option: str, types: dict[str, str]) -> str:
    """Take the type off `NAME:TYPE=...` and note it. Raises BadInput for one that nobody knows."""
    name, equals, rest = option.partition("=")
    name, colon, kind = name.partition(":")
    if not (equals and colon):
        return option
    if kind.strip() not in VALUE_TYPES:
        raise BadInput(f"{option}: {kind}: expected one of the types {', '.join(VALUE_TYPES)}")
    types[name.strip()] = kind.strip()
    return f"{name}={rest}"


def _learn(
    pages: list[LoadedPage],
    examples: list[Example | None] | None,
    fields: Sequence[str],
    rules: dict[str, str],
    types: dict[str, str],
    method: str,
) -> Site:
    from scythe.site.site import Site

    given = [(page.url, page.body) for page in pages]
    return Site.learn(given, examples, rules=rules, fields=fields or None, types=types, method=method)


def _keep_labels(site: Site, pages: list[LoadedPage], output: str) -> list[str]:
    """Take over what people said of images from the profile that is written over, and say so."""
    try:
        known = profile_at(output).profile.images
    except (BadInput, OSError):  # there is none
        return []
    if not known.labelled:
        return []
    site.annotate(known.labelled, [(page.url, page.body) for page in pages], method=known.method)
    return [f"kept: the labels of images on {counted(len(known.labelled), 'page')} that {output} had"]


def _report(site: Site, pages: list[LoadedPage], output: str) -> list[str]:
    """Say what was learned, tried out on the pages it was learned from."""
    cost = site.cost  # before they are tried
    layouts, types = site.profile.layouts, dict(site.profile.types)
    tried: dict[str, Counter[str]] = {}
    sample: dict[str, str] = {}
    for page in pages:
        for name, got in site.extract(page.body, url=page.url).fields.items():
            tried.setdefault(name, Counter())[got.how.partition(":")[0]] += 1
            if got.values:
                sample.setdefault(name, got.values[0])
    names = [*tried, *("records" for layout in layouts if layout.records.lists)]
    width = max(map(len, names), default=0)
    lines = [f"{counted(len(pages), 'page')}, {counted(len(layouts), 'layout')}, written to {output}"]
    for layout in layouts:
        state = ", without text" if layout.is_empty else "" if layout.is_settled else ", still learning"
        lines += ["", f"{layout.name}: {counted(layout.pages, 'page')}{state}"]
        lines += [f"  {_describe(rules, width)}" for rules in layout.fields]
        for found in layout.records.lists:
            some = f"{found.fewest}" if found.fewest == found.most else f"{found.fewest} to {found.most}"
            seen = f"on {found.present} of {found.pages}  {found.kind}: {some}"
            lines.append(f"  {'records':{width}}  {seen}, {counted(len(found.columns), 'column')}")
    told = [row for row in site.rules if row.is_told]
    lines += ["", *(f"rule of {row.field}: {row.rule}" for row in told)] if told else []
    lines += ["", "tried on these pages:"]
    for name, how in tried.items():
        shares = f"{how['cut']:3} cut {how['tree']:3} tree {how['missing']:3} missing"
        kind = f"{types[name]}: " if name in types else ""
        lines.append(f"  {name:{width}} {shares}  {kind}{shorten(sample.get(name, ''), _SHOWN_CHARS)}".rstrip())
    lines += _gaps(site)
    lines += ["", cost.tell()] if cost.seconds else []
    return [*lines, "", f"next: scythe cut {output} PAGES -o out.jsonl"]


def _gaps(site: Site) -> list[str]:
    """Say what was not learned, and of what was, where the examples did not fit."""
    layouts = site.profile.layouts
    learned = (
        *(f"{layout.name}: {rules.name}: " for layout in layouts for rules in layout.fields),
        *(f"rule of {row.field}: " for row in site.rules if row.is_told and row.held),
    )
    doubts = [f"  {note}" for note in site.notes if learned and note.startswith(learned)]
    lacks = [f"  {note}" for note in site.notes if not learned or not note.startswith(learned)]
    return [*(["", "not learned:", *lacks] if lacks else []), *(["", "learned, but:", *doubts] if doubts else [])]


def _describe(rules: FieldRules, width: int) -> str:
    from scythe.site.describe_rules import describe_rules

    usual = rules.usual
    says = "; ".join(f"{told.kind} {told.says}" for told in describe_rules(rules)[:2])
    return f"{rules.name:{width}}  on {usual.present} of {usual.pages}  {shorten(says, _SHOWN_CHARS)}"
