"""A progress bar for whoever is looking: pages come in and go out as they are."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from scythe.sources import Loaded

if TYPE_CHECKING:
    from rich.progress import Progress


def show_progress(pages: Iterable[Loaded], what: str, total: int | None) -> Iterator[Loaded]:
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
