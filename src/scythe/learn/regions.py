"""Learn what the pages of one layout list: regions that reading found come in, rules to cut their records go out.

A layout gets rules for all of its regions or for none: where a good part of what reading finds follows no rule, pages
of the layout are read by the tree, so that nothing is missing without a sign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from scythe.learn.columns import learn_columns
from scythe.learn.heads import Lesson, learn_heads
from scythe.learn.region_groups import Seen, group_seen
from scythe.page.source import Source
from scythe.rules import RegionRules

__all__ = ["LearnedRegions", "Seen", "learn_regions"]

_COVERED = 0.85  # of all records that reading found must be selected
_REGIONS = 20  # of one layout


class LearnedRegions(NamedTuple):
    """Rules for all that the pages of a layout list, best first, or none and why."""

    rules: tuple[RegionRules, ...] = ()
    reasons: tuple[str, ...] = ()


def learn_regions(sources: Sequence[Source], seen: Sequence[Seen], least: float) -> LearnedRegions:
    """Learn rules for the regions of pages of one layout.

    `seen` is what reading found on them, what scores below `least` included: what is read on one page and just not on
    the next is decided by its mean score, for all pages alike.
    """
    found, left, reasons = learn_heads(sources, seen)
    chosen = [lesson for lesson in found if lesson.score >= least]
    covered = sum(lesson.served for lesson in chosen)
    missed = _count_missed(sources, left, least)
    if not chosen and not missed:
        return LearnedRegions()
    if covered < _COVERED * (covered + missed) or len(chosen) > _REGIONS:
        why = f"{covered} of {covered + missed} records follow a rule: read by the tree"
        return LearnedRegions((), (*reasons, why))
    rules = [_complete(lesson) for lesson in chosen]
    kept = [one for one in rules if one.columns]
    return LearnedRegions(tuple(sorted(kept, key=lambda one: -one.score)), tuple(reasons))


def _count_missed(sources: Sequence[Source], left: Sequence[Seen], least: float) -> int:
    """Return how many records no rule serves, of regions that count: as for rules, by their mean score on all pages.

    Paragraphs of an article pass for a list on one page in ten; on the others nobody would miss them.
    """
    groups = [group.seen for group in group_seen(sources, [one for one in left if one.is_tied])]
    groups += [(one,) for one in left if not one.is_tied]
    counted = [seen for seen in groups if sum(one.score for one in seen) >= least * len(seen)]
    return sum(len(one.tops) for seen in counted for one in seen)


def _complete(lesson: Lesson) -> RegionRules:
    """Add columns, kind and the like to the rules of a region."""
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
