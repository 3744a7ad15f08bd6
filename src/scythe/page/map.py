"""The map of a page: every element and run of text with its place in the bytes, in the tree of the HTML standard.

One pass in C makes it (`src/native/tree.c`). Columns are numpy arrays, one row per element or run, in the order of the
tree; `root`, `element` and `find` give handles of single nodes. Offsets are bytes of `source`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scythe.extension import native
from scythe.limits import LIMITS
from scythe.model import Loss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scythe.page.tree_map import TreeMap

IMPLIED, MUTED, IN_TEMPLATE, MOVED, FOREIGN = 1, 2, 4, 8, 16  # bits of `flags`
CONTINUES, RAW, BLANK = 1, 2, 4  # bits of `run_flags`; MOVED is the same there

Integers: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.uint32]
Octets: TypeAlias = NDArray[np.uint8]
Hashes: TypeAlias = NDArray[np.uint64]
Words: TypeAlias = NDArray[np.float32]

# path, key and parent's key of an element, and its attribute; or an attribute of a meta element, and what it says there
PlaceSpec: TypeAlias = "tuple[int, int, int, str | None, str | None]"
Taken: TypeAlias = "tuple[int, str | None, int, int]"

_LOST = (
    "tags nested beyond the limit",
    "tags beyond the limit",
    "formatting tags beyond the limit",
    "tags of too many names",
    "attributes beyond the limit",
    "bytes in a tag without end",
)


class Node(Protocol):
    """One element or text of a page, whichever parser made it. Two handles of one node have the same `mem_id`."""

    @property
    def tag(self) -> str | None: ...  # lower case; "-text" for text
    @property
    def attributes(self) -> dict[str, str | None]: ...
    @property
    def parent(self) -> Node | None: ...
    @property
    def first_child(self) -> Node | None: ...
    @property
    def last_child(self) -> Node | None: ...
    @property
    def next(self) -> Node | None: ...
    @property
    def prev(self) -> Node | None: ...
    @property
    def text_content(self) -> str | None: ...  # of a text; None for an element
    @property
    def html(self) -> str | None: ...
    @property
    def mem_id(self) -> int: ...
    def text(self, deep: bool = True, separator: str = "") -> str: ...


class TextCut(NamedTuple):
    """The text that elements of a page show, the bytes from the first to the last, and the rows that were left out."""

    text: str
    start: int
    end: int
    dropped: list[int]


class PageMap:
    """The map of one page. Columns are made when first asked for and must not be written to."""

    def __init__(self, source: bytes) -> None:
        assert native is not None
        self.source = source
        self.made = native.PageMap(
            source,
            LIMITS.depth,
            LIMITS.open_formatting,
            LIMITS.rebuilt_formatting,
            LIMITS.page_tags + len(source) // LIMITS.page_tag_bytes,
            LIMITS.tag_names,
            LIMITS.tag_attributes,
        )

    def _column(self, name: str, kind: Any) -> NDArray[Any]:
        return np.frombuffer(self.made.column(name), kind)

    @property
    def tags(self) -> Sequence[str]:
        """The names of tags by number; known names have the same number on every page."""
        names: Sequence[str] = self.made.tags
        return names

    @cached_property
    def tag(self) -> NDArray[np.uint16]:
        """The number of each element's name."""
        return self._column("tag", np.uint16)

    @cached_property
    def parent(self) -> Integers:
        """The row of the element around; -1 for html."""
        return self._column("parent", np.int32)

    @cached_property
    def last(self) -> Integers:
        """Rows row + 1 : last[row] lie inside the element."""
        return self._column("last", np.int32)

    @cached_property
    def depth(self) -> Integers:
        """How many elements are around; 0 for html."""
        return self._column("depth", np.int32)

    @cached_property
    def start(self) -> Offsets:
        """Where the opening tag begins; for implied elements where they begin."""
        return self._column("start", np.uint32)

    @cached_property
    def inner(self) -> Offsets:
        """Where the content begins."""
        return self._column("inner", np.uint32)

    @cached_property
    def close(self) -> Offsets:
        """Where the content ends."""
        return self._column("close", np.uint32)

    @cached_property
    def end(self) -> Offsets:
        """Where the element ends, behind its closing tag."""
        return self._column("end", np.uint32)

    @cached_property
    def run_from(self) -> Integers:
        """Runs run_from[row] : run_to[row] lie inside the element."""
        return self._column("run_from", np.int32)

    @cached_property
    def run_to(self) -> Integers:
        """See `run_from`."""
        return self._column("run_to", np.int32)

    @cached_property
    def flags(self) -> Octets:
        """What is special about each element: IMPLIED, MUTED, IN_TEMPLATE, MOVED, FOREIGN."""
        return self._column("flags", np.uint8)

    @cached_property
    def key(self) -> Hashes:
        """A hash of tag, id and first class, in which runs of digits are the same; html and body by their tag alone."""
        return self._column("key", np.uint64)

    @cached_property
    def path(self) -> Hashes:
        """A hash of the keys from html down to the element."""
        return self._column("path", np.uint64)

    @cached_property
    def run_start(self) -> Offsets:
        """Where each run of text begins."""
        return self._column("run_start", np.uint32)

    @cached_property
    def run_end(self) -> Offsets:
        """Where each run of text ends."""
        return self._column("run_end", np.uint32)

    @cached_property
    def run_row(self) -> Integers:
        """The element directly around each run."""
        return self._column("run_row", np.int32)

    @cached_property
    def run_flags(self) -> Octets:
        """What is special about each run: CONTINUES (the same text node as the run before), RAW, BLANK, MOVED."""
        return self._column("run_flags", np.uint8)

    @cached_property
    def run_hash(self) -> Hashes:
        """A hash of each run's bytes with white space squeezed."""
        return self._column("run_hash", np.uint64)

    def __len__(self) -> int:
        count: int = self.made.count
        return count

    @property
    def body(self) -> int:
        """The row of the body, 0 where there is none."""
        row: int = self.made.body
        return row

    @property
    def root(self) -> Any:
        """The html element."""
        return self.made.element(0)

    def element(self, row: int) -> Any:
        """Return a handle of an element or, for ~run, of the text that begins with a run."""
        return self.made.element(row)

    @property
    def body_node(self) -> Any:
        """The body, or None."""
        return self.made.element(self.body) if self.body else None

    def inside(self, node: Any) -> list[Any]:
        """Return the elements inside of one, in the order of the page; what is in a template is left out."""
        row = node.row
        rows = np.arange(row + 1, self.last[row])
        return [self.made.element(int(one)) for one in rows[self.flags[row + 1 : self.last[row]] & IN_TEMPLATE == 0]]

    def find(self, *tags: str) -> list[Any]:
        """Return the elements with one of these names, in the order of the page; what is in a template is left out."""
        found: list[Any] = self.made.find(*tags)
        return found

    def having(self, attribute: str, *parts: str) -> list[Any]:
        """Return the elements that have an attribute and, in its value, one of the parts, whatever the letter case."""
        found: list[Any] = self.made.having(attribute, *parts)
        return found

    def said(self, tag: str, *names: str) -> list[tuple[str | None, ...]]:
        """Return what each element with this name says of some attributes: None where it has none, "" without value."""
        said: list[tuple[str | None, ...]] = self.made.said(tag, *names)
        return said

    def text(self, row: int) -> str:
        """Return the text inside an element, white space squeezed."""
        return " ".join(self.made.element(row).text().split())

    def mem_ids(self, rows: Sequence[int]) -> frozenset[int]:
        """Return the `mem_id` of elements."""
        return frozenset(row + 1 for row in rows)

    def matching(self, path: int = 0, key: int = 0, parent: int = 0, *, nested: bool = False) -> list[int]:
        """Return the rows of elements with this path, this key, this key of their parent (0: any).

        Without `nested`, those inside another are left out.
        """
        found: list[int] = self.made.matching(path, key, parent, nested)
        return found

    @cached_property
    def signature(self) -> Hashes:
        """The distinct keys of elements with an id or a class, ascending."""
        return np.sort(np.frombuffer(self.made.signature(), np.uint64))

    @property
    def holds_copies(self) -> bool:
        """Whether there are elements that may hold more than the page shows."""
        return bool(self.made.find("noscript", "template"))

    @property
    def mark(self) -> object:
        """The same for two pages with the same `signature`, and hardly ever for others; sooner known."""
        return self.made.mark()

    def around(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return the innermost element that holds some bytes, and how many of its name it has, itself counted."""
        found: tuple[int, int] = self.made.around(*span)
        return found

    def cut_text(self, rows: Sequence[int], drops: tuple[tuple[int, int], ...]) -> TextCut:
        """Return the text that elements show, without those inside them that have one of the keys to drop.

        `rows` ascend and none lies inside another; a drop is a key and the key of its parent, 0 for any.
        """
        return TextCut(*self.made.cut_text(rows, drops))

    def span(self, row: int) -> tuple[int, int]:
        """Return where an element begins and ends."""
        span: tuple[int, int] = self.made.element(row).span
        return span

    def place(self, row: int, *attribute: str) -> tuple[int, int] | None:
        """Return where the words inside an element stand, or the value of an attribute; None where there is none."""
        span: tuple[int, int] | None = self.made.place(row, *attribute)
        return span

    def row_of(self, node_id: int) -> int:
        """Return the row of the element with this `mem_id`."""
        return node_id - 1

    def runs_inside(self, row: int) -> int:
        """Return how many runs of text an element has."""
        return int(self.run_to[row] - self.run_from[row])

    def attribute(self, row: int, name: str) -> str | None:
        """Return an attribute of an element, None where it has none or no value."""
        value: str | None = self.made.attribute(row, name)
        return value

    def meta(self, attribute: str, name: str) -> int:
        """Return the row of the first meta element whose attribute has this value, or -1."""
        said = zip(self.made.find("meta"), self.made.said("meta", attribute), strict=True)
        return next((node.row for node, (value,) in said if value == name), -1)

    def take(self, places: tuple[PlaceSpec | None, ...], first: int, most_runs: int) -> Taken | None:
        """Return the number of the first place, from one on, that has a value, with it and where it stands.

        At None the value is None: someone else knows that place. Elements of more runs than `most_runs` have none.
        """
        taken: Taken | None = self.made.take(places, first, most_runs)
        return taken

    def run_text(self, run: int) -> str:
        """Return the text node that begins with a run, as it stands there."""
        text: str = self.made.element(~run).text_content
        return text

    @cached_property
    def run_blocks(self) -> tuple[Integers, Words]:
        """Of each run the number of its block, -1 for none or a hidden one, and how many words of it are shown."""
        block, words = self.made.run_blocks()
        return np.frombuffer(block, np.int32), np.frombuffer(words, np.float32)

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What was left out because of a limit."""
        return tuple(Loss(what, count) for what, count in zip(_LOST, self.made.losses(), strict=True) if count)


def make_map(source: bytes) -> PageMap | TreeMap:
    """Return the map of a page, with what it holds for readers without scripts where that is more than it shows."""
    made = map_as_is(source)
    if not made.holds_copies:
        return made
    from scythe.page.unshown import map_whole

    return map_whole(made, map_as_is)


def map_as_is(source: bytes) -> PageMap | TreeMap:
    """Return the map of a page: by one pass over its bytes or, where that was not built, by the parser."""
    if native is not None:
        return PageMap(source)
    from scythe.page.tree_map import TreeMap

    return TreeMap.parse(source)
