"""Join cutting and reading for the images of a page of a learned site: a body and its layout come in, images go out.

The areas that hold a layout's relevant images are cut from the bytes when images are first asked for. Where the bytes
do not tell, the same areas are followed on the tree; where the rules do not fit the page, it is read cold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from scythe.cut.images import AreaCutter
from scythe.extracting.reap import WHEN_ASKED, rows_by_offset
from scythe.model import Content, Field, Image, Rendered
from scythe.page import Page
from scythe.page.image_areas import UNKNOWN, AreaReader
from scythe.page.image_follow import are_elsewhere, follow_areas
from scythe.page.image_named import find_named, is_outside
from scythe.page.source import Source
from scythe.rules import Layout
from scythe.url import Url

Images = tuple[Image, ...]
_NONE = "no relevant images on the pages learned"
_NAMED = "the page shows an image as its own where none was"


class Trees(Protocol):
    """The trees of a page, built when first needed."""

    @property
    def source(self) -> Source: ...
    @property
    def page(self) -> Page: ...
    @property
    def images(self) -> tuple[Image, ...]: ...


@dataclass(frozen=True, slots=True)
class AskedImages:
    """A page whose images may be asked for."""

    body: bytes
    url: Url | None
    via: str  # "auto", "cut" or "tree"
    text: Field | None  # the main text, if it was looked for
    trees: Trees


class Gleaner:
    """Gets the images of pages of one layout; makes itself ready when first used."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    @cached_property
    def cutter(self) -> AreaCutter:
        """The rules, ready to cut by."""
        return AreaCutter(self.layout)

    @cached_property
    def _reader(self) -> AreaReader:
        return AreaReader(self.layout.images)

    def cut(self, asked: AskedImages) -> tuple[Images | None, str, bool]:
        """Return the images, or None and why, and whether the tree may follow the same rules."""
        text = asked.text if asked.text is not None and asked.text.span is not None else Field()
        is_cut = text.how.startswith("cut")
        found = self.cutter.find(asked.body, text.span if is_cut else None)
        if found.state != "cut":
            return None, found.why, found.state == "doubt" or (text.span is not None and not is_cut)
        if self._misses_named(asked.body, [span for _, span in found.areas]):
            return None, _NAMED, False
        images, why = self.cutter.read(asked.body, found, asked.url)
        return images, why or _count(len(found.areas)), why != UNKNOWN

    def follow(self, asked: AskedImages) -> tuple[Images | None, str]:
        """Do what `cut` does on the tree of a page."""
        source, page = asked.trees.source, asked.trees.page  # of which the images are read without marks
        text = asked.text.span if asked.text is not None else None
        areas, why = follow_areas(source, self.layout.images, text[0] if text is not None else None)
        if why:
            return None, why
        if self.layout.images.heeds_named and are_elsewhere(source, find_named(asked.body), areas):
            return None, _NAMED
        rows = rows_by_offset(source, page)
        if rows is None:
            return None, "the page had to be repaired"
        images: list[Image] = []
        for number, opening in areas:
            row = rows.get(opening.offset, 0)
            if not row:
                return None, "an area is not shown"
            inside = self._reader.read(page.elements.node[row], number, page.base)
            if inside is None:
                return None, UNKNOWN
            images += inside
        return tuple(images), _count(len(areas))

    def has_none(self, asked: AskedImages) -> bool:
        """Say whether a page has no relevant images since those learned had none, and nothing speaks against it."""
        return not self.layout.images.areas and not self._misses_named(asked.body, ())

    def _misses_named(self, body: bytes, spans: Sequence[tuple[int, int]]) -> bool:
        return self.layout.images.heeds_named and is_outside(find_named(body), spans)


class GleanedContent:
    """The content of a page of a learned site with the images of its areas, worked out when asked for.

    `how` then says in which way. Pickled or copied, it becomes what it renders to.
    """

    def __init__(self, content: Content, asked: AskedImages, gleaner: Gleaner | None, how: dict[str, str]) -> None:
        self._content = content
        self._asked = asked
        self._gleaner = gleaner
        self._how = how
        self.watch: Callable[[str], None] | None = None  # told how the images were got, once
        how["images"] = self._expect()

    def text(self) -> str:
        return self._content.text()

    def markdown(self) -> str:
        return self._content.markdown()

    def html(self) -> str:
        return self._content.html()

    def images(self) -> Images:
        """Return the images of the areas in page order; where the page was read cold, all of its images."""
        return self._images

    @cached_property
    def _images(self) -> Images:
        images, how = self._read()
        self._how["images"] = how
        if self.watch is not None:
            self.watch(how)
        return images

    def _expect(self) -> str:
        if self._gleaner is None:
            return "missing: no rule in this layout" if self._asked.via == "cut" else f"tree: read cold, {WHEN_ASKED}"
        by = "tree" if self._asked.via == "tree" else "cut"
        return f"{by}: by rules, {WHEN_ASKED}" if self._gleaner.layout.images.areas else f"{by}: {_NONE}"

    def _read(self) -> tuple[Images, str]:
        asked, gleaner, why = self._asked, self._gleaner, ""
        if gleaner is not None and gleaner.has_none(asked):
            return (), self._expect()
        if gleaner is not None and not gleaner.layout.images.areas:
            why = _NAMED
        elif gleaner is not None:
            images, why, may_follow = gleaner.cut(asked) if asked.via != "tree" else (None, "", True)
            if images is not None:
                return images, f"cut: {why}"
            if asked.via != "cut" and may_follow:
                images, found = gleaner.follow(asked)
                if images is not None:
                    return images, f"tree: {found} by rules" + (f" ({why})" if why else "")
                why = "; ".join(filter(None, (why, found)))
        if asked.via == "cut":
            return (), f"missing: {why or 'no rule in this layout'}"
        return asked.trees.images, "tree: read cold" + (f" ({why})" if why else "")

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str, Images]]:
        return Rendered, (self.text(), self.markdown(), self.html(), self.images())


def _count(areas: int) -> str:
    return f"{areas} area{'s' if areas != 1 else ''}"
