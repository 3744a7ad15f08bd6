"""Keep the places where searches begin up to date: byte ranges of cut fields come in, layouts with better hints go out.

The start of a field predicts where the anchors of its rules are: a rule's reach bounds the distance between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scythe.learn.hints import HintLearner, HintOptions
from scythe.rules import FieldRules, Layout, Rule, Way

_OPTIONS = HintOptions(window=50, margin=0.05)
_TAG = 512  # bytes: an opening tag stands between an anchor's end and the text that is cut
_WORTH = 0.05  # share of a position by which it must move before the rules are prepared anew
_LEAST = 10  # fields seen


class Tuner:
    """Learns where the fields of each layout begin, in constant memory."""

    def __init__(self, layouts: Sequence[Layout]) -> None:
        self._layouts = tuple(layouts)
        self._starts = [[HintLearner(_OPTIONS) for _ in layout.fields] for layout in layouts]
        self._seen = [[0] * len(layout.fields) for layout in layouts]
        self._range = [[(rules.usual.first, rules.usual.last) for rules in layout.fields] for layout in layouts]

    def observe(self, number: int, starts: Sequence[int | None]) -> None:
        """Take in where the fields of one page of a layout begin; None for those that were not found."""
        seen = self._seen[number]
        for i, start in enumerate(starts):
            if start is not None:
                self._starts[number][i].observe(start, None, None)
                seen[i] += 1
                first, last = self._range[number][i]
                self._range[number][i] = (min(first, start), max(last, start))

    def tuned(self) -> tuple[Layout, ...] | None:
        """Return the layouts with searches that begin where the fields now are, or None where little would change."""
        layouts = tuple(self._tune(number, layout) for number, layout in enumerate(self._layouts))
        return None if layouts == self._layouts else layouts

    def _tune(self, number: int, layout: Layout) -> Layout:
        fields = []
        for i, rules in enumerate(layout.fields):
            if self._seen[number][i] >= _LEAST:
                start = self._starts[number][i].predict().starting_position
                rules = _widen(_move(rules, start), *self._range[number][i])
            fields.append(rules)
        return layout if tuple(fields) == layout.fields else replace(layout, fields=tuple(fields))


def _widen(rules: FieldRules, first: int, last: int) -> FieldRules:
    """Take positions for usual at which the field was found and confirmed."""
    room = _WORTH * rules.usual.last
    if first >= rules.usual.first - room and last <= rules.usual.last + room:
        return rules
    return replace(rules, usual=replace(rules.usual, first=first, last=last))


def _move(rules: FieldRules, start: int) -> FieldRules:
    ways = tuple(_move_way(way, start) for way in rules.ways)
    return rules if ways == rules.ways else replace(rules, ways=ways)


def _move_way(way: Way, start: int) -> Way:
    moved = tuple(_move_rule(rule, start) for rule in way.rules)
    return way if moved == way.rules else replace(way, rules=moved)


def _move_rule(rule: Rule, start: int) -> Rule:
    """Begin the search before the earliest place where the anchor of a field that starts at `start` can be."""
    before = 0 if rule.nth < 0 else rule.reach + rule.skip
    position = max(0, start - before - _TAG)
    if abs(position - rule.position) <= _WORTH * max(position, rule.position):
        return rule
    return replace(rule, position=position)
