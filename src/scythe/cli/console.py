"""Exit codes, error lines, progress bars and safe terminal output, shared by all verbs."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from scythe.atomic_files import write_atomically
from scythe.errors import ArchiveFailed, BadInput, MissingExtra, ScytheError
from scythe.fetch.inputs import LoadedPage
from scythe.url import hide_users

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

    from scythe.output.formats import Writer


def show_progress(pages: Iterable[LoadedPage], what: str, total: int | None) -> Iterator[LoadedPage]:
    """Pass pages on under a progress bar, when somebody is looking and there is more than one."""
    if total == 1 or not sys.stderr.isatty():
        return iter(pages)
    from rich.console import Console
    from rich.progress import track

    return iter(track(pages, what, total=total, console=Console(stderr=True), transient=True))


def count_progress() -> Progress:
    """Return a bar on standard error that says what is under way, how much of it is done and for how long."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


Tell = Callable[[int, int | None, str], None]  # takes how much is done, of how much, and what is under way


@contextmanager
def show_count(what: str, *, quiet: bool = False) -> Iterator[Tell | None]:
    """Give what moves a bar for as long as the block takes; None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with count_progress() as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)


Result = TypeVar("Result")

OK, FAILED, USAGE, EMPTY, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 3, 130, 141

# C0 controls but tab and newline become their Unicode pictures, DEL and C1 controls a mark: a page must not be able to
# move the cursor, retitle the window or recolour what follows. So do marks that turn the order of what stands after
# them (an ending could read as another one), and halves of characters, which no terminal can be sent.
_TURNS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_VISIBLE = {code: 0x2400 + code for code in range(32) if code not in (9, 10)}
_VISIBLE |= {127: 0x2421} | dict.fromkeys((*range(0x80, 0xA0), *_TURNS, *range(0xD800, 0xE000)), 0xFFFD)


@dataclass(slots=True)
class RunCounts:
    """What a run came to."""

    failed: int = 0
    empty: int = 0

    def code(self, *, fail_on_empty: bool = False) -> int:
        """Return the exit code."""
        return FAILED if self.failed else EMPTY if self.empty and fail_on_empty else OK

    def run(self, pages: Iterable[LoadedPage], sink: Writer[Any], work: Callable[[LoadedPage], str]) -> None:
        """Do the work on every page, then close the sink; what fails is said and counted, and the run goes on."""
        for page in pages:
            self.note(page.name, page.complaint or work(page))
        sink.close()

    def lack(self, name: str, what: str) -> None:
        """Count a page that lacks what was asked for, and say so."""
        self.empty += 1
        complain(f"{name}: {what}")

    def note(self, name: str, complaint: str) -> None:
        """Count what failed, where something did, and say so; the run goes on."""
        if complaint:
            self.failed += 1
            complain(f"{name}: {complaint}")


def neutralise(text: str) -> str:
    """Return `text` safe to show on a terminal: control characters and marks of direction made visible."""
    return text.translate(_VISIBLE)


def take_any_text() -> None:
    """Let standard output replace what its encoding lacks; where it cannot be told so it is left as it is."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")


def counted(number: int, what: str) -> str:
    """Return a number with what it counts: 1 page, 2 pages."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def shorten(text: str, most: int) -> str:
    """Return a text on one line, cut where it has more characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def say_lines(lines: Iterable[str], *, to_errors: bool = False) -> None:
    """Write lines for people on standard output, or on standard error."""
    for line in lines:
        typer.echo(neutralise(hide_users(line)), err=to_errors)


def write_text(text: str, output: str | None) -> None:
    """Write a text to a file, or to standard output (None or -): safe for a terminal, in what its encoding has."""
    if output is not None and output != "-":
        write_atomically(Path(output), text.encode("utf-8", "replace"))
        return
    take_any_text()
    sys.stdout.write(neutralise(text) if sys.stdout.isatty() else text)


async def show_live(draw: Callable[[], RenderableType], every_s: float, console: Console) -> None:
    """Draw something again and again where it stood, until cancelled."""
    from rich.live import Live

    with Live(console=console, transient=True, auto_refresh=False) as live:
        while True:
            live.update(draw(), refresh=True)
            await asyncio.sleep(every_s)


def complain(message: str) -> None:
    """Say what went wrong in one line on standard error."""
    typer.echo(f"scythe: {' '.join(neutralise(hide_users(message)).split())}", err=True)


def attempt(work: Callable[[], Result]) -> tuple[Result | None, str]:
    """Do the work on one page; return what came of it, or None and what to say of the page."""
    try:
        return work(), ""
    except BrokenPipeError:
        raise
    except ScytheError as error:
        return None, str(error)
    except OSError as error:
        return None, f"cannot be written: {error.strerror or error}"
    except Exception as error:  # noqa: BLE001 (one bad page must not stop a run of thousands)
        return None, f"a bug in scythe, please report it with the page: {type(error).__name__}: {error}"


@contextmanager
def quiet_ends() -> Iterator[None]:
    """End without a traceback when the reader of our output leaves or the user presses Ctrl-C."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output once more at exit; give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(PIPE_CLOSED) from None
    except KeyboardInterrupt:
        complain("interrupted")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def plain_errors(os_error: int = FAILED) -> Iterator[None]:
    """Say what went wrong in one line, and end with the code for it; `os_error` where a file or the network fails."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (BadInput, MissingExtra) as error:
        complain(str(error))
        raise typer.Exit(USAGE) from None
    except (ArchiveFailed, OSError) as error:
        complain(str(error))
        raise typer.Exit(os_error if isinstance(error, OSError) else FAILED) from None


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def on_interrupt(stop: Callable[[], None]) -> None:
    """Call `stop` at the first signal, in the loop that runs; a second one does what it always does."""
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        stop()

    for number in _SIGNALS:
        with suppress(NotImplementedError, RuntimeError):  # Windows; a thread that is not the main one
            loop.add_signal_handler(number, interrupt)
