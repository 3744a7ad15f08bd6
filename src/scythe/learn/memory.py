"""Recollect what was extracted earlier: values of a page come in, and when the page comes back changed, go out again.

After a redesign nobody marks examples again; but many pages of the site were extracted before, and still say the same.
A page is known by its address, or else by what it shows: its title names a value that only one page remembered has, and
another value of that page is on it too.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping

from scythe.errors import BadInput
from scythe.learn.events import read_list
from scythe.learn.texts import words_of
from scythe.page.follow import element_text
from scythe.page.source import Source, unmark

Values = Mapping[str, tuple[str, ...]]

PAGES = 300  # remembered
_CHARS = 300  # of a value; longer ones are content, which is read again
_SKETCH = 80  # characters of either end of a text
_VALUES = 20  # of a field that repeats
_KEY_CHARS = 8_192
_TELLING = 8  # characters of a value that can tell one page from all others
_HEADINGS = 5  # of a page that are looked at


def sketch(text: str) -> tuple[str, str]:
    """Return how a text begins and ends: enough to see later whether another rule gives the same text."""
    return text[:_SKETCH], text[-_SKETCH:]


class Memory:
    """The last pages extracted, by address, with the values of the fields that were learned by example."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = frozenset(names)
        self._pages: OrderedDict[str, Values] = OrderedDict()
        self._nameless = 0  # pages that came without an address

    @property
    def is_full(self) -> bool:
        """Whether a further page would drive one out."""
        return len(self._pages) >= PAGES

    def remember(self, url: str | None, values: Values) -> None:
        """Keep the values of one page; the page that was not met for the longest time goes."""
        kept = {name: given for name, given in values.items() if name in self.names and _is_small(given)}
        if not kept:
            return
        if not url:
            self._nameless += 1
            url = f"#{self._nameless}"
        self._pages[url] = kept
        self._pages.move_to_end(url)
        if len(self._pages) > PAGES:
            self._pages.popitem(last=False)

    def recall(self, url: str | None, source: Source) -> Values:
        """Return the values that a page had when it was met before; none where it is new."""
        if url and url in self._pages:
            return self._pages[url]
        return self._recognise(source)

    def _recognise(self, source: Source) -> Values:
        named = _name_page(source)
        if not named or not self._pages:
            return {}
        counts = Counter(value for page in self._pages.values() for value in _telling(page))
        found = [
            page
            for page in self._pages.values()
            if any(counts[value] == 1 and f" {value} " in named for value in _telling(page))
        ]
        return found[0] if len(found) == 1 and _shows_another(source, found[0], named) else {}

    def dump(self) -> dict[str, object]:
        """Return what is remembered as JSON can hold it."""
        pages = [[url, {name: list(given) for name, given in page.items()}] for url, page in self._pages.items()]
        return {"pages": pages}

    @classmethod
    def load(cls, state: Mapping[str, object], names: Iterable[str]) -> Memory:
        """Take up a dumped memory. Raises BadInput for anything else."""
        memory = cls(names)
        for entry in read_list(state, "pages", PAGES):
            if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)):
                raise BadInput("memory: expected pairs of an address and values")
            url, plain = entry
            if len(url) > _KEY_CHARS or not isinstance(plain, Mapping) or not all(map(_is_listed, plain.values())):
                raise BadInput(f"memory: expected lists of values for {url:.60}")
            memory.remember(url, {name: tuple(given) for name, given in plain.items()})
        return memory


def _is_small(values: tuple[str, ...]) -> bool:
    return 0 < len(values) <= _VALUES and all(len(value) <= _CHARS for value in values)


def _is_listed(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _telling(page: Values) -> set[str]:
    found = (words_of(given[0]) for given in page.values())
    return {value for value in found if len(value) >= _TELLING}


def _name_page(source: Source) -> str:
    """Return the words of a page's title and headings of the first order, between spaces."""
    nodes = [*source.tree.css("title")[:1], *source.tree.css("h1")[:_HEADINGS]]
    return " ".join(["", *(words_of(unmark(element_text(node))) for node in nodes), ""])


def _shows_another(source: Source, page: Values, named: str) -> bool:
    """Say whether a page shows a value of a remembered one that is not already in its name: lists name others too."""
    root = source.tree.body
    shown = f" {words_of(unmark(element_text(root)))} " if root is not None else ""
    others = [value for value in {words_of(given[0]) for given in page.values()} if value and f" {value} " not in named]
    return not others or any(f" {value} " in shown for value in others)
