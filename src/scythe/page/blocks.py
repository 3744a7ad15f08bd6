"""Split a parsed page into text blocks, and render chosen blocks as plain text.

A *box* is a block-level element. A *block* is one run of inline content inside one box, ended by the edge of a box or
by a line break: what a reader sees as one line or paragraph. Blocks keep their leaf nodes, so that any choice of blocks
can be rendered without a second parse. Data tables are told from layout tables here too.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, overload

from scythe.extension import native

if TYPE_CHECKING:
    from scythe.page.map import Node, PageMap
    from scythe.page.tree_map import TreeMap

TEXT, INLINE, BOX, SKIP, BREAK, IMAGE, RULE = range(7)

_KINDS = {
    SKIP: "script style noscript template svg head iframe object embed canvas select datalist audio video textarea "
    "map rp rt annotation annotation-xml frameset -comment !comment _comment -doctype !doctype base link meta title "
    "param source track input progress meter",
    BOX: "html body address article aside blockquote button center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup legend li listing main menu nav ol p plaintext pre search "
    "section summary table caption colgroup tbody td tfoot th thead tr ul xmp noframes optgroup option slot",
    BREAK: "br",
    RULE: "hr",
    IMAGE: "img amp-img image",
    TEXT: "-text",
}
KIND = {tag: kind for kind, tags in _KINDS.items() for tag in tags.split()}


def find_in(node: Any, *tags: str) -> list[Any]:
    """Return the elements in `node`, itself included, with one of these names."""
    if native is not None and isinstance(node, native.Element):
        found: list[Any] = node.find(*tags)
        return found
    return list(node.css(",".join(tags)))


class Nodes(Sequence["Node"]):
    """Nodes of a map by their rows; handles are made when one is asked for."""

    __slots__ = ("_made", "rows")

    def __init__(self, made: Any, rows: Sequence[int]) -> None:
        self._made = made
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Node: ...
    @overload
    def __getitem__(self, place: slice) -> list[Node]: ...
    def __getitem__(self, place: int | slice) -> Node | list[Node]:
        if isinstance(place, slice):
            return [self._made.element(row) for row in self.rows[place]]
        node: Node = self._made.element(self.rows[place])
        return node

    def __iter__(self) -> Iterator[Node]:
        return map(self._made.element, self.rows)


@dataclass(slots=True)
class Blocks:
    """Columns of one page; box 0 is the root. Filled by `cut_blocks`, read-only afterwards."""

    # one row per box, parents before children
    box_parent: Sequence[int] = field(default_factory=list)
    box_tag: list[str] = field(default_factory=list)
    box_names: list[str] = field(default_factory=list)  # class, id, role, itemprop as written, joined by spaces
    box_hidden: list[bool] = field(default_factory=list)  # by attribute or inline style, here or above
    box_node: Sequence[Node] = field(default_factory=list)
    box_start: Sequence[int] = field(default_factory=list)  # blocks box_start[b]:box_end[b] lie inside box b
    box_end: Sequence[int] = field(default_factory=list)
    # one row per block, page order
    text: list[str] = field(default_factory=list)  # white space squeezed
    box: Sequence[int] = field(default_factory=list)
    link_chars: Sequence[int] = field(default_factory=list)
    links: Sequence[int] = field(default_factory=list)
    bold_chars: Sequence[int] = field(default_factory=list)
    breaks: Sequence[int] = field(default_factory=list)  # line breaks just before the block, inside the same box
    lead_names: list[str] = field(default_factory=list)  # class and id of the first inline element
    lead_tag: list[str] = field(default_factory=list)
    leaf_start: Sequence[int] = field(default_factory=list)  # leaves[leaf_start[i]:leaf_end[i]] are block i's
    leaf_end: Sequence[int] = field(default_factory=list)
    leaves: Sequence[Node] = field(default_factory=list)  # text and image nodes, page order
    # one row per image, page order
    image_node: Sequence[Node] = field(default_factory=list)
    image_block: Sequence[int] = field(default_factory=list)  # number of the block it stands in or before
    image_box: Sequence[int] = field(default_factory=list)
    # one row per block: no image, and no inline element around its words, inside or outside its box
    plain: list[bool] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.text)

    def directly_in(self, tag: str) -> list[int]:
        """Return the blocks whose own box has this tag."""
        return [block for block, box in enumerate(self.box) if self.box_tag[box] == tag]

    def boxes_above(self, block: int) -> list[int]:
        """Return the boxes around a block, innermost first, the root last."""
        chain, box = [], self.box[block]
        while box >= 0:
            chain.append(box)
            box = self.box_parent[box]
        return chain


def nodes_above(node: Node | None, most: int) -> Iterator[Node]:
    """Yield the elements around a node, the innermost first."""
    for _ in range(most):
        node = node.parent if node is not None else None
        if node is None:
            return
        yield node


def names_of(attributes: dict[str, str | None]) -> str:
    """Join the attributes in which authors say what an element is for."""
    names = attributes.get("class") or ""
    for key in ("id", "role", "itemprop"):
        value = attributes.get(key)
        if value:
            names = f"{names} {value}"
    return names


def is_hidden(attributes: dict[str, str | None]) -> bool:
    if "hidden" in attributes:
        return True
    style = attributes.get("style")
    if not style:
        return False
    style = style.replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style


def numbers_of(column: Any) -> Any:
    """Return a column as it is, or the numbers of one that came as bytes."""
    return array("i", column) if isinstance(column, bytes) else column


def read_blocks(page_map: PageMap | TreeMap, row: int = 0, emptied: frozenset[int] = frozenset()) -> Blocks:
    """Return the blocks of a page or of one of its elements. Linear in the number of nodes.

    `emptied` are the `mem_id` of elements that are taken to have no content.
    """
    made = getattr(page_map, "made", None)
    if made is not None:
        blocks = Blocks(*map(numbers_of, made.blocks(row, emptied)))
        for name in ("box_node", "leaves", "image_node"):
            setattr(blocks, name, Nodes(made, getattr(blocks, name)))
        return blocks
    blocks = cut_blocks(page_map.element(row) if row else page_map.root, emptied)
    numbers = getattr(page_map, "numbers", {})
    for name in ("box_node", "leaves", "image_node"):
        setattr(blocks, name, Nodes(page_map, [numbers[node.mem_id] for node in getattr(blocks, name)]))
    return blocks


def cut_blocks(root: Node, emptied: frozenset[int] = frozenset()) -> Blocks:
    """Walk the tree below `root` once, without recursion, and return its blocks. Linear in the number of nodes.

    `emptied` are the `mem_id` of elements that are taken to have no content.
    """
    cutter = _BlockCutter(root, emptied)
    opened: list[tuple[int, str]] = []  # kind and tag of every element between root and node
    node = root.first_child
    while node is not None:
        tag = node.tag or ""
        kind = KIND.get(tag, INLINE)
        child = cutter.enter(node, kind, tag)
        if child is not None:
            opened.append((kind, tag))
            node = child
            continue
        following = node.next
        while following is None and opened:
            node = node.parent
            assert node is not None  # `opened` is not empty: the walk is below the root
            cutter.leave(*opened.pop())
            following = node.next
        node = following
    return cutter.finish()


_BOLD = ("b", "strong")


class _BlockCutter:
    """Gathers the boxes, blocks and images of a tree while that is walked."""

    _lead_names: str  # class and id of the first inline element of the block under way, and its tag
    _lead_tag: str

    def __init__(self, root: Node, emptied: frozenset[int]) -> None:
        self._emptied = emptied
        self._box_parent: list[int] = []
        self._box_end: list[int] = []
        self._box_hidden: list[bool] = []
        self._box_rows: list[tuple[str, str, Node, int]] = []
        self._block_rows: list[tuple[str, int, int, int, int, int, str, str, int, int, bool]] = []
        self._image_rows: list[tuple[Node, int, int]] = []
        self._leaves: list[Node] = []
        self._parts: list[str] = []  # text of the block under way, and what of it is linked and bold
        self._link_parts: list[str] = []
        self._bold_parts: list[str] = []
        self._in_link = self._in_bold = self._in_inline = 0
        self._breaks = 0
        self._begin_block()
        self._box = -1
        self._open_box(root, root.tag or "")
        self._in_inline += KIND.get(root.tag or "", INLINE) != BOX  # its words may be in what stands around it, too

    def enter(self, node: Node, kind: int, tag: str) -> Node | None:
        """Take a node; return its first child, where what it holds is to be walked."""
        child: Node | None = None
        if kind == TEXT:
            self._take_text(node)
        elif kind == IMAGE:
            self._leaves.append(node)
            self._plain = False
            self._image_rows.append((node, len(self._block_rows), self._box))
        elif kind in (BREAK, RULE):
            self._end_block()
            self._breaks = self._breaks + 1 if kind == BREAK else 0
        elif kind in (BOX, INLINE):
            child = None if self._emptied and node.mem_id in self._emptied else node.first_child
            if kind == BOX:
                self._end_any_block()
                self._open_box(node, tag)
                if child is None:
                    self._box = self._box_parent[self._box]
            elif child is not None:
                self._enter_inline(node, tag)
            self._in_inline += child is not None and kind != BOX
        return child

    def leave(self, kind: int, tag: str) -> None:
        """Take note of the end of an element that was entered."""
        self._in_inline -= kind != BOX
        if kind == BOX:
            self._end_any_block()
            self._box_end[self._box] = len(self._block_rows)
            self._box = self._box_parent[self._box]
        elif tag == "a":
            self._in_link -= 1
        elif tag in _BOLD:
            self._in_bold -= 1

    def finish(self) -> Blocks:
        """Return what was gathered, as columns."""
        self._end_block()
        self._box_end[0] = len(self._block_rows)
        out = Blocks(box_parent=self._box_parent, box_end=self._box_end, box_hidden=self._box_hidden)
        out.leaves = self._leaves
        out.box_tag, out.box_names, out.box_node, out.box_start = map(list, zip(*self._box_rows, strict=True))
        if self._block_rows:
            columns = map(list, zip(*self._block_rows, strict=True))
            out.text, out.box, out.link_chars, out.links, out.bold_chars = islice(columns, 5)
            out.breaks, out.lead_names, out.lead_tag, out.leaf_start, out.leaf_end, out.plain = columns
        if self._image_rows:
            out.image_node, out.image_block, out.image_box = map(list, zip(*self._image_rows, strict=True))
        return out

    def _open_box(self, node: Node, tag: str) -> None:
        attributes, parent = node.attributes, self._box
        hidden = parent >= 0 and self._box_hidden[parent]
        self._box_rows.append((tag, names_of(attributes) if attributes else "", node, len(self._block_rows)))
        self._box_parent.append(parent)
        self._box_hidden.append(hidden or is_hidden(attributes))
        self._box_end.append(len(self._block_rows))
        self._box = len(self._box_parent) - 1

    def _enter_inline(self, node: Node, tag: str) -> None:
        if not self._lead_tag and not self._parts and not self._blank:
            self._lead_names, self._lead_tag = names_of(node.attributes), tag
        self._in_link += tag == "a"
        self._links += tag == "a"
        self._in_bold += tag in _BOLD

    def _take_text(self, node: Node) -> None:
        text = node.text_content
        if not text:
            return
        if not self._parts and text.isspace():
            self._blank = True
            return
        self._parts.append(text)
        self._leaves.append(node)
        self._plain = self._plain and not self._in_inline
        if self._in_link:
            self._link_parts.append(text)
        if self._in_bold:
            self._bold_parts.append(text)

    def _end_any_block(self) -> None:
        """End the block under way, if there is one, at the edge of a box."""
        if self._parts or self._blank or len(self._leaves) != self._leaf_mark:
            self._end_block()
        self._breaks = 0

    def _end_block(self) -> None:
        text, linked, bold = (
            " ".join("".join(parts).split()) for parts in (self._parts, self._link_parts, self._bold_parts)
        )
        if text:
            counts = len(linked), self._links, len(bold), self._breaks
            lead, leaves = (self._lead_names, self._lead_tag), (self._leaf_mark, len(self._leaves))
            self._block_rows.append((text, self._box, *counts, *lead, *leaves, self._plain))
            self._breaks = 0
        self._begin_block()

    def _begin_block(self) -> None:
        for parts in (self._parts, self._link_parts, self._bold_parts):
            parts.clear()
        self._links, self._leaf_mark = 0, len(self._leaves)
        self._lead_names, self._lead_tag = "", ""
        self._blank = False  # white space stands before its text
        self._plain = True  # nothing but text outside of inline elements is in it


_LONG_CELL = (
    1_000  # characters; no data cell of the page sets comes near, an article in a layout cell passes it at once
)
_SHORT_CELL = 200
_FEW_BLOCKS = 4  # a cell of data holds a value or a short list, a cell of layout holds a part of the page
_CELLS = frozenset({"td", "th"})
_SHARE = 0.8  # of the filled cells must be short


@dataclass(slots=True)
class Grid:
    """The data tables of one page, by box number."""

    table_of: dict[int, int] = field(default_factory=dict)  # cell -> its table
    row_of: dict[int, int] = field(default_factory=dict)  # cell -> its row
    column_of: dict[int, int] = field(default_factory=dict)  # cell -> its place in the row, from 0, spans not counted
    cells: dict[int, list[int]] = field(default_factory=dict)  # row -> its cells


def find_grid(blocks: Blocks) -> Grid:
    """Return the cells of all tables that hold data: two columns or more, mostly short cells, no table inside."""
    grid = Grid()
    if "tr" not in blocks.box_tag:
        return grid
    ends = [0, *accumulate(map(len, blocks.text))]
    parents = blocks.box_parent
    row_of = {box: parents[box] for box, tag in enumerate(blocks.box_tag) if tag in _CELLS}
    table_of = _tables_by_row(blocks, set(row_of.values()))
    outer = _tables_with_tables(blocks, set(table_of.values()))
    for table, cells in _rows_by_table(row_of, table_of).items():
        if table not in outer and _holds_data(blocks, table, cells, ends):
            _enter(grid, table, cells)
    return grid


def _tables_by_row(blocks: Blocks, rows: set[int]) -> dict[int, int]:
    """Return the table of each row, where it is one."""
    parents, tags = blocks.box_parent, blocks.box_tag
    tables: dict[int, int] = {}
    for row in rows:
        table = parents[row] if row >= 0 else -1
        if table >= 0 and tags[table] in ("tbody", "thead", "tfoot"):
            table = parents[table]
        if table >= 0 and tags[row] == "tr" and tags[table] == "table":
            tables[row] = table
    return tables


def _rows_by_table(row_of: dict[int, int], table_of: dict[int, int]) -> dict[int, dict[int, list[int]]]:
    """Return the cells by table and row, of the tables that have two cells in a row somewhere: others hold no data."""
    wide = {table_of[row] for row, count in Counter(row_of.values()).items() if count > 1 and row in table_of}
    tables: dict[int, dict[int, list[int]]] = {}
    if wide:
        for cell, row in row_of.items():
            table = table_of.get(row, -1)
            if table in wide:
                tables.setdefault(table, {}).setdefault(row, []).append(cell)
    return tables


def _tables_with_tables(blocks: Blocks, tables: set[int]) -> set[int]:
    outer: set[int] = set()
    for table in tables:
        box = blocks.box_parent[table]
        while box >= 0 and box not in outer:  # stops at the first table known to be outer: linear over all tables
            if blocks.box_tag[box] == "table":
                outer.add(box)
                break
            box = blocks.box_parent[box]
    return outer


def _holds_data(blocks: Blocks, table: int, rows: dict[int, list[int]], ends: list[int]) -> bool:
    if "presentation" in blocks.box_names[table].split():
        return False
    filled = short = 0
    for cells in rows.values():
        for cell in cells:
            start, end = blocks.box_start[cell], blocks.box_end[cell]
            chars = ends[end] - ends[start]
            if chars > _LONG_CELL:
                return False
            filled += chars > 0
            short += 0 < chars <= _SHORT_CELL and end - start <= _FEW_BLOCKS
    return filled >= 2 and short >= filled * _SHARE


def _enter(grid: Grid, table: int, rows: dict[int, list[int]]) -> None:
    for row, cells in rows.items():
        grid.cells[row] = cells
        for column, cell in enumerate(cells):
            grid.table_of[cell] = table
            grid.row_of[cell] = row
            grid.column_of[cell] = column


PRE = frozenset({"pre", "listing", "xmp", "plaintext"})
_TIGHT = frozenset({"li", "dt", "dd", "option"})  # shown line under line, without space between


class Surroundings:
    """Answer which preformatted box and which data cell a box lies in; every box is climbed from once."""

    def __init__(self, blocks: Blocks, grid: Grid) -> None:
        self._blocks = blocks
        self._grid = grid
        shown = blocks.box_tag
        self._pre = set() if PRE.isdisjoint(shown) else {box for box, tag in enumerate(shown) if tag in PRE}
        self._pre_memo: dict[int, int] = {}
        self._cell_memo: dict[int, int] = {}

    def pre(self, box: int) -> int:
        """Return the innermost preformatted box around `box`, itself included, or -1."""
        return self._nearest(box, self._pre, self._pre_memo) if self._pre else -1

    def cell(self, box: int) -> int:
        """Return the data cell around `box`, itself included, or -1."""
        cells = self._grid.table_of
        return self._nearest(box, cells, self._cell_memo) if cells else -1

    def _nearest(self, box: int, targets: Container[int], memo: dict[int, int]) -> int:
        parents, path = self._blocks.box_parent, []
        while box >= 0 and box not in targets and box not in memo:
            path.append(box)
            box = parents[box]
        found = memo.get(box, box)
        for passed in path:
            memo[passed] = found
        return found


def render_text(blocks: Blocks, kept: Sequence[int], grid: Grid) -> str:
    """Join the chosen blocks: a blank line between paragraphs, one line per line break, list item and table row.

    Cells of one row are set apart by tabs, one per column passed; preformatted text keeps its line breaks.
    """
    if not grid.cells and PRE.isdisjoint(blocks.box_tag):
        return _render_plainly(blocks, kept)
    around = Surroundings(blocks, grid)
    boxes, texts = blocks.box, blocks.text
    parts: list[str] = []
    last = -1
    for i in kept:
        box = boxes[i]
        parts.append(_gap(blocks, grid, around, last, i))
        parts.append(texts[i] if around.pre(box) < 0 else preformatted(blocks, i))
        last = i
    return "".join(parts).strip("\n\t ")


def _render_plainly(blocks: Blocks, kept: Sequence[int]) -> str:
    """Do the same on a page without data tables and preformatted text, as most are."""
    boxes, texts, breaks, tags = blocks.box, blocks.text, blocks.breaks, blocks.box_tag
    parts: list[str] = []
    before, last = -1, -2
    for i in kept:
        box = boxes[i]
        if parts:
            lines = breaks[i] if box == before and i == last + 1 else 0
            tight = lines == 1 or (not lines and tags[box] in _TIGHT and tags[before] in _TIGHT)
            parts.append("\n" if tight else "\n\n")
        parts.append(texts[i])
        before, last = box, i
    return "".join(parts).strip("\n\t ")


def preformatted(blocks: Blocks, block: int) -> str:
    """Return the text of a block with its own line breaks and indents."""
    leaves = blocks.leaves[blocks.leaf_start[block] : blocks.leaf_end[block]]
    raw = "".join(leaf.text_content or "" for leaf in leaves if leaf.tag == "-text")
    return "\n".join(line.rstrip() for line in raw.splitlines()).strip("\n")


def _gap(blocks: Blocks, grid: Grid, around: Surroundings, last: int, i: int) -> str:
    box = blocks.box[i]
    cell = around.cell(box)
    before = blocks.box[last] if last >= 0 else -1
    if cell >= 0:
        gap = _gap_to_cell(grid, around.cell(before) if before >= 0 else -1, cell)
        if gap:
            return gap
    if before < 0:
        return ""
    if blocks.breaks[i] and box == before and i == last + 1:
        return "\n" if blocks.breaks[i] == 1 else "\n\n"
    pre = around.pre(box)
    if pre >= 0 and pre == around.pre(before):
        return "\n"
    tags = blocks.box_tag
    return "\n" if tags[box] in _TIGHT and tags[before] in _TIGHT else "\n\n"


def _gap_to_cell(grid: Grid, before: int, cell: int) -> str:
    if before == cell:
        return " "  # a row stays one line, also where a cell holds several
    column = grid.column_of[cell]
    if before < 0 or grid.table_of[before] != grid.table_of[cell]:
        return "\n\n" + "\t" * column
    if grid.row_of[before] != grid.row_of[cell]:
        return "\n" + "\t" * column
    return "\t" * (column - grid.column_of[before])
