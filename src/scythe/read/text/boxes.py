"""Relations between boxes that several text methods need: columns come in, numbers of boxes and images go out."""

from __future__ import annotations

from collections.abc import Sequence

from scythe.page.blocks import Blocks


def innermost(blocks: Blocks, tag: str) -> list[int]:
    """Return for every box the nearest box called `tag`, itself included; 0, the root, where there is none."""
    homes = [0] * len(blocks.box_tag)
    for box in range(1, len(homes)):  # parents come before children
        homes[box] = box if blocks.box_tag[box] == tag else homes[blocks.box_parent[box]]
    return homes


def images_inside(blocks: Blocks, boxes: Sequence[int]) -> tuple[int, ...]:
    """Return the images anywhere inside the given boxes."""
    inside = [False] * len(blocks.box_tag)
    for box in boxes:
        inside[box] = True
    for box in range(1, len(inside)):
        inside[box] = inside[box] or inside[blocks.box_parent[box]]
    return tuple(i for i, box in enumerate(blocks.image_box) if inside[box])


def body_of(blocks: Blocks) -> int | None:
    """Return the body's box, or None on a page without one (a frame set)."""
    return next((box for box, tag in enumerate(blocks.box_tag) if tag == "body"), None)
