"""Join cutting and reading for one page of a learned site: a body and a profile come in, a `Document` goes out.

Fields are cut from the bytes; where a cut is in doubt the same rules are followed on the tree, and where the rules know
nothing the page is read cold. Each field says which of these it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from scythe.cut.cutter import Cut, Cutter
from scythe.cut.dispatch import Dispatcher
from scythe.cut.flow import FragmentContent
from scythe.extracting.glean import AskedImages, GleanedContent, Gleaner
from scythe.extracting.judge_images import ImageJudge
from scythe.extracting.reap import Asked, Reaper, SiteLists
from scythe.extracting.unread import UnreadDocument, UnreadTitle, UntitledDocument
from scythe.learn.boilerplate import Boilerplate, improve
from scythe.learn.drift import judge
from scythe.learn.thrift import Thrift
from scythe.learn.tuning import Tuner
from scythe.model import Content, Document, Field, Image, Metadata, Rendered
from scythe.page import Page
from scythe.page.content import PageContent
from scythe.page.dates import to_iso
from scythe.page.follow import follow, span_of
from scythe.page.image_context import read_image_contexts
from scythe.page.sniff import sniff_text
from scythe.page.source import Source, read_source
from scythe.read.images.marks import mark_scores
from scythe.read.images.nearby import mark_relevant
from scythe.reader import read
from scythe.rules import FLOW, FieldRules, Layout, Profile, Way
from scythe.url import Url, absolute

Via = Literal["auto", "cut", "tree"]
_OBSERVED_EVERY = 8  # pages: positions change slowly, and looking at them costs as much as cutting
_TUNED_EVERY = 128  # pages
_UNKNOWN = "no layout fits the page"


@dataclass(frozen=True, slots=True)
class Harvest:
    """One extracted page and the layout it was taken for, if any."""

    document: Document
    layout: Layout | None


class Harvester:
    """Extracts pages by one profile. It holds the compiled rules; the profile itself never changes."""

    def __init__(
        self,
        profile: Profile,
        wanted: tuple[str, ...],
        judge: ImageJudge | None = None,
        thrift: Thrift | None = None,
    ) -> None:
        self.profile = profile
        self._thrift = thrift
        self.judge = judge or ImageJudge(profile.images)
        self._wanted = tuple(name for name in wanted if name != "records")  # which are no field but lists
        self._dispatcher = Dispatcher(profile.layouts)
        self._reapers = [Reaper(layout) if layout.regions else None for layout in profile.layouts]
        self._gleaners = [Gleaner(layout) if layout.images.pages else None for layout in profile.layouts]
        self._cutters = [Cutter(layout) for layout in profile.layouts]
        self._boilerplate = [Boilerplate(layout.boilerplate) for layout in profile.layouts]
        self._tuner = Tuner(profile.layouts)
        self._pages = 0

    def observe(self, page: Harvest) -> None:
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

    def harvest(self, body: bytes, url: str | None, via: Via) -> Harvest:
        """Extract one page: "cut" never builds a tree, "tree" never cuts, "auto" cuts and asks the tree in doubt."""
        number = self._dispatcher.pick(body, url)
        trees = Trees(body, absolute(url) if url else None, self.profile.boilerplate, self.judge)
        one = _Extraction(trees, self.profile, self._wanted, via)
        if number is not None:
            layout = self.profile.layouts[number]
            cuts = self._cutters[number].cut(body) if via != "tree" else ()
            one.reaper, one.gleaner = self._reapers[number], self._gleaners[number]
            one.thrift = self._thrift
            page = Harvest(one.by_layout(layout, cuts, self._boilerplate[number]), layout)
            self._pages += 1
            if self._pages % _OBSERVED_EVERY == 0:
                self.observe(page)
            return page
        return Harvest(one.by_tree(), None)


class _Extraction:
    """The extraction of one page, its tree built when first needed."""

    def __init__(self, trees: Trees, profile: Profile, wanted: tuple[str, ...], via: Via) -> None:
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
        self.reaper: Reaper | None = None
        self.gleaner: Gleaner | None = None
        self.thrift: Thrift | None = None
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
        if self.thrift is None or rules.usual.is_expected:
            return self._follow(rules, reason)
        doubt = (self.layout, rules.name, reason)
        if not self.thrift.is_worth(doubt):
            return Field((), None, f"missing: {reason}, and trees of such pages did not have it")
        field = self._follow(rules, reason)
        self.thrift.note(doubt, found=bool(field.values))
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
            codec = _codec_of(element, self._encodings)
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
        how = {name: field.how for name, field in fields.items()}
        content = self._with_images(content, how)
        trees = self._trees  # and not all of this, which would hold itself
        saving = (self.thrift, self.layout) if self.thrift is not None and cold is None else None
        lists = SiteLists(Asked(self._body, self._url, self._via, lambda: trees.page), self.reaper, how, saving)
        unread = None
        if "title" not in self._wanted:
            unread = UnreadTitle(self._body, self._url, (lambda: trees.page) if self._via != "cut" else None)
        if "text" not in self._wanted and cold is None:
            named = {"fields": fields, "metadata": metadata, "how": how, "url": self._url}
            return UnreadDocument(title, **named, content=content, lists=lists, unread=unread)
        text = _first(fields, "text")
        why = "" if text else fields["text"].how if "text" in fields else "text was not asked for"
        losses = cold.losses if cold is not None else ()
        values = (title, text, metadata, how, fields, self._url, losses, why, content, lists)
        return Document(*values) if unread is None else UntitledDocument(*values, unread=unread)

    def _with_images(self, content: Content, how: dict[str, str]) -> Content:
        """Return the content with the images of the layout's areas, and make a field of them where it is wanted."""
        asked = AskedImages(self._body, self._url, self._via, self._fields.get("text"), self._trees)
        if "images" not in self._wanted:
            return GleanedContent(content, asked, self.gleaner, {})
        gleaned = GleanedContent(content, asked, self.gleaner, how)
        self._fields["images"] = LazyField(gleaned, how)
        return gleaned

    def _lacks(self, name: str) -> bool:
        return name in self._wanted and not (name in self._fields and self._fields[name].values)


class Trees:
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


class LazyField(Field):
    """The images of a content as a field: their addresses are worked out when first asked for."""

    def __init__(self, content: Content, hows: dict[str, str]) -> None:
        super().__init__()
        del self.__dict__["values"]  # which would hide the property
        self.__dict__.update(content=content, hows=hows)

    @cached_property
    def values(self) -> tuple[str, ...]:
        content: Content = self.__dict__["content"]
        return tuple(image.src for image in content.images() if image.relevant)

    @property
    def how(self) -> str:
        """In which way the images were got, once they are."""
        hows: dict[str, str] = self.__dict__["hows"]
        return hows["images"]

    @how.setter
    def how(self, how: str) -> None:
        self.__dict__["hows"] = {"images": how}


class _Cold:
    """The content of a page that is read by the tree only if someone asks."""

    def __init__(self, trees: Trees) -> None:
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


def _codec_of(element: bytes, codecs: Sequence[str]) -> str:
    """Return the codec of a part of a page: UTF-8 where that reads it, else the first of those learned that does."""
    for codec in ("utf-8", *codecs) if tuple(codecs) != ("utf-8",) else ():
        try:
            element.decode(codec)
        except UnicodeDecodeError:
            continue
        return codec
    return "utf-8"


def _known_cold(cold: Document) -> dict[str, str]:
    metadata = cold.metadata
    return {"title": cold.title, "text": cold.text, "date": metadata.published, "author": metadata.author}


def _first(fields: dict[str, Field], name: str) -> str:
    values = fields[name].values if name in fields else ()
    return values[0] if values else ""
