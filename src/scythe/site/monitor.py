"""Relearn a site by itself: collect pages that no rule fits, learn their layout, and complete half-learned ones.

Fields by example are restored from what the same pages said before. Pages are recognised by URL, or by a title and
another value that only one remembered page has. Rules that do not reproduce every remembered value are rejected; the
field then stays missing and its event open.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from scythe.errors import BadInput
from scythe.model import Field
from scythe.page.dates import to_iso
from scythe.page.source import Source, unmark
from scythe.site.drift import UNKNOWN, Health, judge, read_list, read_map
from scythe.site.extract import ExtractedPage
from scythe.site.follow.follow_fields import element_text, follow
from scythe.site.learn.examples import learn_examples
from scythe.site.learn.layouts import group_pages
from scythe.site.learn.learn_fields import learn_fields
from scythe.site.learn.learn_images import ImageAreaLearner, make_image_page
from scythe.site.learn.learn_site import LessonPage, learn_profile, make_lesson_page, make_sample
from scythe.site.learn.merge_layout import MOST_LAYOUTS, free_name, helps, mend, merge_layout, prune, share_boilerplate
from scythe.site.learn.page_text import words_of
from scythe.site.rules import FieldRules, Layout, Profile, Usual

Values = Mapping[str, tuple[str, ...]]

PAGES = 300  # remembered
_CHARS = 300  # of a value; longer ones are content, which is read again
_SKETCH = 80  # characters of either end of a text
_VALUES = 20  # of a field that repeats
_KEY_CHARS = 8_192
_TELLING = 8  # characters of a value that can tell one page from all others
_HEADINGS = 5  # of a page that are looked at


def sketch(text: str) -> tuple[str, str]:
    """Return how a text begins and ends: enough to see later whether another rule gives the same text."""
    return text[:_SKETCH], text[-_SKETCH:]


class Memory:
    """The last pages extracted, by address, with the values of the fields that were learned by example."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = frozenset(names)
        self._pages: OrderedDict[str, Values] = OrderedDict()
        self._nameless = 0  # pages that came without an address

    @property
    def is_full(self) -> bool:
        """Whether a further page would drive one out."""
        return len(self._pages) >= PAGES

    def remember(self, url: str | None, values: Values) -> None:
        """Keep the values of one page; the page that was not met for the longest time goes."""
        kept = {name: given for name, given in values.items() if name in self.names and _is_small(given)}
        if not kept:
            return
        if not url:
            self._nameless += 1
            url = f"#{self._nameless}"
        self._pages[url] = kept
        self._pages.move_to_end(url)
        if len(self._pages) > PAGES:
            self._pages.popitem(last=False)

    def recall(self, url: str | None, source: Source) -> Values:
        """Return the values that a page had when it was met before; none where it is new."""
        if url and url in self._pages:
            return self._pages[url]
        return self._recognise(source)

    def _recognise(self, source: Source) -> Values:
        named = _name_page(source)
        if not named or not self._pages:
            return {}
        counts = Counter(value for page in self._pages.values() for value in _telling(page))
        found = [
            page
            for page in self._pages.values()
            if any(counts[value] == 1 and f" {value} " in named for value in _telling(page))
        ]
        return found[0] if len(found) == 1 and _shows_another(source, found[0], named) else {}

    def dump(self) -> dict[str, object]:
        """Return what is remembered as JSON can hold it."""
        pages = [[url, {name: list(given) for name, given in page.items()}] for url, page in self._pages.items()]
        return {"pages": pages}

    @classmethod
    def load(cls, state: Mapping[str, object], names: Iterable[str]) -> Memory:
        """Take up a dumped memory. Raises BadInput for anything else."""
        memory = cls(names)
        for entry in read_list(state, "pages", PAGES):
            if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)):
                raise BadInput("memory: expected pairs of an address and values")
            url, plain = entry
            if len(url) > _KEY_CHARS or not isinstance(plain, Mapping) or not all(map(_is_listed, plain.values())):
                raise BadInput(f"memory: expected lists of values for {url:.60}")
            memory.remember(url, {name: tuple(given) for name, given in plain.items()})
        return memory


def _is_small(values: tuple[str, ...]) -> bool:
    return 0 < len(values) <= _VALUES and all(len(value) <= _CHARS for value in values)


def _is_listed(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _telling(page: Values) -> set[str]:
    found = (words_of(given[0]) for given in page.values())
    return {value for value in found if len(value) >= _TELLING}


def _name_page(source: Source) -> str:
    """Return the words of a page's title and headings of the first order, between spaces."""
    nodes = [*source.tree.css("title")[:1], *source.tree.css("h1")[:_HEADINGS]]
    return " ".join(["", *(words_of(unmark(element_text(node))) for node in nodes), ""])


def _shows_another(source: Source, page: Values, named: str) -> bool:
    """Say whether a page shows a value of a remembered one that is not already in its name: lists name others too."""
    root = source.tree.body
    shown = f" {words_of(unmark(element_text(root)))} " if root is not None else ""
    others = [value for value in {words_of(given[0]) for given in page.values()} if value and f" {value} " not in named]
    return not others or any(f" {value} " in shown for value in others)


RECOLLECTED = 4  # pages on which rules must give back the value that the page had before


def pick_shown(source: Source, then: Values, now: Values) -> dict[str, tuple[str, ...]]:
    """Return of each field the values that the page had before, where it still shows them, or else has now."""
    root = source.tree.body
    words = f" {words_of(unmark(element_text(root)))} " if root is not None else ""
    chosen: dict[str, tuple[str, ...]] = {}
    for name in sorted({*then, *now} - {"text"}):
        before = tuple(value for value in then.get(name, ()) if _is_shown(source, words, value))
        if before or now.get(name):
            chosen[name] = before or now[name]
    return chosen


def follow_best(profile: Profile, source: Source, names: Collection[str]) -> Values:
    """Return what the rules of the layout that gives most say of a page: evidence, which is to be proven."""
    best: Values = {}
    for layout in profile.layouts:
        found: dict[str, tuple[str, ...]] = {}
        for rules in layout.fields:
            values = _follow_ways(rules, source, loosely=True) if rules.name in names else ()
            if values and not judge(rules.usual, values, None):
                found[rules.name] = values
        best = max(best, found, key=len)
    return best


def prove(rules: FieldRules, sources: Sequence[Source], shown: Sequence[Values], usual: Usual) -> FieldRules | None:
    """Keep the ways that give nothing else than what was recollected, if they give it back on all of enough pages."""
    kept = tuple(way for way in rules.ways if _is_harmless(replace(rules, ways=(way,)), sources, shown, usual))
    proven = replace(rules, ways=kept)
    pages = [
        (source, values[rules.name]) for source, values in zip(sources, shown, strict=True) if values.get(rules.name)
    ]
    right = [_agree(rules.name, _follow_ways(proven, source), wanted) for source, wanted in pages]
    return proven if len(right) >= RECOLLECTED and all(right) else None


def is_consistent(rules: FieldRules, sources: Sequence[Source], recalled: Sequence[Values]) -> bool:
    """Say whether rules give what was recollected, where anything was; a page or another may have changed since."""
    pages = [
        (_follow_ways(rules, source), values.get(rules.name)) for source, values in zip(sources, recalled, strict=True)
    ]
    right = [_agree(rules.name, got, wanted) for got, wanted in pages if got and wanted]
    return 2 * sum(right) > len(right) or not right


def _is_harmless(rules: FieldRules, sources: Sequence[Source], shown: Sequence[Values], usual: Usual) -> bool:
    for source, values in zip(sources, shown, strict=True):
        got = _follow_ways(rules, source)
        wanted = values.get(rules.name)
        if got and (not _agree(rules.name, got, wanted) if wanted else judge(usual, got, None)):
            return False
    return True


def _agree(name: str, got: Sequence[str], wanted: Sequence[str]) -> bool:
    """Compare to the letter: another place may say the same in capitals on these pages and something else on others."""
    if not got:
        return False
    if name == "text":  # one end may differ: a line of boilerplate more or less
        return any(mine.split() == yours.split() for mine, yours in zip(sketch(got[0]), wanted, strict=False))
    if name == "date":  # dates are given out as ISO 8601
        got, wanted = [to_iso(got[0]) or got[0]], [to_iso(value) or value for value in wanted]
    return " ".join(got[0].split()) in {" ".join(value.split()) for value in wanted}


def _follow_ways(rules: FieldRules, source: Source, *, loosely: bool = False) -> tuple[str, ...]:
    return next((values for way in rules.ways if (values := follow(source, way, loosely=loosely).values)), ())


def _is_shown(source: Source, words: str, value: str) -> bool:
    """Say whether a page has a value, in its text or in an attribute."""
    if f" {words_of(value)} " in words:
        return True
    raw = value.encode(source.encoding, "replace")
    return raw in source.body or escape(value).encode(source.encoding, "replace") in source.body


_NEEDED = ("text", "title")  # what makes a layout half-learned; the others may just not be there
_TRIES = (8, 32, 128, 512)  # pages after which learning is tried again: it costs as much as reading a hundred
_KEPT = 10  # pages of a layout
_BYTES = 8_000_000  # of them
_LAYOUTS = 16


@dataclass(slots=True)
class PendingPages:
    """Some pages of one layout, the newest last, and how many there were."""

    pages: list[tuple[str | None, bytes]] = field(default_factory=list)  # without its address a page has few images
    met: int = 0

    def add(self, body: bytes, url: str | None) -> None:
        self.met += 1
        self.pages.append((url, body))
        while len(self.pages) > _KEPT or sum(len(body) for _, body in self.pages) > _BYTES:
            self.pages.pop(0)


class PendingLayouts:
    """Keeps pages of half-learned layouts in bounded memory. What is learned later is noted in the site's health."""

    def __init__(self, health: Health) -> None:
        self._health = health
        self._beds: dict[str, PendingPages] = {}

    def attend(self, profile: Profile, page: ExtractedPage, body: bytes, url: str | None) -> Profile | None:
        """Take in a page that was extracted; return a profile with rules that its layout lacked, once found."""
        layout = page.layout
        if layout is None:
            return None
        lacking = self._lacking(profile, layout)
        if not any(page.document.fields[name].values for name in lacking):
            return None
        bed = self.keep(layout, body, url)
        if bed is None or bed.met not in _TRIES:
            return None
        fuller = _complete_layout(profile, layout, bed.pages)
        if fuller is None:
            return None
        names = [rules.name for rules in fuller.fields[len(layout.fields) :]]
        self._health.renew(fuller, names, "learned from more pages")
        for name in names:
            self._health.note("learned", layout.name, name, f"from {len(bed.pages)} pages")
        return replace(profile, layouts=tuple(fuller if old is layout else old for old in profile.layouts))

    def keep(self, layout: Layout, body: bytes, url: str | None) -> PendingPages | None:
        """Keep a page of a layout."""
        if layout.name not in self._beds and len(self._beds) >= _LAYOUTS:
            return None
        bed = self._beds.setdefault(layout.name, PendingPages())
        bed.add(body, url)
        return bed

    def look_back(self, profile: Profile, page: ExtractedPage, body: bytes, url: str | None) -> None:
        """Keep a page that was learned from, if its layout lacks something."""
        if page.layout is not None and self._lacking(profile, page.layout):
            self.keep(page.layout, body, url)

    def _lacking(self, profile: Profile, layout: Layout) -> list[str]:
        have = {rules.name for rules in layout.fields}
        return [name for name in _NEEDED if name in profile.fields and name not in have and name not in profile.named]


def _complete_layout(profile: Profile, layout: Layout, pages: Sequence[tuple[str | None, bytes]]) -> Layout | None:
    """Learn a layout again and add the fields that it lacks."""
    lessons = [make_lesson_page(body, url) for url, body in pages]
    samples = [make_sample(lesson) for lesson in lessons]
    found, _, lines = learn_fields(samples)
    have = {rules.name for rules in layout.fields}
    new = [rules for rules in found if rules.name in profile.fields and rules.name not in have]
    if not new:
        return None
    fuller = replace(layout, fields=(*layout.fields, *new), pages=max(layout.pages, len(pages)))
    if "images" in profile.fields:
        seen = [make_image_page(lesson.source, lesson.page) for lesson in lessons]
        images = ImageAreaLearner(profile.images).learn(seen, fuller.fields, layout.images)
        fuller = fuller if images.why else replace(fuller, images=images.rules)
    is_new_text = any(rules.name == "text" for rules in new)
    return replace(fuller, boilerplate=lines) if is_new_text else fuller


LEAST = 5  # misfits of one template before it is learned
MOST_MISFITS = 12
MOST_BYTES = 20_000_000  # of misfits, and of samples
_REMEMBERED_EVERY = 8  # pages, once enough are remembered: it takes a tenth of the time of a page
_LARGEST = 2_000_000  # bytes of one misfit: learning takes some seconds a megabyte
MOST_KEYS = 100  # of a saved state
_SAMPLES = 3  # pages kept of each layout, to tell a new one from it
_FIRST_WAIT = 2
_LONGEST_WAIT = 320  # misfits between two attempts
_FREE = 3  # attempts in vain that may follow each other closely
_COST = 200  # pages: what an attempt takes; after those, each in vain asks for so many more pages before the next
_REST = 50  # pages without an attempt, after which new trouble is looked into at once
_PATIENCE = 2  # times that a layout with gaps waits for more pages
_SEEN_BEFORE = 2  # pages that had a field before, after which the new layout should have it
_REDESIGN = 0.5  # share of a layout's fields; a template that has so many is the same pages in new clothes


@dataclass(frozen=True, slots=True)
class Misfit:
    """A page that the rules did not fit, and what they gave nevertheless."""

    body: bytes
    url: str | None
    layout: str  # that it was taken for, or UNKNOWN
    values: Values
    uncut: frozenset[str]  # fields, and "" for the page as a whole


class Monitor:
    """Watches how pages are extracted, keeps some of them in bounded memory, and learns again when it must and can."""

    def __init__(self, health: Health, memory: Memory) -> None:
        self.health = health
        self.memory = memory
        self._misfits: OrderedDict[str, Misfit] = OrderedDict()
        self._samples: dict[str, list[bytes]] = {}
        self._met = 0  # misfits, in all
        self._wait, self._due = _FIRST_WAIT, LEAST  # misfits between two attempts, and at the next one
        self._waited = 0  # times that a layout was not taken for lack of some fields
        self._in_vain = 0  # attempts since one was of use
        self._tried_at = 0  # page number of the last attempt ...
        self._tried_for: set[tuple[str, str]] = set()  # ... and the layouts and fields in trouble then

    def attend(self, profile: Profile, page: ExtractedPage, body: bytes, url: str | None) -> Profile | None:
        """Note how the extraction of a page went; return a profile that fits better where one could be learned."""
        misfit = self.health.observe(page.layout, page.document.how, url)
        if misfit:
            self._keep_misfit(page, body, url)
            if self.health.is_ailing:
                return self._relearn(profile) if self._is_due() else None
        if page.layout is not None:
            if not misfit:
                self._keep_sample(page.layout.name, body)
            if not self.memory.is_full or self.health.pages % _REMEMBERED_EVERY == 0:
                self.memory.remember(url, got_by_rules(page.document.fields, self.memory.names))
        return None

    def look_back(self, page: ExtractedPage, body: bytes, url: str | None, shown: Mapping[str, Sequence[str]]) -> None:
        """Note how the extraction of a page that was learned from went, and what was shown on it."""
        self.health.observe(page.layout, page.document.how, url)
        if page.layout is not None:
            self._keep_sample(page.layout.name, body)
        known = {name: tuple(values) for name, values in shown.items()}
        self.memory.remember(url, {**known, **got_by_rules(page.document.fields, self.memory.names)})

    def settle(self, profile: Profile) -> None:
        """Take what was seen until now, on the pages learned, for the normal state."""
        self.health.settle(profile.layouts)
        self._misfits.clear()
        self._met, self._wait, self._due = 0, _FIRST_WAIT, LEAST

    def dump(self) -> dict[str, object]:
        """Return what is known of the site's health, and what its pages said, as JSON can hold it."""
        return {"watch": self.health.dump(), "memory": self.memory.dump()}

    @classmethod
    def load(cls, state: Mapping[str, object], profile: Profile) -> Monitor:
        """Take up a dumped state. Raises BadInput for anything else."""
        health = Health.load(read_map(state, "watch", MOST_KEYS), profile.layouts)
        return cls(health, Memory.load(read_map(state, "memory", MOST_KEYS), memorable(profile)))

    def _keep_sample(self, layout: str, body: bytes) -> None:
        samples = self._samples.setdefault(layout, [])
        if len(samples) < _SAMPLES and len(body) <= MOST_BYTES // (MOST_LAYOUTS * _SAMPLES):
            samples.append(body)

    def _keep_misfit(self, page: ExtractedPage, body: bytes, url: str | None) -> None:
        """Keep a page that does not fit; the oldest goes."""
        self._met += 1
        if len(body) > _LARGEST:
            return
        key = url or f"#{self._met}"
        self._misfits.pop(key, None)
        fields = page.document.fields
        how = page.document.how
        uncut = frozenset({"", *(name for name in fields if not how[name].startswith("cut"))})
        values = got_by_rules(fields, self.memory.names)
        self._misfits[key] = Misfit(body, url, page.layout.name if page.layout is not None else UNKNOWN, values, uncut)
        while len(self._misfits) > MOST_MISFITS or sum(len(kept.body) for kept in self._misfits.values()) > MOST_BYTES:
            self._misfits.popitem(last=False)

    def _is_due(self) -> bool:
        """Say whether enough misfits came since the last attempt; each waits twice as long, but for new trouble."""
        troubles = {(event.layout, event.field) for event in self.health.drift.events}
        self._tried_for &= troubles
        if troubles - self._tried_for and self.health.pages - self._tried_at > _REST:
            self._wait, self._due = _FIRST_WAIT, min(self._due, self._met)
        rested = self.health.pages - self._tried_at >= _COST * (self._in_vain - _FREE)
        return rested and len(self._misfits) >= LEAST and self._met >= self._due

    def _relearn(self, profile: Profile) -> Profile | None:
        """Learn a layout from the misfits kept, if enough of them are of one template and it can be learned."""
        misfits = self._pick_misfits()
        if len(misfits) < LEAST:
            return None
        self._due = self._met + self._wait
        self._wait = min(2 * self._wait, _LONGEST_WAIT)
        self._tried_at = self.health.pages
        self._in_vain += 1
        self._tried_for = {(event.layout, event.field) for event in self.health.drift.events}
        lessons = [make_lesson_page(misfit.body, misfit.url) for misfit in misfits]
        for group in group_pages([lesson.page for lesson in lessons]):
            chosen = [misfits[i] for i in group]
            new = self._renew(profile, chosen, [lessons[i] for i in group]) if len(group) >= LEAST else None
            if new is not None:
                self._misfits = OrderedDict((key, kept) for key, kept in self._misfits.items() if kept not in chosen)
                self._in_vain = 0
                return new
        return None

    def _pick_misfits(self) -> list[Misfit]:
        """Return of each ailing layout the misfits with the most common symptoms: others have other troubles."""
        ailing = {(event.layout, event.field) for event in self.health.drift.events}
        symptoms = {
            key: (each.layout, frozenset(name for name in each.uncut if (each.layout, name) in ailing))
            for key, each in self._misfits.items()
        }
        counts = Counter(symptom for symptom in symptoms.values() if symptom[1])
        common = {layout: (layout, fields) for (layout, fields), _ in reversed(counts.most_common())}
        return [each for key, each in self._misfits.items() if symptoms[key] == common.get(each.layout)]

    def _renew(self, profile: Profile, misfits: Sequence[Misfit], lessons: Sequence[LessonPage]) -> Profile | None:
        """Learn from pages of one template; a layout that its marks cannot tell from an old one mends that one."""
        bodies = [misfit.body for misfit in misfits]
        taken_for = Counter(misfit.layout for misfit in misfits).most_common(1)[0][0]
        old = next((layout for layout in profile.layouts if layout.name == taken_for), None)
        learned = self._learn(profile, old, misfits, lessons)
        ailing = {event.field for event in self.health.drift.events if event.layout == taken_for}
        if learned is None or not helps(learned.layouts[0], bodies, ailing if old is not None else None):
            self.health.note("failed", taken_for, "", f"{len(misfits)} pages do not show how")
            return None
        layout = _note_gaps(replace(learned.layouts[0], name=free_name(profile)), profile, old, learned.fields)
        if self._may_wait(layout, len(misfits)):
            return None
        new = merge_layout(profile, layout, bodies, self._samples)
        if new is not None:
            new, dropped = prune(share_boilerplate(new, learned.boilerplate), self.health.last_seen)
            self._report_layout(layout, {misfit.layout for misfit in misfits}, bodies, dropped)
            return new
        return self._mend(profile, old, [rules for rules in layout.fields if rules.name in ailing], bodies)

    def _may_wait(self, layout: Layout, pages: int) -> bool:
        """Say whether to wait for more pages, which may show the fields that are still lacking; note them if so."""
        gaps = [rules.name for rules in layout.fields if not rules.ways]
        if not gaps or self._waited >= _PATIENCE or pages >= MOST_MISFITS:
            self._waited = 0
            return False
        self._waited += 1
        self.health.note("failed", UNKNOWN, "", f"{pages} pages do not show {', '.join(gaps)} yet")
        return True

    def _mend(
        self, profile: Profile, old: Layout | None, fields: Sequence[FieldRules], bodies: Sequence[bytes]
    ) -> Profile | None:
        mended = mend(old, fields) if old is not None else None
        names = [rules.name for rules in fields if rules.ways]
        if mended is None or not helps(mended, bodies, set(names)):
            why = "the pages cannot be told from those of other layouts"
            self.health.note("failed", old.name if old is not None else UNKNOWN, "", why)
            return None
        self.health.note("learned", mended.name, "", f"further rules for {', '.join(names)} from {len(bodies)} pages")
        self.health.renew(mended, names, "learned again")
        layouts = tuple(mended if layout is old else layout for layout in profile.layouts)
        return replace(profile, layouts=layouts)

    def _report_layout(self, layout: Layout, taken_for: set[str], bodies: Sequence[bytes], dropped: str) -> None:
        health = self.health
        self._samples[layout.name] = list(bodies[:_SAMPLES])
        got = ", ".join(rules.name for rules in layout.fields if rules.ways)
        health.note("learned", layout.name, "", f"{got} from {len(bodies)} pages")
        for name in sorted(taken_for):
            health.start_afresh(name, f"learned again as {layout.name}")
        for rules in layout.fields:
            if not rules.ways:
                health.miss(layout.name, rules.name, "could not be learned again")
        if dropped:
            self._samples.pop(dropped, None)
            health.start_afresh(dropped, "dropped")
            health.note("dropped", dropped, "", "its pages were not met for the longest time")

    def _learn(
        self, profile: Profile, old: Layout | None, misfits: Sequence[Misfit], lessons: Sequence[LessonPage]
    ) -> Profile | None:
        """Learn the fields that recollection proves, and others that reading finds and nothing contradicts.

        The `fields` of what is returned are those that the pages had before.
        """
        sources = [lesson.source for lesson in lessons]
        recalled = _each_once(
            [self.memory.recall(misfit.url, source) for misfit, source in zip(misfits, sources, strict=True)]
        )
        given = [
            misfit.values or follow_best(profile, source, self.memory.names - {"text"})
            for misfit, source in zip(misfits, sources, strict=True)
        ]
        shown = [pick_shown(*each) for each in zip(sources, recalled, given, strict=True)]
        usual = {rules.name: rules.usual for layout in (*profile.layouts, old) if layout for rules in layout.fields}
        learned_by_example = learn_examples(sources, [each or None for each in shown]).fields
        proofs = (prove(rules, sources, shown, usual.get(rules.name, Usual())) for rules in learned_by_example)
        by_example = {rules.name: rules for rules in proofs if rules is not None}
        plain = [name for name in profile.fields if name not in profile.named]
        learned, _ = learn_profile(lessons, plain, profile.images)
        read = [rules for rules in learned.layouts[0].fields if is_consistent(rules, sources, recalled)]
        fields = by_example | {rules.name: rules for rules in read if rules.name not in by_example}
        order = [fields[name] for name in profile.fields if name in fields]
        counts = Counter(name for values in recalled for name in values)
        missed = tuple(name for name, count in counts.items() if count >= _SEEN_BEFORE)
        layout = replace(learned.layouts[0], fields=tuple(order))
        return replace(learned, layouts=(layout,), fields=missed) if order else None


def memorable(profile: Profile) -> set[str]:
    """Return the fields whose values are remembered; of text, how it begins and ends."""
    return set(profile.fields) - {"images", "records"}


def _each_once(recalled: Sequence[Values]) -> list[Values]:
    """Forget what several pages were taken for: all of them name the site, as its front page does, and none is it."""
    counts = Counter(id(values) for values in recalled)
    return [values if counts[id(values)] == 1 else {} for values in recalled]


def got_by_rules(fields: Mapping[str, Field], names: frozenset[str]) -> Values:
    """Return the values that rules agreed on; what was read cold is no evidence of where a field is."""
    found = ((name, fields[name]) for name in sorted(names) if name in fields)  # sets differ from run to run
    kept = {name: field.values for name, field in found if field.values and "read cold" not in field.how}
    if "text" in kept:
        kept["text"] = sketch(kept["text"][0])
    return kept


def _note_gaps(layout: Layout, profile: Profile, old: Layout | None, known: Collection[str]) -> Layout:
    """Add the fields that the pages had before their redesign and that could not be learned: they will be missed."""
    before = [old] if old is not None else [each for each in profile.layouts if each.fields]
    usual = {rules.name: rules.usual for each in before for rules in each.fields if rules.usual.is_expected}
    expected = [name for name in usual if all(_expects(each, name) for each in before)]
    names = {rules.name for rules in layout.fields}
    if sum(name in names for name in expected) < _REDESIGN * len(expected):
        expected = [name for name in expected if name in known]
    gaps = tuple(FieldRules(name, (), usual[name]) for name in expected if name not in names)
    return replace(layout, fields=layout.fields + gaps)


def _expects(layout: Layout, name: str) -> bool:
    return any(rules.name == name and rules.usual.is_expected for rules in layout.fields)
