"""Follow the rules of a region on a page's tree: a source and rules come in, the siblings of each record go out.

This is what cut records are checked against, so it shares no code with the cutter.
"""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborNode

from scythe.page.follow import follow, span_of
from scythe.page.source import Opening, Source, matches
from scythe.rules import FLOW, RegionRules, Way

MOST_RECORDS = 1_000  # tags of one literal on a page; beyond, neither cut nor tree rule says anything

_WHOLE = Way(FLOW, ())

Siblings = tuple[LexborNode, ...]


class Entries(NamedTuple):
    """The records of a region: the nodes of each and where its first and last element begin; or why there are none."""

    nodes: tuple[Siblings, ...] = ()
    offsets: tuple[int, ...] = ()
    last_offsets: tuple[int, ...] = ()
    why: str = ""
    outside: int = 0  # elements like heads that are not in the holder

    def spans(self, source: Source) -> list[tuple[int, int]]:
        """Return the byte range of each record, as far as the source shows it."""
        lasts = [source.at(offset) for offset in self.last_offsets]
        ends = [span_of(source, last, _WHOLE)[1] if last is not None else 0 for last in lasts]
        return list(zip(self.offsets, ends, strict=True))


def follow_region(source: Source, rules: RegionRules) -> Entries:
    """Return the records that the rules of a region lead to on the tree, to the letter as a cut does."""
    holder: Opening | None = None
    if rules.holder:
        found = (follow(source, way, loosely=False).openings for way in rules.holder)
        holder = next((openings[0] for openings in found if openings), None)
        if holder is None:
            return Entries(why="the element around the records was not found")
    matching, why = _match(source, rules)
    if why:
        return Entries(why=why)
    outer = _outermost(matching, holder)
    outside = _count_outside(matching, holder) if holder is not None else 0
    runs: list[list[Opening]] = []
    for opening, is_head in outer:
        if is_head:
            runs.append([opening])
        elif runs:
            runs[-1].append(opening)
    if not runs:
        return Entries(why="no records begin as learned")
    nodes = [_siblings(run) for run in runs]
    lasts = [run[-1] if len(own) > 1 else run[0] for own, run in zip(nodes, runs, strict=True)]
    firsts = tuple(run[0].offset for run in runs)
    return Entries(tuple(nodes), firsts, tuple(last.offset for last in lasts), outside=outside)


def _match(source: Source, rules: RegionRules) -> tuple[list[tuple[Opening, bool]], str]:
    """Return the elements that match a literal, in the order of the source, with whether they begin a record."""
    body = source.body
    found: dict[int, tuple[Opening, bool]] = {}
    for literal in dict.fromkeys((*rules.heads, *rules.members)):
        count, at = 0, body.find(literal)
        while at >= 0:
            opening = source.at(at)
            if opening is not None and opening.shown and matches(body, at, literal):
                found[at] = (opening, literal in rules.heads or (at in found and found[at][1]))
                count += 1
                if count >= MOST_RECORDS:
                    return [], "too many records"
            at = body.find(literal, at + 1)
    return [found[at] for at in sorted(found)], ""


def _outermost(matching: list[tuple[Opening, bool]], holder: Opening | None) -> list[tuple[Opening, bool]]:
    """Keep the elements inside the holder that are inside no other of them."""
    inside = {opening.node.mem_id for opening, _ in matching}
    around = holder.node.mem_id if holder is not None else -1
    kept = []
    for opening, is_head in matching:
        above = opening.node.parent
        while above is not None and above.mem_id != around and above.mem_id not in inside:
            above = above.parent
        reached = above.mem_id if above is not None else -1
        if reached == around:
            kept.append((opening, is_head))
    return kept


def _count_outside(matching: list[tuple[Opening, bool]], holder: Opening) -> int:
    around, count = holder.node.mem_id, 0
    for opening, is_head in matching:
        above = opening.node.parent if is_head else None
        while above is not None and above.mem_id != around:
            above = above.parent
        count += is_head and above is None
    return count


def _siblings(run: list[Opening]) -> Siblings:
    """Return the nodes from the first element of a record to its last one, what stands between them included."""
    last = run[-1].node.mem_id
    nodes: list[LexborNode] = []
    node: LexborNode | None = run[0].node
    while node is not None:
        nodes.append(node)
        if node.mem_id == last:
            return tuple(nodes)
        node = node.next
    return (run[0].node,)
