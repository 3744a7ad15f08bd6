"""Read the tables that come with the package."""

from __future__ import annotations

from importlib import import_module
from os.path import dirname, join
from typing import Protocol, cast


class _Loader(Protocol):
    def get_data(self, path: str) -> bytes: ...


def packaged_bytes(package: str, path: str) -> bytes:
    """Return a file of one of our packages, from an archive, too.

    `importlib.resources` takes 7 ms to import, a fifteenth of what the first page of a process costs.
    """
    home = import_module(package)
    return cast("_Loader", home.__loader__).get_data(join(dirname(str(home.__file__)), path))


def packaged_text(package: str, path: str) -> str:
    """Return a text file of one of our packages."""
    return packaged_bytes(package, path).decode()


def packaged_words(package: str, path: str) -> dict[str, list[str]]:
    """Return a table of words: lines of `name: word word ...`, where names may repeat and `#` begins a comment."""
    found: dict[str, list[str]] = {}
    for line in packaged_text(package, path).splitlines():
        name, colon, words = line.partition(": ")
        if colon and not line.startswith("#"):
            found.setdefault(name, []).extend(words.split())
    return found
