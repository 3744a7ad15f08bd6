"""Extract one page of a learned site: cut its fields by the rules of its layout, or read it cold where none fits.

Every field says how it was got. Markdown, HTML, images, lists and attributes are worked out when first used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, cast

import numpy as np

from scythe.extension import native
from scythe.fetch.page_check import sniff_bytes
from scythe.model import Content, Document, Field, Metadata, PageKind, Rendered
from scythe.page import Page
from scythe.page.authors import read_names
from scythe.page.dates import to_iso
from scythe.page.encoding import is_utf8
from scythe.page.head import BodyQueries
from scythe.page.map import IN_TEMPLATE, PageMap, PlaceSpec, make_map
from scythe.page.metadata import Sources, read_metadata
from scythe.page.title import without_marks, without_shared
from scythe.reader import read
from scythe.site.drift import judge
from scythe.site.element_rules import follow_rule
from scythe.site.evidence import Ints
from scythe.site.judge_images import ImageJudge
from scythe.site.late_parts import (
    COLD,
    NO_RULE,
    CutContent,
    CutText,
    FieldsWithImages,
    LatePage,
    LatePageLists,
    ReadContent,
    Via,
)
from scythe.site.layout_marks import KnownLayout, LayoutIndex, MappedPage, row_list
from scythe.site.record_rules import LayoutListReader
from scythe.site.rules import ADDRESS, ELEMENT, HEADING, META, FieldRules, Layout, PlaceRule, Profile
from scythe.site.select import outermost
from scythe.site.value_rules import ValueRules, cut_values, span_of_value
from scythe.url import Url, absolute

HEADINGS = ("h1", "h2", "h3", "h4")
LONGEST = 300  # characters of a value
VALUE_RUNS = 60  # runs of an element that may hold one
_REMEMBERED, _REMEMBERED_BYTES = 16, 500_000  # pages that were read, and how long each may be
_ADDRESS_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
UNKNOWN = "no layout fits"


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """What came of one page."""

    document: Document
    known: KnownLayout | None  # its layout ...
    layout: Layout | None  # ... as it was when the page was extracted
    page: MappedPage | None  # None: it is no HTML
    fits: bool = False  # the rule of its layout leads to the text
    cold: Document | None = None  # what reading it said, if it was read now
    fields: Mapping[str, Field] = field(default_factory=dict)  # without that of the images, which is worked out late


class Extractor:
    """Extracts pages by the layouts of an index; learns nothing. `wanted` are the names of the fields asked for.

    With `is_learning`, pages of a layout that is not settled are read although rules could cut them; `learn_lists`
    is called when the lists of a layout's page are wanted of which nothing is known yet.
    """

    def __init__(
        self,
        profile: Profile,
        wanted: Sequence[str] = (),
        judge: ImageJudge | None = None,
        index: LayoutIndex | None = None,
        learn_lists: Callable[[KnownLayout], None] | None = None,
        *,
        is_learning: bool = False,
    ) -> None:
        self.profile = profile
        self.index = index if index is not None else LayoutIndex(profile.layouts)
        self.judge = judge or ImageJudge(profile.images)
        self.told = tuple(row for row in profile.rules if row.is_told)
        self.types = dict(profile.types)
        self.read_cold = partial(read, method=profile.method or None)
        self.wanted = tuple(name for name in wanted or profile.fields if name != "records")  # which are lists
        self.has_lists = "records" in (wanted or profile.fields)
        self._is_learning = is_learning
        self._learn_lists = learn_lists
        self._list_readers: dict[str, LayoutListReader] = {}
        self._lately_read: dict[tuple[bytes, Url | None], Document] = {}  # the last pages read of layouts being learned

    def extract_page(self, body: bytes, url: str | None, via: Via = "auto") -> ExtractedPage:
        """Extract one page: "cut" reads nothing cold, "tree" is the same as "auto" where nothing is learned."""
        if body[:1] != b"<" and sniff_bytes(body[:4096]):
            cold = read(body, url)
            fields = {name: Field((), None, f"missing: {cold.why}") for name in self.wanted}  # it is no HTML
            return ExtractedPage(replace(cold, fields=fields), None, None, None)
        page = MappedPage(map_page(body))
        known, roots = self.index.find(page)
        one = _Extraction(self, page, body, absolute(url) if url else None, known, roots, via)
        if self._is_learning and via == "auto" and (known is None or not known.layout.is_settled):
            return one.by_reading("")
        return one.by_rules()

    def read_to_learn(self, page: Page, body: bytes, url: Url | None) -> tuple[Document, bool]:
        """Return what reading a page says, and whether it was read before, to be learned from."""
        known = self._lately_read.pop((body, url), None)
        if known is not None:
            return known, True
        cold = self.read_cold(page)
        if len(body) <= _REMEMBERED_BYTES:
            self._lately_read[body, url] = cold
        if len(self._lately_read) > _REMEMBERED:
            del self._lately_read[next(iter(self._lately_read))]
        return cold, False

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


def in_ascii_bytes(body: bytes) -> bytes:
    """Return a page in an encoding that its map can be made of: as it is, or as UTF-8."""
    if is_utf8(body):
        return body
    return Page.from_bytes(body).html.encode()


def map_page(body: bytes) -> PageMap:
    """Return the map of a page, which the parser makes where the extension is missing: it has the same columns."""
    is_plain = native is not None and native.is_utf8(body)
    return cast("PageMap", make_map(body if is_plain else in_ascii_bytes(body)))


def cut_text(page: PageMap, dropped: tuple[tuple[int, int], ...], roots: Sequence[int]) -> CutText:
    """Return the text of some elements without those inside them that a rule drops."""
    text, start, end, drops = page.cut_text(roots, dropped)
    return CutText(text, (start, end), roots, drops)


class PlacedValue(NamedTuple):
    """A value and where it was found: bytes of the source, None for an address."""

    value: str
    span: tuple[int, int] | None


def cut_place(page: PageMap, rule: PlaceRule, url: str | None, roots: Sequence[int] = ()) -> PlacedValue | None:
    """Return the value at a place, or None where the page has none; `roots` are the elements of its main text."""
    if rule.source == ADDRESS:
        dated = _ADDRESS_DATE.search(url or "")
        date = to_iso("-".join(part.rjust(2, "0") for part in dated.groups())) if dated else ""
        return PlacedValue(date, None) if date else None
    if rule.source == META:
        row = page.meta(rule.attribute, rule.name)
    elif rule.source == HEADING:
        row = _first_heading(page, roots)
    else:
        assert rule.selector is not None
        found = row_list(page, rule.selector)
        row = found[0] if found else -1
    if row < 0:
        return None
    attribute = () if rule.source in (ELEMENT, HEADING) else ("content" if rule.source == META else rule.attribute,)
    if not attribute:
        value = page.text(row) if page.runs_inside(row) <= VALUE_RUNS else ""
    else:
        value = " ".join((page.attribute(row, *attribute) or "").split())
    value = without_shared(value, rule.shared) if rule.shared else value
    return PlacedValue(value, page.place(row, *attribute)) if value else None


def _first_heading(page: PageMap, roots: Sequence[int]) -> int:
    """Return the first heading inside some elements that says something, or -1."""
    found = (row for row in tagged(page, *HEADINGS).tolist() if any(root <= row < page.last[root] for root in roots))
    return next((row for row in found if 0 < len(page.text(row)) <= LONGEST), -1)


def tagged(page: PageMap, *names: str) -> Ints:
    """Return the elements with one of these tags."""
    tags = page.tags
    numbers = [tags.index(name) for name in names if name in tags]
    if not numbers:
        return np.zeros(0, np.intp)
    shown = page.flags & IN_TEMPLATE == 0
    found: Ints = np.flatnonzero(np.logical_or.reduce([page.tag == number for number in numbers]) & shown)
    return found


@dataclass(eq=False)
class _Extraction:
    """The extraction of one page."""

    _extractor: Extractor
    _page: MappedPage
    _body: bytes
    _url: Url | None
    _known: KnownLayout | None
    _roots: list[int]
    _via: Via

    def __post_init__(self) -> None:
        self._wanted = self._extractor.wanted
        self._layout = self._known.layout if self._known is not None else None
        self._fields: dict[str, Field] = {}
        self._text: CutText | None = None
        self._opened = LatePage(self._body, self._url, self._extractor.judge, self._page.map)
        self._is_recoded = self._page.map.source is not self._body  # its places are not those of the page as it came

    def by_rules(self) -> ExtractedPage:
        """Cut what rules give, and read the page where they do not give its text or title."""
        why = self._cut()
        if self._via != "cut" and why:
            return self.by_reading(why)
        return self._finish(None, why)

    def by_reading(self, why: str) -> ExtractedPage:
        """Read the page; what rules give besides is taken from them, as they are more often right."""
        was_read = False
        if why:
            cold = self._extractor.read_cold(self._opened.page)
        else:
            self._cut()
            why = "to learn its layout"
            cold, was_read = self._extractor.read_to_learn(self._opened.page, self._body, self._url)
        said = {"text": cold.text, "title": cold.title, "author": cold.metadata.author, "date": cold.metadata.published}
        for name, value in said.items():
            if name in self._wanted and not self._has(name) and value and name not in self._extractor.profile.named:
                self._fields[name] = Field((value,), None, f"{COLD} ({why})")
        page = self._finish(cold, why)
        return replace(page, cold=None) if was_read else page

    def _cut(self) -> str:
        """Fill the fields that rules give; return why the page should be read, or an empty string."""
        known, layout, told = self._known, self._layout, self._cut_told()
        if known is not None:
            for rules in known.layout.fields:
                if rules.name in self._wanted and rules.name not in self._fields:
                    self._fields[rules.name] = self._cut_field(rules, known, known.layout.name)
        self._borrow()
        for name, why in told.items():
            if not self._has(name):
                self._fields[name] = Field((), None, f"missing: {why}")
        if layout is None:
            return "" if set(self._wanted) <= self._fields.keys() else UNKNOWN
        if self._must_have("text"):
            if layout.is_empty:
                self._fields["text"] = Field((), None, "missing: pages of this layout have no main text")
            else:
                return self._fields["text"].how.removeprefix("missing: ") if "text" in self._fields else NO_RULE
        return NO_RULE if "text" not in self._wanted and self._must_have("title") else ""

    def _must_have(self, name: str) -> bool:
        """Say whether a page is to be read for a field that rules did not give."""
        return name in self._wanted and not self._has(name) and name not in self._extractor.profile.named

    def _cut_told(self) -> dict[str, str]:
        """Fill the fields by the rules that people wrote; return why others of them have nothing."""
        lacking: dict[str, str] = {}
        layout = self._layout.name if self._layout is not None else ""
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
                self._text = cut_text(self._page.map, (), roots)
                values = (self._text.text,)
            span = None if on_tree else self._page.map.span(found.rows[0])
            how = f"{'tree' if on_tree else 'cut'}: rule"
            self._fields[row.field] = self._typed(row.field, Field(values, self._span(span), how))
        return lacking

    def _cut_field(self, rules: FieldRules, known: KnownLayout, layout: str) -> Field:
        if rules.text is not None:
            if not self._roots:
                return Field((), None, "missing: the element of the text was not found")
            self._text = cut_text(self._page.map, known.dropped, self._roots)
            strange = judge(rules.usual, (self._text.text,))
            if strange and not self._text.text:
                return Field((), None, f"missing: {strange}")
            return Field((self._text.text,), self._span(self._text.span), f"cut: {layout}")
        if rules.values is not None:
            return self._cut_values(rules, rules.values, layout)
        return self._cut_place(rules, known.specs[rules.name], layout)

    def _cut_place(self, rules: FieldRules, specs: tuple[PlaceSpec | None, ...], layout: str) -> Field:
        """Return the value at the first place that has a plausible one."""
        page, why, number = self._page.map, "not found", 0
        while (taken := page.take(specs, number, VALUE_RUNS)) is not None:
            number, text, start, end = taken
            place, number = rules.places[number], number + 1
            if text is not None:
                value, span = " ".join(text.split()), (start, end) if end else None
            elif (found := cut_place(page, place, self._url, self._roots)) is not None:
                value, span = found
            else:
                continue
            if rules.name == "title" and not value.isascii():
                value = without_marks(value)
            if value and rules.name == "date":
                why, value = "no date", to_iso(value)
            elif value and (strange := judge(rules.usual, (value,))):
                why, value = strange, ""
            if value:
                return Field((value,), self._span(span), f"cut: {layout}, {place.source}")
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
        return self._typed(rules.name, Field(found.values, self._span(span), f"cut: {layout}, {found.why}"))

    def _typed(self, name: str, field: Field) -> Field:
        """Return a field with its values read as its type, where it has one."""
        kind = self._extractor.types.get(name, "")
        return with_type(field, kind, self._url) if kind else field

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
        metadata = partial(self._metadata, cold, title)
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
        return ExtractedPage(document, self._known, self._layout, self._page, bool(self._roots), cold, fields)

    def _why_none(self, name: str, why: str) -> str:
        """Say why a page has no value for a field that its layout has no rules for."""
        layout = self._layout
        if layout is not None and name in layout.absent:
            return f"cut: {layout.name}, which has none"
        return f"missing: {UNKNOWN if why == UNKNOWN else 'no place on the pages learned'}"

    def _usual_kind(self) -> PageKind:
        """Return the kind that pages of the layout are."""
        layout = self._layout
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
            self._opened.cut = self._text
            return CutContent(self._opened, self._page.map, self._text)
        if cold is not None:
            return cold.content
        return ReadContent(self._opened) if self._via != "cut" else Rendered()

    def _metadata(self, cold: Document | None, title: str | Callable[[], str]) -> Metadata:
        """Return what the page says, with what is known better of its site; the body of a cut page is not searched."""
        said, page = Metadata(), self._opened.page
        if cold is not None:
            said = cold.metadata
        elif self._via != "cut":
            said = read_metadata(Sources(page.head, page.linked_data, BodyQueries(None), page.url, page.base))
        author, date = (_first(self._fields, name) for name in ("author", "date"))
        if author == said.author:
            author = ""
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
        return (lambda: self._opened.page.title[0]) if self._via != "cut" and "title" not in self._fields else ""

    def _has(self, name: str) -> bool:
        return name in self._fields and bool(self._fields[name].values)


def with_type(field: Field, kind: str, url: Url | None = None) -> Field:
    """Return a field with its values read as what they are."""
    from scythe.reading.attributes.typed_values import read_typed  # with tables of currencies: few fields have types

    return replace(field, type=kind, typed=tuple(read_typed(value, kind, url) for value in field.values))


def _first(fields: Mapping[str, Field], name: str) -> str:
    values = fields[name].values if name in fields else ()
    return values[0] if values else ""


def _how(fields: Mapping[str, Field], with_images: bool, listing: LatePageLists | None) -> dict[str, str]:
    """Say how each part of a document was got, or will be when it is asked for."""
    hows = {name: field.how for name, field in fields.items()}
    if with_images:
        hows["images"] = "model: when asked for"
    return hows if listing is None else hows | {"records": listing.how}
