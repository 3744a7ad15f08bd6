"""Extract one page of a learned site: cut its fields by the rules of its layout, or read it cold where none fits.

Every field says how it was got. Markdown, HTML, images, lists and attributes are worked out when first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, cast

import numpy as np

from scythe.fetch.page_check import sniff_bytes, sniff_text
from scythe.model import (
    Content,
    Document,
    Field,
    Image,
    Listed,
    Metadata,
    PageKind,
    PageLists,
    Paging,
    RecordList,
    Rendered,
    Span,
)
from scythe.page import Page
from scythe.page.authors import read_names
from scythe.page.content import PageContent
from scythe.page.dates import to_iso
from scythe.page.encoding import is_utf8
from scythe.page.head import BodyQueries
from scythe.page.map import PageMap
from scythe.page.metadata import read_metadata
from scythe.page.page import make_map, share_map
from scythe.page.title import read_title
from scythe.reader import read
from scythe.reading.images.image_methods import mark_scores
from scythe.reading.lists.list_methods import LazyPageLists
from scythe.site.cut import CutText, cut_content, cut_text, kept_in_page
from scythe.site.drift import judge
from scythe.site.element_rules import follow_rule
from scythe.site.judge_images import ImageJudge
from scythe.site.layout_marks import KnownLayout, LayoutIndex, MappedPage
from scythe.site.page_fields import cut_place
from scythe.site.record_rules import LayoutListReader, base_of
from scythe.site.rules import FieldRules, Layout, Profile, TextRule
from scythe.site.select import outermost
from scythe.site.value_rules import ValueRules, cut_values, span_of_value
from scythe.url import Url, absolute

Via = Literal["auto", "cut", "tree"]
UNKNOWN = "no layout fits"
_NO_RULE = "no rule in this layout"
COLD = "tree: read cold"
FindReader = Callable[[], LayoutListReader | None]


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """What came of one page."""

    document: Document
    known: KnownLayout | None  # its layout ...
    layout: Layout | None  # ... as it was when the page was extracted
    page: MappedPage | None  # None: it is no HTML
    fits: bool = False  # the rule of its layout leads to the text
    cold: Document | None = None  # what reading it said, if it was read
    fields: Mapping[str, Field] = field(default_factory=dict)  # without that of the images, which is worked out late


class Extractor:
    """Extracts pages by the layouts of an index; learns nothing. `wanted` are the names of the fields asked for.

    `must_read` says of a layout that its page is to be read although rules could cut it; `learn_lists` is
    called when the lists of a layout's page are wanted of which nothing is known yet.
    """

    def __init__(
        self,
        profile: Profile,
        wanted: Sequence[str] = (),
        judge: ImageJudge | None = None,
        index: LayoutIndex | None = None,
        must_read: Callable[[KnownLayout | None], bool] | None = None,
        learn_lists: Callable[[KnownLayout], None] | None = None,
    ) -> None:
        self.profile = profile
        self.index = index if index is not None else LayoutIndex(profile.layouts)
        self.judge = judge or ImageJudge(profile.images)
        self.told = tuple(row for row in profile.rules if row.is_told)
        self._wanted = tuple(name for name in wanted or profile.fields if name != "records")  # which are lists
        self.has_lists = "records" in (wanted or profile.fields)
        self._must_read = must_read
        self._learn_lists = learn_lists
        self._list_readers: dict[str, LayoutListReader] = {}

    def extract_page(self, body: bytes, url: str | None, via: Via = "auto") -> ExtractedPage:
        """Extract one page: "cut" reads nothing cold, "tree" is the same as "auto" where nothing is learned."""
        if body[:1] != b"<" and sniff_bytes(body[:4096]):
            return ExtractedPage(self._not_html(read(body, url)), None, None, None)
        page = MappedPage(map_page(body))
        known, roots = self.index.find(page)
        one = _Extraction(self, page, body, absolute(url) if url else None, known, roots, via)
        if via == "auto" and self._must_read is not None and self._must_read(known):
            return one.by_reading("")
        return one.by_rules()

    def _not_html(self, cold: Document) -> Document:
        """Say of every field that something that is no HTML does not have it."""
        fields = {name: Field((), None, f"missing: {cold.why}") for name in self._wanted}
        return replace(cold, fields=fields)

    def list_reader(self, known: KnownLayout | None, *, learns: bool = False) -> LayoutListReader | None:
        """Return what cuts the lists of a layout's pages, None where nothing is known of them."""
        if known is not None and learns and self._learn_lists is not None and not known.layout.records.pages:
            self._learn_lists(known)
        if known is None or not known.layout.records.pages:
            return None
        found = self._list_readers.get(known.layout.name)
        if found is None or found.layout is not known.layout.records:
            found = self._list_readers[known.layout.name] = LayoutListReader(known.layout.records)
        return found

    @property
    def wanted(self) -> tuple[str, ...]:
        """The names of the fields asked for."""
        return self._wanted


def in_ascii_bytes(body: bytes) -> bytes:
    """Return a page in an encoding that its map can be made of: as it is, or as UTF-8."""
    if is_utf8(body):
        return body
    return Page.from_bytes(body).html.encode()


def map_page(body: bytes) -> PageMap:
    """Return the map of a page, which the parser makes where the extension is missing: it has the same columns."""
    return cast("PageMap", make_map(in_ascii_bytes(body)))


class _Extraction:
    """The extraction of one page."""

    def __init__(
        self,
        extractor: Extractor,
        page: MappedPage,
        body: bytes,
        url: Url | None,
        known: KnownLayout | None,
        roots: list[int],
        via: Via,
    ) -> None:
        self._extractor = extractor
        self._page = page
        self._body = body
        self._url = url
        self._known = known
        self._roots = roots
        self._via = via
        self._wanted = extractor.wanted
        self._fields: dict[str, Field] = {}
        self._text: CutText | None = None
        self._opened = LatePage(body, url, extractor.judge, page.map)
        self._is_recoded = page.map.source is not body  # its places are not those of the page as it came

    def by_rules(self) -> ExtractedPage:
        """Cut what rules give, and read the page where they do not give its text or title."""
        why = self._cut()
        if self._via != "cut" and why:
            return self.by_reading(why)
        return self._finish(None, why)

    def by_reading(self, why: str) -> ExtractedPage:
        """Read the page; what rules give besides is taken from them, as they are more often right."""
        if not why:
            self._cut()
            why = "to learn its layout"
        cold = read(self._opened.page)
        for name, value in (("text", cold.text), *_said(cold)):
            if name in self._wanted and not self._has(name) and value and name not in self._extractor.profile.named:
                self._fields[name] = Field((value,), None, f"{COLD} ({why})")
        return self._finish(cold, why)

    def _cut(self) -> str:
        """Fill the fields that rules give; return why the page should be read, or an empty string."""
        known = self._known
        told = self._cut_told()
        for rules in known.layout.fields if known is not None else ():
            if rules.name in self._wanted and rules.name not in self._fields:
                self._fields[rules.name] = self._cut_field(rules)
        self._borrow()
        for name, why in told.items():
            if not self._has(name):
                self._fields[name] = Field((), None, f"missing: {why}")
        if known is None:
            return "" if set(self._wanted) <= self._fields.keys() else UNKNOWN
        if self._must_have("text"):
            if known.layout.is_empty:
                self._fields["text"] = Field((), None, "missing: pages of this layout have no main text")
            else:
                return self._fields["text"].how.removeprefix("missing: ") if "text" in self._fields else _NO_RULE
        return _NO_RULE if "text" not in self._wanted and self._must_have("title") else ""

    def _must_have(self, name: str) -> bool:
        """Say whether a page is to be read for a field that rules did not give."""
        return name in self._wanted and not self._has(name) and name not in self._extractor.profile.named

    def _cut_told(self) -> dict[str, str]:
        """Fill the fields by the rules that people wrote; return why others of them have nothing."""
        lacking: dict[str, str] = {}
        layout = self._known.layout.name if self._known is not None else ""
        for row in self._extractor.told:
            if row.layout not in ("", layout) or row.field not in self._wanted or row.field in self._fields:
                continue
            found, on_tree = follow_rule(self._page.map, row)
            if not found.values:
                lacking[row.field] = found.why
                continue
            lacking.pop(row.field, None)
            values = found.values
            if row.field == "date":
                values = tuple(to_iso(value) or value for value in values)
            if row.field == "text" and not on_tree:
                roots = outermost(np.array(found.rows, np.intp), self._page.map.last).tolist()
                self._text = cut_text(self._page.map, TextRule(()), roots)
                values = (self._text.text,)
            span = None if on_tree else self._page.map.span(found.rows[0])
            self._fields[row.field] = Field(values, self._span(span), f"{'tree' if on_tree else 'cut'}: rule")
        return lacking

    def _cut_field(self, rules: FieldRules) -> Field:
        layout = self._known.layout.name if self._known is not None else ""
        if rules.text is not None:
            if not self._roots:
                return Field((), None, "missing: the element of the text was not found")
            self._text = cut_text(self._page.map, rules.text, self._roots)
            strange = judge(rules.usual, (self._text.text,))
            if strange and not self._text.text:
                return Field((), None, f"missing: {strange}")
            return Field((self._text.text,), self._span(self._text.span), f"cut: {layout}")
        if rules.values is not None:
            return self._cut_values(rules, rules.values, layout)
        why = "not found"
        for place in rules.places:
            found = cut_place(self._page.map, place, self._url, self._roots)
            if found is not None:
                value = (to_iso(found.value) or found.value) if rules.name == "date" else found.value
                strange = judge(rules.usual, (value,)) if rules.name != "date" else ""
                if not strange:
                    return Field((value,), self._span(found.span), f"cut: {layout}, {place.source}")
                why = strange
        return Field((), None, f"missing: {why}")

    def _borrow(self) -> None:
        """Get what was shown by example on other layouts, where the page's own has no rules for it."""
        lacking = [name for name in self._extractor.profile.named if name in self._wanted and name not in self._fields]
        for layout in self._extractor.profile.layouts if lacking else ():
            for rules in layout.fields:
                if rules.values is not None and rules.name in lacking:
                    found = self._cut_values(rules, rules.values, layout.name, borrowed=True)
                    if found.values:
                        self._fields[rules.name] = found
                        lacking.remove(rules.name)

    def _cut_values(self, rules: FieldRules, shown: ValueRules, layout: str, *, borrowed: bool = False) -> Field:
        found = cut_values(self._page.map, shown)
        if not found.values:
            return Field((), None, f"missing: {found.why}")
        strange = judge(rules.usual, found.values, strictly=borrowed or found.way > 0)
        if strange:
            return Field((), None, f"missing: {strange}")
        span = span_of_value(self._page.map, found.rows[0], shown.ways[found.way])
        return Field(found.values, self._span(span), f"cut: {layout}, {found.why}")

    def _span(self, span: tuple[int, int] | None) -> tuple[int, int] | None:
        return None if self._is_recoded else span

    def _finish(self, cold: Document | None, why: str) -> ExtractedPage:
        fields = self._fields
        for name in self._wanted:
            if name not in fields and name != "images":
                fields[name] = Field((), None, self._why_none(name, why))
        content = self._content(cold)
        text = _first(fields, "text") if "text" in self._wanted else (cold.text if cold is not None else content.text)
        title = self._title(cold)
        metadata = partial(getattr, cold, "metadata") if cold is not None else partial(self._metadata, title)
        named: Mapping[str, Field] = fields
        if "images" in self._wanted:
            named = FieldsWithImages(fields, content)
        listing = self._lists()
        document = Document(
            title,
            text,
            metadata,
            partial(_how, fields, "images" in self._wanted, listing if self._extractor.has_lists else None),
            named,
            self._url,
            cold.losses if cold is not None else (),
            "" if text else (fields["text"].how if "text" in fields else "text was not asked for"),
            content,
            listing,
            cold.kind if cold is not None else self._usual_kind(),
            partial(getattr, cold, "confidence") if cold is not None else None,
        )
        layout = self._known.layout if self._known is not None else None
        return ExtractedPage(document, self._known, layout, self._page, bool(self._roots), cold, fields)

    def _why_none(self, name: str, why: str) -> str:
        """Say why a page has no value for a field that its layout has no rules for."""
        layout = self._known.layout if self._known is not None else None
        if layout is not None and name in layout.absent:
            return f"cut: {layout.name}, which has none"
        return f"missing: {UNKNOWN if why == UNKNOWN else 'no place on the pages learned'}"

    def _usual_kind(self) -> PageKind:
        """Return the kind that pages of the layout are."""
        layout = self._known.layout if self._known is not None else None
        if layout is None or not layout.kind:
            return PageKind()
        return PageKind(layout.kind, layout.kind_score / 1_000, {layout.kind: layout.kind_score / 1_000})

    def _lists(self) -> LatePageLists:
        reader = self._extractor.list_reader(self._known)
        learn = None
        if reader is None and self._via == "auto":
            learn = partial(self._extractor.list_reader, self._known, learns=True)
        return LatePageLists(self._opened, self._page.map, reader, self._via, learn)

    def _content(self, cold: Document | None) -> Content:
        if self._text is not None and self._has("text"):
            return CutContent(self._opened, self._page.map, self._text)
        if cold is not None:
            return cold.content
        return ReadContent(self._opened) if self._via != "cut" else Rendered()

    def _metadata(self, title: str | Callable[[], str]) -> Metadata:
        """Return what the page's head says, with what is known better of its site; its body is not searched."""
        said, page = Metadata(), self._opened.page
        if self._via != "cut":
            said = read_metadata(page.head, page.linked_data, BodyQueries(None), page.url, page.base)
        author, date = (_first(self._fields, name) for name in ("author", "date"))
        return replace(
            said,
            title=title if isinstance(title, str) else title(),
            author=author or said.author,
            authors=(read_names(author, is_declared=True) or (author,)) if author else said.authors,
            published=date or said.published,
        )

    def _title(self, cold: Document | None) -> str | Callable[[], str]:
        if self._has("title"):
            return _first(self._fields, "title")
        if cold is not None:
            return cold.title
        return (lambda: read_title(self._opened.page)[0]) if self._via != "cut" and "title" not in self._fields else ""

    def _has(self, name: str) -> bool:
        return name in self._fields and bool(self._fields[name].values)


def _said(cold: Document) -> Iterator[tuple[str, str]]:
    yield "title", cold.title
    yield "author", cold.metadata.author
    yield "date", cold.metadata.published


def _first(fields: Mapping[str, Field], name: str) -> str:
    values = fields[name].values if name in fields else ()
    return values[0] if values else ""


def _how(fields: Mapping[str, Field], with_images: bool, listing: LatePageLists | None) -> dict[str, str]:
    """Say how each part of a document was got, or will be when it is asked for."""
    hows = {name: field.how for name, field in fields.items()}
    if with_images:
        hows["images"] = "model: when asked for"
    return hows if listing is None else hows | {"records": listing.how}


class LatePage:
    """A page whose tree is built when first needed."""

    def __init__(self, body: bytes, url: Url | None, judge: ImageJudge, made: PageMap) -> None:
        self.body = body
        self.url = url
        self._judge = judge
        self._made = made
        self.cut: CutText | None = None  # of its text

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


class CutContent:
    """The main text of a page that was cut; Markdown and HTML come from the same blocks of the page."""

    def __init__(self, opened: LatePage, page: PageMap, cut: CutText) -> None:
        self._opened = opened
        self._map = page
        self._cut = opened.cut = cut

    def text(self) -> str:
        return self._cut.text

    def markdown(self) -> str:
        return self._content.markdown()

    def html(self) -> str:
        return self._content.html()

    def images(self) -> tuple[Image, ...]:
        return self._opened.images

    def where(self, title: str) -> Mapping[str, tuple[Span | None, ...]]:
        """Return where each block and image stands; what else was cut says so in its fields."""
        found = self._content.where(title)
        return {name: found[name] for name in ("text", "images")}

    @cached_property
    def _content(self) -> PageContent:
        return cut_content(
            self._opened.page, self._map, self._cut, self._mark, as_came=self._map.source is self._opened.body
        )

    def _mark(self, page: Page, kept: tuple[int, ...]) -> tuple[Image, ...]:
        return self._opened.images

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str, tuple[Image, ...]]]:
        return Rendered, (self.text(), self.markdown(), self.html(), self.images())


class ReadContent:
    """The content of a page that is read cold if someone asks."""

    def __init__(self, opened: LatePage) -> None:
        self._opened = opened

    @cached_property
    def _cold(self) -> Document:
        return read(self._opened.page)

    def text(self) -> str:
        return self._cold.text

    def markdown(self) -> str:
        return self._cold.markdown

    def html(self) -> str:
        return self._cold.html

    def images(self) -> tuple[Image, ...]:
        return self._opened.images

    def where(self, title: str) -> Mapping[str, tuple[Span | None, ...]]:
        return self._cold.where

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str, tuple[Image, ...]]]:
        return Rendered, (self.text(), self.markdown(), self.html(), self.images())


class FieldsWithImages(Mapping[str, Field]):
    """Fields of which that of the images is worked out when it is looked up. Pickled or copied, it becomes a dict."""

    def __init__(self, fields: dict[str, Field], content: Content) -> None:
        self._fields = fields
        self._content = content

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


class LatePageLists:
    """What a page lists, cut or read when someone asks. Pickled or copied, it becomes what it found."""

    def __init__(
        self, opened: LatePage, page: PageMap, reader: LayoutListReader | None, via: Via, learn: FindReader | None
    ) -> None:
        self._opened = opened
        self._map = page
        self._reader = reader
        self._via = via
        self._learn = learn

    @property
    def how(self) -> str:
        """In which way the records were got; before, in which way they will be."""
        if "_found" in self.__dict__:
            return self._found[1]
        return f"{'cut: by rules' if self._reader is not None else COLD}, when asked for"

    @cached_property
    def _found(self) -> tuple[tuple[RecordList, ...], str]:
        why = _NO_RULE
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
