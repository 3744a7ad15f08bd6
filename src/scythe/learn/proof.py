"""Prove rules on what is known of pages: values recollected and rules learned from them come in, a verdict goes out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from html import escape

from scythe.learn.drift import judge
from scythe.learn.memory import Values, sketch
from scythe.learn.texts import words_of
from scythe.page.dates import to_iso
from scythe.page.follow import element_text, follow
from scythe.page.source import Source, unmark
from scythe.rules import FieldRules, Profile, Usual

RECOLLECTED = 4  # pages on which rules must give back the value that the page had before


def pick_shown(source: Source, then: Values, now: Values) -> dict[str, tuple[str, ...]]:
    """Return of each field the values that the page had before, where it still shows them, or else has now."""
    root = source.tree.body
    words = f" {words_of(unmark(element_text(root)))} " if root is not None else ""
    chosen: dict[str, tuple[str, ...]] = {}
    for name in sorted({*then, *now} - {"text"}):
        before = tuple(value for value in then.get(name, ()) if _is_shown(source, words, value))
        if before or now.get(name):
            chosen[name] = before or now[name]
    return chosen


def follow_best(profile: Profile, source: Source, names: Collection[str]) -> Values:
    """Return what the rules of the layout that gives most say of a page: evidence, which is to be proven."""
    best: Values = {}
    for layout in profile.layouts:
        found: dict[str, tuple[str, ...]] = {}
        for rules in layout.fields:
            values = _follow_ways(rules, source, loosely=True) if rules.name in names else ()
            if values and not judge(rules.usual, values, None):
                found[rules.name] = values
        best = max(best, found, key=len)
    return best


def prove(rules: FieldRules, sources: Sequence[Source], shown: Sequence[Values], usual: Usual) -> FieldRules | None:
    """Keep the ways that give nothing else than what was recollected, if they give it back on all of enough pages."""
    kept = tuple(way for way in rules.ways if _is_harmless(replace(rules, ways=(way,)), sources, shown, usual))
    proven = replace(rules, ways=kept)
    pages = [
        (source, values[rules.name]) for source, values in zip(sources, shown, strict=True) if values.get(rules.name)
    ]
    right = [_agree(rules.name, _follow_ways(proven, source), wanted) for source, wanted in pages]
    return proven if len(right) >= RECOLLECTED and all(right) else None


def is_consistent(rules: FieldRules, sources: Sequence[Source], recalled: Sequence[Values]) -> bool:
    """Say whether rules give what was recollected, where anything was; a page or another may have changed since."""
    pages = [
        (_follow_ways(rules, source), values.get(rules.name)) for source, values in zip(sources, recalled, strict=True)
    ]
    right = [_agree(rules.name, got, wanted) for got, wanted in pages if got and wanted]
    return 2 * sum(right) > len(right) or not right


def _is_harmless(rules: FieldRules, sources: Sequence[Source], shown: Sequence[Values], usual: Usual) -> bool:
    for source, values in zip(sources, shown, strict=True):
        got = _follow_ways(rules, source)
        wanted = values.get(rules.name)
        if got and (not _agree(rules.name, got, wanted) if wanted else judge(usual, got, None)):
            return False
    return True


def _agree(name: str, got: Sequence[str], wanted: Sequence[str]) -> bool:
    """Compare to the letter: another place may say the same in capitals on these pages and something else on others."""
    if not got:
        return False
    if name == "text":  # one end may differ: a line of boilerplate more or less
        return any(mine.split() == yours.split() for mine, yours in zip(sketch(got[0]), wanted, strict=False))
    if name == "date":  # dates are given out as ISO 8601
        got, wanted = [to_iso(got[0]) or got[0]], [to_iso(value) or value for value in wanted]
    return " ".join(got[0].split()) in {" ".join(value.split()) for value in wanted}


def _follow_ways(rules: FieldRules, source: Source, *, loosely: bool = False) -> tuple[str, ...]:
    return next((values for way in rules.ways if (values := follow(source, way, loosely=loosely).values)), ())


def _is_shown(source: Source, words: str, value: str) -> bool:
    """Say whether a page has a value, in its text or in an attribute."""
    if f" {words_of(value)} " in words:
        return True
    raw = value.encode(source.encoding, "replace")
    return raw in source.body or escape(value).encode(source.encoding, "replace") in source.body
