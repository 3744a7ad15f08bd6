"""`scythe explain`: show which rules match on one page, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from scythe.cli.console import FAILED, USAGE, complain, neutralise, quiet_ends
from scythe.cli.cut import load_site
from scythe.cli.options import AsJson, BaseUrl, OnePage, ProfilePath, fetch_flags, with_options
from scythe.cli.page_inputs import load_pages
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import check_base

if TYPE_CHECKING:
    from scythe.site.trace import CutTrace, FieldTrace, WayTrace

HELP = """Explain what a profile does with one page.

PAGE is a file, a URL, or - for standard input. Shows the layout the page matches, and for each field how it was found,
where it is in the file, whether a full HTML parse agrees, where every rule leads and how long the cut takes.

\b
Examples:
  scythe explain news.json saved/story.html          in words
  scythe explain news.json saved/story.html --json   for a program

\b
Exit codes:
  0  explained
  1  the page could not be loaded; standard error says why
  2  invalid command, or an unreadable profile
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

_SHOWN_LAYOUTS = 4
_VALUE_CHARS = 90
_RULE_CHARS = 100


@app.command(help=HELP, no_args_is_help=True)
@with_options(fetch=fetch_flags)
def explain(
    profile: ProfilePath,
    page: OnePage,
    url: BaseUrl = None,
    as_json: AsJson = False,
    *,
    fetch: FetchOptions,
) -> None:
    from scythe.site.trace import trace

    with quiet_ends():
        try:
            site = load_site(profile)
            loaded = next(load_pages([page], check_base(url), fetch))
        except BadInput as error:
            complain(str(error))
            raise typer.Exit(USAGE) from None
        if loaded.complaint:
            complain(f"{loaded.name}: {loaded.complaint}")
            raise typer.Exit(FAILED)
        found = trace(site, loaded.body, loaded.url)
        if as_json:
            typer.echo(json.dumps({"source": loaded.name, "url": loaded.url, **asdict(found)}, indent=1))
            return
        typer.echo(neutralise(f"{loaded.name}: {found.size} bytes, {found.encoding}"))
        for line in _describe(found):
            typer.echo(neutralise(line))


def _describe(found: CutTrace) -> Iterator[str]:
    by_fit = sorted(found.layouts, key=lambda layout: (not layout.fits, -layout.found / max(layout.marks, 1)))
    for layout in by_fit[:_SHOWN_LAYOUTS]:
        verdict = "this one" if layout.fits else "not this one"
        yield f"  {layout.name}: {layout.found} of {layout.marks} marks, {verdict}"
    if len(by_fit) > _SHOWN_LAYOUTS:
        yield f"  and {len(by_fit) - _SHOWN_LAYOUTS} layouts that fit less"
    if not any(layout.fits for layout in found.layouts):
        yield "  no layout fits; the rules of each were tried on the tree"
    for field in found.fields:
        yield ""
        yield from _describe_field(field)


def _describe_field(field: FieldTrace) -> Iterator[str]:
    took = f", {field.cut_us:.1f} us" if field.cut_us is not None and field.how.startswith("cut") else ""
    yield f"{field.name}: {field.how}{took}"
    for value in field.values[:3]:
        yield f"  value  {_short(value, _VALUE_CHARS)}"
    if len(field.values) > 3:
        yield f"         and {len(field.values) - 3} more"
    if field.span:
        yield f"  where  bytes {field.span[0]} to {field.span[1]}, line {field.line}"
    if field.how.startswith("cut"):
        same = field.by_tree == field.values
        yield "  tree   the same" if same else f"  tree   DIFFERS: {_short(' | '.join(field.by_tree), _VALUE_CHARS)}"
    if field.usual:
        yield f"  usual  {field.usual}"
    for number, way in enumerate(field.ways, 1):
        yield from _describe_way(way, f"way {number}" if len(field.ways) > 1 else "way")


def _describe_way(way: WayTrace, name: str) -> Iterator[str]:
    agree = f"{way.needed} of {len(way.rules)} rules must agree" if len(way.rules) > 1 else "1 rule"
    yield f"  {name}: takes {way.takes}; {agree}"
    for rule in way.rules:
        place = f"byte {rule.offset}, line {rule.line}" if rule.offset is not None else "silent"
        yield f"    {rule.kind:7} {place:22} {_short(rule.says, _RULE_CHARS)}"
    if way.end:
        yield f"    ends before {_short(way.end, _RULE_CHARS)}"


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
