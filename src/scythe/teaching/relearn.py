"""Learn a site again by itself: pages that the rules no longer fit come in, a profile with one more layout goes out.

Fields that reading finds are read again. Fields that someone once showed by example are recollected: what the same
pages said before, and what the old rules still agree on, serve as new examples. Rules that do not give back every value
recollected are not taken; the field then stays missing, and its event open.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from scythe.extracting.harvest import Harvest
from scythe.learn.events import read_map
from scythe.learn.examples import learn_examples
from scythe.learn.health import UNKNOWN, Health
from scythe.learn.layouts import group_pages
from scythe.learn.memory import Memory, Values, sketch
from scythe.learn.proof import follow_best, is_consistent, pick_shown, prove
from scythe.model import Field
from scythe.rules import FieldRules, Layout, Profile, Usual
from scythe.teaching.graft import MOST_LAYOUTS, free_name, graft, helps, mend, prune, share_boilerplate
from scythe.teaching.teach import Lesson, learn_profile, make_lesson

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


class Keeper:
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

    def attend(self, profile: Profile, page: Harvest, body: bytes, url: str | None) -> Profile | None:
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

    def look_back(self, page: Harvest, body: bytes, url: str | None, shown: Mapping[str, Sequence[str]]) -> None:
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
    def load(cls, state: Mapping[str, object], profile: Profile) -> Keeper:
        """Take up a dumped state. Raises BadInput for anything else."""
        health = Health.load(read_map(state, "watch", MOST_KEYS), profile.layouts)
        return cls(health, Memory.load(read_map(state, "memory", MOST_KEYS), memorable(profile)))

    def _keep_sample(self, layout: str, body: bytes) -> None:
        samples = self._samples.setdefault(layout, [])
        if len(samples) < _SAMPLES and len(body) <= MOST_BYTES // (MOST_LAYOUTS * _SAMPLES):
            samples.append(body)

    def _keep_misfit(self, page: Harvest, body: bytes, url: str | None) -> None:
        """Keep a page that does not fit; the oldest goes."""
        self._met += 1
        if len(body) > _LARGEST:
            return
        key = url or f"#{self._met}"
        self._misfits.pop(key, None)
        fields = page.document.fields
        uncut = frozenset({"", *(name for name, field in fields.items() if not field.how.startswith("cut"))})
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
        lessons = [make_lesson(misfit.body, misfit.url) for misfit in misfits]
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

    def _renew(self, profile: Profile, misfits: Sequence[Misfit], lessons: Sequence[Lesson]) -> Profile | None:
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
        new = graft(profile, layout, bodies, self._samples)
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
        self, profile: Profile, old: Layout | None, misfits: Sequence[Misfit], lessons: Sequence[Lesson]
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
