"""Apply field rules to a parsed page; shares no code with the cutter, which is checked against it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from scythe.page.blocks import BOX, BREAK, KIND, RULE, SKIP
from scythe.page.source import MARK, Opening, Source, matches, tag_end, unmark
from scythe.site.rules import ATTRIBUTE, COUNTED, ELEMENT, FLOW, LEAD, TAIL, Rule, Way

_OCCURRENCES = 1_000  # of one anchor on a page; an anchor that is everywhere says nothing
_ATTRIBUTE = re.compile(rb"""[\s/]+([^\s/>="']+)(?:=(?:"([^"]*)("?)|'([^']*)('?)|([^\s>"']*)))?""")


class FollowedWay(NamedTuple):
    """Where a way leads: the elements (several where it repeats), their values, and the rules that agreed."""

    openings: tuple[Opening, ...] = ()
    values: tuple[str, ...] = ()
    why: str = ""


def follow(source: Source, way: Way, *, loosely: bool = True) -> FollowedWay:
    """Follow a way by the tree; nothing is found where too few of its rules agree.

    `loosely` also knows a tag by its parsed attributes, in any order and quotes, where no tag is written as learned.
    """
    if way.repeats:
        return _follow_all(source, way)
    votes: dict[int, list[Rule]] = {}
    for rule in way.rules:
        opening = follow_rule(source, rule, loosely=loosely)
        if opening is None:
            continue
        agreed = votes.setdefault(opening.offset, [])
        agreed.append(rule)
        if len(agreed) >= way.needed and _are_independent(agreed, way):
            value = take(source, opening, way)
            if value is None:
                return FollowedWay((), (), "the element does not hold it")
            return FollowedWay((opening,), (value,), "+".join(one.kind for one in agreed))
    if not votes:
        return FollowedWay((), (), "no anchor on the page")
    return FollowedWay((), (), "rules disagree" if len(votes) > 1 else "only one rule speaks")


def lead_to(source: Source, ways: Sequence[Way]) -> Opening | None:
    """Return the element that the first of some ways leads to, to the letter as a cut does, whatever it holds."""
    for way in ways:
        bare = replace(way, take=ATTRIBUTE, attribute=MARK, before="", after="")
        found = follow(source, bare, loosely=False).openings
        if found:
            return found[0]
    return None


def _are_independent(agreed: list[Rule], way: Way) -> bool:
    return agreed[0] is way.rules[0] or any(rule.kind not in COUNTED for rule in agreed)


def follow_rule(source: Source, rule: Rule, *, loosely: bool = True) -> Opening | None:
    """Return the opening tag that a rule leads to, or None."""
    anchor = _find_anchor(source, rule, rule.position)
    if anchor < 0 and rule.position > 0:
        anchor = _find_anchor(source, rule, 0)
    if anchor < 0:
        return _follow_loosely(source, rule) if loosely else None
    return source.at(anchor + rule.skip) if rule.nth == 0 else step_from(source, rule, anchor)


def step_from(source: Source, rule: Rule, anchor: int) -> Opening | None:
    """Return the n-th matching opening tag after (or before) an anchor, within the rule's reach."""
    offsets, openings, body = source.offsets, source.openings, source.body
    if rule.nth > 0:
        order = range(bisect_right(offsets, anchor), len(offsets))
    else:
        order = range(bisect_left(offsets, anchor) - 1, -1, -1)
    left = abs(rule.nth)
    for i in order:
        if abs(offsets[i] - anchor) > rule.reach:
            return None
        if openings[i].shown and matches(body, offsets[i], rule.step):
            left -= 1
            if left == 0:
                return openings[i]
    return None


def take(source: Source, opening: Opening, way: Way) -> str | None:
    """Return what a way takes at an opening tag, or None where it is not there."""
    node = opening.node
    if way.take == FLOW:
        from scythe.site.cut.cutter import flow_text

        return flow_text(node, source.body, way.drops, way.skip_lines)
    if way.take == ATTRIBUTE:
        raw = node.attributes.get(way.attribute, None)
    elif way.take == ELEMENT:
        raw = element_text(node)
    else:
        raw = _run(node.first_child if way.take == LEAD else node.next)
    if raw is None:
        return None
    return part_of(" ".join(unmark(raw).split()), way.before, way.after)


def part_of(text: str, before: str, after: str) -> str | None:
    """Return the part of a text between two literals, or None where one of them is missing."""
    start = text.find(before)
    if start < 0:
        return None
    start += len(before)
    end = text.find(after, start) if after else len(text)
    return text[start:end].strip() if end >= 0 else None


def element_text(node: LexborNode) -> str:
    """Return the text that an element shows; the edges of boxes and line breaks become spaces."""
    parts: list[str] = []
    root = node.mem_id
    here = node.first_child
    while here is not None:
        tag = here.tag or ""
        kind = KIND.get(tag)
        if tag == "-text":
            parts.append(here.text_content or "")
        elif kind in (BOX, BREAK, RULE):
            parts.append(" ")
        child = here.first_child if kind != SKIP else None
        if child is not None:
            here = child
            continue
        while here.next is None:
            parent = here.parent
            if parent is None or parent.mem_id == root:
                return "".join(parts)
            here = parent
            if KIND.get(here.tag or "") == BOX:
                parts.append(" ")
        here = here.next
    return "".join(parts)


def span_of(source: Source, opening: Opening, way: Way) -> tuple[int, int]:
    """Return the byte range of what a way takes, as far as the source shows it."""
    start = tag_end(source.body, opening.offset)
    if way.take == ATTRIBUTE:
        return opening.offset, start
    if way.take == LEAD:
        return start, _next_tag(source.body, start)
    end = _element_end(source, opening)
    return (end, _next_tag(source.body, end)) if way.take == TAIL else (opening.offset, end)


def _follow_all(source: Source, way: Way) -> FollowedWay:
    literal = way.rules[0].anchor
    openings = tuple(o for o in source.openings if o.shown and matches(source.body, o.offset, literal))
    taken = [(opening, take(source, opening, way)) for opening in openings[:_OCCURRENCES]]
    kept = [(opening, value) for opening, value in taken if value is not None]
    why = way.rules[0].kind if kept else "no anchor on the page"
    return FollowedWay(tuple(opening for opening, _ in kept), tuple(value for _, value in kept), why)


def _find_anchor(source: Source, rule: Rule, start: int) -> int:
    at, body = start - 1, source.body
    for _ in range(_OCCURRENCES):
        at = body.find(rule.anchor, at + 1)
        if at < 0 or _is_true(source, rule, at):
            return at
    return -1


def _is_true(source: Source, rule: Rule, at: int) -> bool:
    if rule.nth == 0:
        opening = source.at(at + rule.skip)
        return opening is not None and opening.shown and matches(source.body, opening.offset, rule.anchor[rule.skip :])
    if rule.anchor[:1] == b"<":
        opening = source.at(at)
        return opening is not None and opening.shown and matches(source.body, at, rule.anchor)
    return source.is_text(at)


def _follow_loosely(source: Source, rule: Rule) -> Opening | None:
    """Find a tag anchor by its parsed attributes, where a page writes them in another order or other quotes."""
    if rule.skip or not rule.anchor.startswith(b"<"):
        return None
    wanted = _parsed(rule.anchor, source.encoding)
    if wanted is None:
        return None
    name, attributes, prefix = wanted
    for opening in source.openings:
        if opening.shown and opening.name == name and _has(opening.node.attributes, attributes, prefix):
            return opening if rule.nth == 0 else step_from(source, rule, opening.offset)
    return None


def _has(have: dict[str, str | None], attributes: dict[str, str], prefix: str) -> bool:
    for key, value in attributes.items():
        given = have.get(key) or ""
        if (not given.startswith(value)) if key == prefix else given != value:
            return False
    return True


def _parsed(literal: bytes, encoding: str) -> tuple[str, dict[str, str], str] | None:
    """Parse a tag literal into its name, its attributes and the name of the one that is cut short, if any."""
    found = re.match(rb"<([A-Za-z][^\s/>]*)", literal)
    if found is None or tag_end(literal, 0) < len(literal):  # text behind the tag is no attribute
        return None
    attributes: dict[str, str] = {}
    prefix = ""
    for part in _ATTRIBUTE.finditer(literal, found.end()):
        key = part[1].decode(encoding, "replace").lower()
        value = part[2] if part[2] is not None else part[4] if part[4] is not None else part[6] or b""
        attributes[key] = value.decode(encoding, "replace")
        if part.end() == len(literal) and not (part[3] or part[5]):
            prefix = key
    return (found[1].decode("ascii", "replace").lower(), attributes, prefix) if attributes else None


def _run(node: LexborNode | None) -> str | None:
    return node.text_content if node is not None and node.tag == "-text" else None


def _next_tag(body: bytes, start: int) -> int:
    end = body.find(b"<", start)
    return len(body) if end < 0 else end


def _element_end(source: Source, opening: Opening) -> int:
    """Return the offset behind the closing tag of an element, or behind its last tag where that is left out."""
    last = _last_inside(source, opening)
    limit = bisect_right(source.offsets, last.offset)
    root = opening.node.mem_id
    node: LexborNode | None = last.node
    open_alike = 0
    while node is not None:
        open_alike += (node.tag or "") == opening.name
        if node.mem_id == root:
            break
        node = node.parent
    here = tag_end(source.body, last.offset)
    stop = source.offsets[limit] if limit < len(source.offsets) else len(source.body)
    closing = re.compile(rb"</" + re.escape(opening.name.encode()) + rb"[\s/>]", re.IGNORECASE)
    for found in closing.finditer(source.body, here, stop):
        open_alike -= 1
        if open_alike == 0:
            return tag_end(source.body, found.start())
    return here


def _last_inside(source: Source, opening: Opening) -> Opening:
    """Return the element inside (or the element itself) whose opening tag comes last in the tree."""
    node, last = opening.node, opening
    while (child := node.last_child) is not None:
        while child is not None and (child.tag or "").startswith(("-", "!")):
            child = child.prev
        if child is None:
            break
        node = child
        mark = node.attributes.get(MARK) or ""
        if mark.isdecimal():
            last = source.at(int(mark)) or last
    return last
