"""Join a newly learned layout to a profile: a profile, a layout and its pages come in, a larger profile goes out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from scythe.cut.cutter import Cutter
from scythe.cut.dispatch import Dispatcher
from scythe.extracting.harvest import Harvest
from scythe.learn.marks import choose_marks, read_literals
from scythe.model import Field
from scythe.rules import FieldRules, Layout, Profile, Usual

MOST_LAYOUTS = 16
_WAYS = 4  # of a field of a mended layout
_OWN_MARKS = 4
_SHELL_MARKS = 2
_LINES = 1_000  # of boilerplate

Samples = Mapping[str, Sequence[bytes]]  # some pages of each layout, by its name


def graft(profile: Profile, layout: Layout, bodies: Sequence[bytes], samples: Samples) -> Profile | None:
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


def count_present(profile: Profile, harvests: Sequence[Harvest]) -> Profile:
    """Count on how many of all pages learned a field is, those included on which nobody looked for it."""
    layouts: list[Layout] = []
    for layout in profile.layouts:
        own = [page.document.fields for page in harvests if page.layout is not None and page.layout.name == layout.name]
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
