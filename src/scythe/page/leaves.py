"""List the text leaves of a page with their tag paths: a tree in, leaves in page order out."""

from __future__ import annotations

from dataclasses import dataclass

from selectolax.lexbor import LexborNode

_SKIP = frozenset("script style noscript template svg iframe object head title textarea select".split())


@dataclass(frozen=True, slots=True)
class Leaf:
    """One text node: its text, white space squeezed, and the tags from the root down to its parent."""

    text: str
    path: tuple[str, ...]


def read_leaves(root: LexborNode) -> tuple[Leaf, ...]:
    """Walk the tree once, without recursion; leaves of one parent share one path tuple."""
    leaves: list[Leaf] = []
    paths: list[tuple[str, ...]] = [(root.tag or "",)]
    parents: list[LexborNode] = []  # elements between root and node
    node = root.first_child
    while node is not None:
        tag = node.tag or ""
        child = None
        if tag == "-text":
            text = " ".join((node.text_content or "").split())
            if text:
                leaves.append(Leaf(text, paths[-1]))
        elif tag not in _SKIP:
            child = node.first_child
        if child is not None:
            parents.append(node)
            paths.append((*paths[-1], tag))
            node = child
            continue
        node = node.next
        while node is None and parents:
            paths.pop()
            node = parents.pop().next
    return tuple(leaves)
