"""Run everything that is measured, one part after the other: what is wished for comes in, sections go out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest
from importlib import import_module
from pathlib import Path

from bench.whole.parts import Section, Tick, Wish
from scythe.errors import BadInput


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a run and the folders of the data that it reads."""

    module: str
    folders: tuple[str, ...] = ()  # it is left out where the first is not there

    def measure(self, wish: Wish, tick: Tick) -> Section:
        """Measure it."""
        made: Callable[[Wish, Tick], Section] = import_module(f"bench.whole.{self.module}").measure
        return made(wish, tick)


PARTS = {
    "text": Part("text", ("text",)),
    "cut": Part("cut", ("sites",)),
    "learn": Part("learn", ("sites",)),
    "records": Part("records", ("records",)),
    "images": Part("images", ("images", "text")),
    "schedule": Part("schedule", ("arrivals",)),
    "crawl": Part("crawl"),
}


def choose_parts(only: str) -> tuple[str, ...]:
    """Return the parts of a list with commas, all where it is empty. Raises BadInput for one that is unknown."""
    names = tuple(dict.fromkeys(name.strip() for name in only.split(",") if name.strip()))
    if unknown := [name for name in names if name not in PARTS]:
        raise BadInput(f"--only {only}: no part is called {', '.join(unknown)}; there are {', '.join(PARTS)}")
    return names or tuple(PARTS)


def check_data(data: Path | None, names: Sequence[str]) -> None:
    """Raise BadInput where there is nothing to measure the parts on."""
    folders = list(dict.fromkeys(PARTS[name].folders[0] for name in names if PARTS[name].folders))
    if not folders:
        return
    if data is None:
        raise BadInput("--data DIR is needed: a folder with page sets; only the part crawl does without")
    if not data.is_dir():
        raise BadInput(f"--data {data}: there is no such folder")
    if not any((data / folder).is_dir() for folder in folders):
        raise BadInput(f"--data {data} has none of the folders {', '.join(folders)}: expected one at least")


def digest_data(data: Path | None, names: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of every file that the parts read, by folder and name."""
    folders = sorted({folder for name in names for folder in PARTS[name].folders})
    digests = {}
    for folder in folders if data is not None else ():
        place = (data or Path()) / folder
        for path in sorted(place.iterdir()) if place.is_dir() else ():
            if path.is_file() and not path.name.startswith("."):
                with path.open("rb") as file:
                    digests[f"{folder}/{path.name}"] = file_digest(file, "sha256").hexdigest()
    return digests


def run(
    wish: Wish,
    names: Sequence[str],
    *,
    tick: Tick = lambda what, total: None,
    begin: Callable[[str], None] = lambda name: None,
) -> Iterator[Section]:
    """Measure the parts in turn, each as soon as it is known; `begin(name)` is called before each.

    A part whose folder is not there is skipped and says so. Raises BadInput where the data of a part are wrong.
    """
    check_data(wish.data, names)
    for name in names:
        begin(name)
        part = PARTS[name]
        if part.folders and not wish.place(part.folders[0]).is_dir():
            why = f"the data have no folder {part.folders[0]}"
            yield Section(name, name.capitalize(), "", skipped=why)
            continue
        began = time.monotonic()
        section = part.measure(wish, tick)
        yield replace(section, seconds=time.monotonic() - began)
