"""`scythe demo`: serve a bundled site on this machine, crawl it, and show what came out; nothing else is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from scythe.cli.ending import FAILED, complain, quiet_ends
from scythe.errors import BadInput, ScytheError

if TYPE_CHECKING:
    from rich.console import Console

    from scythe.demo import DemoPage
    from scythe.demo.show import ShowOptions

HELP = """Crawl a bundled site of invented pages and show what comes out. Needs no network but this machine's own.

The site is served on loopback: stories in four languages, products, galleries, lists with paging, feeds and a sitemap,
and odd corners where servers do what they do to crawlers. It is crawled as `scythe crawl` does it: the first pages are
read by the tree, the site is learned, the others are cut out of their bytes. In the middle it gets another design.

Because the pages are generated, their right content is known: F1 says how much of the text was found (1.00 is all of it
and nothing else). A report page is written at the end, one file that a browser opens.

\b
Examples:
  scythe demo                           crawl, tables, and scythe-demo.html
  scythe demo --pages 500               a larger site
  scythe demo --report out/demo.html    write the report there
  scythe demo --serve --port 8765       only serve the site, to crawl it or to look at it
  scythe demo --live 5                  serve a list that gets a story every 5 seconds, to watch it
  scythe demo --save site/              write pages to a folder instead, to try other commands on
  scythe demo --save new/ --design 1    the same content in other markup, to try `scythe check` on
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

_SAVED = 24


@app.command(help=HELP)
def demo(
    pages: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="How many content pages to make: 120, or 24 to save.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed makes another site.")] = 1,
    design: Annotated[int, typer.Option(min=0, max=1, help="Dress the same content in other markup.")] = 0,
    corners: Annotated[bool, typer.Option(help="With slow, broken and endless corners.")] = True,
    report: Annotated[str, typer.Option(metavar="FILE", help="Write the report page here.")] = "scythe-demo.html",
    save: Annotated[str | None, typer.Option(metavar="DIR", help="Write the pages here and stop.")] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Only serve the site, until interrupted.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --serve; 0 takes one that is free.")] = 0,
    live: Annotated[
        float | None,
        typer.Option(min=0.1, max=3_600.0, metavar="SECONDS", help="Only serve a list that grows this often."),
    ] = None,
) -> None:
    with quiet_ends():
        try:
            if live is not None:
                from scythe.demo.live import serve_live

                serve_live(live, seed)
                return
            if serve:
                _serve(pages, seed, design, port, has_corners=corners)
                return
            if save is not None:
                from scythe.demo import site

                _save(site(seed=seed, pages=pages or _SAVED, design=design), save)
                return
            from rich.console import Console

            from scythe.demo.show import ShowOptions

            _show(Console(), ShowOptions(pages or ShowOptions().pages, seed, design, corners), report)
        except (ScytheError, OSError) as error:
            complain(str(error))
            raise typer.Exit(FAILED) from None


def _save(pages: tuple[DemoPage, ...], folder: str) -> None:
    from pathlib import Path

    for page in pages:
        path = Path(folder) / page.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.html)
    typer.echo(f"{len(pages)} pages written to {folder}; try: scythe read {folder} -o {folder.rstrip('/')}.jsonl")


def _serve(pages: int | None, seed: int, design: int, port: int, *, has_corners: bool) -> None:
    from scythe.demo.serve import serve_here
    from scythe.demo.serving import ServeOptions
    from scythe.demo.show import ShowOptions

    named = ("all",) if has_corners else ()
    serve_here(ServeOptions(seed, pages or ShowOptions().pages, design, corners=named, port=port))


def _show(console: Console, options: ShowOptions, report: str) -> None:
    from pathlib import Path

    from scythe.cli.crawl_progress import show_crawl
    from scythe.cli.demo_tables import show_results
    from scythe.demo.report import write_report
    from scythe.demo.show import run_show
    from scythe.export import write_atomically

    target = Path(report)
    if not target.parent.is_dir():
        raise BadInput(f"there is no folder {target.parent} to write the report to")
    results = run_show(
        options, watch=lambda run: show_crawl(run, quiet=not console.is_terminal), say=lambda text: console.status(text)
    )
    show_results(console, results)
    write_atomically(target, write_report(results).encode())
    console.print(f"\nThe same with charts, for a browser: [bold]{target}[/bold]", highlight=False)
    _suggest(console)


def _suggest(console: Console) -> None:
    name = _command_name()
    rows = (
        ("crawl https://example.org/ --limit 50", "a site of your own choice"),
        ("read https://en.wikipedia.org/wiki/Scythe", "one page of it"),
        ("demo --save site --pages 60", "pages of the demo as files"),
        ("learn site -o site.json", "learn them"),
        ("cut site.json site -o site.jsonl", "cut them all"),
        ("--help", "every command"),
    )
    console.print("\nWhat to try next:", highlight=False)
    for command, what in rows:
        console.print(f"  {name} {command:<42} {what}", highlight=False, markup=False)


def _command_name() -> str:
    """Return what to type for `scythe` here: after `make demo` it is not on the search path."""
    import sys
    from pathlib import Path
    from shutil import which

    started = Path(sys.argv[0])
    if which("scythe") or not started.is_file():
        return "scythe"
    return str(started.relative_to(Path.cwd()) if started.is_relative_to(Path.cwd()) else started)
