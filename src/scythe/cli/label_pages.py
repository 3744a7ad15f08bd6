"""Find the pages that labels name: names and the pages of a command come in, the images of each page go out.

A page is one of those given, by its file or address, or the end of either where that is unambiguous; else one that was
labelled before; else a file, as named or beside the labels; else it is fetched by its address.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scythe.cli.examples import page_named
from scythe.cli.progress import show_progress
from scythe.model import PageImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.rules import LabelledPage
from scythe.sources import Loaded, Reach, Source, is_address, load


class Shelf:
    """The pages at hand; the images of each are read once."""

    def __init__(self, pages: Sequence[Loaded], known: Sequence[LabelledPage], reach: Reach) -> None:
        self.pages = list(pages)
        self._known = {each.page.url: each.page for each in known if each.page.url}
        self._reach = reach
        self._images: dict[int, PageImages] = {}

    def find(self, names: Sequence[str], folder: Path) -> dict[str, PageImages | str]:
        """Return the images of each page named, or why there are none; pages that are not at hand are loaded."""
        at_hand = {name: at for at, page in enumerate(self.pages) for name in (page.name, page.url) if name}
        found = {name: at_hand[name] if name in at_hand else page_named(name, self.pages) for name in names}
        missing = [name for name in names if isinstance(found[name], str) and name not in self._known]
        wanted = [source for name in missing if (source := _source(name, folder))]
        loaded = show_progress(load(wanted, None, self._reach), "loading", len(wanted))
        for source, page in zip(wanted, loaded, strict=False):
            found[source.name] = page.complaint or len(self.pages)
            if not page.complaint:
                self.pages.append(page)
        return {name: self.see(at) if isinstance(at, int) else self._known.get(name, at) for name, at in found.items()}

    def see(self, at: int) -> PageImages:
        """Return the images of a page at hand."""
        if at not in self._images:
            self._images[at] = read_image_contexts(open_page(self.pages[at]))
        return self._images[at]


def open_page(loaded: Loaded) -> Page:
    """Return a page for reading."""
    return Page.from_bytes(loaded.body, url=loaded.url, content_type=loaded.content_type)


def _source(name: str, folder: Path) -> Source | None:
    """Return where a page that was not given may be found."""
    if is_address(name):
        return Source(name, url=name)
    for path in (Path(name), folder / name):
        try:
            if path.is_file():
                return Source(name, path=path)
        except (OSError, ValueError):  # a name that no file can have
            continue
    return None
