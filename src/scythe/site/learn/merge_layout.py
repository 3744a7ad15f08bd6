"""Add a newly learned layout, or fields learned by example, to an existing profile.

Existing layouts, fields, lists and labels stay; a field that is shown again is replaced on the layouts where it was
shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scythe.model import Field
from scythe.site.cut.cutter import Cutter, Dispatcher
from scythe.site.extract import ExtractedPage, Extractor
from scythe.site.learn.examples import learn_examples
from scythe.site.learn.layout_marks import choose_marks, read_literals
from scythe.site.learn.learn_site import EXAMPLES_PER_LAYOUT, LessonPage, learn_profile
from scythe.site.rules import FieldRules, Layout, Profile, Usual

MOST_LAYOUTS = 16
_WAYS = 4  # of a field of a mended layout
_OWN_MARKS = 4
_SHELL_MARKS = 2
_LINES = 1_000  # of boilerplate

Samples = Mapping[str, Sequence[bytes]]  # some pages of each layout, by its name


def merge_layout(profile: Profile, layout: Layout, bodies: Sequence[bytes], samples: Samples) -> Profile | None:
    """Add a layout with marks that tell its pages from those of all others, or return None where none do."""
    known = [list(samples.get(old.name, ())) for old in profile.layouts]
    marks = choose_marks([*known, list(bodies)])[-1]
    for chosen in (marks, _choose_own(bodies, known, marks)):
        layouts = (*profile.layouts, replace(layout, marks=chosen))
        if chosen and _tells_apart(layouts, [*known, bodies]):
            return replace(profile, layouts=layouts)
    return None


def _choose_own(bodies: Sequence[bytes], known: Sequence[Sequence[bytes]], marks: Sequence[bytes]) -> tuple[bytes, ...]:
    """Choose literals that all pages have and no page of another layout, where the usual choice was not enough."""
    own = set.intersection(*map(read_literals, bodies))
    rivals = [body for pages in known for body in pages]
    own = {literal for literal in own if literal.count(b"=") == 1 and not any(literal in body for body in rivals)}
    ranked = sorted(own, key=lambda literal: (len(literal), literal))
    spread = ranked[:: max(1, len(ranked) // _OWN_MARKS)][:_OWN_MARKS]
    return (*spread, *[mark for mark in marks if mark not in spread][:_SHELL_MARKS]) if spread else ()


def _tells_apart(layouts: Sequence[Layout], pages: Sequence[Sequence[bytes]]) -> bool:
    """Say whether all pages are taken for what they are, whichever page came before."""
    dispatcher = Dispatcher(layouts)
    every = [(body, number) for number, bodies in enumerate(pages) for body in bodies]
    for first, _ in every:
        for body, number in every:
            dispatcher.pick(first)
            if dispatcher.pick(body) != number:
                return False
    return True


def mend(layout: Layout, fields: Sequence[FieldRules]) -> Layout:
    """Give the fields of a layout further ways, which are tried where the old ones lead nowhere."""
    new = {rules.name: rules for rules in fields if rules.ways}
    mended = (_widen(rules, new[rules.name]) if rules.name in new else rules for rules in layout.fields)
    return replace(layout, fields=tuple(mended))


def helps(layout: Layout, bodies: Sequence[bytes], names: Collection[str] | None) -> bool:
    """Say whether a layout cuts at least one of the named fields (or of all) from most of the pages."""
    cutter = Cutter(layout)
    counts = [0] * len(layout.fields)
    for body in bodies:
        for i, cut in enumerate(cutter.cut(body)):
            counts[i] += cut.state == "cut"
    asked = [i for i, rules in enumerate(layout.fields) if names is None or rules.name in names]
    return any(2 * counts[i] > len(bodies) for i in asked)


def count_present(profile: Profile, extracted: Sequence[ExtractedPage]) -> Profile:
    """Count on how many of all pages learned a field is, those included on which nobody looked for it."""
    layouts: list[Layout] = []
    for layout in profile.layouts:
        own = [
            page.document.fields for page in extracted if page.layout is not None and page.layout.name == layout.name
        ]
        fields = [
            replace(
                rules, usual=replace(rules.usual, pages=len(own), present=sum(_has(each, rules.name) for each in own))
            )
            if len(own) > rules.usual.pages > 0
            else rules
            for rules in layout.fields
        ]
        layouts.append(replace(layout, fields=tuple(fields)))
    return replace(profile, layouts=tuple(layouts))


def _has(fields: Mapping[str, Field], name: str) -> bool:
    return name in fields and bool(fields[name].values) and "read cold" not in fields[name].how


def prune(profile: Profile, last_seen: Callable[[str], int]) -> tuple[Profile, str]:
    """Drop the layout whose pages were not met for the longest time, if there are too many; also return its name."""
    if len(profile.layouts) <= MOST_LAYOUTS:
        return profile, ""
    oldest = min(profile.layouts[:-1], key=lambda layout: last_seen(layout.name))
    kept = tuple(layout for layout in profile.layouts if layout is not oldest)
    return replace(profile, layouts=kept), oldest.name


def share_boilerplate(profile: Profile, lines: Sequence[str]) -> Profile:
    """Add lines that the pages of the new layout share; the older ones go where they are too many."""
    return replace(profile, boilerplate=tuple(dict.fromkeys((*profile.boilerplate, *lines)))[-_LINES:])


def free_name(profile: Profile) -> str:
    """Return a name that no layout has had: numbers go on."""
    numbers = [int(number) for layout in profile.layouts if (number := layout.name.rpartition("-")[2]).isdecimal()]
    return f"layout-{max(numbers, default=0) + 1}"


def _widen(old: FieldRules, new: FieldRules) -> FieldRules:
    more = tuple(way for way in new.ways if way not in old.ways)
    room = max(1, _WAYS - len(old.ways))
    return replace(old, ways=(*old.ways, *more[:room]), usual=_span_both(old.usual, new.usual))


def _span_both(old: Usual, new: Usual) -> Usual:
    """Return what holds for both; where nothing was seen of the one, it is the other."""
    if not old.present or not new.present:
        return old if old.present else new
    return Usual(
        pages=old.pages + new.pages,
        present=old.present + new.present,
        shortest=min(old.shortest, new.shortest),
        longest=max(old.longest, new.longest),
        middle=old.middle,
        first=min(old.first, new.first),
        last=max(old.last, new.last),
        script=old.script if old.script == new.script else "",
        form=old.form if old.form == new.form else "",
    )


_NOTHING_SHOWN = "no example page has a value"  # said by `learn_examples`: pages without the field are no complaint


@dataclass(frozen=True, slots=True)
class Taught:
    """A profile with the fields shown, why something was not learned, and what became of the pages."""

    profile: Profile
    notes: tuple[str, ...] = ()
    layouts: tuple[str | None, ...] = ()  # that each lesson is taken for
    shown_on: tuple[str, ...] = ()  # layouts that values were shown on
    new: tuple[str, ...] = ()  # of these, those that the profile did not have


def add_layout_fields(profile: Profile, lessons: Sequence[LessonPage]) -> Taught:
    """Learn what the examples of lessons show, on the layouts that a profile has. Some milliseconds a page."""
    names = tuple(dict.fromkeys(name for lesson in lessons for name in lesson.example or ()))
    larger, notes = _add_layouts(profile, lessons, names)
    placed = _place(larger, lessons)
    shown_on: list[str] = []
    layouts = list(larger.layouts)
    for numbers in _groups(lessons, placed):
        own = [lesson for lesson, number in zip(lessons, placed, strict=True) if number in numbers]
        learned, reasons = learn_examples([lesson.source for lesson in own], [lesson.example for lesson in own])
        where = ", ".join(layouts[number].name for number in numbers)
        notes += [f"{where}: {name}: {why}" for name, why in reasons.items() if why != _NOTHING_SHOWN]
        for number in numbers:
            shown_on.append(layouts[number].name)
            layouts[number] = _with_fields(layouts[number], learned, reasons)
    fields = tuple(dict.fromkeys((*profile.fields, *names)))
    named = tuple(sorted({*profile.named, *names}))
    taught = _count(replace(larger, layouts=tuple(layouts), fields=fields, named=named), lessons, names)
    known = {layout.name for layout in profile.layouts}
    return Taught(
        taught,
        tuple(notes),
        tuple(None if number is None else layouts[number].name for number in placed),
        tuple(shown_on),
        tuple(name for name in shown_on if name not in known),
    )


def _place(profile: Profile, lessons: Sequence[LessonPage]) -> list[int | None]:
    """Return the number of the layout that each page is taken for when it is extracted."""
    dispatcher = Dispatcher(profile.layouts)
    return [dispatcher.pick(lesson.source.body, lesson.url) for lesson in lessons]


def _add_layouts(profile: Profile, lessons: Sequence[LessonPage], names: Sequence[str]) -> tuple[Profile, list[str]]:
    """Add layouts for pages that no layout fits and on which values are shown."""
    placed = _place(profile, lessons)
    unknown = [lesson for lesson, number in zip(lessons, placed, strict=True) if number is None]
    if not any(_shows_something(lesson) for lesson in unknown):
        return profile, []
    samples: dict[str, list[bytes]] = defaultdict(list)
    for lesson, number in zip(lessons, placed, strict=True):
        if number is not None:
            samples[profile.layouts[number].name].append(lesson.source.body)
    plain = [name for name in profile.fields if name not in names and name not in profile.named]
    fresh, notes = learn_profile(unknown, [*plain, *names], known=profile.images)
    if not profile.layouts:
        return replace(profile, layouts=fresh.layouts, hosts=fresh.hosts), list(notes)
    said = list(notes)
    for layout, lesson_numbers in zip(fresh.layouts, _bodies_of(fresh, unknown), strict=True):
        bodies = [unknown[i].source.body for i in lesson_numbers]
        larger = merge_layout(profile, replace(layout, name=free_name(profile)), bodies, samples) if bodies else None
        if larger is None:
            said.append(f"{layout.name}: its pages cannot be told from those that the profile knows")
            continue
        profile = larger
        samples[profile.layouts[-1].name] += bodies
    return profile, said


def _bodies_of(fresh: Profile, lessons: Sequence[LessonPage]) -> list[list[int]]:
    placed = _place(fresh, lessons)
    return [[i for i, number in enumerate(placed) if number == at] for at in range(len(fresh.layouts))]


def _shows_something(lesson: LessonPage) -> bool:
    return any((lesson.example or {}).values())


def _groups(lessons: Sequence[LessonPage], placed: Sequence[int | None]) -> Iterator[list[int]]:
    """Yield layouts to learn on together: each by itself, but all at once where one has too few examples."""
    shown: dict[int, int] = defaultdict(int)
    for lesson, number in zip(lessons, placed, strict=True):
        if number is not None and _shows_something(lesson):
            shown[number] += 1
    if shown and min(shown.values()) < EXAMPLES_PER_LAYOUT:
        yield sorted(shown)
    else:
        yield from ([number] for number in sorted(shown))


def _with_fields(layout: Layout, learned: Sequence[FieldRules], reasons: dict[str, str]) -> Layout:
    """Put fields in place of those with the same names; one that the pages are said not to have goes."""
    new = {rules.name: rules for rules in learned}
    gone = {name for name, why in reasons.items() if why == _NOTHING_SHOWN}
    kept = [new.pop(rules.name, rules) for rules in layout.fields if rules.name not in gone]
    return replace(layout, fields=(*kept, *new.values()))


def _count(profile: Profile, lessons: Sequence[LessonPage], names: Sequence[str]) -> Profile:
    """Count on how many of all pages the new fields are; what is known of the others stays."""
    extractor = Extractor(profile, tuple(names))
    counted = count_present(profile, [extractor.extract_page(each.source.body, each.url, "auto") for each in lessons])
    layouts = [
        replace(
            old,
            fields=tuple(one if one.name in names else same for one, same in zip(new.fields, old.fields, strict=True)),
        )
        for new, old in zip(counted.layouts, profile.layouts, strict=True)
    ]
    return replace(profile, layouts=tuple(layouts))
