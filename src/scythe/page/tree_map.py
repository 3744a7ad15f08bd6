"""The map of a page made by lexbor, for where the extension was not built: slower, with the same answers.

It has what `PageMap` has. As lexbor does not tell where its nodes come from, the offsets are those of a source of its
own, written from the tree: what is read is the same, but nobody can say where it stands in the page as received.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from scythe.extension import native
from scythe.model import Loss
from scythe.page.map import PageMap, TextCut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scythe.page.map import Hashes, Integers, Octets, Offsets, Taken, Words

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_RAW = frozenset("script style xmp iframe noembed noframes plaintext".split())
_MUTED = frozenset("template noscript svg math".split())
_MUTE, _FOREIGN, _UNREFERENCED, _BLANK = 2, 16, 2, 4  # bits as in `scythe.page.map`
_SEED, _PRIME, _WORD = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
_FACTOR = 0x9E3779B97F4A7C15
_DIGITS = re.compile(rb"[0-9]+")
_WORDS = re.compile(rb"[^\t\n\f\r ]+")
_NO_IDEOGRAPHS = bytes(byte for byte in range(256) if not 0xE3 <= byte <= 0xE9)  # lead bytes of three
_TAGS: Final[dict[str, int]] = {"": 0}  # numbers of all names seen so far


@dataclass(slots=True)
class _Rows:
    """The columns of one page under way."""

    nodes: list[Any] = field(default_factory=list)
    tag: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    inner: list[int] = field(default_factory=list)
    close: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    run_from: list[int] = field(default_factory=list)
    run_to: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    key: list[int] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)
    run_start: list[int] = field(default_factory=list)
    run_end: list[int] = field(default_factory=list)
    run_row: list[int] = field(default_factory=list)
    run_flags: list[int] = field(default_factory=list)
    run_hash: list[int] = field(default_factory=list)
    written: list[bytes] = field(default_factory=list)
    size: int = 0

    def write(self, piece: str) -> None:
        """Add to the source."""
        coded = piece.encode()
        self.written.append(coded)
        self.size += len(coded)

    def open(self, node: Any, parent: int) -> int:
        """Add an element; `shut` ends it."""
        row, tag, attributes = len(self.nodes), (node.tag or "").lower(), node.attributes
        self.nodes.append(node)
        self.tag.append(_TAGS.setdefault(tag, len(_TAGS)))
        self.parent.append(parent)
        self.depth.append(self.depth[parent] + 1 if parent >= 0 else 0)
        self.start.append(self.size)
        said = "".join(f' {name}="{escape(value or "")}"' for name, value in attributes.items())
        self.write(f"<{tag}{said}>")
        self.inner.append(self.size)
        above = self.flags[parent] if parent >= 0 else 0
        foreign = _FOREIGN if tag in ("svg", "math") or above & _FOREIGN else 0
        self.flags.append((above & _MUTE) | foreign | (_MUTE if tag in _MUTED else 0))
        bare = parent < 0 or (tag == "body" and parent == 0)
        self.key.append(key_of(tag, "" if bare else attributes.get("id") or "", "" if bare else _first(attributes)))
        self.path.append(_mix(self.path[parent], self.key[row]) | 1 if parent >= 0 else self.key[row])
        self.run_from.append(len(self.texts))
        for column in (self.last, self.close, self.end, self.run_to):
            column.append(0)
        return row

    def shut(self, row: int) -> None:
        """End an element."""
        tag = (self.nodes[row].tag or "").lower()
        self.close[row] = self.size
        if tag not in _VOID:
            self.write(f"</{tag}>")
        self.end[row], self.last[row], self.run_to[row] = self.size, len(self.nodes), len(self.texts)

    def add_text(self, node: Any, row: int) -> None:
        """Add a text."""
        text = node.text_content or ""
        raw = (self.nodes[row].tag or "") in _RAW
        self.texts.append(node)
        self.run_row.append(row)
        self.run_start.append(self.size)
        self.write(text if raw else escape(text, quote=False))
        self.run_end.append(self.size)
        self.run_flags.append((_UNREFERENCED if raw else 0) | (0 if text.strip("\t\n\f\r ") else _BLANK))
        self.run_hash.append(_hash(" ".join(text.split()).encode()))


def _first(attributes: dict[str, str | None]) -> str:
    return next(iter((attributes.get("class") or "").split()), "")


def _hash(text: bytes, seed: int = _SEED) -> int:
    for byte in text:
        seed = (seed ^ byte) * _PRIME & _WORD
    return seed


def _fold(text: str, seed: int) -> int:
    """Hash a name in which every run of digits is the same, eight bytes at a time."""
    return hash_bytes(_DIGITS.sub(b"#", text.encode()), seed)


def hash_bytes(coded: bytes, seed: int = 0) -> int:
    """Hash bytes as `src/native/hash.h` does."""
    for at in range(0, len(coded) // 8 * 8 + 1, 8):
        seed = hash_word(seed, int.from_bytes(coded[at : at + 8], "little"))
    return hash_word(seed, len(coded))


def hash_word(seed: int, word: int) -> int:
    """Mix one number into another."""
    mixed = (seed ^ word) * _FACTOR & _WORD
    return mixed ^ (mixed >> 29)


def _mix(one: int, other: int) -> int:
    mixed = (one ^ (other + 0x9E3779B97F4A7C15 + (one << 6) + (one >> 2)) & _WORD) * 0xFF51AFD7ED558CCD & _WORD
    return mixed ^ (mixed >> 32)


@lru_cache(maxsize=50_000)
def key_of(tag: str, element_id: str, first_class: str) -> int:
    """Return the key of an element, as `src/native/page_hash.c` makes it."""
    key = _hash(tag.encode())
    if element_id:
        key = _mix(key, _fold(element_id, 0xA5))
    if first_class:
        key = _mix(key, _fold(first_class, 0x5A) * 3 & _WORD)
    return key | 1


class TreeMap:
    """The map of one page over a parsed tree."""

    losses: tuple[Loss, ...] = ()  # the parser has no limits

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.tree = tree

    @classmethod
    def parse(cls, source: bytes) -> TreeMap:
        """Parse a page; unlike `PageMap` this may take quadratic time (docs/why/limits.md)."""
        # events keep <selectedcontent> in step with <option>, which is quadratic in options and no use to a reader
        return cls(LexborHTMLParser(source, options=LexborDocumentOptions.WO_EVENTS))

    @classmethod
    def parse_plain(cls, source: bytes) -> TreeMap:
        """Parse a page, or an empty one in place of a page that is beyond the limits of a map."""
        is_plain = native is None or not any(
            "limit" in loss.what or "names" in loss.what for loss in PageMap(source).losses
        )
        return cls.parse(source if is_plain else b"")

    @property
    def root(self) -> Any:
        """The html element."""
        return self.tree.root

    @property
    def body_node(self) -> Any:
        """The body, or None."""
        return self.tree.body

    def find(self, *tags: str) -> list[Any]:
        """Return the elements with one of these names, in the order of the page."""
        return list(self.tree.css(",".join(tags)))

    def having(self, attribute: str, *parts: str) -> list[Any]:
        """Return the elements that have an attribute and, in its value, one of the parts, whatever the letter case."""
        conditions = [f'[{attribute}*="{part}" i]' for part in parts] or [f"[{attribute}]"]
        return list(self.tree.css(",".join(conditions)))

    def said(self, tag: str, *names: str) -> list[tuple[str | None, ...]]:
        """Return what each element with this name says of some attributes: None where it has none, "" without value."""
        written = (node.attributes for node in self.find(tag))
        return [tuple((said[name] or "") if name in said else None for name in names) for said in written]

    def inside(self, node: Any) -> list[Any]:
        """Return the elements inside of one, in the order of the page."""
        return [one for one in node.css("*") if one.mem_id != node.mem_id]

    @cached_property
    def _rows(self) -> _Rows:
        out = _Rows()
        here = out.open(self.root, -1)
        node = self.root.first_child
        while node is not None or here > 0:
            if node is None:
                out.shut(here)
                node, here = out.nodes[here].next, out.parent[here]
                continue
            tag = node.tag or "-"
            if tag == "-text":
                out.add_text(node, here)
            elif tag[0] not in "-!_":
                here = out.open(node, here)
                node = node.first_child if tag != "template" else None
                continue
            node = node.next
        out.shut(0)
        return out

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The row of each element and ~run of each text by its `mem_id`."""
        found = {node.mem_id: row for row, node in enumerate(self._rows.nodes)}
        return found | {node.mem_id: ~run for run, node in enumerate(self._rows.texts)}

    def element(self, row: int) -> Any:
        """Return the node of a row or, for ~run, of a text."""
        return self._rows.nodes[row] if row >= 0 else self._rows.texts[~row]

    def row_of(self, node_id: int) -> int:
        """Return the row of the element with this `mem_id`."""
        return self.numbers[node_id]

    def mem_ids(self, rows: Sequence[int]) -> frozenset[int]:
        """Return the `mem_id` of elements."""
        return frozenset(self._rows.nodes[row].mem_id for row in rows)

    def __len__(self) -> int:
        return len(self._rows.nodes)

    @property
    def tags(self) -> Sequence[str]:
        """The names of tags by number."""
        return tuple(_TAGS)

    @cached_property
    def source(self) -> bytes:
        """The page written from its tree, which the offsets are of."""
        return b"".join(self._rows.written)

    @cached_property
    def body(self) -> int:
        """The row of the body, 0 where there is none."""
        return self.numbers.get(self.tree.body.mem_id, 0) if self.tree.body is not None else 0

    def text(self, row: int) -> str:
        """Return the text inside an element, white space squeezed."""
        return " ".join(self.element(row).text(deep=True).split())

    def run_text(self, run: int) -> str:
        """Return the text node that begins with a run, as it stands there."""
        return self._rows.texts[run].text_content or ""

    def matching(self, path: int = 0, key: int = 0, parent: int = 0, *, nested: bool = False) -> list[int]:
        """Return the rows of elements with this path, this key, this key of their parent (0: any).

        Without `nested`, those inside another are left out.
        """
        rows, found, row = self._rows, [], 0
        while row < len(rows.key):
            above = rows.parent[row]
            hit = (not path or rows.path[row] == path) and (not key or rows.key[row] == key)
            if hit and (not parent or (above >= 0 and rows.key[above] == parent)):
                found.append(row)
                row = row + 1 if nested else rows.last[row]
            else:
                row += 1
        return found

    @cached_property
    def signature(self) -> Hashes:
        """The distinct keys of elements with an id or a class, ascending."""
        import numpy as np

        names = ((node.tag or "").lower() for node in self._rows.nodes)
        keyed = {key for key, name in zip(self._rows.key, names, strict=True) if key != key_of(name, "", "")}
        return np.array(sorted(keyed), np.uint64)

    def take(self, places: tuple[object, ...], first: int, most_runs: int) -> Taken | None:
        """Say that someone else knows all places."""
        return (first, None, 0, 0) if first < len(places) else None

    @property
    def holds_copies(self) -> bool:
        """Whether there are elements that may hold more than the page shows."""
        return self.tree.css_first("noscript, template") is not None

    @property
    def mark(self) -> object:
        """The same for two pages with the same `signature`, and for no others."""
        return self.signature.tobytes()

    def around(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return the innermost element that holds some bytes, and how many of its name it has, itself counted."""
        holding = ((self.start <= span[0]) & (self.end >= span[1])).nonzero()[0]
        row = int(holding[-1]) if len(holding) else 0
        return row, int((self.tag[row : self.last[row]] == self.tag[row]).sum())

    def cut_text(self, rows: Sequence[int], drops: tuple[tuple[int, int], ...]) -> TextCut:
        """Return the text that elements show, without those inside them that have one of the keys to drop."""
        from scythe.page.blocks import find_grid, read_blocks, render_text

        dropped = [row for root in rows for row in self._dropped(root, drops)]
        top = rows[0]
        while self._rows.last[top] <= rows[-1]:
            top = self._rows.parent[top]
        blocks = read_blocks(self, top, self.mem_ids(dropped))
        firsts = [
            self._first_run(blocks.leaves[start:end])
            for start, end in zip(blocks.leaf_start, blocks.leaf_end, strict=True)
        ]
        spans = [(self.run_from[row], self.run_to[row]) for row in rows] if len(rows) > 1 else []
        kept = [
            block
            for block, box in enumerate(blocks.box)
            if not blocks.box_hidden[box] and (not spans or any(start <= firsts[block] < end for start, end in spans))
        ]
        text = render_text(blocks, kept, find_grid(blocks))
        return TextCut(text, self._rows.start[rows[0]], self._rows.end[rows[-1]], dropped)

    @cached_property
    def run_blocks(self) -> tuple[Integers, Words]:
        """Of each run the number of its block, -1 for none or a hidden one, and how many words of it are shown."""
        import numpy as np

        from scythe.page.blocks import read_blocks

        blocks = read_blocks(self)
        block_of, words = np.full(len(self._rows.texts), -1, np.int32), np.zeros(len(self._rows.texts), np.float32)
        for block, (start, end) in enumerate(zip(blocks.leaf_start, blocks.leaf_end, strict=True)):
            for leaf in blocks.leaves[start:end] if not blocks.box_hidden[blocks.box[block]] else ():
                run = ~self.numbers[leaf.mem_id]
                if run >= 0:
                    block_of[run] = block
                    text = self.source[self._rows.run_start[run] : self._rows.run_end[run]]
                    words[run] = len(_WORDS.findall(text)) + len(text.translate(None, _NO_IDEOGRAPHS)) / 2
        return block_of, words

    def _dropped(self, root: int, drops: tuple[tuple[int, int], ...]) -> Iterator[int]:
        key, parent, last = self._rows.key, self._rows.parent, self._rows.last
        row = root + 1
        while row < last[root]:
            if any(key[row] == own and above in (0, key[parent[row]]) for own, above in drops):
                yield row
                row = last[row]
            else:
                row += 1

    def span(self, row: int) -> tuple[int, int]:
        """Return where an element begins and ends."""
        return self._rows.start[row], self._rows.end[row]

    def place(self, row: int, *attribute: str) -> tuple[int, int] | None:
        """Return where the words inside an element stand; a parsed tree does not know of attributes."""
        first, behind = self._rows.run_from[row], self._rows.run_to[row]
        if attribute or first == behind:
            return None
        return self._rows.run_start[first], self._rows.run_end[behind - 1]

    def runs_inside(self, row: int) -> int:
        """Return how many runs of text an element has."""
        return self._rows.run_to[row] - self._rows.run_from[row]

    def attribute(self, row: int, name: str) -> str | None:
        """Return an attribute of an element, None where it has none or no value."""
        value: str | None = self.element(row).attributes.get(name)
        return value

    def meta(self, attribute: str, name: str) -> int:
        """Return the row of the first meta element whose attribute has this value, or -1."""
        metas = (row for row, node in enumerate(self._rows.nodes) if node.tag == "meta")
        return next((row for row in metas if self.attribute(row, attribute) == name), -1)

    def _first_run(self, leaves: Sequence[Any]) -> int:
        return next((~number for leaf in leaves if (number := self.numbers[leaf.mem_id]) < 0), -1)

    def __getattr__(self, name: str) -> Any:
        kinds = {"tag": "uint16", "flags": "uint8", "run_flags": "uint8", "key": "uint64", "path": "uint64"}
        if name.startswith("_") or name not in _COLUMNS:
            raise AttributeError(name)
        import numpy as np

        kind = kinds.get(name, "uint64" if name == "run_hash" else "uint32" if name in _OFFSETS else "int32")
        column = self.__dict__[name] = np.array(getattr(self._rows, name), np.dtype(kind))
        return column

    if TYPE_CHECKING:
        tag: Any
        parent: Integers
        last: Integers
        depth: Integers
        start: Offsets
        inner: Offsets
        close: Offsets
        end: Offsets
        run_from: Integers
        run_to: Integers
        flags: Octets
        key: Hashes
        path: Hashes
        run_start: Offsets
        run_end: Offsets
        run_row: Integers
        run_flags: Octets
        run_hash: Hashes


_OFFSETS = frozenset("start inner close end run_start run_end".split())
_COLUMNS = _OFFSETS | frozenset(
    "tag parent last depth run_from run_to flags key path run_row run_flags run_hash".split()
)
