"""Mark the blocks people disagree about: title, caption, comment and table."""

from __future__ import annotations

import re

from scythe.page import Page
from scythe.page.title import comparable, title_variants

TITLE, CAPTION, COMMENT, TABLE = "title", "caption", "comment", "table"

_TOKEN = re.compile(r"[a-z]+")
_CAPTION_TAGS = frozenset({"figcaption", "caption"})
_CAPTION_NAMES = frozenset({"caption", "captions", "figcaption"})
_COMMENT_NAMES = frozenset(
    {"comment", "comments", "commentlist", "disqus", "respond", "reviews", "usercomments", "fbcomments", "livefyre"}
)
_PAGE_TAGS = frozenset({"html", "body", "main", "article"})  # "comments-open" on these says nothing about their text


def roles(page: Page) -> list[str]:
    """Return one role per block of the page, "" for ordinary text; a block inside a comment is a comment first."""
    blocks = page.blocks
    by_box = _roles_of_boxes(page)
    found = [by_box[box] for box in blocks.box]
    for i in _title_blocks(page):
        if not found[i]:
            found[i] = TITLE
    return found


def _roles_of_boxes(page: Page) -> list[str]:
    blocks, cells = page.blocks, page.grid.table_of
    found: list[str] = []
    for box, tag in enumerate(blocks.box_tag):
        parent = blocks.box_parent[box]
        role = found[parent] if parent >= 0 else ""
        if role != COMMENT:
            role = _own_role(tag, blocks.box_names[box]) or role or (TABLE if box in cells else "")
        found.append(role)
    return found


def _own_role(tag: str, names: str) -> str:
    if tag in _CAPTION_TAGS:
        return CAPTION
    if not names or tag in _PAGE_TAGS:
        return ""
    lower = names.lower()
    if "caption" not in lower and "comment" not in lower and "disq" not in lower and "re" not in lower:
        return ""
    tokens = _TOKEN.findall(lower)
    if not _COMMENT_NAMES.isdisjoint(tokens):
        return COMMENT
    return CAPTION if not _CAPTION_NAMES.isdisjoint(tokens) else ""


def _title_blocks(page: Page) -> list[int]:
    blocks = page.blocks
    wanted = title_variants(page.declared_title)
    heads = blocks.directly_in("h1")
    near_top = len(blocks) // 2
    same = [i for i in range(near_top) if comparable(blocks.text[i]) in wanted] if wanted else []
    if same:
        return same
    return heads if len(heads) == 1 and (heads[0] <= near_top) else []
