"""Prove rules on what is known of pages: values recollected and rules learned from them come in, a verdict goes out."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from scythe.learn.drift import judge
from scythe.learn.memory import Values
from scythe.learn.texts import words_of
from scythe.page.dates import to_iso
from scythe.page.follow import element_text, follow
from scythe.page.source import Source, unmark
from scythe.rules import FieldRules, Usual

RECOLLECTED = 3  # pages on which rules must give back the value that the page had before


def pick_shown(source: Source, then: Values, now: Values) -> dict[str, tuple[str, ...]]:
    """Return of each field the values that the page had before, where it still shows them, or else has now."""
    root = source.tree.body
    words = f" {words_of(unmark(element_text(root)))} " if root is not None else ""
    chosen: dict[str, tuple[str, ...]] = {}
    for name in sorted({*then, *now}):
        before = tuple(value for value in then.get(name, ()) if _is_shown(source, words, value))
        if before or now.get(name):
            chosen[name] = before or now[name]
    return chosen


def is_proven(rules: FieldRules, sources: Sequence[Source], shown: Sequence[Values], usual: Usual) -> bool:
    """Say whether rules give back every value recollected, on enough pages, and nothing implausible elsewhere."""
    proofs = 0
    for source, values in zip(sources, shown, strict=True):
        got = _follow_ways(rules, source)
        if values.get(rules.name):
            if not got or not _agree(rules.name, got, values[rules.name]):
                return False
            proofs += 1
        elif got and judge(usual, got, None):
            return False
    return proofs >= RECOLLECTED


def is_consistent(rules: FieldRules, sources: Sequence[Source], shown: Sequence[Values]) -> bool:
    """Say whether rules give nothing else than what was recollected, where anything was."""
    for source, values in zip(sources, shown, strict=True):
        got = _follow_ways(rules, source)
        if got and values.get(rules.name) and not _agree(rules.name, got, values[rules.name]):
            return False
    return True


def _agree(name: str, got: Sequence[str], wanted: Sequence[str]) -> bool:
    if name == "date":  # dates are given out as ISO 8601
        got, wanted = [to_iso(got[0]) or got[0]], [to_iso(value) or value for value in wanted]
    return words_of(got[0]) in set(map(words_of, wanted))


def _follow_ways(rules: FieldRules, source: Source) -> tuple[str, ...]:
    return next((values for way in rules.ways if (values := follow(source, way).values)), ())


def _is_shown(source: Source, words: str, value: str) -> bool:
    """Say whether a page has a value, in its text or in an attribute."""
    if f" {words_of(value)} " in words:
        return True
    raw = value.encode(source.encoding, "replace")
    return raw in source.body or escape(value).encode(source.encoding, "replace") in source.body
