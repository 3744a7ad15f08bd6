"""Ways to judge the images of a page, by name: a page and its kept blocks come in, its images go out, scored."""

from __future__ import annotations

from collections.abc import Callable

from scythe.errors import BadInput
from scythe.model import Image
from scythe.page import Page
from scythe.read.images.nearby import mark_relevant

MarkImages = Callable[[Page, tuple[int, ...]], tuple[Image, ...]]

DEFAULT = "nearby"
METHODS: dict[str, MarkImages] = {"nearby": mark_relevant}


def image_method(name: str) -> MarkImages:
    """Return the method with that name. Raises BadInput when there is none."""
    if name not in METHODS:
        raise BadInput(f"no image method is called {name!r}; known are {', '.join(METHODS)}")
    return METHODS[name]
