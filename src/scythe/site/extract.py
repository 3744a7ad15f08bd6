"""Extract one page of a learned site: cut its fields, lists and images, parse in doubt, read cold where no rule fits.

Every field says how it was found. Lists and images are computed when first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock
from typing import Literal, Protocol

from scythe.extension import native
from scythe.fetch.page_check import sniff_text
from scythe.model import Content, Document, Field, Image, Listed, Metadata, PageLists, Paging, RecordList, Rendered
from scythe.page import Page
from scythe.page.content import PageContent
from scythe.page.dates import to_iso
from scythe.page.elements import Elements
from scythe.page.encoding import part_codec
from scythe.page.head_from_bytes import read_declared_title
from scythe.page.image_context import read_image_contexts
from scythe.page.source import MARK, Source, read_source
from scythe.page.title import read_title
from scythe.reader import read
from scythe.reading.images.image_methods import mark_relevant, mark_scores
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.data_table import is_head
from scythe.reading.lists.fill import fill_list
from scythe.reading.lists.find_lists import CUT, rank_lists
from scythe.reading.lists.list_methods import LazyPageLists
from scythe.site.boilerplate import improve
from scythe.site.cut.cut_images import AreaCutter
from scythe.site.cut.cut_lists import LOOKALIKE, RecordCutter, name_list
from scythe.site.cut.cutter import Boilerplate, Cut, Cutter, Dispatcher, FragmentContent
from scythe.site.cut.hints import Tuner
from scythe.site.drift import TreeBudget, judge
from scythe.site.follow.follow_fields import follow, span_of
from scythe.site.follow.follow_images import UNKNOWN, AreaReader, are_elsewhere, find_named, follow_areas, is_outside
from scythe.site.follow.follow_lists import (
    EntryReader,
    find_lookalike,
    follow_list,
    head_names,
    judge_cells,
    judge_count,
    judge_outside,
    leave_taken,
    read_entries,
)
from scythe.site.judge_images import ImageJudge
from scythe.site.learn.list_groups import ListOnPage, ObservedList
from scythe.site.rules import FLOW, FieldRules, Layout, Profile, Way
from scythe.url import Url, absolute

Note = Callable[[str, str], None]  # told "records" or "images" and how they were got, once they are
_MAYBE = 3  # lists that score so many times less than those read are looked at: on other pages they may be read
_CLEAR = 2 * CUT  # score of a list beyond doubt, on a page of a layout that has none
WHEN_ASKED = "when asked for"


def observe_lists(number: int, page: Page) -> list[ObservedList]:
    """Return the lists that reading finds or nearly finds on a page whose tree knows where it comes from."""
    elements = page.elements
    found: list[ObservedList] = []
    for one in rank_lists(page):
        if one.score >= CUT / _MAYBE:
            candidate = _without_heads(page, one.candidate)
            fill = partial(fill_list, page, candidate, one.score, one.kind)
            shown = ListOnPage(elements, candidate.rows, candidate.leaves, fill)
            tops = tuple(_tops(elements, rows) for rows in candidate.rows)
            found.append(ObservedList(number, _offset(elements, candidate.holder), tops, one.score, one.kind, shown))
    return found


@dataclass(frozen=True, slots=True)
class PageToExtract:
    """A page whose lists may be asked for."""

    body: bytes
    url: Url | None
    via: str  # "auto", "cut" or "tree"
    open_page: Callable[[], Page]


class ListExtractor:
    """Cuts the records of one layout; makes itself ready when first used."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._lock = Lock()

    @cached_property
    def cutter(self) -> RecordCutter:
        """The rules, ready to cut by."""
        return RecordCutter(self.layout)

    def cut(self, body: bytes, url: Url | None) -> tuple[tuple[RecordList, ...] | None, str, bool]:
        """Return the lists, or None and why, and whether the tree may follow the same rules."""
        if native is None:
            lists, why = self.follow(read_source(body), url, as_cut=True)
            return lists, why, False
        with self._lock:  # readers remember the places they met
            found = self.cutter.find(body)
            if found.state != "cut":
                return None, found.why, found.state == "doubt"
            lists = self.cutter.read(body, found, url)
        return lists, "" if lists is not None else "not sure of what is in a record", True

    def follow(
        self, source: Source, url: Url | None, *, as_cut: bool = False
    ) -> tuple[tuple[RecordList, ...] | None, str]:
        """Do what `cut` does on the tree of a page; `source` knows where its elements stand.

        `as_cut` also refuses what a cut refuses where a list may have a record that no rule knows.
        """
        page = Page.from_bytes(source.body, url=url)  # whose records are written without marks
        elements, row_at = page.elements, rows_by_offset(source, page)
        if row_at is None:
            return None, "the page had to be repaired"
        lists: list[RecordList] = []
        taken: list[tuple[int, int]] = []  # rows of the records of lists before
        for rules in self.layout.lists:
            entries = follow_list(source, rules)
            why = judge_count(rules, len(entries.offsets)) or judge_outside(rules, entries.outside)
            names, spans = head_names(rules), entries.spans(source)
            why = why or judge_cells(source.body, names, spans)
            if as_cut and not why and rules.tight and find_lookalike(source.body, names, spans):
                why = LOOKALIKE
            if why:
                return None, entries.why or why
            firsts = [row_at.get(offset, 0) for offset in entries.offsets]
            lasts = [row_at.get(offset, 0) for offset in entries.last_offsets]
            if 0 in (*firsts, *lasts):
                return None, "a record is not shown"
            rows = [(first, elements.end[last]) for first, last in zip(firsts, lasts, strict=True)]
            free = leave_taken(rows, taken)
            if len(free) > 1:
                leaves = [(elements.leaf_start[firsts[i]], elements.leaf_end[lasts[i]]) for i in free]
                records = read_entries(page, EntryReader(rules.columns), [rows[i] for i in free], leaves)
                lists.append(name_list(records, rules))
        return (tuple(lists), "") if lists else (None, "no records begin as learned")


class SiteLists:
    """What one page of a learned site lists, worked out when asked for. Pickled or copied, it becomes what it found."""

    def __init__(
        self,
        asked: PageToExtract,
        extractor: ListExtractor | None,
        saving: tuple[TreeBudget, str] | None = None,
        note: Note | None = None,
    ) -> None:
        self._asked = asked
        self._saving = saving if extractor is None else None  # and the name of a layout without rules for records
        self._extractor = extractor
        self._note = note

    @property
    def how(self) -> dict[str, str]:
        """In which way the records were got; before, in which way they will be, where rules say so."""
        if "_found" in self.__dict__:
            return {"records": self._found[1]}
        by = "tree" if self._asked.via == "tree" else "cut"
        return {"records": f"{by}: by rules, {WHEN_ASKED}"} if self._extractor is not None else {}

    def lists(self) -> tuple[RecordList, ...]:
        """Return the lists of records, best first."""
        return self._found[0]

    def attributes(self) -> tuple[tuple[str, str], ...]:
        """Return what the page says of its subject."""
        return self._by_tree.attributes()

    def paging(self) -> Paging:
        """Return the other pages of the list that the page is part of."""
        return self._by_tree.paging()

    @cached_property
    def _found(self) -> tuple[tuple[RecordList, ...], str]:
        found, how = self._read()
        if self._note is not None:
            self._note("records", how)
        return found, how

    def _read(self) -> tuple[tuple[RecordList, ...], str]:
        """Return the lists, and in which way they were got."""
        asked, extractor, why = self._asked, self._extractor, ""
        if extractor is not None:
            lists, why, may_follow = (None, "", True) if asked.via == "tree" else extractor.cut(asked.body, asked.url)
            by = "cut"
            if lists is None and asked.via != "cut" and may_follow:
                by, reason = "tree", why
                lists, why = extractor.follow(read_source(asked.body), asked.url)
                why = "; ".join(filter(None, (reason, why)))
            if lists is not None:
                how = f"{by}: {len(lists)} of {len(extractor.layout.lists)} lists by rules"
                return lists, how + (f" ({why})" if why else "")
        if asked.via == "cut":
            return (), f"missing: {why or 'no rule in this layout'}"
        if self._saving is not None:
            return self._read_sparingly(*self._saving)
        return self._by_tree.lists(), "tree: read cold" + (f" ({why})" if why else "")

    def _read_sparingly(self, budget: TreeBudget, layout: str) -> tuple[tuple[RecordList, ...], str]:
        """Read records by the tree, unless trees of such pages never had any.

        None were learned of this layout, so lists that just pass, such as teasers below an article, do not count.
        """
        doubt = (layout, "records", "")
        if not budget.is_worth(doubt):
            return (), "missing: no rule in this layout, and trees of its pages had none"
        lists = tuple(found for found in self._by_tree.lists() if found.score >= _CLEAR)
        budget.note(doubt, found=bool(lists))
        return lists, "tree: read cold"

    @cached_property
    def _by_tree(self) -> PageLists:
        page = self._asked.open_page()
        return Listed() if sniff_text(page.html) else LazyPageLists(page)

    def __reduce__(self) -> tuple[type[Listed], tuple[tuple[RecordList, ...], tuple[tuple[str, str], ...], Paging]]:
        return Listed, (self.lists(), self.attributes(), self.paging())


def rows_by_offset(source: Source, page: Page) -> dict[int, int] | None:
    """Map offsets of opening tags to rows of `page.elements`; None where a page is not what its source alone says."""
    marked = page.with_tree(source.tree).elements
    if marked.tag != page.elements.tag:
        return None
    return {mark: row for row in range(len(marked)) if (mark := _offset(marked, row)) >= 0}


def _without_heads(page: Page, candidate: Candidate) -> Candidate:
    """Leave out the rows of a table that are no records but name its columns."""
    elements = page.elements
    if not any(first < last and elements.tag[first] == "tr" for first, last in candidate.rows):
        return candidate
    kept = [i for i, (first, last) in enumerate(candidate.rows) if first >= last or not is_head(elements, first)]
    rows, leaves = candidate.rows, candidate.leaves
    return replace(candidate, rows=tuple(rows[i] for i in kept), leaves=tuple(leaves[i] for i in kept))


def _tops(elements: Elements, rows: tuple[int, int]) -> tuple[int, ...]:
    """Return the offsets of the elements that a record is made of."""
    row, last = rows
    found: list[int] = []
    while row < last:
        found.append(_offset(elements, row))
        row = elements.end[row]
    return tuple(found)


def _offset(elements: Elements, row: int) -> int:
    mark = elements.node[row].attributes.get(MARK)
    return int(mark) if mark and mark.isdecimal() else -1


Images = tuple[Image, ...]
_NONE = "no relevant images on the pages learned"
_NAMED = "the page shows an image as its own where none was"


class TreeSource(Protocol):
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
    trees: TreeSource


class ImageExtractor:
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
        if native is None:
            return *self.follow(asked), False
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


class ExtractedContent:
    """The content of a page of a learned site with the images of its areas, worked out when asked for.

    Pickled or copied, it becomes what it renders to.
    """

    def __init__(
        self, content: Content, asked: AskedImages, extractor: ImageExtractor | None, note: Note | None = None
    ) -> None:
        self._content = content
        self._asked = asked
        self._extractor = extractor
        self._note = note

    @property
    def how(self) -> str:
        """In which way the images were got; before, in which way they will be."""
        return self._found[1] if "_found" in self.__dict__ else self._expect()

    def text(self) -> str:
        return self._content.text()

    def markdown(self) -> str:
        return self._content.markdown()

    def html(self) -> str:
        return self._content.html()

    def images(self) -> Images:
        """Return the images of the areas in page order; where the page was read cold, all of its images."""
        return self._found[0]

    @cached_property
    def _found(self) -> tuple[Images, str]:
        images, how = self._read()
        if self._note is not None:
            self._note("images", how)
        return images, how

    def _expect(self) -> str:
        if self._extractor is None:
            return "missing: no rule in this layout" if self._asked.via == "cut" else f"tree: read cold, {WHEN_ASKED}"
        by = "tree" if self._asked.via == "tree" else "cut"
        return f"{by}: by rules, {WHEN_ASKED}" if self._extractor.layout.images.areas else f"{by}: {_NONE}"

    def _read(self) -> tuple[Images, str]:
        asked, extractor, why = self._asked, self._extractor, ""
        if extractor is not None and extractor.has_none(asked):
            return (), self._expect()
        if extractor is not None and not extractor.layout.images.areas:
            why = _NAMED
        elif extractor is not None:
            images, why, may_follow = extractor.cut(asked) if asked.via != "tree" else (None, "", True)
            if images is not None:
                return images, f"cut: {why}"
            if asked.via != "cut" and may_follow:
                images, found = extractor.follow(asked)
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


_NOT_LEARNED = "the field was not learned"


class UnreadTitle:
    """What a page calls itself: as `read` finds it, or where there is to be no tree, as its head says."""

    def __init__(self, body: bytes, url: str | None, page: Callable[[], Page] | None) -> None:
        self._body = body
        self._url = url
        self._page = page  # None: there is to be no tree

    def title(self) -> str:
        """Return the title."""
        return self._found[0]

    @property
    def how(self) -> dict[str, str]:
        """How the title was got, once it is."""
        return {"title": self._found[1]} if "_found" in self.__dict__ else {}

    @cached_property
    def _found(self) -> tuple[str, str]:
        if self._page is None:
            title = read_declared_title(self._body, self._url)
            return title, f"head: declared by the page ({_NOT_LEARNED})" if title else f"missing: {_NOT_LEARNED}"
        page = self._page()
        title, how = read_title(page) if not sniff_text(page.html) else ("", "")
        return title, f"tree: {how} ({_NOT_LEARNED})" if title else f"missing: {_NOT_LEARNED}"


Via = Literal["auto", "cut", "tree"]
_OBSERVED_EVERY = 8  # pages: positions change slowly, and looking at them costs as much as cutting
_TUNED_EVERY = 128  # pages
_UNKNOWN = "no layout fits the page"


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """One extracted page and the layout it was taken for, if any."""

    document: Document
    layout: Layout | None


class Extractor:
    """Extracts pages by one profile. It holds the compiled rules; the profile itself never changes."""

    def __init__(
        self,
        profile: Profile,
        wanted: tuple[str, ...],
        judge: ImageJudge | None = None,
        budget: TreeBudget | None = None,
        note: Callable[[Layout, str | None, str, str], None] | None = None,
    ) -> None:
        self.profile = profile
        self._budget = budget
        self._note = (
            note  # told layout, address, part and how, when a part of a page is asked for that "auto" extracted
        )
        self.judge = judge or ImageJudge(profile.images)
        self._wanted = tuple(name for name in wanted if name != "records")  # which are no field but lists
        self._dispatcher = Dispatcher(profile.layouts)
        self._list_extractors = [ListExtractor(layout) if layout.lists else None for layout in profile.layouts]
        self._image_extractors = [ImageExtractor(layout) if layout.images.pages else None for layout in profile.layouts]
        self._cutters = [Cutter(layout) for layout in profile.layouts]
        self._boilerplate = [Boilerplate(layout.boilerplate) for layout in profile.layouts]
        self._tuner = Tuner(profile.layouts)
        self._pages = 0

    def observe(self, page: ExtractedPage) -> None:
        """Take note of where the fields of a page were."""
        if page.layout is not None:
            spans = (page.document.fields[rules.name].span for rules in page.layout.fields)
            number = self.profile.layouts.index(page.layout)
            self._tuner.observe(number, [span[0] if span is not None else None for span in spans])

    def tuned(self, *, now: bool = False) -> Profile | None:
        """Return the profile with searches that begin where the fields now are; None most of the time."""
        if self._pages % _TUNED_EVERY and not now:
            return None
        layouts = self._tuner.tuned()
        return replace(self.profile, layouts=layouts) if layouts is not None else None

    def extract_page(self, body: bytes, url: str | None, via: Via) -> ExtractedPage:
        """Extract one page: "cut" never builds a tree, "tree" never cuts, "auto" cuts and asks the tree in doubt."""
        number = self._dispatcher.pick(body, url)
        trees = PageTrees(body, absolute(url) if url else None, self.profile.boilerplate, self.judge)
        one = _Extraction(trees, self.profile, self._wanted, via)
        if number is not None:
            layout = self.profile.layouts[number]
            cuts = self._cutters[number].cut(body) if via != "tree" else ()
            one.list_extractor, one.image_extractor = self._list_extractors[number], self._image_extractors[number]
            one.budget = self._budget
            if self._note is not None and via == "auto":
                one.note = partial(self._note, layout, url)
            page = ExtractedPage(one.by_layout(layout, cuts, self._boilerplate[number]), layout)
            self._pages += 1
            if self._pages % _OBSERVED_EVERY == 0:
                self.observe(page)
            return page
        return ExtractedPage(one.by_tree(), None)


class _Extraction:
    """The extraction of one page, its tree built when first needed."""

    def __init__(self, trees: PageTrees, profile: Profile, wanted: tuple[str, ...], via: Via) -> None:
        self._trees = trees
        self._body = trees.body
        self._url = trees.url
        self._profile = profile
        self._wanted = wanted
        self._via = via
        self._fields: dict[str, Field] = {}
        self._boilerplate = Boilerplate()
        self._encodings: tuple[str, ...] = ()
        self._content: Content | None = None
        self.list_extractor: ListExtractor | None = None
        self.image_extractor: ImageExtractor | None = None
        self.budget: TreeBudget | None = None
        self.note: Note | None = None
        self.layout = ""  # the name of it

    def by_layout(self, layout: Layout, cuts: tuple[Cut, ...], boilerplate: Boilerplate) -> Document:
        """Extract by the rules of a layout, then fill what they do not know."""
        self._boilerplate = boilerplate
        self._encodings = layout.encodings
        self.layout = layout.name
        for i, rules in enumerate(layout.fields):
            field = self._accept(rules, cuts[i]) if cuts else None
            if field is None:
                field = self._ask_tree(rules, cuts[i].why) if cuts else self._follow(rules, "")
            self._fields[rules.name] = field
        return self._finish("no rule in this layout")

    def by_tree(self) -> Document:
        """Extract a page that no layout fits: cold, but for what was shown by example, by rules that all still hold."""
        for layout in self._profile.layouts if self._via != "cut" else ():
            asked = [rules for rules in layout.fields if rules.name in self._profile.named and rules.usual.is_expected]
            found = {each.name: field for each in asked if (field := self._follow(sterner(each), _UNKNOWN)).values}
            if len(found) == len(asked) > len(self._fields):
                self._fields = found
        return self._finish(_UNKNOWN)

    def _accept(self, rules: FieldRules, cut: Cut) -> Field | None:
        """Turn a cut into a field, or return None where it is in doubt and the tree may be asked."""
        if cut.state == "cut":
            strange = judge(rules.usual, cut.values, cut.span, strictly=cut.way > 0)
            if not strange:
                return self._field(rules, cut.values, cut.span, f"cut: {cut.why}", rules.ways[cut.way])
        else:
            strange = cut.why
            if cut.state == "absent" and not rules.usual.is_expected:
                return Field((), None, f"missing: {strange}")
        return None if self._via == "auto" else Field((), None, f"missing: {strange}")

    def _ask_tree(self, rules: FieldRules, reason: str) -> Field:
        """Follow rules on the tree, unless that was in vain too often for a field that need not be there."""
        if self.budget is None or rules.usual.is_expected:
            return self._follow(rules, reason)
        doubt = (self.layout, rules.name, reason)
        if not self.budget.is_worth(doubt):
            return Field((), None, f"missing: {reason}, and trees of such pages did not have it")
        field = self._follow(rules, reason)
        self.budget.note(doubt, found=bool(field.values))
        return field

    def _follow(self, rules: FieldRules, reason: str) -> Field:
        """Follow the rules of a field on the tree, first to the letter as a cut does, then by parsed attributes."""
        reason = f" ({reason})" if reason else ""
        why = "no rule"
        for way, loosely in [(way, False) for way in rules.ways] + [(way, True) for way in rules.ways]:
            found = follow(self._trees.source, way, loosely=loosely)
            strictly = loosely or way is not rules.ways[0]
            strange = judge(rules.usual, found.values, None, strictly=strictly) if found.values else found.why
            if not strange:
                span = span_of(self._trees.source, found.openings[0], way)
                return self._field(rules, found.values, span, f"tree: {found.why}{reason}", way)
            why = strange
        return Field((), None, f"missing: {why}{reason}")

    def _field(
        self, rules: FieldRules, values: tuple[str, ...], span: tuple[int, int] | None, how: str, way: Way
    ) -> Field:
        if way.take == FLOW and span is not None:
            values = (self._boilerplate.clean(values[0]),)
            element = self._body[slice(*span)]
            codec = "utf-8" if self._encodings == ("utf-8",) else part_codec(element, self._encodings)
            self._content = FragmentContent(element, values[0], way, self._url, mark_relevant, encoding=codec)
        elif rules.name == "date":  # ISO 8601 where it can be understood
            values = tuple(to_iso(value) or value for value in values)
        return Field(values, span, how)

    def _finish(self, reason: str) -> Document:
        """Read cold what the rules should have given and did not, and build the document."""
        fields, cold = self._fields, None
        if self._via != "cut" and (self._lacks("text") or self._lacks("title")):
            cold = self._trees.cold
            for name, value in _known_cold(cold).items():
                if name in self._wanted and name not in self._profile.named and self._lacks(name) and value:
                    why = fields[name].how.removeprefix("missing: ") if name in fields else reason
                    fields[name] = Field((value,), None, f"tree: read cold ({why})")
        lacking = reason if reason == _UNKNOWN else "not on the pages learned"
        for name in self._wanted:
            if name not in fields:
                fields[name] = Field((), None, f"missing: {lacking}")
        content = self._content or (cold.content if cold is not None else _Cold(self._trees))
        return self._document(content, cold)

    def _document(self, content: Content, cold: Document | None) -> Document:
        fields = self._fields
        title, author, date = (_first(fields, name) for name in ("title", "author", "date"))
        metadata = cold.metadata if cold is not None else Metadata(title=title, author=author, published=date)
        trees = self._trees  # and not all of this, which would hold itself
        asked = AskedImages(self._body, self._url, self._via, fields.get("text"), trees)
        with_images = ExtractedContent(content, asked, self.image_extractor, self.note)
        saving = (self.budget, self.layout) if self.budget is not None and cold is None else None
        page = PageToExtract(self._body, self._url, self._via, lambda: trees.page)
        lists = SiteLists(page, self.list_extractor, saving, self.note)
        unread = None
        if "title" not in self._wanted and not title:
            unread = UnreadTitle(self._body, self._url, (lambda: trees.page) if self._via != "cut" else None)
        known: Mapping[str, Field] = fields
        if "images" in self._wanted:
            fields["images"] = Field()
            known = FieldsWithImages(fields, with_images)
        is_read = "text" in self._wanted or cold is not None
        text = _first(fields, "text")
        why = "" if text or not is_read else fields["text"].how if "text" in fields else "text was not asked for"
        return Document(
            title if unread is None else unread.title,
            text if is_read else with_images.text,
            metadata,
            partial(_how, fields, with_images, lists, unread),
            known,
            self._url,
            cold.losses if cold is not None and is_read else (),
            why,
            with_images,
            lists,
        )

    def _lacks(self, name: str) -> bool:
        return name in self._wanted and not (name in self._fields and self._fields[name].values)


class PageTrees:
    """The trees of one page, built when first needed, and what reading it cold gives."""

    def __init__(self, body: bytes, url: Url | None, boilerplate: tuple[str, ...], judge: ImageJudge) -> None:
        self.body = body
        self.url = url
        self._boilerplate = boilerplate
        self._judge = judge

    @cached_property
    def source(self) -> Source:
        return read_source(self.body)

    @cached_property
    def page(self) -> Page:
        return Page.from_bytes(self.body, url=self.url)

    @cached_property
    def cold(self) -> Document:
        """The page read without rules, but with what all pages of the site showed not to be content."""
        document = read(self.page)
        content = document.content
        if not isinstance(content, PageContent):
            return document
        kept = improve(content.page, content.kept, self._boilerplate)
        if kept == content.kept:
            return document
        content = PageContent(content.page, kept, content.options, content.heading, mark_relevant)
        return replace(document, text=content.text(), content=content)

    @cached_property
    def images(self) -> tuple[Image, ...]:
        """The images of the page, judged by what is known of those of its site."""
        if sniff_text(self.page.html):
            return ()
        return mark_scores(self.page, self._judge.score_page(self.page, read_image_contexts(self.page)))


def sterner(rules: FieldRules) -> FieldRules:
    """Ask one more rule to agree, and no other way: on a page of another kind two may agree by chance."""
    return replace(rules, ways=tuple(replace(way, needed=way.needed + 1) for way in rules.ways[:1]))


class FieldsWithImages(Mapping[str, Field]):
    """Fields of which that of the images is worked out when it is looked up. Pickled or copied, it becomes a dict."""

    def __init__(self, fields: dict[str, Field], content: ExtractedContent) -> None:
        self._fields = fields  # with an empty one for the images
        self._content = content

    def __getitem__(self, name: str) -> Field:
        if name != "images":
            return self._fields[name]
        values = tuple(image.src for image in self._content.images() if image.relevant)
        return Field(values, None, self._content.how)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[dict[str, Field]], tuple[dict[str, Field]]]:
        return dict, (dict(self),)


class _Cold:
    """The content of a page that is read by the tree only if someone asks."""

    def __init__(self, trees: PageTrees) -> None:
        self._trees = trees

    def text(self) -> str:
        return self._trees.cold.content.text()

    def markdown(self) -> str:
        return self._trees.cold.markdown

    def html(self) -> str:
        return self._trees.cold.html

    def images(self) -> tuple[Image, ...]:
        return self._trees.cold.images

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str, tuple[Image, ...]]]:
        return Rendered, (self.text(), self.markdown(), self.html(), self.images())


def _how(
    fields: dict[str, Field], content: ExtractedContent, lists: SiteLists, unread: UnreadTitle | None
) -> dict[str, str]:
    """Say how each part of a document was got, or will be when it is asked for."""
    hows = {name: field.how for name, field in fields.items()}
    if "images" in hows:
        hows["images"] = content.how
    hows |= lists.how
    return hows if unread is None else hows | unread.how


def _known_cold(cold: Document) -> dict[str, str]:
    metadata = cold.metadata
    return {"title": cold.title, "text": cold.text, "date": metadata.published, "author": metadata.author}


def _first(fields: dict[str, Field], name: str) -> str:
    values = fields[name].values if name in fields else ()
    return values[0] if values else ""
