"""Try a rule on the learned pages: a rule and targets come in, where it held and how firmly goes out.

How firmly is what decides on a page that lacks the field or a row before it. A *tight* rule is about the element itself
and falls silent; one that counts from the *front* or from the *back* of a list then leads to a neighbour, and so do all
others that count from the same side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2

from scythe.learn.literals import name_of, occurs_once
from scythe.learn.spots import Spot
from scythe.page.follow import follow_rule, span_of
from scythe.page.source import Source, matches
from scythe.rules import ELEMENT, Rule, Way

TIGHT, FRONT, BACK = "tight", "front", "back"

_NEAR = 80  # bytes more between a label and its value than were seen
_BETWEEN = 1_500  # bytes between a label and its value at most
_MARKUP = re.compile(rb"<[^>]*>|&#?\w{1,10};")
_WORD = re.compile(rb"[\w\x80-\xff]")
_WHOLE = re.compile(rb"""["'>]$|<\w+$""")  # a literal that cuts no value short
# how likely a rule is to hold on a page not seen, by what its anchor is to the target
_TRUST = {"tag": 3.0, "label": 2.5, "before": 2.5, "inside": 1.5, "after": 1.0, "ahead": 0.5}


@dataclass(frozen=True, slots=True)
class Tried:
    """A rule after its trial on the learned pages."""

    rule: Rule
    right: frozenset[int]  # pages on which it led to the target
    distance: int  # bytes between anchor and target, the largest
    unique: bool  # the anchor stands once in the raw bytes wherever it led to the target
    hold: str  # TIGHT, FRONT or BACK
    misleads: bool  # it leads somewhere on a page that does not have the element

    @property
    def worth(self) -> float:
        """How good a rule is beside others: right everywhere, tight, unique in the bytes, near, counting little."""
        worth = _TRUST[self.rule.kind] + 8.0 * len(self.right) + 2.0 * self.unique - 4.0 * self.misleads
        worth += 3.0 * (self.hold == TIGHT)
        if self.hold != TIGHT and self.rule.kind == "label":  # a text far away says no more than a tag
            worth -= 1.5
        if self.rule.kind == "tag":  # a bare name may be unique by chance
            worth += min(1.0, (len(self.rule.anchor) - 4) / 12)
        if self.rule.kind in ("tag", "before") and not _WHOLE.search(self.rule.anchor):
            worth -= 0.5
        return worth - log2(max(1, abs(self.rule.nth))) - 0.3 * log2(1 + self.distance / 100)


def try_rule(rule: Rule, spots: Sequence[Spot], absent: Sequence[Source]) -> Tried | None:
    """Follow a rule on all pages; None when it leads astray, or is silent on half of them."""
    right: list[int] = []
    distance = 0
    unique = tight = True
    for i, spot in enumerate(spots):
        opening = follow_rule(spot.source, rule)
        if opening is not None and opening.offset != spot.offset:
            return None
        at = spot.source.body.find(rule.anchor)
        if opening is None or at < 0:
            continue
        if rule.kind == "tag" and not _is_only(spot.source, rule.anchor):
            return None
        right.append(i)
        distance = max(distance, abs(spot.offset - at))
        once = occurs_once(spot.source.body, rule.anchor)
        unique = unique and once
        tight = tight and (once or rule.kind == "tag") and _is_tight(rule, spot, at)
    if 2 * len(right) <= len(spots) or not right:
        return None
    misleads = any(follow_rule(source, rule) is not None for source in absent)
    hold = TIGHT if tight else BACK if rule.nth < 0 else FRONT
    if tight and rule.kind == "label" and rule.nth:  # what follows its label does so at once
        rule = replace(rule, reach=2 * distance + _NEAR)
    return Tried(rule, frozenset(right), distance, unique, hold, misleads)


def _is_only(source: Source, literal: bytes) -> bool:
    """Say whether a literal is the beginning of exactly one true opening tag."""
    body = source.body
    at, count = body.find(literal), 0
    while at >= 0 and count < 2:
        opening = source.at(at)
        count += opening is not None and opening.shown and matches(body, at, literal)
        at = body.find(literal, at + 1)
    return count == 1


def _is_tight(rule: Rule, spot: Spot, at: int) -> bool:
    if rule.kind == "tag" or (rule.step.rstrip(b">").count(b">") and abs(rule.nth) == 1):  # a step that names the label
        return True
    if rule.kind == "after":
        return _follows_at_once(spot, at)
    if rule.kind == "inside":
        return _count_inside(rule, spot, at) == 1
    if rule.kind == "before":
        return _has_words(rule.anchor[: rule.skip]) or _is_only_child(spot)
    if rule.kind == "label" and rule.nth >= 0:
        return rule.nth == 0 or not _has_words_between(spot.source.body, at + len(rule.anchor), spot.offset)
    return rule.kind == "label"


def _follows_at_once(spot: Spot, at: int) -> bool:
    """Say whether the target follows the anchor's element, a heading perhaps, with no word between."""
    before = spot.source.at(at)
    if before is None:
        return False
    end = span_of(spot.source, before, Way(ELEMENT, ()))[1]
    return end <= spot.offset and not _has_words_between(spot.source.body, end, spot.offset)


def _count_inside(rule: Rule, spot: Spot, at: int) -> int:
    """Count the tags that a step could mean inside the anchor's element."""
    source = spot.source
    around = source.at(at)
    if around is None:
        return 0
    end = span_of(source, around, Way(ELEMENT, ()))[1]
    count = 0
    here = source.body.find(rule.step, at + 1)
    while 0 <= here < end and count < 2:
        opening = source.at(here)
        count += opening is not None and opening.shown and matches(source.body, here, rule.step)
        here = source.body.find(rule.step, here + 1)
    return count


def _is_only_child(spot: Spot) -> bool:
    """Say whether no sibling has the name of the target."""
    node = spot.source.openings[spot.at].node
    for step in ("prev", "next"):
        other = getattr(node, step)
        for _ in range(200):
            if other is None:
                break
            if other.tag == node.tag:
                return False
            other = getattr(other, step)
    return True


def _has_words_between(body: bytes, start: int, end: int) -> bool:
    return end - start > _BETWEEN or (end > start and _has_words(body[start:end]))


def _has_words(markup: bytes) -> bool:
    if name_of(markup) == markup[:1] and markup[:1] == b"<":  # a closing tag that is cut short
        markup = markup[markup.find(b">") + 1 :]
    return _WORD.search(_MARKUP.sub(b" ", markup)) is not None
