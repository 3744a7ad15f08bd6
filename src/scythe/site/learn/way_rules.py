"""Learn a way to an element: propose rules, try them on all pages, and rank those that hold.

The paper (Algorithm 4) looks for a unique opening tag on one page. Here several kinds of rules are tried on all pages,
and two of different kinds must agree. A *tight* rule concerns the element itself; one that counts from the *front* or
*back* of a list fails together with others that count from the same side.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log2

from scythe.page.source import MARK, RAW, Opening, Source, is_bare, matches, tag_end
from scythe.site.follow.follow_fields import follow, follow_rule, span_of
from scythe.site.learn.literals import (
    PlaceOnPages,
    TagOnPage,
    common_prefix,
    common_suffix,
    name_of,
    occurs_once,
    shorter_prefixes,
    spot_of,
    steady_prefix,
    target_of,
)
from scythe.site.rules import ATTRIBUTE, ELEMENT, LEAD, Rule, Way

_END_BYTES = 200  # of an end marker at most, ...
_END_BYTES_ALONE = 60  # ... and where one page alone was seen, which says little about what stays


def learn_end(spots: Sequence[TagOnPage]) -> tuple[bytes, int]:
    """Return the shortest bytes that begin with the closing tag and stand nowhere inside, and the inner tag count."""
    name = spots[0].source.openings[spots[0].at].name
    ends = [span_of(spot.source, spot.source.openings[spot.at], Way(ELEMENT, ()))[1] for spot in spots]
    counts = {_count_inside_ends(spot, name, end) for spot, end in zip(spots, ends, strict=True)}
    return _marker(spots, name, ends), counts.pop() if len(counts) == 1 else -1


def _count_inside_ends(spot: TagOnPage, name: str, end: int) -> int:
    openings = spot.source.openings
    count, i = 0, spot.at
    while i < len(openings) and openings[i].offset < end:
        count += openings[i].name == name
        i += 1
    return count


def _marker(spots: Sequence[TagOnPage], name: str, ends: Sequence[int]) -> bytes:
    closing = re.compile(rb"</" + re.escape(name.encode()) + rb"[\t\n\f\r ]*>$", re.IGNORECASE)
    follow: list[bytes] = []
    starts: list[int] = []
    for spot, end in zip(spots, ends, strict=True):
        body = spot.source.body
        found = closing.search(body, max(spot.offset, end - len(name) - 20), end)
        if found is None:  # a closing tag that is left out, or written in a way of its own
            return b""
        starts.append(found.start())
        follow.append(body[found.start() : found.start() + _END_BYTES])
    shared = common_prefix(follow)
    longest = len(shared) if len(spots) > 1 else min(len(shared), _END_BYTES_ALONE)
    for size in range(shared.find(b">") + 1, longest + 1):
        if size and all(_is_first(spot, shared[:size], start) for spot, start in zip(spots, starts, strict=True)):
            return shared[:size]
    return b""


def _is_first(spot: TagOnPage, literal: bytes, start: int) -> bool:
    body = spot.source.body
    return body.find(literal, tag_end(body, spot.offset), start + len(literal)) == start


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


def try_rule(rule: Rule, spots: Sequence[TagOnPage], absent: Sequence[Source]) -> Tried | None:
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


def _is_tight(rule: Rule, spot: TagOnPage, at: int) -> bool:
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


def _follows_at_once(spot: TagOnPage, at: int) -> bool:
    """Say whether the target follows the anchor's element, a heading perhaps, with no word between."""
    before = spot.source.at(at)
    if before is None:
        return False
    end = span_of(spot.source, before, Way(ELEMENT, ()))[1]
    return end <= spot.offset and not _has_words_between(spot.source.body, end, spot.offset)


def _count_inside(rule: Rule, spot: TagOnPage, at: int) -> int:
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


def _is_only_child(spot: TagOnPage) -> bool:
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


_LABEL_BYTES = (2, 60)
_BYTES_BEHIND = 2_000  # a tag that are looked through
_TAG_BYTES = 80  # of an opening tag that is kept with its text
_TEXT_RUN = re.compile(rb"(?:^|>)([^<>]+)")
_ENTITY = re.compile(rb"&#?\w{1,10};")
_LETTERS = re.compile(rb"[A-Za-z\x80-\xff]{2}")
_NUMBER = re.compile(rb"\d\d")


def texts_behind(source: Source, i: int, target: PlaceOnPages, *, again: bool = False) -> list[tuple[int, bytes]]:
    """Return texts between the i-th opening tag and the next that stand once on each page, with their offsets.

    With `again` texts that are not unique in any form are returned too.
    """
    opening = source.openings[i]
    if not opening.shown or opening.name in RAW:
        return []
    start = tag_end(source.body, opening.offset)
    stop = source.offsets[i + 1] if i + 1 < len(source.offsets) else len(source.body)
    found: list[tuple[int, bytes]] = []
    for run in _TEXT_RUN.finditer(source.body[start : min(stop, start + _BYTES_BEHIND)]):
        text = run[1].strip()
        at = start + run.start(1) + run[1].find(text)
        if not _is_label(text, source, target):
            continue
        anchor = _unique_form(source, opening, at, text, target)
        if anchor:
            found.append(anchor)
        elif again and target.is_common(text):
            found.append((at, text))
    return found


def _is_label(text: bytes, source: Source, target: PlaceOnPages) -> bool:
    if not _LABEL_BYTES[0] <= len(text) <= _LABEL_BYTES[1] or not _LETTERS.search(_ENTITY.sub(b" ", text)):
        return False
    if len(target.spots) == 1 and _NUMBER.search(text):  # nothing shows that other pages have it too
        return False
    return not target.is_known(text.decode(source.encoding, "replace"))


def _unique_form(
    source: Source, opening: Opening, at: int, text: bytes, target: PlaceOnPages
) -> tuple[int, bytes] | None:
    """Return a text alone, with its closing tag or with its opening tag, whichever is unique first."""
    body = source.body
    close = body.find(b">", at + len(text)) + 1
    tries = [(at, text)]
    if body[at + len(text) : close].startswith(b"</"):
        tries.append((at, body[at:close]))
    if at - opening.offset < _TAG_BYTES:
        tries.append((opening.offset, body[opening.offset : max(close, at + len(text))]))
    for start, anchor in tries:
        if occurs_once(body, anchor) and target.is_common(anchor):
            return start, anchor
    return None


_CONTEXT = 240  # bytes to the left that are compared
_TAGS_BACK = 80  # opening tags before the target that are looked at, and ...
_TAGS_AHEAD = 50  # ... behind it
_FAR = 20_000  # bytes between anchor and target at most
_PER_KIND = 4  # anchors proposed at most
_NTH = 40  # of a step at most: farther counting breaks with the first row that a page lacks
_TELLING = re.compile(rb"[^\s<>/]{3}")
_TOKEN = re.compile(rb"<|(?<=>)[^<\s]")
_SINGLE = (b"<h1", b"<main", b"<article")  # names that are telling without an attribute


def propose_rules(target: PlaceOnPages, refs: Sequence[TagOnPage]) -> list[Rule]:
    """Return candidate rules seen from each of `refs`, which are some of the spots; nothing is verified yet."""
    found: dict[Rule, None] = {}
    for literal in (target.own, steady_prefix(target.own), *shorter_prefixes(target.own), target.own_text):
        if literal:
            found[Rule("tag", literal)] = None
    for rule in (*_contexts(target), *_own_label(target)):
        found[rule] = None
    for ref in refs:
        for rule in (*_tags_before(ref, target), *_labels(ref, target), *_ahead(ref, target)):
            found[rule] = None
    return list(found)


def _contexts(target: PlaceOnPages) -> Iterator[Rule]:
    """Propose the bytes to the left with the tag, as few as are unique on every page."""
    shared = common_suffix([spot.source.body[max(0, spot.offset - _CONTEXT) : spot.offset] for spot in target.spots])
    starts = [found.start() for found in _TOKEN.finditer(shared)]
    bodies = target.bodies
    for tag in target.steps:
        known = 0
        first = True
        for start in reversed(starts):
            anchor = shared[start:] + tag
            if not target.is_steady(shared[start:]):
                break
            if not _TELLING.search(shared[start:]):
                continue
            once = all(occurs_once(body, anchor) for body in bodies)
            if once or first:  # the first may be right where others follow it
                yield Rule("before", anchor, skip=len(anchor) - len(tag))
            first = False
            known += once
            if known == 2:
                break


def _own_label(target: PlaceOnPages) -> Iterator[Rule]:
    """Propose the label that stands in the target itself, from which it is one tag back."""
    size = len(target.spots[0].tag)
    label = target.own_text[size:].strip()
    if label:
        yield Rule("label", label, step=name_of(target.own), nth=-1, reach=size + 2 * len(label) + 20)


def _tags_before(ref: TagOnPage, target: PlaceOnPages) -> Iterator[Rule]:
    """Propose unique opening tags in front of the target: those around it (Algorithm 4 of the paper) and others."""
    source = ref.source
    around = _ancestors(source, source.openings[ref.at])
    left = {"inside": _PER_KIND, "after": _PER_KIND}
    nearby = range(ref.at - 1, max(-1, ref.at - 1 - _TAGS_BACK), -1)
    far = sorted((i for i in around if i < ref.at - _TAGS_BACK), reverse=True)
    for i in (*nearby, *far):
        kind = "inside" if i in around else "after"
        if not left[kind] or not source.openings[i].shown:
            continue
        anchor = _unique_tag(source, i, target)
        if anchor:
            yield from _count_to(ref, kind, anchor, source.offsets[i], target.steps)
            left[kind] -= 1


def _ahead(ref: TagOnPage, target: PlaceOnPages) -> Iterator[Rule]:
    """Propose unique literals behind the target, from which tags are counted backwards."""
    source = ref.source
    left = _PER_KIND
    first = bisect_left(source.offsets, ref.end)
    for i in range(first, min(len(source.openings), first + _TAGS_AHEAD)):
        if source.openings[i].shown and (anchor := _unique_tag(source, i, target)):
            yield from _count_to(ref, "ahead", anchor, source.offsets[i], target.steps)
            left -= 1
        for start, anchor in texts_behind(source, i, target):
            yield from _count_to(ref, "ahead", anchor, start, target.steps)
            left -= 1
        if left <= 0:
            return


def _labels(ref: TagOnPage, target: PlaceOnPages) -> Iterator[Rule]:
    """Propose texts in front of the target that stand on every page once; the nearest may stand there again."""
    source = ref.source
    left = _PER_KIND
    nearest = True
    for i in range(ref.at - 1, max(-1, ref.at - 1 - _TAGS_BACK), -1):
        for start, anchor in reversed(texts_behind(source, i, target, again=nearest)):
            yield from _count_to(ref, "label", anchor, start, target.steps)
            left -= 1
            nearest = False
        if left <= 0:
            return


def _unique_tag(source: Source, i: int, target: PlaceOnPages) -> bytes:
    """Return the part of an opening tag that is stable and unique on the pages, or nothing."""
    offset = source.offsets[i]
    tag = steady_prefix(source.body[offset : tag_end(source.body, offset)])
    for literal in (tag, *shorter_prefixes(tag)):
        if not occurs_once(source.body, literal):
            return b""
        if target.is_common(literal):
            return literal if not is_bare(literal) or name_of(literal) in _SINGLE else b""
    return b""


def _count_to(ref: TagOnPage, kind: str, anchor: bytes, start: int, steps: Sequence[bytes]) -> Iterator[Rule]:
    """Count from an anchor to the target by each step, as long as a more telling one lowers the count."""
    source = ref.source
    distance = abs(ref.offset - start)
    if distance > _FAR and kind != "inside":
        return
    backwards = start > ref.offset
    low = bisect_left(source.offsets, start if not backwards else ref.offset)
    high = bisect_left(source.offsets, ref.offset + 1 if not backwards else start)
    least = _NTH + 1
    for step in steps:
        nth = sum(
            1
            for i in range(low, high)
            if source.offsets[i] != start and source.openings[i].shown and matches(source.body, source.offsets[i], step)
        )
        named = kind in ("inside", "label") and not is_bare(step)
        if 0 < nth < least or (nth and (named or b">" in step[:-1])):  # a step with a name or a text is surer
            yield Rule(kind, anchor, step=step, nth=-nth if backwards else nth, reach=3 * distance + 1_000)
            least = nth


def _ancestors(source: Source, opening: Opening) -> frozenset[int]:
    """Return the indices of the elements around one."""
    found: list[int] = []
    node = opening.node.parent
    while node is not None:
        mark = node.attributes.get(MARK) if not (node.tag or "-").startswith(("-", "!")) else None
        if mark and mark.isdecimal() and source.at(int(mark)):
            found.append(bisect_left(source.offsets, int(mark)))
        node = node.parent
    return frozenset(found)


_RULES = 8  # kept per way: more agree on nothing that eight do not
_REFERENCES = 3  # pages from which rules are proposed
_ALONE_PAGES = 5  # pages on which an opening tag must be unique before it is believed without a second rule
_MARGIN = 0.8  # of the lowest position seen: where the search begins
_NARROW = 0.95  # the same where eight pages or more were seen: 1 page in 30 is searched twice, cuts cost a fifth less
_SEEN_ENOUGH = 8
_AT_MOST = {"tag": 1, "before": 1, "label": 2, "inside": 2, "after": 2, "ahead": 2, FRONT: 1, BACK: 1}


def learn_way(
    sources: Sequence[Source],
    targets: Sequence[int | None],
    take: str,
    *,
    attribute: str = "",
    before: str = "",
    after: str = "",
    drops: tuple[bytes, ...] = (),
    skip_lines: tuple[str, ...] = (),
    known: Sequence[Sequence[str]] = (),
) -> Way | None:
    """Find rules that lead to the target, the offset of a true opening tag, on every page that has one.

    On pages whose target is None they lead to nothing, or disagree. The rules are ranked and come with end marker,
    inner tag count and position hints. None where fewer than two kinds of rules lead there: one rule alone is a guess.
    `known` are, for each page, texts that other pages will not have, such as the values of other fields.
    """
    way = Way(take, (), 2, attribute, before, after, drops=drops, skip_lines=skip_lines)
    found = learn_rules(sources, targets, way, known)
    return found[0] if found else None


def learn_rules(
    sources: Sequence[Source], targets: Sequence[int | None], way: Way, known: Sequence[Sequence[str]] = ()
) -> tuple[Way, float] | None:
    """Complete a way with rules, and say how firm they are: higher the more of them are about the element itself."""
    pairs = list(zip(sources, targets, known or [()] * len(sources), strict=True))
    found = [(spot_of(source, at, way.take), texts) for source, at, texts in pairs if at is not None]
    spots = [spot for spot, _ in found if spot is not None]
    absent = [source for source, at, _ in pairs if at is None]
    if len({spot.source.openings[spot.at].name for spot in spots}) != 1:
        return None
    proposed = propose_rules(target_of(spots, [texts for spot, texts in found if spot]), _references(spots))
    tried = [one for rule in proposed if (one := try_rule(rule, spots, absent))]
    chosen = _choose(tried, len(spots))
    way = _avoid_absent(replace(way, rules=_with_hints(chosen, spots)), absent)
    if len({rule.kind for rule in way.rules}) >= 2:
        return _with_end(way, spots), _firmness(chosen, len(spots))
    alone = _alone(way, tried, spots)
    return (_with_end(alone, spots), 1.0) if alone else None


def _firmness(chosen: Sequence[Tried], pages: int) -> float:
    sure = [one for one in chosen if len(one.right) == pages]
    kinds = {one.rule.kind for one in sure if one.hold == TIGHT}
    return 2.0 * min(3, len(kinds)) + len({one.hold for one in sure} - {TIGHT})


def _references(spots: Sequence[TagOnPage]) -> list[TagOnPage]:
    step = max(1, len(spots) // _REFERENCES)
    return list(spots[::step][:_REFERENCES])


def _choose(tried: Sequence[Tried], pages: int) -> list[Tried]:
    """Pick the best rules, few of a kind, the first two of different kind.

    Rules that count from the same side agree on a neighbour when a row is missing: beside tight ones one must do.
    """
    tried = _demote_nameless(tried, pages)
    ranked = sorted(tried, key=lambda one: one.worth, reverse=True)
    chosen = _pick([one for one in ranked if one.hold == TIGHT], [])
    kinds = {one.rule.kind for one in chosen}
    counting = [one for one in ranked if one.hold != TIGHT and (len(kinds) != 1 or one.rule.kind not in kinds)]
    chosen = _pick(counting, chosen)
    return _second_differs(chosen[:_RULES], pages)


def _demote_nameless(tried: Sequence[Tried], pages: int) -> Sequence[Tried]:
    """Take rules that lead to any tag of the name for counting ones, where only its attributes make the own tag unique.

    On a page without the element its own tag is missing, and the place is its neighbour's.
    """
    own = [one.rule.anchor for one in tried if one.rule.kind == "tag" and len(one.right) == pages]
    if any(is_bare(anchor) for anchor in own) or not any(not is_bare(steady_prefix(anchor)) for anchor in own):
        return tried
    return [replace(one, hold=FRONT) if one.hold == TIGHT and _is_nameless(one.rule) else one for one in tried]


def _is_nameless(rule: Rule) -> bool:
    wanted = rule.anchor[rule.skip :] if rule.nth == 0 else rule.step
    return is_bare(wanted) and b":" not in rule.anchor[: rule.skip if rule.nth == 0 else None]


def _pick(ranked: Sequence[Tried], chosen: Sequence[Tried]) -> list[Tried]:
    """Add rules in order, but only so many of a kind or hold, and none on the anchor of another."""
    picked = list(chosen)
    taken = Counter(trait for one in chosen for trait in (one.rule.kind, one.hold))
    for one in ranked:
        traits = (one.rule.kind, one.hold)
        if any(taken[trait] >= _AT_MOST.get(trait, _RULES) for trait in traits):
            continue
        if not any(_same_anchor(one.rule, other.rule) for other in picked):
            picked.append(one)
            taken.update(traits)
    return picked


def _same_anchor(one: Rule, other: Rule) -> bool:
    if one.kind != other.kind:
        return one.anchor == other.anchor
    return one.anchor in other.anchor or other.anchor in one.anchor


def _second_differs(chosen: list[Tried], pages: int) -> list[Tried]:
    """Bring the best rule of another kind to the second place: these two are all that most cuts look at."""
    for i in range(1, len(chosen)):
        if chosen[i].rule.kind != chosen[0].rule.kind and len(chosen[i].right) == pages:
            return [chosen[0], chosen[i], *chosen[1:i], *chosen[i + 1 :]]
    return chosen


def _with_hints(chosen: Sequence[Tried], spots: Sequence[TagOnPage]) -> tuple[Rule, ...]:
    rules: list[Rule] = []
    for one in chosen:
        found = [spots[i].source.body.find(one.rule.anchor) for i in one.right]
        margin = _NARROW if len(found) >= _SEEN_ENOUGH else _MARGIN
        position = int(margin * min(found)) if one.unique and len(found) > 1 else 0
        rules.append(replace(one.rule, position=position))
    return tuple(rules)


def _avoid_absent(way: Way, absent: Sequence[Source]) -> Way:
    """Drop rules until no two of them agree on a page that does not have the element."""
    for source in absent:
        while way.rules and any(follow(source, way).values):
            led = [(rule, opening.offset) for rule in way.rules if (opening := follow_rule(source, rule))]
            places = [place for _, place in led]
            worst = [rule for rule, place in led if places.count(place) >= way.needed]
            way = replace(way, rules=tuple(rule for rule in way.rules if rule is not worst[-1]))
    return way


def _alone(way: Way, tried: Sequence[Tried], spots: Sequence[TagOnPage]) -> Way | None:
    """Accept a single rule only where the element's own tag was unique on so many pages that chance is out."""
    own = [one for one in tried if one.rule.kind == "tag" and one.unique and not one.misleads]
    if not own or len(own[0].right) < max(_ALONE_PAGES, len(spots)):
        return None
    return replace(way, rules=_with_hints(own[:1], spots), needed=1)


def _with_end(way: Way, spots: Sequence[TagOnPage]) -> Way:
    if way.take in (ATTRIBUTE, LEAD):
        return way
    end, inner_tags = learn_end(spots)
    return replace(way, end=end, inner_tags=inner_tags)
