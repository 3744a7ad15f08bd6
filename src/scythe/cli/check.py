"""`scythe check`: report whether a profile still fits recent pages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from scythe.cli.console import FAILED, OK, USAGE, attempt, complain, counted, say_lines, show_progress
from scythe.cli.options import AsJson, BaseUrl, MorePages, argument, fetch_flags, verb
from scythe.cli.page_inputs import load_pages, profile_at
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage, check_base

if TYPE_CHECKING:
    from scythe.site.rules import Layout


_TOLD = "rules that were told"


@dataclass(slots=True)
class Report:
    """What the pages checked came to."""

    pages: int = 0
    unknown: int = 0  # pages that no layout fits
    trouble: list[str] = field(default_factory=list)
    fields: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)  # layout -> field -> cut, tree, missing
    reasons: dict[str, Counter[str]] = field(default_factory=dict)  # layout.field -> why it was not cut


@verb(os_error=USAGE, fetch=fetch_flags)
def check(
    profile: Annotated[str, argument("PROFILE|ARCHIVE")],
    pages: MorePages = None,
    url: BaseUrl = None,
    as_json: AsJson = False,
    *,
    fetch: FetchOptions,
) -> int:
    from scythe.archive.stored_sites import is_in_archive

    if not pages and is_in_archive(profile):
        return _check_archive(profile, as_json=as_json)
    if not pages:
        raise BadInput("name pages to check the profile with")
    loaded = load_pages(pages, check_base(url), fetch)
    report = _check(profile, show_progress(loaded, "checking", None))
    if as_json:
        told = {each.name: getattr(report, each.name) for each in fields(report)}
        typer.echo(json.dumps({"ok": not report.trouble, **told}, indent=1))
    else:
        say_lines(_describe(report))
    return FAILED if report.trouble else OK


def _check_archive(where: str, *, as_json: bool) -> int:
    from scythe.archive.open import open_archive
    from scythe.archive.verify import verify_archive

    with open_archive(where, create=False) as archive:
        complaints = verify_archive(archive)
    if as_json:
        typer.echo(json.dumps({"ok": not complaints, "trouble": complaints}, indent=1))
    else:
        say_lines(complaints or [f"{archive.where}: everything is as it was stored"])
    return FAILED if complaints else OK


def _check(path: str, pages: Iterator[LoadedPage]) -> Report:
    """Extract every page and judge what came of it. Raises BadInput where no page could be read.

    Nothing is learned again on the way, as `Site.extract` would: that could hide what is to be reported.
    """
    from scythe.site.drift import Health
    from scythe.site.extract import Extractor
    from scythe.site.rules import told_layout

    saved = profile_at(path)
    told = told_layout(saved.profile.rules)
    health = Health.load(saved.health, (*saved.profile.layouts, told))
    extractor = Extractor(saved.profile, saved.profile.fields)
    before = {(event.layout, event.field): event for event in health.drift.events}
    report = Report()
    for page in pages:
        if page.complaint:
            complain(f"{page.name}: {page.complaint}")
            continue
        got, complaint = attempt(partial(extractor.extract_page, page.body, page.url, "auto"))
        if got is None:
            complain(f"{page.name}: {complaint}")
            continue
        report.pages += 1
        report.unknown += got.layout is None and bool(saved.profile.layouts)
        health.observe(got.layout, got.fields, page.url)
        health.observe_fields(told, got.fields, page.url or "")
        for layout in filter(None, (told, got.layout)):
            _note(report, layout, got.document.how)
    if not report.pages:
        raise BadInput("there is no page to check")
    worse = [event for event in health.drift.events if before.get((event.layout, event.field)) != event]
    report.trouble += [_name(event.layout, event.field, event.what) for event in worse]
    gone = _gone(report, (told, *saved.profile.layouts))
    report.trouble += [line for line in gone if line not in report.trouble]
    return report


def _note(report: Report, layout: Layout, hows: Mapping[str, str]) -> None:
    for rules in layout.fields:
        how, _, why = hows.get(rules.name, "missing: not delivered").partition(": ")
        kind = "missing" if why.startswith("read cold") else how
        report.fields.setdefault(layout.name, {}).setdefault(rules.name, Counter())[kind] += 1
        if kind != "cut":
            report.reasons.setdefault(f"{layout.name}.{rules.name}", Counter())[why] += 1


def _gone(report: Report, layouts: tuple[Layout, ...]) -> Iterator[str]:
    """Yield what is wrong with too few pages to call it a series: all of them."""
    if report.unknown == report.pages:
        yield _name("", "", "unknown")
    for layout in layouts:
        for rules in layout.fields:
            seen = report.fields.get(layout.name, {}).get(rules.name, Counter())
            if rules.usual.is_expected and seen and seen["missing"] == seen.total():
                yield _name(layout.name, rules.name, "missing")


def _name(layout: str, field_name: str, what: str) -> str:
    return "pages fit no layout" if what == "unknown" else f"{layout or _TOLD}: {field_name}: {what}"


def _describe(report: Report) -> Iterator[str]:
    unknown = f", {report.unknown} fit no layout" if report.unknown else ""
    yield f"{counted(report.pages, 'page')} checked{unknown}"
    for layout, found in report.fields.items():
        yield ""
        yield layout or _TOLD
        width = max(map(len, found))
        for name, seen in found.items():
            reasons = report.reasons.get(f"{layout}.{name}", Counter())
            why = f"  {reasons.most_common(1)[0][0]}" if reasons else ""
            yield f"  {name:{width}} {seen['cut']:4} cut {seen['tree']:4} tree {seen['missing']:4} missing{why}"
    yield ""
    if not report.trouble:
        yield "everything that was learned still works"
        return
    yield "stopped matching:"
    yield from (f"  {line}" for line in report.trouble)
    yield "learn the site again from recent pages, or let `scythe cut --update` do it on the way"
