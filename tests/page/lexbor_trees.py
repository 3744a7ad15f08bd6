"""Compare the page map with the tree that lexbor builds, where lexbor follows the standard."""

import re
from itertools import pairwise
from typing import Any

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from scythe.page.map import PageMap

Nodes = list[tuple[int, str, str]]  # depth, name, and text or attributes of every node
_SILENT = ("-comment", "")  # of no name are processing instructions, which the map takes for comments
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
# what lexbor makes of these is not what the standard says, and what is compared instead
_MISREAD = (
    (re.compile(rb"<image(?=[\s/>])", re.I), b"<img"),  # lost between the rows of a table (13.2.6.4.9)
    (re.compile(rb"(</?)sup(?=[\s/>])", re.I), rb"\1sub"),  # does not lead out of svg and math (13.2.6.5)
    (re.compile(rb"<form(?=[\s/>])", re.I), b"<x-form"),  # is built in the table of a template (13.2.6.4.9)
    (re.compile(rb"<noframes(?=[\s/>])", re.I), b"<x-noframes"),  # goes elsewhere behind a frameset (13.2.6.4.22)
    (re.compile(rb"<input(?=[\s/>])", re.I), b"<x-input"),  # is hidden by any of several type attributes (13.2.5.33)
)


def attributes_of(attributes: dict[str, str | None]) -> str:
    """Write attributes as the cases do."""
    said = (name.lower() if value is None else f"{name.lower()}={value}" for name, value in attributes.items())
    return " ".join(said).replace("\n", "\\n")


def nodes_of(root: Any) -> Nodes:
    """List every node that either parser shows."""
    found: Nodes = []
    node, depth = root, 0
    while node is not None:
        tag = node.tag or ""
        if tag == "-text":
            found.append((depth, tag, node.text_content or ""))
        elif tag not in _SILENT:
            found.append((depth, tag.lower(), attributes_of(node.attributes)))
        below = node.first_child if tag not in ("-text", *_SILENT) else None
        if below is not None:
            node, depth = below, depth + 1
            continue
        while node is not None and node.next is None:
            node, depth = (node.parent if depth else None), depth - 1
        if depth <= 0 or node is None:
            return found
        node = node.next
    return found


def by_lexbor(source: bytes) -> Nodes:
    """List the nodes that lexbor builds."""
    return nodes_of(
        LexborHTMLParser(source.removeprefix(b"\xef\xbb\xbf"), options=LexborDocumentOptions.WO_EVENTS).root
    )


def departs_from_the_standard(source: bytes, ours: Nodes, theirs: Nodes) -> bool:
    """Say whether lexbor builds something else than the standard, and that explains all of a difference.

    Beside what is listed above it opens formatting again inside of a textarea and between the rows of a template, keeps
    xmlns twice, drops white space behind the end of a page of frames, lets frames follow a template, and may lose the
    order in which the adoption agency has formatting built again.
    """
    if b"<textarea" in source.lower() and any(
        above[1] == "textarea" and below[0] > above[0] and below[1] != "-text" for above, below in pairwise(theirs)
    ):
        return True
    if _unformatted(ours) == _unformatted(theirs):
        return True
    if b"<frameset" in source.lower() and b"</html" in source.lower():
        return [node for node in ours if node[1] != "-text"] == [node for node in theirs if node[1] != "-text"]
    if b"<template" in source.lower() and any(tag == "frameset" for _, tag, _ in theirs):
        return all(tag != "frameset" for _, tag, _ in ours)
    changed = source
    for pattern, other in _MISREAD:
        changed = pattern.sub(other, changed)
    if changed == source:
        return False
    again = nodes_of(PageMap(changed).root), by_lexbor(changed)
    return again[0] == again[1] or _unformatted(again[0]) == _unformatted(again[1])


def _unformatted(nodes: Nodes) -> Nodes:
    """Return the nodes without formatting elements around them, and without what stands in xmlns."""
    found: Nodes = []
    depths: list[int] = []  # of the formatting elements around
    for depth, tag, said in nodes:
        while depths and depths[-1] >= depth:
            depths.pop()
        if tag in _FORMATTING:
            depths.append(depth)
        elif tag == "-text" and found and found[-1][:2] == (depth - len(depths), tag):
            found[-1] = (*found[-1][:2], found[-1][2] + said)
        else:
            found.append((depth - len(depths), tag, re.sub(r" ?xmlns=\S*", "", said)))
    return found


def first_difference(source: bytes) -> tuple[Any, ...] | None:
    """Return where the map and lexbor part, None where they do not or lexbor departs from the standard."""
    ours, theirs = nodes_of(PageMap(source).root), by_lexbor(source)
    if ours == theirs or departs_from_the_standard(source, ours, theirs):
        return None
    at = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), -1)
    return at, ours[at - 2 : at + 3], theirs[at - 2 : at + 3]
