"""Compare two stored versions of a profile and describe the changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scythe.archive.profile_history import stored_profile
from scythe.archive.site_health import read_versions
from scythe.archive.sites import find_site
from scythe.site.describe_rules import as_text
from scythe.site.profile import load_profile
from scythe.site.rules import FieldRules, Layout, Profile, Way
from scythe.web.state import NotThere, State

_KEPT = 16  # versions


class Versions:
    """The versions that were looked at last, parsed; one that is there never changes."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int], Profile] = OrderedDict()

    def newest(self, key: str) -> int:
        """Return the number of the newest version. Raises NotThere where there is none."""
        with self._state.archive() as archive:
            site = find_site(archive, key)
            with archive.reading() as connection:
                found = read_versions(connection, site, 1) if site is not None else []
        if not found:
            raise NotThere(f"nothing was learned of {key!r:.80} yet")
        return found[0].version

    def get(self, key: str, version: int) -> Profile:
        """Return a version. Raises NotThere where there is no such."""
        with self._lock:
            kept = self._kept.pop((key, version), None) or self._load(key, version)
            self._kept[key, version] = kept
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return kept

    def _load(self, key: str, version: int) -> Profile:
        with self._state.archive() as archive:
            site = find_site(archive, key)
            text = stored_profile(archive, site, version) if site is not None and version > 0 else None
        if text is None:
            raise NotThere(f"there is no version {version} of what was learned of {key!r:.80}")
        return load_profile(text, name=f"version {version}").profile


_SHOWN = 60  # characters of a tag


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """One thing that is different in a newer version."""

    kind: str  # added, dropped, changed, tuned
    layout: str  # "" for the site as a whole
    says: str


def compare_profiles(old: Profile, new: Profile) -> list[ProfileChange]:
    """Return what changed from one version to another; nothing where only counts of pages did."""
    before = {layout.name: layout for layout in old.layouts}
    after = {layout.name: layout for layout in new.layouts}
    changes = [*_compare_sites(old, new)]
    changes += [ProfileChange("added", name, _tell_new(after[name])) for name in after if name not in before]
    changes += [ProfileChange("dropped", name, _tell_old(before[name])) for name in before if name not in after]
    for name in after:
        if name in before and before[name] != after[name]:
            changes += _compare_layouts(before[name], after[name])
    return changes


def summarise(changes: Sequence[ProfileChange]) -> str:
    """Say in one line what changed."""
    if not changes:
        return "nothing but how the site has fared"
    said = []
    for kind in ("added", "dropped"):
        names = [change.layout for change in changes if change.kind == kind and change.layout]
        if names:
            said.append(f"{', '.join(names[:4])}{' and others' if len(names) > 4 else ''} {kind}")
    touched = sorted({change.layout or "the site" for change in changes if change.kind == "changed"})
    if touched:
        said.append(f"{', '.join(touched[:4])}{' and others' if len(touched) > 4 else ''} changed")
    return "; ".join(said) or "where searches begin"


def _compare_sites(old: Profile, new: Profile) -> Iterator[ProfileChange]:
    more, less = _names(new.fields, old.fields), _names(old.fields, new.fields)
    if more:
        yield ProfileChange("added", "", f"{more} is looked for")
    if less:
        yield ProfileChange("dropped", "", f"{less} is no longer looked for")
    if _names(new.named, old.named):
        yield ProfileChange("changed", "", f"{_names(new.named, old.named)} was shown by example")
    marked, before = len(new.images.labelled), len(old.images.labelled)
    if marked != before:
        yield ProfileChange("changed", "", f"images of {marked} pages are labelled, {before} before")
    if new.images.method != old.images.method:
        yield ProfileChange("changed", "", f"images are judged by {new.images.method}, by {old.images.method} before")


def _compare_layouts(old: Layout, new: Layout) -> Iterator[ProfileChange]:
    fields = {rules.name: rules for rules in old.fields}
    is_tuned = any(rules.name in fields and _is_tuned(fields[rules.name], rules) for rules in new.fields)
    for rules in new.fields:
        if rules.name not in fields:
            yield ProfileChange("changed", new.name, f"{rules.name} is new: it {_opens(rules)}")
        else:
            said = _compare_fields(fields.pop(rules.name), rules)
            if said:
                yield ProfileChange("changed", new.name, f"{rules.name}: {said}")
    for name in fields:
        yield ProfileChange("changed", new.name, f"{name} has no rules any more")
    for said in _compare_rest(old, new):
        yield ProfileChange("changed", new.name, said)
    if is_tuned:
        yield ProfileChange("tuned", new.name, "searches begin where its fields are now")


def _compare_fields(old: FieldRules, new: FieldRules) -> str:
    before, after = [_fixed(way) for way in old.ways], [_fixed(way) for way in new.ways]
    if before == after:
        return ""
    said = []
    if len(before) != len(after):
        said.append(f"{len(after)} ways to it, {len(before)} before")
    if after and _opening(old) != _opening(new):
        was = f" instead of {_opening(old)}" if before else ""
        said.append(f"opens with {_opening(new)}{was}")
    rules, rules_before = sum(len(way.rules) for way in after), sum(len(way.rules) for way in before)
    if rules != rules_before:
        said.append(f"{rules} rules, {rules_before} before")
    if len(before) == len(after) and [way.end for way in before] != [way.end for way in after]:
        said.append("another end marker")
    return "; ".join(said) or "rules with other anchors or bounds"


def _compare_rest(old: Layout, new: Layout) -> Iterator[str]:
    if set(old.marks) != set(new.marks):
        new_marks, old_marks = len(set(new.marks) - set(old.marks)), len(set(old.marks) - set(new.marks))
        yield f"known by other marks: {new_marks} new, {old_marks} gone"
    if _names(new.encodings, old.encodings):
        yield f"pages in {_names(new.encodings, old.encodings)}, too"
    if [rules.heads for rules in old.lists] != [rules.heads for rules in new.lists]:
        yield f"rules for {len(new.lists)} lists of records, {len(old.lists)} before"
    if [area.path for area in old.images.areas] != [area.path for area in new.images.areas]:
        yield f"{len(new.images.areas)} areas with images, {len(old.images.areas)} before"


def _tell_new(layout: Layout) -> str:
    got = [rules.name for rules in layout.fields if rules.ways]
    lacks = [rules.name for rules in layout.fields if not rules.ways]
    lists = f", {len(layout.lists)} lists of records" if layout.lists else ""
    lacking = f"; {', '.join(lacks)} could not be learned" if lacks else ""
    return f"learned from {layout.pages} pages: {', '.join(got) or 'no fields'}{lists}{lacking}"


def _tell_old(layout: Layout) -> str:
    return f"had been learned from {layout.pages} pages: {', '.join(rules.name for rules in layout.fields)}"


def _names(one: Sequence[str], other: Sequence[str]) -> str:
    return ", ".join(name for name in one if name not in other)


def _opens(rules: FieldRules) -> str:
    return f"opens with {_opening(rules)}" if rules.ways else "is known of, without a rule"


def _opening(rules: FieldRules) -> str:
    if not rules.ways or not rules.ways[0].rules:
        return "nothing"
    text = as_text(rules.ways[0].rules[0].anchor)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\u2026"


def _fixed(way: Way) -> Way:
    """Return a way without what is tuned all the time: where its searches begin."""
    return replace(way, rules=tuple(replace(rule, position=0) for rule in way.rules))


def _is_tuned(old: FieldRules, new: FieldRules) -> bool:
    return old.ways != new.ways and [_fixed(way) for way in old.ways] == [_fixed(way) for way in new.ways]
