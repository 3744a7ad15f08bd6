"""Stand between a page and the tree builder: UTF-8 source in, a tree built in linear time and the losses out.

lexbor is quadratic in the attributes of one tag, in different names of tags and of attributes, in nesting and in
formatting left open. Pages too small or too plain for that to matter are recognised by a few vector operations and one
pass over their tags, longer ones by their elements being closed in turn; both are built as they are. The others are
rewritten first.
"""

from __future__ import annotations

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from scythe.compiled import load_compiled
from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.rewrite import rewrite

COMPILED = load_compiled("scythe.page._walk")


def parse(source: bytes) -> tuple[LexborHTMLParser, tuple[Loss, ...]]:
    """Build the tree of a page."""
    from scythe.page.suspicion import is_plain  # numpy takes longer to import than `scythe --help` to answer

    losses: tuple[Loss, ...] = ()
    if not is_plain(source) and not is_orderly(source):
        source, losses = rewrite(source)
    # events keep <selectedcontent> in step with <option>, which is quadratic in options and no use to a reader
    return LexborHTMLParser(source, options=LexborDocumentOptions.WO_EVENTS), losses


def is_orderly(source: bytes) -> bool:
    """Say whether a page opens and closes its elements so that rewriting would change nothing; no where unsure."""
    if COMPILED is None:
        return False
    bounds = (LIMITS.depth, LIMITS.open_formatting, LIMITS.tag_attributes, LIMITS.tag_bytes, LIMITS.page_tags)
    orderly: bool = COMPILED.is_orderly(source, *bounds, LIMITS.tag_names, LIMITS.attribute_names)
    return orderly
