"""`scythe demo`: read, learn and cut the bundled site and show what came out, with nothing but this machine."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from scythe.cli.ending import USAGE, complain, neutralise, quiet_ends
from scythe.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from scythe.demo import DemoPage
    from scythe.model import Document

HELP = """Read, learn and cut a bundled site of invented pages and show what comes out. Needs no network.

The pages are news, blog posts, forum threads, manuals, products, recipes and encyclopaedia entries in English, German,
Turkish and Chinese, with the menus, banners, teasers and comments that real pages carry. Because they are generated,
their right text is known: F1 says how much of it was found (1.00 is all of it and nothing else).

One list page is shown as records. Then the site is learned from some of its pages and the others are cut out of their
bytes, without a tree: a second table says how many fields were cut and how much faster that is.

\b
Examples:
  scythe demo                           the tables and one article
  scythe demo --pages 200               more pages, for a better look at the speed
  scythe demo --save site/              write the pages to a folder, to try other commands on
  scythe demo --save new/ --design 1    the same content in other markup, to try `scythe check` on
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

_SHOWN_ROWS = 26
_SHOWN_RECORDS = 4
_WIDE = 110  # columns of a terminal that has room for everything


@dataclass(frozen=True, slots=True)
class Row:
    """One page of the demo, read."""

    page: DemoPage
    document: Document
    took_ms: float
    f1: float
    shown_words: int


@app.command(help=HELP)
def demo(
    pages: Annotated[int, typer.Option(min=1, max=10_000, help="How many content pages to make.")] = 24,
    seed: Annotated[int, typer.Option(help="Another seed makes another site.")] = 1,
    method: Annotated[str, typer.Option(help="Text method to read with.")] = "auto",
    design: Annotated[int, typer.Option(min=0, max=1, help="Dress the same content in other markup.")] = 0,
    save: Annotated[str | None, typer.Option(metavar="DIR", help="Write the pages here and stop.")] = None,
) -> None:
    from rich.console import Console

    from scythe.cli.demo_cut import PAGES, learn_and_cut, show_cut
    from scythe.demo import site

    with quiet_ends():
        if save is not None:
            _save(site(seed=seed, pages=pages, design=design), save)
            return
        console = Console()
        bundled = site(seed=seed, pages=pages, design=design)
        try:
            rows = [_read(page, method) for page in _warmed(bundled, method)]
        except BadInput as error:
            complain(str(error))
            raise typer.Exit(USAGE) from None
        _show(console, rows)
        show_cut(console, learn_and_cut(site(seed=seed, pages=max(pages, PAGES), design=design)))
        _suggest(console)


def _save(pages: tuple[DemoPage, ...], folder: str) -> None:
    from pathlib import Path

    for page in pages:
        path = Path(folder) / page.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.html)
    typer.echo(f"{len(pages)} pages written to {folder}; try: scythe read {folder} -o {folder.rstrip('/')}.jsonl")


def _warmed(pages: tuple[DemoPage, ...], method: str) -> tuple[DemoPage, ...]:
    """Read one page first: loading the model is not part of the time of a page."""
    _read(pages[-1], method)
    return pages


def _read(page: DemoPage, method: str) -> Row:
    import scythe
    from scythe.bench.scoring import compare, cut_tokens, rate

    began = time.process_time()
    document = scythe.read(page.html, url=page.url, method=method, content_type=page.content_type)
    took_ms = (time.process_time() - began) * 1000
    f1 = rate(compare(cut_tokens(page.gold_text), cut_tokens(document.text))).f1
    shown = cut_tokens(" ".join(scythe.Page.from_bytes(page.html).blocks.text)).total()
    return Row(page, document, took_ms, f1, shown)


def _show(console: Console, rows: list[Row]) -> None:
    from rich.markdown import Markdown
    from rich.panel import Panel

    console.print(_table(rows, with_how=console.width >= _WIDE))
    if len(rows) > _SHOWN_ROWS:
        console.print(f"... and {len(rows) - _SHOWN_ROWS} more")
    article = next(row.document for row in rows if row.page.kind != "list")
    source = ", ".join(part for part in (article.metadata.author, article.metadata.published) if part)
    console.print(Panel(Markdown(article.markdown), title=f"{article.title}, as Markdown", subtitle=source))
    _summarise(console, rows)
    listing = next((row.document for row in rows if row.page.kind == "list" and row.document.records), None)
    if listing is not None:
        console.print(_list_table(listing))


def _list_table(document: Document) -> Table:
    """Show the first records of a list page."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    region = document.records[0]
    title = f"{document.title}: {len(region.records)} records, {region.kind}; next page {document.paging.next}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, expand=True)
    for name in region.columns:
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    for record in region.records[:_SHOWN_RECORDS]:
        table.add_row(*(escape(neutralise(text)) for text in record.fields))
    return table


def _table(rows: list[Row], *, with_how: bool) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title="The Field Post, a bundled site", title_justify="left", box=SIMPLE_HEAD, expand=True)
    for name in ("kind", "lang"):
        table.add_column(name, no_wrap=True)
    table.add_column("title", no_wrap=True, overflow="ellipsis", ratio=3)
    for name in ("words kept", "F1", "images", "ms"):
        table.add_column(name, justify="right", no_wrap=True)
    if with_how:
        table.add_column("how", no_wrap=True, overflow="ellipsis", ratio=2)
    for row in rows[:_SHOWN_ROWS]:
        table.add_row(*_cells(row)[: None if with_how else -1])
    return table


def _cells(row: Row) -> tuple[str, ...]:
    from rich.markup import escape

    from scythe.bench.scoring import cut_tokens

    return (
        row.page.kind,
        row.page.language,
        escape(row.document.title),
        f"{cut_tokens(row.document.text).total()} of {row.shown_words}",
        "[dim]list[/dim]" if row.page.kind == "list" else _coloured(row.f1),
        f"{_found_images(row)} of {len(row.page.gold_images)}",
        f"{row.took_ms:.1f}",
        escape(row.document.how.get("text", "")),
    )


def _found_images(row: Row) -> int:
    return len({image.src for image in row.document.images if image.relevant} & set(row.page.gold_images))


def _coloured(f1: float) -> str:
    colour = "green" if f1 >= 0.95 else "yellow" if f1 >= 0.8 else "red"
    return f"[{colour}]{f1:.2f}[/{colour}]"


def _summarise(console: Console, rows: list[Row]) -> None:
    scored = [row for row in rows if row.page.kind != "list"]
    total_ms = sum(row.took_ms for row in rows)
    size_kb = sum(len(row.page.html) for row in rows) / len(rows) / 1000
    mean = sum(row.f1 for row in scored) / len(scored)
    wanted = sum(len(row.page.gold_images) for row in scored)
    found = sum(map(_found_images, scored))
    console.print(
        f"[bold]{len(rows) / total_ms * 1000:.0f} pages per second of CPU[/bold], one core "
        f"({total_ms / len(rows):.1f} ms for a page of {size_kb:.0f} KB), "
        f"mean F1 [bold]{mean:.3f}[/bold] on {len(scored)} pages, {found} of {wanted} content images found."
    )
    console.print()


def _suggest(console: Console) -> None:
    name = _command_name()
    console.print(
        "\nWhat to try next:\n"
        f"  {name} read https://en.wikipedia.org/wiki/Scythe -f md   a page of your own\n"
        f"  {name} demo --save site --pages 60                       the pages of this site as files\n"
        f"  {name} learn site -o site.json                           learn it\n"
        f"  {name} cut site.json site -o site.jsonl                  cut all its pages\n"
        f"  {name} --help                                            every command",
        highlight=False,
        markup=False,
    )


def _command_name() -> str:
    """Return what to type for `scythe` here: after `make demo` it is not on the search path."""
    import sys
    from pathlib import Path
    from shutil import which

    started = Path(sys.argv[0])
    if which("scythe") or not started.is_file():
        return "scythe"
    return str(started.relative_to(Path.cwd()) if started.is_relative_to(Path.cwd()) else started)
