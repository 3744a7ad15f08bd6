"""Learn a way to an element: pages and the element's place on each come in, verified and ranked rules go out.

The paper (Algorithm 4) walks up from the element to an opening tag that is unique on one page. Here several kinds of
rules are tried on all pages; those that lead astray anywhere are dropped, and two of different kind must agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from scythe.learn.anchors import propose_rules
from scythe.learn.ends import learn_end
from scythe.learn.literals import steady_prefix
from scythe.learn.spots import Spot, spot_of, target_of
from scythe.learn.trials import BACK, FRONT, TIGHT, Tried, try_rule
from scythe.page.follow import follow, follow_rule
from scythe.page.source import Source, is_bare
from scythe.rules import ATTRIBUTE, LEAD, Rule, Way

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


def _references(spots: Sequence[Spot]) -> list[Spot]:
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


def _with_hints(chosen: Sequence[Tried], spots: Sequence[Spot]) -> tuple[Rule, ...]:
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


def _alone(way: Way, tried: Sequence[Tried], spots: Sequence[Spot]) -> Way | None:
    """Accept a single rule only where the element's own tag was unique on so many pages that chance is out."""
    own = [one for one in tried if one.rule.kind == "tag" and one.unique and not one.misleads]
    if not own or len(own[0].right) < max(_ALONE_PAGES, len(spots)):
        return None
    return replace(way, rules=_with_hints(own[:1], spots), needed=1)


def _with_end(way: Way, spots: Sequence[Spot]) -> Way:
    if way.take in (ATTRIBUTE, LEAD):
        return way
    end, inner_tags = learn_end(spots)
    return replace(way, end=end, inner_tags=inner_tags)
