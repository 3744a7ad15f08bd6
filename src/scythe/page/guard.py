"""Stand between a page and the tree builder: UTF-8 source in, a tree built in linear time and the losses out.

lexbor is quadratic in the attributes of one tag, in different names of tags and of attributes, in nesting and in
formatting left open. Pages too small or too plain for that to matter are recognised by a few vector operations and one
pass over their tags, and built as they are; the others are rewritten first.
"""

from __future__ import annotations

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from scythe.model import Loss
from scythe.page.rewrite import rewrite


def parse(source: bytes) -> tuple[LexborHTMLParser, tuple[Loss, ...]]:
    """Build the tree of a page."""
    from scythe.page.suspicion import is_plain  # numpy takes longer to import than `scythe --help` to answer

    losses: tuple[Loss, ...] = ()
    if not is_plain(source):
        source, losses = rewrite(source)
    # events keep <selectedcontent> in step with <option>, which is quadratic in options and no use to a reader
    return LexborHTMLParser(source, options=LexborDocumentOptions.WO_EVENTS), losses
