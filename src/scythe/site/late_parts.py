"""The parts of a document that are worked out when someone asks for them: Markdown, HTML, images, lists, attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from scythe.fetch.page_check import sniff_text
from scythe.model import Content, Document, Field, Image, Listed, PageLists, Paging, RecordList, Rendered, Span
from scythe.page import Page
from scythe.page.blocks import Blocks, read_blocks
from scythe.page.content import MarkImages, PageContent
from scythe.page.map import PageMap
from scythe.page.page import share_map
from scythe.page.where import SourcePlaces
from scythe.reader import read
from scythe.reading.images.image_methods import mark_scores
from scythe.reading.lists.list_methods import LazyPageLists
from scythe.site.evidence import leaf_rows
from scythe.site.judge_images import ImageJudge
from scythe.site.record_rules import LayoutListReader, base_of
from scythe.url import Url

Via = Literal["auto", "cut", "tree"]
NO_RULE = "no rule in this layout"
COLD = "tree: read cold"
FindReader = Callable[[], LayoutListReader | None]


@dataclass(frozen=True, slots=True)
class CutText:
    """The main text of one page, and where it stands."""

    text: str
    span: tuple[int, int]  # bytes of the source of the map
    roots: Sequence[int]
    drops: Sequence[int]  # elements inside that were left out


@dataclass
class LatePage:
    """A page of which only the map was made so far."""

    body: bytes
    url: Url | None
    _judge: ImageJudge
    _made: PageMap
    cut: CutText | None = None  # of its text

    @cached_property
    def page(self) -> Page:
        """The page."""
        return share_map(Page.from_bytes(self.body, url=self.url), self._made)

    @cached_property
    def images(self) -> tuple[Image, ...]:
        """The images of the page, judged by what is known of those of its site."""
        return self.mark_images(self.page, ())

    def mark_images(self, page: Page, kept: tuple[int, ...]) -> tuple[Image, ...]:
        """Return the images of the page with their scores."""
        if sniff_text(page.html):
            return ()
        from scythe.page.image_context import read_image_contexts  # most texts are cut without a look at images

        find_kept = None
        if self.cut is not None and page.map is self._made:
            find_kept = partial(kept_in_page, page, self._made, self.cut)
        return mark_scores(page, self._judge.score_page(page, read_image_contexts(page), find_kept))


class _LateContent(Content):
    """The content of a page whose images are those of the page."""

    _opened: LatePage

    def images(self) -> tuple[Image, ...]:
        return self._opened.images

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str, tuple[Image, ...]]]:
        return Rendered, (self.text(), self.markdown(), self.html(), self.images())


@dataclass
class CutContent(_LateContent):
    """The main text of a page that was cut; Markdown and HTML come from the same blocks of the page."""

    _opened: LatePage
    _map: PageMap
    _cut: CutText

    def text(self) -> str:
        return self._cut.text

    def markdown(self) -> str:
        return self._content.markdown()

    def html(self) -> str:
        return self._content.html()

    def where(self, title: str) -> Mapping[str, tuple[Span | None, ...]]:
        """Return where each block and image stands; what else was cut says so in its fields."""
        found = self._content.where(title)
        return {name: found[name] for name in ("text", "images")}

    @cached_property
    def _content(self) -> PageContent:
        as_came = self._map.source is self._opened.body
        return cut_content(self._opened.page, self._map, self._cut, lambda *_: self.images(), as_came=as_came)


@dataclass
class ReadContent(_LateContent):
    """The content of a page that is read cold if someone asks."""

    _opened: LatePage

    @cached_property
    def _cold(self) -> Document:
        return read(self._opened.page)

    def text(self) -> str:
        return self._cold.text

    def markdown(self) -> str:
        return self._cold.markdown

    def html(self) -> str:
        return self._cold.html

    def where(self, title: str) -> Mapping[str, tuple[Span | None, ...]]:
        return self._cold.where


@dataclass(eq=False, repr=False)
class FieldsWithImages(Mapping[str, Field]):
    """Fields of which that of the images is worked out when it is looked up. Pickled or copied, it becomes a dict."""

    _fields: dict[str, Field]
    _content: Content

    def __getitem__(self, name: str) -> Field:
        if name != "images":
            return self._fields[name]
        values = tuple(image.src for image in self._content.images() if image.relevant)
        return Field(values, None, "model: of images, by all that is known of those of the site")

    def __contains__(self, name: object) -> bool:
        return name == "images" or name in self._fields

    def __iter__(self) -> Iterator[str]:
        yield from self._fields
        yield "images"

    def __len__(self) -> int:
        return len(self._fields) + 1

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[dict[str, Field]], tuple[dict[str, Field]]]:
        return dict, (dict(self),)


@dataclass
class LatePageLists:
    """What a page lists, cut or read when someone asks. Pickled or copied, it becomes what it found."""

    _opened: LatePage
    _map: PageMap
    _reader: LayoutListReader | None
    _via: Via
    _learn: FindReader | None

    @property
    def how(self) -> str:
        """In which way the records were got; before, in which way they will be."""
        if "_found" in self.__dict__:
            return self._found[1]
        return f"{'cut: by rules' if self._reader is not None else COLD}, when asked for"

    @cached_property
    def _found(self) -> tuple[tuple[RecordList, ...], str]:
        why = NO_RULE
        if self._reader is None and self._learn is not None:
            self._reader = self._learn()
        if self._reader is not None and self._via != "tree":
            lists, why = self._reader.cut(self._map, base_of(self._map, self._opened.url))
            if lists is not None:
                lists = tuple(map(self._placed, lists))
                return lists, f"cut: {len(lists)} of {len(self._reader.layout.lists)} lists by rules"
        if self._via == "cut":
            return (), f"missing: {why}"
        return self._read.lists(), f"{COLD} ({why})"

    def _placed(self, one: RecordList) -> RecordList:
        """Return a list whose spans are those of the page as it came: the map may be of the page in UTF-8."""
        if self._map.source is self._opened.body:
            return one
        of = self._opened.page.places.of
        return replace(one, records=tuple(replace(row, spans=tuple(map(of, row.spans))) for row in one.records))

    @cached_property
    def _read(self) -> PageLists:
        page = self._opened.page
        return Listed() if sniff_text(page.html) else LazyPageLists(page)

    def lists(self) -> tuple[RecordList, ...]:
        """Return the lists of records, best first."""
        return self._found[0]

    def attributes(self) -> tuple[tuple[str, str], ...]:
        """Return what the page says of its subject."""
        return self._read.attributes()

    def paging(self) -> Paging:
        """Return the other pages of the list that the page is part of."""
        return self._read.paging()

    def where(self) -> Mapping[str, tuple[Span | None, ...]]:
        """Return where the value of each attribute stands."""
        return self._read.where()

    def __reduce__(self) -> tuple[type[Listed], tuple[tuple[RecordList, ...], tuple[tuple[str, str], ...], Paging]]:
        return Listed, (self.lists(), self.attributes(), self.paging())


def chosen_blocks(page: PageMap, rows: Sequence[int], dropped: Sequence[int]) -> tuple[Blocks, Sequence[int]]:
    """Return the blocks of the innermost element around the chosen ones, and which of them are shown inside those."""
    top = rows[0] if len(rows) == 1 else _around(page, rows)
    blocks = read_blocks(page, top, page.mem_ids(dropped))
    return blocks, _visible(blocks) if len(rows) == 1 else _blocks_inside(page, blocks, rows)


def kept_in_page(page: Page, mapped: PageMap, cut: CutText) -> tuple[int, ...]:
    """Return the blocks of the whole page that a text was cut from."""
    return tuple(_blocks_inside(mapped, page.blocks, cut.roots, cut.drops))


def _blocks_inside(page: PageMap, blocks: Blocks, rows: Sequence[int], drops: Sequence[int] = ()) -> list[int]:
    """Return the blocks shown inside some elements, but not inside those that are dropped."""
    inside = np.zeros(len(page.run_row) + 1, bool)
    for chosen, is_kept in ((rows, True), (drops, False)):
        for row in chosen:
            inside[page.run_from[row] : page.run_to[row]] = is_kept
    leaves = leaf_rows(page, blocks)
    runs = np.array([~leaves[at] if leaves[at] < 0 else -1 for at in blocks.leaf_start], np.int64)
    return [block for block in _visible(blocks) if inside[runs[block]]]


def cut_content(
    page: Page, mapped: PageMap, cut: CutText, mark_images: MarkImages, *, as_came: bool = False
) -> PageContent:
    """Return the content whose text was cut, to be rendered in other ways."""
    blocks, kept = chosen_blocks(mapped, cut.roots, cut.drops)
    part = replace(page)
    part.__dict__.update(_mapped=(mapped, ()), blocks=blocks, places=SourcePlaces(part, as_came=as_came))
    return PageContent(part, tuple(kept), mark_images=mark_images)


def _around(page: PageMap, rows: Sequence[int]) -> int:
    """Return the innermost element around several."""
    row = rows[0]
    while page.last[row] <= rows[-1]:
        row = int(page.parent[row])
    return row


def _visible(blocks: Blocks) -> list[int]:
    hidden = blocks.box_hidden
    if True not in hidden:
        return list(range(len(blocks)))
    return [block for block, box in enumerate(blocks.box) if not hidden[box]]
