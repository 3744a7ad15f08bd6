"""`scythe demo`: serve a bundled site, crawl it and show the results."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import typer

from scythe.cli.console import FAILED, OK, complain
from scythe.cli.options import option, verb
from scythe.errors import BadInput, ScytheError

if TYPE_CHECKING:
    from scythe.cli.demo_acts import Stage
    from scythe.demo import DemoPage
    from scythe.demo.show import ShowOptions


SUGGESTED = (
    ("one page", "read https://en.wikipedia.org/wiki/Scythe"),
    ("a whole site", "crawl https://books.toscrape.com/ --limit 50"),
    ("with a mouse", "ui --archive books.toscrape.com.scythe.db"),
    ("what is new", "watch https://news.ycombinator.com/"),
    ("a list at home", "demo --live 5"),
    ("all commands", "--help"),
)
_COMING_FROM = ("from-scrapy.md", "from-trafilatura.md", "from-autoscraper.md", "from-changedetection.md")

_SAVED, _SERVED, _SHOWN = 24, 120, 260  # content pages


@verb(needs_arguments=False)
def demo(
    pages: int | None = option(
        None, "Number of content pages; default: 260, 120 to serve, 24 to save.", min=1, max=10_000
    ),
    seed: int = option(1, "Seed of the generated site."),
    design: int = option(0, "Design: the same content in other markup.", min=0, max=1),
    watch: float = option(14.0, "How long to watch the growing list.", "SECONDS", min=1.0, max=600.0),
    no_watch: bool = option(False, "Skip the growing list."),
    report: str = option("scythe-demo.html", "Write the report page here.", "FILE"),
    save: str | None = option(None, "Write the pages here and stop.", "DIR"),
    serve: bool = option(False, "Only serve the site, until Ctrl-C."),
    port: int = option(0, "Port for --serve; 0: any free port.", min=0, max=65535),
    live: float | None = option(None, "Only serve a list that grows every SECONDS.", "SECONDS", min=0.1, max=3_600.0),
) -> int:
    try:
        if live is not None or serve:
            from scythe.demo.serve import DemoOptions, serve_demo, serve_live

            options = DemoOptions(seed, pages or _SERVED, design, port=port)
            with serve_demo(options) if live is None else serve_live(live, seed) as served:
                _wait_at(served.url if live is None else served.urls[0])
        elif save is not None:
            from scythe.demo import site

            _save(site(seed=seed, pages=pages or _SAVED, design=design), save)
        else:
            if not Path(report).parent.is_dir():
                raise BadInput(f"there is no folder {Path(report).parent} to write the report to")
            from scythe.demo.show import ShowOptions

            watch_s = 0.0 if no_watch else watch
            return _show(ShowOptions(pages or _SHOWN, seed, design, watch_s), report)
    except ScytheError as error:
        complain(str(error))
        return FAILED
    return OK


def _save(pages: tuple[DemoPage, ...], folder: str) -> None:
    for page in pages:
        path = Path(folder) / page.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.html)
    typer.echo(f"{len(pages)} pages written to {folder}; try: scythe read {folder} -o {folder.rstrip('/')}.jsonl")


def _wait_at(address: str) -> None:
    """Say where something is served, and wait for Ctrl-C."""
    with suppress(KeyboardInterrupt):
        typer.echo(address)
        sys.stdout.flush()
        Event().wait()


def _show(options: ShowOptions, report: str) -> int:
    from scythe.cli.demo_acts import Paper, Stage, play
    from scythe.demo.show import open_show

    stage = Stage(Paper(highlight=False))
    acts = "eight" if options.watch_s else "seven"
    stage.console.print(f"What scythe does, in {acts} short acts. Nothing leaves this machine.")
    with open_show(options) as show:
        promises = play(stage, show, Path(report), _suggest)
    broken = [promise for promise in promises if not promise.is_kept]
    if broken:
        complain("did not hold: " + "; ".join(f"{each.says} ({each.came})" for each in broken))
    return FAILED if broken else OK


def _suggest(stage: Stage) -> None:
    name = _command_name()
    stage.begin("What to try next")
    for what, command in SUGGESTED:
        stage.say_short(f"{what:<16}{name} {command}")
    stage.say("Coming from another tool: " + ", ".join(_COMING_FROM) + " in docs/how-to/.")


def _command_name() -> str:
    """Return what to type for `scythe` here: after `make demo` it is not on the search path."""
    from shutil import which

    started = Path(sys.argv[0])
    if which("scythe") or not started.is_file():
        return "scythe"
    return str(started.relative_to(Path.cwd()) if started.is_relative_to(Path.cwd()) else started)
