"""Add fields shown by example to what is known of a site: a profile and lessons come in, a larger profile goes out.

Layouts, fields, lists and labels that the profile has stay as they are; a field that is shown again is replaced on the
layouts on which it was shown. Pages of no known layout on which something was shown become layouts of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scythe.cut.dispatch import Dispatcher
from scythe.extracting.harvest import Harvester
from scythe.learn.examples import learn_examples
from scythe.rules import FieldRules, Layout, Profile
from scythe.teaching.graft import count_present, free_name, graft
from scythe.teaching.teach import EXAMPLES_PER_LAYOUT, Lesson, learn_profile

_NOTHING_SHOWN = "no example page has a value"  # said by `learn_examples`: pages without the field are no complaint


@dataclass(frozen=True, slots=True)
class Taught:
    """A profile with the fields shown, why something was not learned, and what became of the pages."""

    profile: Profile
    notes: tuple[str, ...] = ()
    layouts: tuple[str | None, ...] = ()  # that each lesson is taken for
    shown_on: tuple[str, ...] = ()  # layouts that values were shown on
    new: tuple[str, ...] = ()  # of these, those that the profile did not have


def teach_fields(profile: Profile, lessons: Sequence[Lesson]) -> Taught:
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


def _place(profile: Profile, lessons: Sequence[Lesson]) -> list[int | None]:
    """Return the number of the layout that each page is taken for when it is extracted."""
    dispatcher = Dispatcher(profile.layouts)
    return [dispatcher.pick(lesson.source.body, lesson.url) for lesson in lessons]


def _add_layouts(profile: Profile, lessons: Sequence[Lesson], names: Sequence[str]) -> tuple[Profile, list[str]]:
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
        larger = graft(profile, replace(layout, name=free_name(profile)), bodies, samples) if bodies else None
        if larger is None:
            said.append(f"{layout.name}: its pages cannot be told from those that the profile knows")
            continue
        profile = larger
        samples[profile.layouts[-1].name] += bodies
    return profile, said


def _bodies_of(fresh: Profile, lessons: Sequence[Lesson]) -> list[list[int]]:
    placed = _place(fresh, lessons)
    return [[i for i, number in enumerate(placed) if number == at] for at in range(len(fresh.layouts))]


def _shows_something(lesson: Lesson) -> bool:
    return any((lesson.example or {}).values())


def _groups(lessons: Sequence[Lesson], placed: Sequence[int | None]) -> Iterator[list[int]]:
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


def _count(profile: Profile, lessons: Sequence[Lesson], names: Sequence[str]) -> Profile:
    """Count on how many of all pages the new fields are; what is known of the others stays."""
    harvester = Harvester(profile, tuple(names))
    counted = count_present(profile, [harvester.harvest(each.source.body, each.url, "auto") for each in lessons])
    layouts = [
        replace(
            old,
            fields=tuple(one if one.name in names else same for one, same in zip(new.fields, old.fields, strict=True)),
        )
        for new, old in zip(counted.layouts, profile.layouts, strict=True)
    ]
    return replace(profile, layouts=tuple(layouts))
