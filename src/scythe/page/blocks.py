"""Cut a parsed page into text blocks: a lexbor tree comes in, parallel columns of boxes and blocks go out.

A *box* is a block-level element. A *block* is one run of inline content inside one box, ended by the edge of a box or
by a line break: what a reader sees as one line or paragraph. Blocks keep their leaf nodes, so that any choice of blocks
can be rendered again without a second parse.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from selectolax.lexbor import LexborNode

from scythe.compiled import load_compiled

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


@dataclass(slots=True)
class Blocks:
    """Columns of one page; box 0 is the root. Filled by `cut_blocks`, read-only afterwards."""

    # one row per box, parents before children
    box_parent: list[int] = field(default_factory=list)
    box_tag: list[str] = field(default_factory=list)
    box_names: list[str] = field(default_factory=list)  # class, id, role, itemprop as written, joined by spaces
    box_hidden: list[bool] = field(default_factory=list)  # by attribute or inline style, here or above
    box_node: list[LexborNode] = field(default_factory=list)
    box_start: list[int] = field(default_factory=list)  # blocks box_start[b]:box_end[b] lie inside box b
    box_end: list[int] = field(default_factory=list)
    # one row per block, page order
    text: list[str] = field(default_factory=list)  # white space squeezed
    box: list[int] = field(default_factory=list)
    link_chars: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    bold_chars: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)  # line breaks just before the block, inside the same box
    lead_names: list[str] = field(default_factory=list)  # class and id of the first inline element
    lead_tag: list[str] = field(default_factory=list)
    leaf_start: list[int] = field(default_factory=list)  # leaves[leaf_start[i]:leaf_end[i]] are block i's
    leaf_end: list[int] = field(default_factory=list)
    leaves: list[LexborNode] = field(default_factory=list)  # text and image nodes, page order
    # one row per image, page order
    image_node: list[LexborNode] = field(default_factory=list)
    image_block: list[int] = field(default_factory=list)  # number of the block it stands in or before
    image_box: list[int] = field(default_factory=list)
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


COMPILED = load_compiled("scythe.page._walk")
_COMPILED_KINDS = KIND | {"a": 7, "b": 8, "strong": 8}  # inline elements that are counted


def cut_blocks(root: LexborNode, emptied: frozenset[int] = frozenset()) -> Blocks:
    """Walk the tree below `root` once, without recursion, and return its blocks. Linear in the number of nodes.

    `emptied` are the `mem_id` of elements that are taken to have no content.
    """
    if COMPILED is None:
        return cut_in_python(root, emptied)
    return Blocks(*COMPILED.cut(root, _COMPILED_KINDS, is_hidden, emptied))


def cut_in_python(root: LexborNode, emptied: frozenset[int] = frozenset()) -> Blocks:
    """Do what the compiled walk does, which must give the same columns."""
    # one long function, because the loop runs once per node of every page: no calls but those at the ends of blocks
    out = Blocks()
    kinds, leaves = KIND, out.leaves
    box_parent, box_hidden, box_end = out.box_parent, out.box_hidden, out.box_end
    block_rows: list[tuple[str, int, int, int, int, int, str, str, int, int, bool]] = []
    box_rows: list[tuple[str, str, LexborNode, int]] = []
    image_rows: list[tuple[LexborNode, int, int]] = []
    parts: list[str] = []  # text of the block under way, and what of it is linked and bold
    link_parts: list[str] = []
    bold_parts: list[str] = []
    links = breaks = leaf_mark = in_link = in_bold = in_inline = 0
    lead_names = lead_tag = ""
    blank = False  # white space stands before the text of the block under way
    plain = True  # nothing but text outside of inline elements is in it
    opened: list[tuple[int, str]] = []  # kind and tag of every element between root and node

    def end_block() -> None:
        nonlocal links, leaf_mark, lead_names, lead_tag, breaks, blank, plain
        if parts:
            text = " ".join("".join(parts).split())
            if text:
                linked = len(" ".join("".join(link_parts).split())) if link_parts else 0
                bold = len(" ".join("".join(bold_parts).split())) if bold_parts else 0
                end = len(leaves)
                block_rows.append((text, box, linked, links, bold, breaks, lead_names, lead_tag, leaf_mark, end, plain))
                breaks = 0
            parts.clear()
            link_parts.clear()
            bold_parts.clear()
        links = 0
        lead_names = lead_tag = ""
        leaf_mark = len(leaves)
        blank, plain = False, True

    def open_box(node: LexborNode, tag: str, parent: int) -> int:
        attributes = node.attributes
        hidden = parent >= 0 and box_hidden[parent]
        if attributes:
            hidden = hidden or is_hidden(attributes)
            box_rows.append((tag, names_of(attributes), node, len(block_rows)))
        else:
            box_rows.append((tag, "", node, len(block_rows)))
        box_parent.append(parent)
        box_hidden.append(hidden)
        box_end.append(len(block_rows))
        return len(box_parent) - 1

    box = open_box(root, root.tag or "", -1)
    in_inline += kinds.get(root.tag or "", INLINE) != BOX  # its words may be in what stands around it, too
    node = root.first_child
    while node is not None:
        tag = node.tag or ""
        kind = kinds.get(tag, INLINE)
        child = None
        if kind == TEXT:
            text = node.text_content
            if text:
                if not parts and text.isspace():
                    blank = True
                else:
                    parts.append(text)
                    leaves.append(node)
                    plain = plain and not in_inline
                    if in_link:
                        link_parts.append(text)
                    if in_bold:
                        bold_parts.append(text)
        elif kind == BOX:
            if parts or blank or len(leaves) != leaf_mark:
                end_block()
            breaks = 0
            box = open_box(node, tag, box)
            child = None if emptied and node.mem_id in emptied else node.first_child
            if child is None:
                box = box_parent[box]
        elif kind == INLINE:
            child = None if emptied and node.mem_id in emptied else node.first_child
            if child is not None:
                if not lead_tag and not parts and not blank:
                    attributes = node.attributes
                    lead_tag = tag
                    lead_names = names_of(attributes) if attributes else ""
                if tag == "a":
                    in_link += 1
                    links += 1
                elif tag == "b" or tag == "strong":
                    in_bold += 1
        elif kind == BREAK:
            end_block()
            breaks += 1
        elif kind == IMAGE:
            leaves.append(node)
            plain = False
            image_rows.append((node, len(block_rows), box))
        elif kind == RULE:
            end_block()
            breaks = 0
        if child is not None:
            opened.append((kind, tag))
            in_inline += kind != BOX
            node = child
            continue
        following = node.next
        while following is None and opened:
            node = node.parent
            assert node is not None  # `opened` is not empty: the walk is below the root
            kind, tag = opened.pop()
            in_inline -= kind != BOX
            if kind == BOX:
                if parts or blank or len(leaves) != leaf_mark:
                    end_block()
                breaks = 0
                box_end[box] = len(block_rows)
                box = box_parent[box]
            elif tag == "a":
                in_link -= 1
            elif tag == "b" or tag == "strong":
                in_bold -= 1
            following = node.next
        node = following
    end_block()
    box_end[0] = len(block_rows)
    out.box_tag, out.box_names, out.box_node, out.box_start = map(list, zip(*box_rows, strict=True))
    if block_rows:
        columns = map(list, zip(*block_rows, strict=True))
        out.text, out.box, out.link_chars, out.links, out.bold_chars = islice(columns, 5)
        out.breaks, out.lead_names, out.lead_tag, out.leaf_start, out.leaf_end, out.plain = columns
    if image_rows:
        out.image_node, out.image_block, out.image_box = map(list, zip(*image_rows, strict=True))
    return out
