"""Show on a terminal what the demo came to: results come in, tables of at most 80 columns go out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scythe.cli.ending import counted, neutralise
from scythe.demo.race import total
from scythe.demo.wording import corner_ending, describe_redesign

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scythe.demo.results import FieldRow, KindRow, Results, Sample, Step

_MARKS = {"cold": ("·", "dim"), "cut": ("█", "green"), "mixed": ("▓", "yellow"), "tree": ("░", "red")}
_BAR = 24  # characters


def show_results(console: Console, results: Results) -> None:
    """Print everything."""
    from rich.markup import escape

    found = sum(row.found for row in results.kinds)
    console.print(
        f"[bold]The Field Post[/bold] at {escape(results.url)}: {found} of {results.pages} pages found, "
        f"{results.records} records, {results.requests} requests, {results.received / 1e6:.1f} MB "
        f"in {results.seconds:.1f} s.",
        highlight=False,
    )
    console.print(_kinds(results.kinds))
    _show_article(console, results.article)
    _show_list(console, results.listing)
    console.print(_fields(results.fields))
    _show_steps(console, results)
    _show_race(console, results)
    if results.corners:
        console.print(_corners(results))


def _table(title: str, *columns: str, right: Iterable[str] = ()) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", no_wrap=True, overflow="ellipsis")
    return table


def _kinds(rows: Iterable[KindRow]) -> Table:
    numbers = ("pages", "titles", "text F1", "images", "list entries")
    table = _table("\nWhat was found, against what there is", "kind", *numbers, right=numbers)
    for row in rows:
        table.add_row(
            row.kind,
            _of(row.found, row.pages),
            _of(row.titles, row.found),
            "" if row.f1 is None else _coloured(row.f1),
            _of(*row.images),
            _of(*row.records),
        )
    return table


def _of(found: int, wanted: int) -> str:
    if not wanted:
        return "[dim]-[/dim]"
    colour = "green" if found == wanted else "yellow" if found > 0.9 * wanted else "red"
    return f"[{colour}]{found}[/{colour}] of {wanted}"


def _coloured(f1: float) -> str:
    colour = "green" if f1 >= 0.95 else "yellow" if f1 >= 0.8 else "red"
    return f"[{colour}]{f1:.2f}[/{colour}]"


def _show_article(console: Console, article: Sample) -> None:
    from rich.panel import Panel
    from rich.text import Text

    if article.title:
        text = Text(neutralise(article.text.strip()))
        console.print(Panel(text, title=Text(neutralise(article.title)), title_align="left", border_style="dim"))


def _show_list(console: Console, listing: Sample) -> None:
    from rich.text import Text

    if not listing.records:
        return
    table = _table("", *(neutralise(name) for name in listing.columns[:3]))
    table.title = Text(f"\nA list page, as records: {neutralise(listing.title)}", "bold")
    table.expand = True
    for record in listing.records:
        table.add_row(*(Text(neutralise(text)) for text in record[:3]))
    console.print(table)


def _fields(rows: Iterable[FieldRow]) -> Table:
    numbers = ("cut", "by the tree", "not there")
    table = _table("\nHow fields were got, once the site was learned", "field", *numbers, "", right=numbers)
    for row in rows:
        delivered = row.cut + row.tree
        filled = round(_BAR * row.cut / delivered) if delivered else 0
        bar = f"[green]{'█' * filled}[/green][red]{'░' * (_BAR - filled if delivered else 0)}[/red]"
        table.add_row(row.name, str(row.cut), str(row.tree), str(row.missing), bar)
    return table


def _show_steps(console: Console, results: Results) -> None:
    from rich.text import Text

    console.print("\n[bold]Page by page, in the order of the crawl[/bold]")
    console.print(_strip(results.steps))
    legend = Text()
    for name, what in (("cold", "read to learn from"), ("cut", "cut"), ("mixed", "some by the tree"), ("tree", "tree")):
        legend.append(f"{_MARKS[name][0]} ", _MARKS[name][1]).append(f"{what}  ", "dim")
    if results.redesign is not None:
        legend.append("│ ", "bold magenta").append("redesign", "dim")
    console.print(legend)
    if results.redesign is not None:
        for line in describe_redesign(results.redesign):
            console.print(neutralise(line), highlight=False, markup=False)


def _strip(steps: Iterable[Step]) -> Text:
    from rich.text import Text

    strip = Text()
    design = 0
    for step in steps:
        if step.design != design:
            strip.append("│", "bold magenta")
            design = step.design
        strip.append(*_MARKS[step.how])
    return strip


def _show_race(console: Console, results: Results) -> None:
    if not results.laps:
        return
    numbers = ("pages", "by the tree", "cut", "times as fast")
    title = "\nCPU time a page: its text, or of a list its records"
    table = _table(title, "kind", *numbers, right=numbers)
    for lap in sorted(results.laps, key=lambda lap: -lap.pages):
        read_us, cut_us = lap.tree_s / lap.pages * 1e6, lap.cut_s / lap.pages * 1e6
        table.add_row(lap.kind, str(lap.pages), f"{read_us:.0f} us", f"{cut_us:.0f} us", f"{lap.times:.1f}")
    console.print(table)
    both = total(results.laps)
    console.print(
        f"All {counted(both.pages, 'page')}: [bold]{both.times:.1f} times as fast[/bold] as by the tree "
        f"(best of three each, one core).",
        highlight=False,
    )


def _corners(results: Results) -> Table:
    from rich.text import Text

    table = _table("\nOdd corners, and what the crawl made of them", "")
    table.expand = True
    table.add_column("what is there", no_wrap=True, width=30, overflow="ellipsis")
    table.add_column("asked", justify="right", width=5)
    table.add_column("what became of it", ratio=1)
    for row in results.corners:
        mark = Text("✓", "green") if row.is_good else Text("✗", "red")
        table.add_row(mark, row.says, str(row.requests), Text(neutralise(corner_ending(row)), "dim"))
    return table
