"""Name the kind of an image: its context in, a text out that images in the same place of a template share."""

from __future__ import annotations

import re
from functools import lru_cache

from scythe.limits import LIMITS
from scythe.model import ImageContext

_DIGITS = re.compile(r"\d++")


def signature(context: ImageContext, depth: int = 4) -> str:
    """Return the image's own classes and the labels of the `depth` elements around it, numbers made equal."""
    tag = context.tags[2]
    start = tag.find(' class="') + 8
    classes = tag[start : tag.find('"', start)] if start > 7 else ""
    return _signature(classes, fold_path(context.path)[:depth])


@lru_cache(maxsize=2_048)
def _signature(classes: str, labels: tuple[str, ...]) -> str:
    own = ".".join(sorted(set(fold(classes).split())))
    return "<".join((f"img.{own}", *labels))[: LIMITS.place_chars]


@lru_cache(maxsize=2_048)
def fold_path(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels of a path with every number as 0: posts of one template then share what is worked out of it."""
    return tuple(map(fold, path))


@lru_cache(maxsize=2_048)
def fold(label: str) -> str:
    """Return a label with every number in it as 0, since most count or name one page: `post-172`, `item3`."""
    return _DIGITS.sub("0", label)
