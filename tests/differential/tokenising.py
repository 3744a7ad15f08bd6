"""Our tokenizer against lexbor's on soups of markup: `python -m tests.differential.tokenising [PAGES [SEED]]`.

All text of a page, tags left out, must be the same letters by both. Where it is not the reason must be one of a few
that the standard gives to the tree builder, not to the tokenizer; anything else is a difference.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from html import unescape
from random import Random

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode
from tests.property.soup import make_page

from scythe.page import tokens

RAW = frozenset(b"script style textarea title xmp iframe noembed noframes".split())
_RCDATA = frozenset(b"textarea title".split())
_SPACES = re.compile(r"[\s\0\ufffd]+")
EQUAL, MOVED = "equal", "the same letters, moved out of a table"
# what the tree builder does to text that the tokenizer hands it, the first that a page has
REASONS = {
    "a frameset has no text": rb"<frameset",
    "foreign elements have their own rules for raw text and CDATA": rb"<(?:svg|math)",
    "a template's content is a document of its own": rb"<template",
    "a select drops tags, and what raw elements among them would hide": rb"<select",
    "text before and after the page's own parts is dropped in column groups and framesets": rb"<(?:colgroup|col)\b",
    "what is behind an element of plain text is text": rb"<plaintext",
    "the page is not UTF-8": None,  # type: ignore[dict-item]
}


def text_of_tokens(body: bytes) -> str:
    """Return all text that the tokenizer sees, references resolved, without spaces."""
    texts: list[str] = []
    at, end = 0, len(body)
    while at < end:
        start = body.find(b"<", at)
        start = end if start < 0 else start
        texts.append(unescape(body[at:start].decode("utf-8", "replace")))
        if start == end:
            break
        token = tokens.read_token(body, start, end)
        at = token.next
        if token.kind == tokens.LITERAL:
            texts.append(body[start:at].decode("utf-8", "replace"))
        elif token.kind == tokens.UNENDED and not token.name:
            break
        elif token.kind == tokens.START and token.name in RAW:
            stop = tokens.content_close(body, token, end)
            stop = end if stop < 0 else stop
            content = body[at:stop].decode("utf-8", "replace")
            texts.append(unescape(content) if token.name in _RCDATA else content)
            at = stop
    return _SPACES.sub("", "".join(texts))


def text_of_tree(body: bytes) -> str:
    """Return all text nodes of the tree, without spaces."""
    parser = LexborHTMLParser(body, options=LexborDocumentOptions.WO_EVENTS)
    texts: list[str] = []
    node: LexborNode | None = parser.root
    while node is not None:
        if node.tag == "-text":
            texts.append(node.text_content or "")
        following = node.first_child or node.next
        while following is None:
            node = node.parent
            if node is None:
                break
            following = node.next
        node = following
    return _SPACES.sub("", "".join(texts))


def compare(body: bytes) -> str:
    """Return how the two readings of a page differ, and why; empty: nothing explains it."""
    ours, theirs = text_of_tokens(body), text_of_tree(body)
    if ours == theirs:
        return EQUAL
    if sorted(ours) == sorted(theirs) and b"<table" in body.lower():
        return MOVED
    for why, pattern in REASONS.items():
        if pattern is not None and re.search(pattern, body, re.IGNORECASE):
            return why
    return "the page is not UTF-8" if "\ufffd" in body.decode("utf-8", "replace") else ""


def main() -> int:
    pages, seed = (int(value) for value in (*sys.argv[1:], 10_000, 41)[:2])
    dice, seen = Random(seed), Counter[str]()
    for _ in range(pages):
        body = make_page(dice, dice.choice([3, 8, 20, 60]), faults=dice.choice([0.0, 0.1, 0.3, 1.0]))
        why = compare(body)
        seen[why or "NOT EXPLAINED"] += 1
        if not why and seen["NOT EXPLAINED"] < 10:
            print(f"{body!r}\n  ours: {text_of_tokens(body)!r}\n  tree: {text_of_tree(body)!r}")
    for why, count in seen.most_common():
        print(f"{100 * count / pages:7.3f} % {why}")
    return int("NOT EXPLAINED" in seen)


if __name__ == "__main__":
    sys.exit(main())
