"""Cut a parsed page into text blocks: a lexbor tree comes in, parallel columns of boxes and blocks go out.

A *box* is a block-level element. A *block* is one run of inline content inside one box, ended by the edge of a box or by a
line break: what a reader sees as one line or paragraph. Blocks keep their leaf nodes, so that any choice of blocks can be
rendered again without a second parse.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

TEXT, INLINE, BOX, SKIP, BREAK, IMAGE, RULE = range(7)

_KINDS = {
    SKIP: "script style noscript template svg head iframe object embed canvas select datalist audio video textarea "
    "map rp rt annotation annotation-xml frameset -comment !comment _comment -doctype !doctype base link meta title param "
    "source track input progress meter",
    BOX: "html body address article aside blockquote button center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup legend li listing main menu nav ol p plaintext pre search section summary "
    "table caption colgroup tbody td tfoot th thead tr ul xmp noframes optgroup option slot",
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

    def __len__(self) -> int:
        return len(self.text)

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


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    if "hidden" in attributes:
        return True
    style = attributes.get("style")
    if not style:
        return False
    style = style.replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style


def cut_blocks(root: LexborNode) -> Blocks:
    """Walk the tree below `root` once, without recursion, and return its blocks. Linear in the number of nodes."""
    out = Blocks()
    kinds = KIND
    parts: list[str] = []  # text of the block under way
    link_parts: list[str] = []
    bold_parts: list[str] = []
    links = breaks = leaf_mark = 0
    lead_names = lead_tag = ""
    in_link = in_bold = 0
    box = 0
    open_kinds: list[int] = []  # kind and tag of every element between root and node
    open_tags: list[str] = []
    leaves = out.leaves

    def flush() -> None:
        nonlocal links, leaf_mark, lead_names, lead_tag, breaks
        text = " ".join("".join(parts).split())
        if text:
            out.text.append(text)
            out.box.append(box)
            out.link_chars.append(len(" ".join("".join(link_parts).split())) if link_parts else 0)
            out.bold_chars.append(len(" ".join("".join(bold_parts).split())) if bold_parts else 0)
            out.links.append(links)
            out.breaks.append(breaks)
            out.lead_names.append(lead_names)
            out.lead_tag.append(lead_tag)
            out.leaf_start.append(leaf_mark)
            out.leaf_end.append(len(leaves))
            breaks = 0
        parts.clear()
        if link_parts:
            link_parts.clear()
        if bold_parts:
            bold_parts.clear()
        links = 0
        lead_names = lead_tag = ""
        leaf_mark = len(leaves)

    def open_box(node: LexborNode, tag: str, parent: int) -> int:
        attributes = node.attributes
        out.box_parent.append(parent)
        out.box_tag.append(tag)
        out.box_names.append(names_of(attributes) if attributes else "")
        out.box_hidden.append((parent >= 0 and out.box_hidden[parent]) or (bool(attributes) and _is_hidden(attributes)))
        out.box_node.append(node)
        out.box_start.append(len(out.text))
        out.box_end.append(len(out.text))
        return len(out.box_parent) - 1

    box = open_box(root, root.tag or "", -1)
    node = root.first_child
    while node is not None:
        tag = node.tag or ""
        kind = kinds.get(tag, INLINE)
        child = None
        if kind == TEXT:
            text = node.text_content
            if text:
                parts.append(text)
                leaves.append(node)
                if in_link:
                    link_parts.append(text)
                if in_bold:
                    bold_parts.append(text)
        elif kind == BOX:
            if parts or len(leaves) != leaf_mark:
                flush()
            breaks = 0
            box = open_box(node, tag, box)
            child = node.first_child
            if child is None:
                box = out.box_parent[box]
        elif kind == INLINE:
            child = node.first_child
            if child is not None:
                if not parts and not lead_tag:
                    attributes = node.attributes
                    lead_tag = tag
                    lead_names = names_of(attributes) if attributes else ""
                if tag == "a":
                    in_link += 1
                    links += 1
                elif tag == "b" or tag == "strong":
                    in_bold += 1
        elif kind == BREAK:
            flush()
            breaks += 1
        elif kind == IMAGE:
            leaves.append(node)
            out.image_node.append(node)
            out.image_block.append(len(out.text))
            out.image_box.append(box)
        elif kind == RULE:
            flush()
            breaks = 0
        if child is not None:
            open_kinds.append(kind)
            open_tags.append(tag)
            node = child
            continue
        following = node.next
        while following is None and open_kinds:
            node = node.parent  # type: ignore[assignment]
            kind = open_kinds.pop()
            tag = open_tags.pop()
            if kind == BOX:
                if parts or len(leaves) != leaf_mark:
                    flush()
                breaks = 0
                out.box_end[box] = len(out.text)
                box = out.box_parent[box]
            elif tag == "a":
                in_link -= 1
            elif tag == "b" or tag == "strong":
                in_bold -= 1
            following = node.next
        node = following
    flush()
    out.box_end[0] = len(out.text)
    return out
