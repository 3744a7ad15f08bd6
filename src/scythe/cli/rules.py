"""`scythe rules`: print the rule table of a site, or write its rules for other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

from scythe.cli.console import FAILED, OK, USAGE, complain, say_lines, shorten, write_text
from scythe.cli.learn import load_to_learn
from scythe.cli.options import AsJson, BaseUrl, Delay, argument, fetch_flags, option, verb
from scythe.cli.page_inputs import keep_good, load_pages, load_site
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage, check_base, is_address, spread

if TYPE_CHECKING:
    from scythe.site.element_rules import ElementRule
    from scythe.site.export_rules import ExportedRule
    from scythe.site.site import Site


_TRIED = 60  # pages
_RULE_CHARS = 60
_FORMS = ("css", "xpath", "regex", "parsel", "scrapy")


@verb(os_error=USAGE, fetch=fetch_flags)
def rules(
    profile: Annotated[str, argument("PROFILE|ARCHIVE|SITE")],
    pages: Annotated[list[str] | None, argument("PAGES")] = None,
    form: str | None = option(None, "Write the rules in this form.", f"--as {'|'.join(_FORMS)}"),
    output: str | None = option(None, "Output file; default: standard output.", "--output -o FILE"),
    as_json: AsJson = False,
    url: BaseUrl = None,
    delay: Delay = 1.0,
    *,
    fetch: FetchOptions,
) -> int:
    if form is not None and form not in _FORMS:
        raise BadInput(f"--as {form}: expected one of {', '.join(_FORMS)}")
    site, loaded = _open(profile, pages or [], check_base(url), fetch, delay)
    table = site.rules
    if form is None:
        lines = [json.dumps([asdict(row) for row in table], indent=1)] if as_json else list(_table(table))
    else:
        exported = _export(site, loaded, form)
        lines = list(_written(exported, form, profile if is_address(profile) else None, as_json=as_json))
    if output is None:
        say_lines(lines)
    else:
        write_text("\n".join([*lines, ""]), output)
        complain(f"rules written to {output}")
    return OK if table else FAILED


def _open(
    profile: str, pages: Sequence[str], base: str | None, fetch: FetchOptions, delay_s: float
) -> tuple[Site, list[LoadedPage]]:
    """Return a site, learned now where an address is given, and pages of it."""
    if not is_address(profile):
        site = load_site(profile)
        return site, spread(keep_good(load_pages(pages, base, fetch, most=_TRIED)), _TRIED) if pages else []
    from scythe.site.site import Site

    loaded = load_to_learn([profile], base, None, fetch, delay_s)
    return Site.learn([(page.url, page.body) for page in loaded]), loaded


def _export(site: Site, pages: Sequence[LoadedPage], form: str) -> list[ExportedRule]:
    from scythe.site.export_rules import CSS, REGEX, XPATH, export_rules

    given = [(page.url, page.body) for page in pages]
    profile = replace(site.profile, rules=site.rules)
    if form in (CSS, XPATH, REGEX):
        return export_rules(profile, given, form)
    pairs = zip(export_rules(profile, given, CSS), export_rules(profile, given, XPATH), strict=True)
    return [css if css.text and css.same >= xpath.same else xpath for css, xpath in pairs]


def _table(table: Sequence[ElementRule]) -> Iterator[str]:
    heads = ("field", "layout", "rule", "start", "inner", "repeats", "held")
    rows = [heads]
    for row in table:
        told = "" if not row.is_told else " (told)"
        numbers = ("" if value is None else str(value) for value in (row.starting_position, row.inner_tag_count))
        repeats = "" if row.repetition is None else "yes" if row.repetition else "no"
        held = f"{row.held} of {row.pages}"
        rows.append((row.field, row.layout or "all", shorten(row.rule, _RULE_CHARS) + told, *numbers, repeats, held))  # type: ignore[arg-type]
    yield from _aligned(rows)


def _written(rules: Sequence[ExportedRule], form: str, start: str | None, *, as_json: bool) -> Iterator[str]:
    from scythe.site.export_rules import write_code

    if as_json:
        yield json.dumps([asdict(rule) for rule in rules], indent=1, ensure_ascii=False)
    elif form in ("parsel", "scrapy"):
        yield write_code(rules, form, start=start or "https://example.org/").rstrip()
        for rule in rules:
            if rule.note:
                complain(f"{rule.field}{f' of {rule.layout}' if rule.layout else ''}: {rule.note}")
    else:
        rows: list[tuple[str, ...]] = [("field", "layout", "same", form)]
        for rule in rules:
            same = f"{rule.same} of {rule.pages}" if rule.pages else "not tried"
            note = f"  ({rule.note})" if rule.note and rule.pages else ""
            all_of = " (all)" if rule.takes_all and rule.text else ""
            rows.append((rule.field, rule.layout or "all", same, f"{rule.text}{all_of}{note}"))
        yield from _aligned(rows)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
