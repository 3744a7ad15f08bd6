from collections.abc import Callable
from typing import Any

from selectolax.lexbor import LexborNode

def cut(
    root: LexborNode,
    kinds: dict[str, int],
    is_hidden: Callable[[dict[str, str | None]], bool],
    emptied: frozenset[int] = ...,
) -> tuple[list[Any], ...]:
    """Return the columns of `Blocks` in the order of its fields."""

def list_elements(
    root: LexborNode, kinds: dict[str, int], is_hidden: Callable[[dict[str, str | None]], bool]
) -> tuple[Any, ...]:
    """Return the columns of `Elements` in the order of its fields."""

def is_orderly(
    source: bytes,
    depth: int,
    formatting: int,
    attributes: int,
    tag_bytes: int,
    tags: int,
    names: int,
    attribute_names: int,
) -> bool:
    """Say whether a page opens and closes its elements in turn, within these bounds."""
