"""Learn rules that cut the records of a layout's lists.

A rule is the beginning of the records' opening tags and, where that is ambiguous, a way to the element around them. It
must select the records that reading found on nearly all pages. A layout gets rules for all of its lists or for none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from scythe.page.source import Source, is_bare
from scythe.site.follow.follow_lists import MOST_RECORDS, find_lookalike, follow_list, head_names
from scythe.site.learn.list_groups import (
    ObservedList,
    SameList,
    group_seen,
    label_at,
    learn_columns,
    lift_group,
    records_label,
    settle_level,
    tag_at,
)
from scythe.site.learn.literals import (
    DELIMITERS,
    common_prefix,
    name_of,
    shorter_prefixes,
    stable_prefix,
    steady_prefix,
)
from scythe.site.learn.way_rules import learn_way
from scythe.site.rules import FLOW, ListRules, Way

LITERALS = 8  # that may begin a record
_TAG_BYTES = 400  # of a literal
_INNER = re.compile(rb"(?<=>)\s*<[A-Za-z][A-Za-z0-9]*")
_NO_FRAGMENT = frozenset("html head body frameset frame col colgroup caption option plaintext".split())

Tags = Mapping[str, Sequence[bytes]]  # opening tags by their labels


def propose_heads(tags: Tags, *, one_page: bool) -> Iterator[tuple[bytes, ...]]:
    """Yield literals that the first tags of records may begin with: one for all, the most telling first, then several.

    One is better: of several, the next page may have one more. What only one page shows may be its own.
    """
    every = [tag for own in tags.values() for tag in own]
    names = {name_of(tag) for tag in every}
    if not every or any(name[1:].decode("latin-1").lower() in _NO_FRAGMENT for name in names):
        return
    proposed: dict[tuple[bytes, ...], None] = {}
    if len(names) == 1:
        whole = _shared(every, one_page)
        for literal in (whole, _up_to_words(every), *shorter_prefixes(whole)):
            if literal:
                proposed[(literal,)] = None
    for several in ({_shared(own, one_page) for own in tags.values()}, {steady_prefix(tag) for tag in every}):
        if len(several) <= LITERALS:
            proposed[without_longer(several)] = None
    proposed[tuple(sorted(names))] = None
    yield from proposed


def extend_heads(sources: Sequence[bytes]) -> bytes:
    """Return what all records begin with up to the name of an element inside, such as `<tr><td`, or nothing.

    It tells rows of a table from those of its head, where their own tags are the same.
    """
    prefix = common_prefix([source[:_TAG_BYTES] for source in sources]) if sources else b""
    found = [name for name in _INNER.finditer(prefix) if name.end() < len(prefix)]
    return prefix[: found[-1].end()] if found else b""


def propose_members(tags: Tags) -> tuple[bytes, ...]:
    """Return what the tags of the further elements of records begin with."""
    literals = {stable_prefix(own) for own in tags.values()}
    return without_longer(literals if len(literals) <= LITERALS else {name_of(literal) for literal in literals})


def is_general(literals: Sequence[bytes]) -> bool:
    """Say whether one literal begins all records and says more than the name of their tag."""
    return len(literals) == 1 and b"=" in literals[0]


def without_longer(literals: set[bytes]) -> tuple[bytes, ...]:
    """Leave out what begins with another of the literals."""
    ordered = sorted(literals)
    return tuple(one for one in ordered if not any(one != other and one.startswith(other) for other in ordered))


def group_tags(pairs: Sequence[tuple[str, bytes]]) -> dict[str, list[bytes]]:
    """Gather tags by their labels."""
    grouped: dict[str, list[bytes]] = defaultdict(list)
    for label, tag in pairs:
        grouped[label].append(tag)
    return dict(grouped)


def _shared(tags: Sequence[bytes], one_page: bool) -> bytes:
    literal = stable_prefix(tags)
    return steady_prefix(literal) if one_page else literal


def _up_to_words(tags: Sequence[bytes]) -> bytes:
    """Return what all tags begin with, if a word ends there in each: `<li class="item` of `item"` and `item last"`."""
    prefix = common_prefix(tags)[:_TAG_BYTES]
    if is_bare(prefix) or prefix[-1:] in (b"=", b'"', b"'", b" "):
        return b""
    return prefix if all(tag[len(prefix) : len(prefix) + 1] in _ENDS for tag in tags) else b""


_ENDS = frozenset(DELIMITERS[i : i + 1] for i in range(len(DELIMITERS))) | {b"", b"\t", b"\n", b"\r"}

_RIGHT = 0.9  # of the records that a rule selects must be those that reading found, and the other way round
_AGREE = 0.6  # of the pages on which a rule or reading finds any: they agree on so many records
_SLIPS = 0.2  # of these pages, at most, reading found nothing where a rule selects: it took others for the records
_OTHERS = 0.8  # of what a rule selects too much is in other lists: they are one list in several parts
_ROUNDS = 3  # of joining such lists
_LOOK = 400  # bytes of a record that are looked at for how it begins
_ALONE = 8  # records that a list of one page alone must have
_EVERYTHING = (b"<html", b"<body")  # as good as no holder


class LearnedList(NamedTuple):
    """A list with the rules that select its records."""

    group: SameList
    rules: ListRules
    twins: frozenset[
        ObservedList
    ]  # lists of other pages that the rules select with a little more or less of each record

    @property
    def score(self) -> float:
        """How sure reading is of it, on the mean of all pages."""
        scores = [one.score for one in (*self.group.seen, *self.twins)]
        return sum(scores) / len(scores)

    @property
    def served(self) -> int:
        """Records that reading found and the rules select."""
        return sum(len(one.tops) for one in (*self.group.seen, *self.twins))


class _Fit(NamedTuple):
    """How well rules select what reading found."""

    group: SameList  # as the rules select it
    rules: ListRules
    agreed: int  # pages on which they agree, of ...
    spoken: int  # ... those on which either finds any
    right: int  # records
    wanted: int
    extra: frozenset[tuple[int, int]]  # page and offset of what is too much
    slips: frozenset[int]  # pages on which reading found none of it
    twins: frozenset[ObservedList]  # lists of other pages that hold the same, a little more or less of each record

    @property
    def is_good(self) -> bool:
        extra = sum(page not in self.slips for page, _ in self.extra)
        few = len(self.slips) <= _SLIPS * self.spoken
        enough = self.right >= _RIGHT * max(self.right + (extra if few else len(self.extra)), self.wanted)
        return enough and self.agreed >= _AGREE * self.spoken

    @property
    def worth(self) -> float:
        return 2 * self.right / max(1, self.right + len(self.extra) + self.wanted)


def learn_heads(
    sources: Sequence[Source], seen: Sequence[ObservedList]
) -> tuple[list[LearnedList], list[ObservedList], list[str]]:
    """Return rules without columns for the lists of which some could be found; the other lists; and why."""
    settled = [settle_level(one) for one in seen]
    tied = [one for one in settled if one.is_tied and len(one.tops) < MOST_RECORDS]
    groups = list(group_seen(sources, tied))
    tried: dict[SameList, _Fit | str] = {}
    for _ in range(_ROUNDS):
        for group in groups:
            if group not in tried:
                tried[group] = _learn_group(sources, group, tied)
        joined = _join(groups, tried)
        if joined == groups:
            break
        groups = joined
    results = [(group, tried.get(group) or _learn_group(sources, group, tied)) for group in groups]
    found, served = _choose(sources, results)
    failed = [(group, fit) for group, fit in results if not served.issuperset(group.seen)]
    reasons = [f"{_describe(sources, group)}: {_why(fit)}" for group, fit in failed]
    if len(tied) < len(seen):
        reasons.append(f"{len(seen) - len(tied)} regions are lines of bare text, or too long")
    return found, [one for one in settled if one not in served], reasons


def _choose(
    sources: Sequence[Source], results: Sequence[tuple[SameList, _Fit | str]]
) -> tuple[list[LearnedList], set[ObservedList]]:
    """Take the rules that are good, the most certain list first; one that is served already needs none of its own."""
    good = [(group, fit) for group, fit in results if isinstance(fit, _Fit) and fit.is_good]
    good.sort(key=lambda pair: -sum(one.score for one in pair[0].seen))
    found: list[LearnedList] = []
    served: set[ObservedList] = set()
    for group, fit in good:
        if not served.intersection(group.seen):
            rules = replace(fit.rules, tight=_are_tight(sources, fit.rules))
            found.append(LearnedList(fit.group, rules, fit.twins))
            served.update(group.seen, fit.twins)
    return found, served


def _why(fit: _Fit | str) -> str:
    if isinstance(fit, str):
        return fit
    if fit.is_good:
        return "another rule selects part of it"
    return f"no tag selects its records ({fit.right} of {fit.wanted} right, {len(fit.extra)} too many)"


def _join(groups: list[SameList], tried: dict[SameList, _Fit | str]) -> list[SameList]:
    """Join lists that one rule selects together, as the parts of a list that adverts or headings divide."""
    owner = {(page, run[0]): i for i, group in enumerate(groups) for page in group.pages for run in group.runs(page)}
    into = list(range(len(groups)))
    for i, group in enumerate(groups):
        fit = tried[group]
        if isinstance(fit, str) or fit.is_good or not fit.extra:
            continue
        others = Counter(owner[place] for place in fit.extra if place in owner)
        if sum(others.values()) >= _OTHERS * len(fit.extra):
            lowest = min(into[i], *(into[j] for j in others))
            for j in (i, *others):
                into = [lowest if at == into[j] else at for at in into]
    merged: dict[int, list[ObservedList]] = defaultdict(list)
    for i, group in enumerate(groups):
        merged[into[i]].extend(group.seen)
    return [SameList(tuple(seen)) for seen in merged.values()]


def _learn_group(sources: Sequence[Source], group: SameList, every: Sequence[ObservedList]) -> _Fit | str:
    """Return the rules that select the records of a list best, or why there are none."""
    if len(group.pages) == 1 and sum(len(one.tops) for one in group.seen) < _ALONE:
        return "on one page only"
    best = _fit_group(sources, group, every)
    if isinstance(best, str) or not best.is_good:
        for moved in lift_group(group):
            fit = _fit_group(sources, moved, every)
            if isinstance(fit, _Fit) and fit.is_good:
                return fit
    return best


def _fit_group(sources: Sequence[Source], group: SameList, every: Sequence[ObservedList]) -> _Fit | str:
    best: _Fit | None = None
    for proposals in _proposals(sources, group):
        for rules in proposals:
            fit = _try(sources, group, rules, every)
            if best is None or fit.worth > best.worth:
                best = fit
            if best.worth == 1.0:
                return best
        if best is not None and best.is_good:
            return best
    return best if best is not None else "its tags have nothing in common"


def _describe(sources: Sequence[Source], group: SameList) -> str:
    first = group.seen[0]
    return f"{first.kind} of {records_label(sources[first.page], first)}"


def _proposals(sources: Sequence[Source], group: SameList) -> Iterator[list[ListRules]]:
    """Yield rules to try, those first that other pages will most likely follow too.

    One literal is better than several, of which the next page may have one more; the records' own tags are better than
    the way to an element around them.
    """
    firsts = [(sources[one.page], tops[0]) for one in group.seen for tops in one.tops]
    others = [(sources[one.page], offset) for one in group.seen for tops in one.tops for offset in tops[1:]]
    members = propose_members(group_tags([(label_at(*place), tag_at(*place)) for place in others]))
    tags = group_tags([(label_at(*place), tag_at(*place)) for place in firsts])
    choices = list(propose_heads(tags, one_page=len(group.pages) == 1))
    longer = extend_heads([source.body[offset : offset + _LOOK] for source, offset in firsts])
    single = [literals for literals in choices if len(literals) == 1] + ([(longer,)] if choices and longer else [])
    several = [literals for literals in choices if len(literals) > 1]
    yield [ListRules(literals, (), members) for literals in single if is_general(literals)]
    holder = _learn_holder(sources, group) if choices else None
    if holder is not None:
        yield [ListRules(literals, (), members, (holder,)) for literals in single]
    yield [ListRules(literals, (), members) for literals in several if not any(map(is_bare, literals))]
    if holder is not None:
        yield [ListRules(literals, (), members, (holder,)) for literals in several]
    yield [ListRules(literals, (), members) for literals in single if not is_bare(literals[0])]


def _learn_holder(sources: Sequence[Source], group: SameList) -> Way | None:
    """Return a way to the element around the records of the pages on which there is one of its name."""
    holders: dict[int, int] = {}
    for one in group.seen:
        if holders.setdefault(one.page, one.holder) != one.holder:
            return None  # the list is in several parts
    names = {page: name_of(tag_at(sources[page], offset)) for page, offset in holders.items() if offset >= 0}
    name = Counter(names.values()).most_common(1)[0][0] if names else b""
    if not name or name in _EVERYTHING:
        return None
    pages = [page for page, own in names.items() if own == name]
    return learn_way([sources[page] for page in pages], [holders[page] for page in pages], FLOW)


def _try(sources: Sequence[Source], group: SameList, rules: ListRules, every: Sequence[ObservedList]) -> _Fit:
    """Compare what rules select on all pages with what reading found."""
    agreed = spoken = right = wanted = outside = 0
    extra: set[tuple[int, int]] = set()
    twins: set[ObservedList] = set()
    counts: list[int] = []
    for page, source in enumerate(sources):
        entries = follow_list(source, rules)
        got = set(zip(entries.offsets, entries.last_offsets, strict=True)) if len(entries.offsets) > 1 else set()
        want = group.runs(page)
        counts.append(len(got))
        outside = max(outside, entries.outside if got else 0)
        if not want:
            same = [one for one in every if one.page == page and _are_twins(entries.offsets, one)]
            twins.update(same)
            if same:
                continue
        hit = len(got & want)
        agreed += bool(want) and hit >= _RIGHT * max(len(got), len(want))
        spoken += bool(got or want)
        right += hit
        wanted += len(want)
        extra |= {(page, run[0]) for run in got - want}
    some = [count for count in counts if count]
    usual = replace(
        rules,
        pages=len(sources),
        present=len(some),
        fewest=min(some, default=0),
        most=max(some, default=0),
        outside=outside,
    )
    slips = frozenset(page for page, _ in extra) - set(group.pages)
    return _Fit(group, usual, agreed, spoken, right, wanted, frozenset(extra), slips, frozenset(twins))


def _are_twins(offsets: Sequence[int], one: ObservedList) -> bool:
    """Say whether records are the same but for an element around or inside them: each holds just one of the other."""
    if not offsets:
        return False
    starts = [tops[0] for tops in one.tops]
    outer, inner = (offsets, starts) if offsets[0] <= starts[0] else (starts, offsets)
    held = Counter(bisect_right(outer, at) for at in inner)
    return sum(count == 1 for count in held.values()) >= _RIGHT * max(len(outer), len(inner))


def _are_tight(sources: Sequence[Source], rules: ListRules) -> bool:
    """Say whether nothing that looks like a record stands between two of them on any page."""
    names = head_names(rules)
    every = ((source, follow_list(source, rules).spans(source)) for source in sources)
    return not any(find_lookalike(source.body, names, spans) for source, spans in every)


_COVERED = 0.85  # of all records that reading found must be selected
_REGIONS = 20  # of one layout


class LearnedLists(NamedTuple):
    """Rules for all that the pages of a layout list, best first, or none and why."""

    rules: tuple[ListRules, ...] = ()
    reasons: tuple[str, ...] = ()


def learn_layout_lists(sources: Sequence[Source], seen: Sequence[ObservedList], least: float) -> LearnedLists:
    """Learn rules for the lists of pages of one layout.

    `seen` is what reading found on them, what scores below `least` included: what is read on one page and just not on
    the next is decided by its mean score, for all pages alike.
    """
    found, left, reasons = learn_heads(sources, seen)
    chosen = [lesson for lesson in found if lesson.score >= least]
    covered = sum(lesson.served for lesson in chosen)
    missed = _count_missed(sources, left, least)
    if not chosen and not missed:
        return LearnedLists()
    if covered < _COVERED * (covered + missed) or len(chosen) > _REGIONS:
        why = f"{covered} of {covered + missed} records follow a rule: read by the tree"
        return LearnedLists((), (*reasons, why))
    rules = [_complete(lesson) for lesson in chosen]
    kept = [one for one in rules if one.columns]
    return LearnedLists(tuple(sorted(kept, key=lambda one: -one.score)), tuple(reasons))


def _count_missed(sources: Sequence[Source], left: Sequence[ObservedList], least: float) -> int:
    """Return how many records no rule serves, of lists that count: as for rules, by their mean score on all pages.

    Paragraphs of an article pass for a list on one page in ten; on the others nobody would miss them.
    """
    groups = [group.seen for group in group_seen(sources, [one for one in left if one.is_tied])]
    groups += [(one,) for one in left if not one.is_tied]
    counted = [seen for seen in groups if sum(one.score for one in seen) >= least * len(seen)]
    return sum(len(one.tops) for seen in counted for one in seen)


def _complete(lesson: LearnedList) -> ListRules:
    """Add columns, kind and the like to the rules of a list."""
    kinds: Counter[str] = Counter()
    for one in lesson.group.seen:
        kinds[one.kind] += len(one.tops)
    largest = max(lesson.group.seen, key=lambda one: len(one.tops))
    return replace(
        lesson.rules,
        columns=learn_columns([one.shown for one in lesson.group.seen]),
        kind=kinds.most_common(1)[0][0],
        pattern=largest.shown.fill().pattern,
        score=round(1_000 * lesson.score),
    )
