"""Follow the rules of image areas on a page's tree: a source and rules come in, the elements of the areas go out.

This is what cut areas are checked against, so it shares no code with the cutter.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from selectolax.lexbor import LexborNode

from scythe.page.follow import lead_to
from scythe.page.image_areas import shows_image
from scythe.page.source import Opening, Source
from scythe.rules import ImageRules

Areas = list[tuple[int, Opening]]


def follow_areas(source: Source, rules: ImageRules, text: int | None) -> tuple[Areas, str]:
    """Return the numbers and elements of the areas that a page has, in page order, or none and why.

    `text` is where the element of the main text begins. Of areas inside another the outer one counts.
    """
    found: Areas = []
    for number, area in enumerate(rules.areas):
        own = source.at(text) if text is not None else None
        opening = lead_to(source, area.ways) if area.ways else own
        if opening is not None and (not area.ways or shows_image(opening.node)):
            found.append((number, opening))
        elif area.is_expected or not area.ways:
            return [], f"area {number + 1} was not found"
    kept: Areas = []
    taken: set[int] = set()
    for number, opening in sorted(found, key=lambda one: (one[1].offset, one[0])):
        if not _is_in(opening.node, taken):
            kept.append((number, opening))
            taken.add(opening.node.mem_id)
    return kept, "" if kept else "no area is there"


def are_elsewhere(source: Source, places: Sequence[int], areas: Areas) -> bool:
    """Say whether there are places in the source and none of them is in one of the areas."""
    taken = {opening.node.mem_id for _, opening in areas}
    for place in places:
        at = bisect_right(source.offsets, place) - 1
        if at >= 0 and _is_in(source.openings[at].node, taken):
            return False
    return bool(places)


def _is_in(node: LexborNode, taken: set[int]) -> bool:
    above: LexborNode | None = node
    while above is not None:
        if above.mem_id in taken:
            return True
        above = above.parent
    return False
