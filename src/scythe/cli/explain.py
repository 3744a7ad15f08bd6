"""`scythe explain`: show which rules match on one page, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from scythe.cli.console import FAILED, OK, complain, say_lines, shorten
from scythe.cli.options import AsJson, BaseUrl, ProfilePath, argument, fetch_flags, verb
from scythe.cli.page_inputs import load_pages, load_site
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import check_base

if TYPE_CHECKING:
    from scythe.site.trace import CutTrace, FieldTrace


_SHOWN_LAYOUTS = 4
_VALUE_CHARS = 90
_RULE_CHARS = 100


@verb(fetch=fetch_flags)
def explain(
    profile: ProfilePath,
    page: Annotated[str, argument("PAGE")],
    url: BaseUrl = None,
    as_json: AsJson = False,
    *,
    fetch: FetchOptions,
) -> int:
    from scythe.site.trace import Tracer

    site = load_site(profile)
    loaded = next(load_pages([page], check_base(url), fetch))
    if loaded.complaint:
        complain(f"{loaded.name}: {loaded.complaint}")
        return FAILED
    found = Tracer(site.profile).trace(loaded.body, loaded.url)
    if as_json:
        typer.echo(json.dumps({"source": loaded.name, "url": loaded.url, **asdict(found)}, indent=1))
        return OK
    say_lines([f"{loaded.name}: {found.size} bytes, {found.encoding}", *_describe(found)])
    return OK


def _describe(found: CutTrace) -> Iterator[str]:
    by_fit = sorted(found.layouts, key=lambda layout: (not layout.fits, -layout.found / max(layout.marks, 1)))
    for layout in by_fit[:_SHOWN_LAYOUTS]:
        verdict = "this one" if layout.fits else "not this one"
        yield f"  {layout.name}: {layout.found} of {layout.marks} marks, {verdict}"
    if len(by_fit) > _SHOWN_LAYOUTS:
        yield f"  and {len(by_fit) - _SHOWN_LAYOUTS} layouts that fit less"
    if not any(layout.fits for layout in found.layouts):
        yield "  no layout fits; the page was read"
    for field in found.fields:
        yield ""
        yield from _describe_field(field)


def _describe_field(field: FieldTrace) -> Iterator[str]:
    took = f", {field.cut_us:.1f} us" if field.cut_us is not None and field.how.startswith("cut") else ""
    yield f"{field.name}: {field.how}{took}"
    for value in field.values[:3]:
        yield f"  value  {shorten(value, _VALUE_CHARS)}"
    if len(field.values) > 3:
        yield f"         and {len(field.values) - 3} more"
    if field.span:
        yield f"  where  bytes {field.span[0]} to {field.span[1]}, line {field.line}"
    if field.usual:
        yield f"  usual  {field.usual}"
    for rule in field.rules:
        place = f"byte {rule.offset}, line {rule.line}" if rule.offset is not None else "silent"
        yield f"    {rule.kind:9} {place:22} {shorten(rule.says, _RULE_CHARS)}"
