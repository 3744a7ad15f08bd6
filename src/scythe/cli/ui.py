"""`scythe ui`: serve the local web page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import typer

from scythe.cli.console import complain, on_interrupt
from scythe.cli.options import BaseUrl, Delay, MorePages, fetch_flags, option, verb
from scythe.cli.page_inputs import open_state
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import check_base
from scythe.memory import trimmed
from scythe.package_files import packaged_text

if TYPE_CHECKING:
    from scythe.web.server import ServeOptions, Serving
    from scythe.web.state import State


_NEW_ARCHIVE = "web.scythe.db"


@dataclass(frozen=True, slots=True)
class ServeWish:
    """Where the page is to be served, and whether a browser opens it."""

    host: str = option(
        "127.0.0.1", "Address to listen on; anything but loopback is reachable from other machines.", "ADDRESS"
    )
    port: int = option(0, "Port to listen on; 0: any free port.", min=0, max=65535)
    name: list[str] | None = option(None, "Host name under which other machines reach this one.", "HOST")
    token: str | None = option(
        None,
        "Fixed token, at least 16 characters; safer in the environment, as other users can see command lines.",
        "TOKEN",
        envvar="SCYTHE_TOKEN",
    )
    browser: bool = option(True, "Open the page in the browser.")

    def options(self) -> ServeOptions:
        """Return it as the server wants it. Raises BadInput where the token could be guessed."""
        from scythe.web.server import ServeOptions

        if self.token is not None and len(self.token) < 16:
            raise BadInput("a token has 16 characters or more")
        return ServeOptions(self.host, self.port, tuple(self.name or ()), self.token or "")


@verb(needs_arguments=False, serving=ServeWish, fetch=fetch_flags)
@trimmed()
def ui(
    pages: MorePages = None,
    archive: str | None = option(None, "The archive to show; created if it does not exist.", "FILE|postgresql://..."),
    profile: str | None = option(None, "The profile to show and to extend; created when needed.", "FILE"),
    *,
    serving: ServeWish,
    url: BaseUrl = None,
    delay: Delay = 1.0,
    fetch: FetchOptions,
) -> None:
    from scythe.web.state import StateOptions

    if archive is None and profile is None:  # what is taught of PAGES is kept, too
        archive = find_archive(Path())
    options = StateOptions(archive, Path(profile) if profile else None, "", fetch, delay)
    served = serving.options()
    state = open_state(pages or [], check_base(url), options)
    open_page(state, served, "/", opens=serving.browser)


def find_archive(folder: Path) -> str:
    """Return the archive of a folder, or a new one for it. Raises BadInput where there are several."""
    found = sorted(str(path) for path in folder.glob("*.scythe.db"))
    if len(found) > 1:
        raise BadInput(f"there are several archives here, {', '.join(found)}: say which with --archive")
    where = found[0] if found else _NEW_ARCHIVE
    complain(f"the archive is {where}{'' if found else ', which is new'}")
    return where


def open_page(state: State, options: ServeOptions, path: str, *, opens: bool) -> None:
    """Serve a state until Ctrl-C or SIGTERM, with its page opened in the browser if asked to."""
    from scythe.web.server import serve

    def say(serving: Serving) -> None:
        if not options.is_local:
            complain(f"anyone who reaches {options.host} and has the token may use this page; it is sent without TLS")
        typer.echo(f"scythe is at {serving.address(path)}")
        typer.echo("Ctrl-C ends it.", err=True)
        if opens:
            _open(files.enter_context(login_file(serving.address(path))))

    async def attend() -> None:
        stop = asyncio.Event()
        on_interrupt(stop.set)
        await serve(state, options, ready=say, stop=stop)

    with ExitStack() as files:
        try:
            asyncio.run(attend())
        finally:
            state.close()


@contextmanager
def login_file(address: str) -> Iterator[str]:
    """Keep a file that leads a browser to an address, and give its own address, for as long as the context lasts.

    The address has the token in it, and what a program is started with, every user of the machine can read; the file
    only its owner can.
    """
    with TemporaryDirectory(prefix="scythe-") as folder:  # of mode 700
        path = Path(folder, "open.html")
        path.touch(mode=0o600)
        path.write_text(packaged_text("scythe.web", "pages/entered.html").format(escape(address)), "utf-8")
        yield path.as_uri()


def _open(address: str) -> None:
    """Open an address in the browser of this machine, if it has one: that of the page was shown anyway."""
    import webbrowser

    try:
        is_open = webbrowser.open(address)
    except webbrowser.Error:
        is_open = False
    if not is_open:
        complain("no browser could be opened")
