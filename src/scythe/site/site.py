"""The `Site` class: learn a site page by page, extract its pages, and notice when it changes.

pages    -> maps -> layouts -> rules                    Site.learn, and every page that is read later on
body     -> map  -> layout  -> cut, or read             Site.extract
outcome  -> health -> drift                             Site.drift
labels of images -> marks -> used from then on          Site.annotate
examples -> rules -> further fields                     Site.add_fields
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from time import thread_time
from typing import TYPE_CHECKING

from scythe.atomic_files import write_atomically
from scythe.errors import BadInput
from scythe.model import DEFAULT_FIELDS, VALUE_TYPES, Document, Field, LabelledPage, PageImages
from scythe.page import Page
from scythe.page.content import PageContent
from scythe.page.map import PageMap
from scythe.reading.text import method as text_method
from scythe.site.drift import Drift, Health, all_cut, usual_of
from scythe.site.element_rules import LOOKED_AT, ElementRule, RuleTable, as_told, page_names, read_rules, try_rule
from scythe.site.extract import ExtractedPage, Extractor, map_page
from scythe.site.judge_images import ImageJudge
from scythe.site.late_parts import Via
from scythe.site.layout_marks import KnownLayout, LayoutIndex, MappedPage, layouts_of
from scythe.site.learn import PLACED, LayoutLearner, ReadPage
from scythe.site.learning_cost import LearningCost
from scythe.site.page_fields import ColdValues
from scythe.site.profile import Saved, dump_profile, load_profile, open_profile
from scythe.site.rules import FieldRules, Layout, Profile, told_layout
from scythe.site.shown_values import Memory
from scythe.site.value_rules import ValueRules, cut_values

if TYPE_CHECKING:
    from scythe.site.field_cutter import FieldCutter
    from scythe.site.labels.learn_labels import Annotated
    from scythe.site.labels.match_labels import Lost

HEAL_PAGES = (3, 6, 12, 24, 48)  # pages that lack what they had before, upon which it is looked for anew
_OBSERVED = 10  # pages learned that the rule table begins with
_MOST_WAYS = 6  # to one field
_SEEN_PAGES = 10  # of each layout that the rule table is shown, before it is shown one in four
LIST_PAGES = 3  # pages of a layout from which it is learned what they list
Given = Page | tuple[str | None, bytes | str]
Example = Mapping[str, tuple[str, ...]]
Shown = Mapping[str, Sequence[str]] | Mapping[str, str]  # values by field name; one value need not be in a list


@dataclass(frozen=True, slots=True)
class Taught:
    """What came of examples: why something was not learned, and the layouts of the pages."""

    notes: tuple[str, ...] = ()
    layouts: tuple[str, ...] = ()  # that each page is taken for; "": none
    shown_on: tuple[str, ...] = ()  # layouts that values were shown on
    new: tuple[str, ...] = ()  # of these, those that were not known


@dataclass(slots=True)
class _Showing:
    """Which pages of a layout the rule table is shown."""

    pages: int = 0  # that it was shown
    cut_since: int = 0  # that came since the last of them, of which everything was cut

    @property
    def is_due(self) -> bool:
        return self.pages < _SEEN_PAGES or self.cut_since == LOOKED_AT - 1


class Site:
    """Rules for the pages of one site. Extracting learns from pages that are read, and watches how rules hold."""

    def __init__(self, profile: Profile, *, notes: tuple[str, ...] = (), health: Mapping[str, object] | None = None):
        self.notes = notes  # why something was not learned, for people
        self._lock = Lock()
        self._cost = LearningCost()
        self._index = LayoutIndex(profile.layouts)
        self._names = tuple(name for name in ("text", *PLACED) if name in profile.fields and name not in profile.named)
        self._learner = LayoutLearner(self._index, self._names)
        self._lacking: dict[str, list[tuple[PageMap, Example]]] = {}  # pages without fields that they had, by layout
        self._profile = replace(profile, rules=as_told(profile.rules))
        self._told = told_layout(profile.rules)
        self._table = RuleTable(profile.rules)
        self._table.load(health or {})
        self._showing: dict[str, _Showing] = {}  # by layout
        self._judge: ImageJudge | None = None
        self._extractor = self._make_extractor()
        self._health = Health.load(health or {}, (*profile.layouts, self._told))
        self._memory = Memory.load(health or {}, profile.named)

    def __repr__(self) -> str:
        layouts, fields = self._profile.layouts, ", ".join(self._profile.fields)
        return f"<Site: {fields} of {len(layouts)} layouts, learned from {sum(one.pages for one in layouts)} pages>"

    @classmethod
    def learn(
        cls,
        pages: Iterable[Given],
        examples: Sequence[Shown | None] | None = None,
        *,
        rules: Mapping[str, str] | None = None,
        fields: Sequence[str] | None = None,
        types: Mapping[str, str] | None = None,
        method: str = "",
    ) -> Site:
        """Learn a site from some of its pages, best ten or more, spread over the site.

        Without `examples` the fields are title, text, date, author, images and records. `examples` holds for each page
        the values wanted from it (`{"price": ["$12"]}`; an empty list: this page has none) or None where nobody looked;
        then only these fields are learned, and those of the first kind that `fields` names. `rules` names elements by
        field, as an opening tag, an id, a CSS selector or an XPath (`{"price": '<div class="p-price">'}`); they are
        followed before what is learned. `types` says of fields shown or named what their values are ("money", "number",
        "date" ...); what it leaves out is told by the values. `method` is a published one by which pages are
        read to learn their text, now and later (`sentences:minimum=4`). Raises BadInput on wrong arguments.
        """
        given = [_address_and_body(page) for page in pages]
        if not given:
            raise BadInput("Site.learn needs at least one page")
        shown = _examples(examples, len(given)) if examples is not None else None
        told = read_rules(rules or {})
        by_example = (name for example in shown or () for name in example or ())
        named = tuple(dict.fromkeys((*(row.field for row in told), *by_example)))
        site = cls.begin(_wanted(named, fields), named, method)
        site._tell(given, told)
        for url, body in given if site._names or not named else ():
            site._extract(body, url, "auto")
        site.finish()
        if shown is not None:
            site.notes += site._add_fields(given, shown).notes
        site._refresh()
        values: dict[str, list[str]] = {}
        for url, body in given[:_OBSERVED]:
            page = site._extractor.extract_page(body, url, "cut")
            if page.page is not None:
                site._observe_rules(page, url)
                for name in named:
                    values.setdefault(name, []).extend(page.fields[name].values if name in page.fields else ())
        site._learn_types(values, types or {})
        site._health.settle(sum(layout.pages for layout in site.profile.layouts))
        return site

    @classmethod
    def begin(cls, fields: Sequence[str], named: tuple[str, ...] = (), method: str = "") -> Site:
        """Return a site of which nothing is known yet; its first pages are read, and it is learned from them."""
        if method:
            text_method(method)
        learned = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(Profile((), tuple(fields), learned=learned, named=named, method=method))

    def finish(self) -> None:
        """Learn as well as possible from the pages that were read so far: no more may come."""
        with self._lock, self._learning():
            self._learner.finish()
            self._refresh()

    def extract(self, body: bytes | str, url: str | None = None, via: Via = "auto") -> Document:
        """Extract one page of the site.

        `via` "auto" cuts by rules, and reads pages that they do not fit or that are still learned from; "cut" leaves
        out what rules do not give; "tree" reads what they do not give, and learns nothing. `fields[name].how` says how
        each field was got.
        """
        if via not in ("auto", "cut", "tree"):
            raise BadInput(f"via must be auto, cut or tree, not {via!r}")
        if url is not None and not isinstance(url, str):
            raise BadInput(f"url must be str or None, not {type(url).__name__}")
        with self._lock:
            page = self._extract(_bytes(body), url, via)
            if via == "auto" and page.page is not None:
                self._watch(page, url)
        return page.document

    def annotate(
        self,
        labels: Mapping[str, Sequence[str]] | Sequence[LabelledPage],
        pages: Iterable[Given] = (),
        *,
        by: str = "",
        method: str | None = None,
    ) -> Annotated:
        """Teach the site which images are relevant; what it extracts from now on heeds it.

        `labels` has the relevant images by page: addresses, or numbers such as `#3`; all others of the page are not
        relevant. `pages` must hold the pages named. `by` is who says so; two people may differ. `method` is "relevance"
        or a published one. Raises BadInput where labels or pages are not what they should be.
        """
        from scythe.page.image_context import read_image_contexts
        from scythe.site.labels.learn_labels import annotate

        bodies = [_address_and_body(page) for page in pages]
        seen = [read_image_contexts(Page.from_bytes(body, url=url)) for url, body in bodies]
        new, lost = _placed(labels, seen, by)
        with self._lock:
            outcome = annotate(self.profile, new, method=method, seen=seen)
            self._profile, self._judge = outcome.profile, None
            self._extractor = self._make_extractor()
        return replace(outcome, lost=tuple(lost))

    def add_fields(self, pages: Iterable[Given], examples: Sequence[Shown | None]) -> Taught:
        """Teach the site further fields by example; what it knows already stays.

        `examples` is as for `learn`: one entry per page, None where nobody looked; some pages without are welcome. A
        field that the site has is replaced on the layouts on which it is shown. Raises BadInput on wrong arguments.
        """
        given = [_address_and_body(page) for page in pages]
        shown = _examples(examples, len(given))
        with self._lock, self._learning():
            taught = self._add_fields(given, shown)
            values: dict[str, list[str]] = {}
            for name, own in (pair for example in shown for pair in (example or {}).items()):
                values.setdefault(name, []).extend(own)
            self._learn_types(values, {})
            return taught

    def cutter(self, field: str, pages: Iterable[Given]) -> FieldCutter:
        """Return what cuts one field that was shown by example without mapping the page: in a twentieth of the time.

        `pages` are some of one layout, three with the field or more, on which it is tried out. Where the bytes of a
        page are not certain, its map decides, as in `extract(page, via="cut")`. Raises BadInput for a field that was
        not shown, and where string search does not find on all of these pages what the map gives.
        """
        from scythe.site.byte_rules import learn_field_bytes
        from scythe.site.field_cutter import FieldCutter

        bodies = [body for _, body in map(_address_and_body, pages)]
        found = [rules for known in self._index for rules in known.layout.fields if rules.name == field]
        shown = [rules.values for rules in found if rules.values is not None]
        if not shown:
            raise BadInput(f"there is no cutter for {field}: it was not shown by example")
        kind = dict(self._profile.types).get(field, "")
        maps = [map_page(body) for body in bodies]
        for rules in shown:
            rule = learn_field_bytes(maps, rules)
            if rule is not None:
                return FieldCutter(rule, kind, lambda body: self.extract(body, via="cut").fields[field])
        raise BadInput(f"there is no cutter for {field}: string search does not find it alone on {len(bodies)} pages")

    @property
    def rules(self) -> tuple[ElementRule, ...]:
        """The rule table: what was told, and what is seen of every field of every layout."""
        for name, showing in self._showing.items():  # pages that the table was not shown
            self._table.add_cut(name, showing.cut_since)
            showing.cut_since = 0
        return self._table.rows([layout.name for layout in self._profile.layouts])

    def learn_lists(self) -> None:
        """Learn now what the pages of each layout list, where that is wanted and not known yet."""
        if "records" in self._profile.fields:
            for known in list(self._index):
                self._learn_lists(known)

    @property
    def profile(self) -> Profile:
        """What was learned; the same object until something else is."""
        return self._profile

    @property
    def drift(self) -> Drift:
        """What stopped matching and since when, and what was learned again."""
        return self._health.drift

    @property
    def cost(self) -> LearningCost:
        """What learning has cost and saved since the site was begun or loaded."""
        return replace(self._cost)

    @classmethod
    def load(cls, path: str | Path) -> Site:
        """Load a profile that `save` wrote. Raises BadInput when it is damaged or from another version."""
        return cls._take_up(open_profile(path), str(path))

    def save(self, path: str | Path) -> None:
        """Write the profile, and how it has fared, as versioned JSON; what can be learned by now is learned first."""
        self.finish()
        self.learn_lists()
        write_atomically(Path(path), self.to_json().encode())

    @classmethod
    def from_json(cls, text: str) -> Site:
        """Load a profile from the text that `to_json` returned. Raises BadInput as `load` does."""
        return cls._take_up(load_profile(text), "profile")

    def to_json(self) -> str:
        """Return what `save` writes."""
        self._refresh()
        profile = replace(self._profile, rules=self.rules)
        return dump_profile(profile, {**self._health.dump(), **self._memory.dump(), **self._table.dump()})

    @classmethod
    def _take_up(cls, saved: Saved, name: str) -> Site:
        try:
            return cls(saved.profile, health=saved.health)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None

    def _make_extractor(self) -> Extractor:
        self._judge = self._judge or ImageJudge(self._profile.images)
        learn_lists = self._learn_lists if "records" in self._profile.fields else None
        is_learning = bool(self._names) or learn_lists is not None
        return Extractor(
            self._profile, self._profile.fields, self._judge, self._index, learn_lists, is_learning=is_learning
        )

    def _learn_lists(self, known: KnownLayout) -> None:
        """Learn what the pages of a layout list, once somebody asks for it and there are enough pages."""
        from scythe.site.learn_records import learn_records  # with all that reads lists, which a text needs nothing of

        with self._lock, self._learning():
            if len(known.samples) >= LIST_PAGES and not known.layout.records.pages:
                maps = [page for page, _ in known.samples]
                pages = [Page.from_bytes(page.source, url=url or None) for page, url in known.samples]
                known.layout = replace(known.layout, records=learn_records(maps, pages))
                known.samples.clear()
                self._refresh()

    def _extract(self, body: bytes, url: str | None, via: Via) -> ExtractedPage:
        """Extract a page and, where it was read, learn from it."""
        began = thread_time()
        page = self._extractor.extract_page(body, url, via)
        cold = page.cold
        if cold is None:
            self._cost.cut += 1
            self._cost.cut_s += thread_time() - began
        else:
            self._cost.read += 1
            self._cost.read_s += thread_time() - began
        if via != "auto" or page.page is None or cold is None or not isinstance(cold.content, PageContent):
            return page
        with self._learning():
            self._learn_from(page, cold, cold.content, url)
        return page

    def _learn_from(self, page: ExtractedPage, cold: Document, content: PageContent, url: str | None) -> None:
        """Learn from a page that was read."""
        assert page.page is not None
        said = ColdValues(url or "", cold.title, cold.metadata.author, cold.metadata.published)
        if content.page.map is not page.page.map and content.page.map.source != page.page.map.source:
            return  # what was read had to be repaired
        read = ReadPage(page.page, content.page.blocks.text, content.kept, said, cold.kind)
        changed = self._learner.take(page.known, read, fits=page.fits)
        if changed is not None:
            self._refresh()
            self._health.learned(changed.layout)

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """Count the time that learning takes."""
        began = thread_time()
        try:
            yield
        finally:
            self._cost.learn_s += thread_time() - began

    def _refresh(self) -> None:
        """Show what was learned in the profile."""
        self._profile = replace(self._profile, layouts=layouts_of(self._index))

    def _tell(self, given: Sequence[tuple[str | None, bytes]], told: Sequence[ElementRule]) -> None:
        """Take up rules that somebody wrote, tried out on the pages at hand."""
        names = list(page_names(url for url, _ in given))
        maps = [map_page(body) for _, body in given] if told else []
        rows: list[ElementRule] = []
        for row in told:
            tried, notes = try_rule(row, list(zip(names, maps, strict=True)))
            self.notes += tuple(f"rule of {row.field}: {note}" for note in notes)
            rows.append(tried)
        if rows:
            self._table = RuleTable(replace(row, pages=0, held=0) for row in rows)
            self._told = told_layout(rows)
            self._profile = replace(self._profile, rules=as_told(rows))
            self._extractor = self._make_extractor()

    def _watch(self, page: ExtractedPage, url: str | None) -> None:
        fields = page.fields
        is_learned = page.layout is not None and (page.layout.pages > 0 or bool(page.layout.fields))
        self._health.observe(page.layout if is_learned else None, fields, url)
        self._observe_rules(page, url)
        if self._profile.named:
            before = self._memory.recall(url)
            self._memory.remember(url, {name: fields[name].values for name in self._profile.named if name in fields})
            self._heal(page, before)

    def _observe_rules(self, page: ExtractedPage, url: str | None) -> None:
        """Keep the rule table up to date; of pages of which everything was cut, most are only counted."""
        assert page.page is not None
        layout, fields = page.layout, page.fields
        if self._profile.rules:
            self._health.observe_fields(self._told, fields, url or "")
        cut_before = 0
        if layout is not None:
            showing = self._showing.setdefault(layout.name, _Showing())
            if not showing.is_due and not self._profile.rules and all_cut(layout, fields):
                showing.cut_since += 1
                return
            cut_before, showing.cut_since = showing.cut_since, 0
            showing.pages += 1
        self._table.observe(layout, fields, page.page.map, cut_before=cut_before)

    def _heal(self, page: ExtractedPage, before: Example) -> None:
        """Learn fields shown by example anew, where rules lack them, from what the same pages had before."""
        assert page.page is not None
        fields = page.fields
        if not any(self._lacks(page.layout, name, fields) for name in self._profile.named):
            self._lacking.pop(page.layout.name if page.layout is not None else "", None)
            return
        known = self._learner.meet(page.known, page.page)
        if known is None:
            return
        lacking = self._lacking.setdefault(known.layout.name, [])
        if not before or any(page.page.map.source == seen.source for seen, _ in lacking):
            return
        lacking.append((page.page.map, before))
        if len(lacking) in HEAL_PAGES:
            self._add_values(known, [seen for seen, _ in lacking], [shown for _, shown in lacking], keeps=True)
            self._refresh()
            self._health.learned(known.layout)
        del lacking[: -HEAL_PAGES[-1]]

    def _lacks(self, layout: Layout | None, name: str, fields: Mapping[str, Field]) -> bool:
        """Say whether a page should have a field that was shown by example and does not."""
        rules = layout.field(name) if layout is not None else None
        told = self._told.field(name)
        if told is not None and not told.usual.is_expected:
            return False
        return (rules is None or rules.usual.is_expected) and not (name in fields and fields[name].values)

    def _add_fields(self, given: Sequence[tuple[str | None, bytes]], shown: Sequence[Example | None]) -> Taught:
        """Learn what was shown, layout by layout."""
        groups: dict[int, tuple[KnownLayout, list[int]]] = {}
        before = {known.layout.name for known in self._index}
        maps = [MappedPage(map_page(body)) for _, body in given]
        layouts: list[str] = []
        for number, page in enumerate(maps):
            known = self._learner.meet(self._index.find(page)[0], page)
            layouts.append(known.layout.name if known is not None else "")
            if known is not None:
                groups.setdefault(id(known), (known, []))[1].append(number)
        notes: list[str] = []
        shown_on: list[str] = []
        named = tuple(dict.fromkeys(name for example in shown for name in example or ()))
        for known, numbers in groups.values():
            own = [shown[number] for number in numbers]
            if any(values for example in own for values in (example or {}).values()):
                shown_on.append(known.layout.name)
                reasons = self._add_values(known, [maps[number].map for number in numbers], own)
                notes += [f"{known.layout.name}: {name}: {why}" for name, why in reasons.items()]
        for (url, _), example in zip(given, shown, strict=True):
            self._memory.names |= set(named)
            self._memory.remember(url, example or {})
        fields = tuple(dict.fromkeys((*self._profile.fields, *named)))
        self._profile = replace(
            self._profile, fields=fields, named=tuple(dict.fromkeys((*self._profile.named, *named)))
        )
        self._refresh()
        self._extractor = self._make_extractor()
        new = tuple(name for name in shown_on if name not in before)
        return Taught(tuple(notes), tuple(layouts), tuple(shown_on), new)

    def _learn_types(self, values: Mapping[str, Sequence[str]], said: Mapping[str, str]) -> None:
        """Note what the values of fields are: as somebody said, else as they look. Raises BadInput."""
        if not values and not said:
            return
        from scythe.reading.attributes.typed_values import TEXT, type_of  # as in `Extractor`

        wrong = [f"{name}: {kind}" for name, kind in said.items() if kind not in VALUE_TYPES or name not in values]
        if wrong:
            expected = f"fields that are shown or named, with one of {', '.join(VALUE_TYPES)}"
            raise BadInput(f"types: expected {expected}, not {', '.join(wrong)}")
        found = {name: said.get(name) or type_of(own) for name, own in values.items() if name not in DEFAULT_FIELDS}
        types = {**dict(self._profile.types), **{name: kind for name, kind in found.items() if kind != TEXT}}
        self._profile = replace(self._profile, types=tuple(sorted(types.items())))
        self._extractor = self._make_extractor()

    def _add_values(
        self, known: KnownLayout, maps: Sequence[PageMap], examples: Sequence[Example | None], *, keeps: bool = False
    ) -> dict[str, str]:
        """Give a layout the fields that are shown; with `keeps`, behind the rules that it has for them."""
        from scythe.site.learn_values import learn_values

        learned = learn_values(maps, examples)
        found = (
            [_behind(known.layout.field(rules.name), rules) for rules in learned.fields] if keeps else learned.fields
        )
        usual = [usual_of([cut_values(page, rules).values for page in maps]) for rules in found]
        fields = [FieldRules(one.name, values=one, usual=seen) for one, seen in zip(found, usual, strict=True)]
        named = {rules.name for rules in fields}
        kept = tuple(rules for rules in known.layout.fields if rules.name not in named)
        known.layout = replace(known.layout, fields=(*kept, *fields), pages=max(known.layout.pages, len(maps)))
        return learned.reasons


def _behind(old: FieldRules | None, new: ValueRules) -> ValueRules:
    """Put the ways of new rules behind those that a field has: pages of the old design may still come."""
    ways = old.values.ways if old is not None and old.values is not None else ()
    return replace(new, ways=(*ways, *(way for way in new.ways if way not in ways))[:_MOST_WAYS])


def _placed(labels: object, seen: Sequence[PageImages], by: str) -> tuple[Sequence[LabelledPage], list[Lost]]:
    if isinstance(labels, Mapping):
        from scythe.site.labels.learn_labels import list_labels, place_labels

        return place_labels(list_labels(labels, by), {page.url: page for page in seen if page.url})
    if not isinstance(labels, Sequence) or not all(isinstance(each, LabelledPage) for each in labels):
        raise BadInput(f"labels are a dict of image addresses by page, not {type(labels).__name__}")
    return labels, []


def _wanted(named: tuple[str, ...], fields: Sequence[str] | None) -> tuple[str, ...]:
    if fields is None:
        return named or DEFAULT_FIELDS
    unknown = set(fields) - set(named) - set(DEFAULT_FIELDS)
    if unknown:
        raise BadInput(
            f"no example shows {', '.join(sorted(unknown))}; without examples there are {', '.join(DEFAULT_FIELDS)}"
        )
    return tuple(dict.fromkeys((*named, *fields)))


def _examples(given: Sequence[object], pages: int) -> list[Example | None]:
    if len(given) != pages:
        raise BadInput(
            f"examples must have one entry per page, None without an example: {len(given)} entries, {pages} pages"
        )
    return [_example(example) for example in given]


def _example(given: object) -> Example | None:
    """Check what was shown of one page; a single value need not be in a list."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise BadInput(f"an example is a dict of values by field name, or None, not {type(given).__name__}")
    shown: dict[str, tuple[str, ...]] = {}
    for name, values in given.items():
        values = (values,) if isinstance(values, str) else values
        is_listed = isinstance(values, Sequence) and all(isinstance(value, str) for value in values)
        if not isinstance(name, str) or not is_listed:
            raise BadInput(f"the example of {name!r} must be text or a list of texts, not {values!r:.60}")
        shown[name] = tuple(values)
    return shown


def _address_and_body(given: object) -> tuple[str | None, bytes]:
    if isinstance(given, Page):
        return given.url, given.html.encode()
    if not (isinstance(given, tuple) and len(given) == 2):
        raise BadInput(f"a page is a Page or a pair (url, bytes), not {type(given).__name__}")
    url, body = given
    if url is not None and not isinstance(url, str):
        raise BadInput(f"the url of a page must be str or None, not {type(url).__name__}")
    return url, _bytes(body)


def _bytes(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "replace")
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    raise BadInput(f"a body is bytes or str, not {type(body).__name__}")
