"""Choose the rule for the main text of a layout: the selector, what to leave out, what to add.

A rule is judged by the F1, in words, that the labels of the runs let expect of it, as a mean over the pages. Prefix
sums make that linear in the elements of all pages, however many selectors are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from scythe.site.evidence import (
    ElementGroups,
    Flags,
    Floats,
    Hashes,
    Ints,
    Stack,
    among,
    covered_runs,
    group,
    inside_rows,
    joined,
    sums,
)
from scythe.site.rules import TextRule
from scythe.site.run_labels import RunLabels
from scythe.site.select import EVERY, FIRST, Selector

_BEST = 8  # selectors for which drops are tried
_NEAR = 0.12  # of the best
_FINAL = 3  # of these, additions are tried
_DROP_GAIN, _ADD_GAIN = 0.002, 0.03
_DROP_SHARE = 0.25  # of the label a drop may take
_DROP_KEPT = 0.3  # of it that the reader kept
_MOST_DROPS, _MOST_ADDS = 12, 2
_DROP_PAGES = 2
_BARE, _ALL, _DROP, _ADD = 0.012, 0.006, 0.0005, 0.005  # penalties
EMPTY_WORDS = 25.0  # a page with fewer labelled words has no text to speak of


@dataclass(frozen=True, slots=True)
class _SelectorKind:
    """All candidates of one kind of selector."""

    groups: ElementGroups
    by: str  # path, key or pair
    is_bare: Flags  # by group


@dataclass(frozen=True, slots=True)
class _Choice:
    rows: Ints  # selected elements
    selector: Selector
    score: float


@dataclass(frozen=True, slots=True)
class _DropGroups:
    """Elements inside a choice that may be left out, by key and by key and parent's key."""

    members: ElementGroups
    keys: int  # the first groups are by key, the others by both
    run_from: Ints  # of each member
    run_to: Ints
    kept: Floats  # words of each group that the reader kept
    is_field: Flags  # most members look like fields

    @classmethod
    def of(cls, of: Stack, rows: Ints, labels: RunLabels) -> _DropGroups:
        keys = group(of, of.key, rows)
        members = joined(of, keys, group(of, of.pair, rows))
        at, to = of.run_from[members.row], of.run_to[members.row]
        kept = sums(labels.words * labels.kept)
        fields = np.bincount(members.group, labels.field_like[members.row], members.count)
        is_field = fields > 0.5 * np.bincount(members.group, minlength=members.count)
        said = np.bincount(members.group, kept[to] - kept[at], members.count)
        return cls(members, keys.count, at, to, said, is_field)


class TextLearner:
    """Chooses a rule from the labelled pages of one layout."""

    def __init__(self, of: Stack, labels: RunLabels) -> None:
        self._of = of
        self._labels = labels
        self._judged = np.flatnonzero(labels.page_words >= EMPTY_WORDS)
        if not len(self._judged):
            self._judged = np.flatnonzero(labels.page_words > 0)
        self._judges_some = len(self._judged) < of.pages
        self._total = labels.page_words
        self._words, self._label = labels.words, labels.label

    def learn(self) -> TextRule | None:
        """Return the best rule, or None where no page has text."""
        if not len(self._judged):
            return None
        choices = self._choices()
        rules = [self._with_drops(choice) for choice in choices]
        rules.sort(key=lambda rule: -rule[1])
        best = [self._with_additions(*rule) for rule in rules[:_FINAL]]
        return max(best, key=lambda rule: rule.score, default=None)

    def _choices(self) -> list[_Choice]:
        of = self._of
        size, share = of.held(sums(self._words)), of.held(sums(self._words * self._label))
        rows = np.flatnonzero(share > 0.2 * self._total[of.page] / max(1, 8))
        found: list[tuple[float, bytes, _SelectorKind, int, bool]] = []
        for kind, takes_all, w, s in self._tries(rows, size, share):
            f1 = self._mean(w, s) - _BARE * kind.is_bare - _ALL * takes_all
            for number in np.argsort(-f1, kind="stable")[:_BEST]:
                found.append((float(f1[number]), w[number].tobytes(), kind, int(number), takes_all))
        return self._distinct(found)

    def _kinds(self, rows: Ints) -> list[_SelectorKind]:
        """Group what is selected alike: rows and all that their selectors would find besides."""
        of = self._of
        paths, pairs = (group(of, values, _alike(values, rows)) for values in (of.path, of.pair))
        keys = group(of, of.key, _alike(of.key, rows[of.keyed[rows]]))
        return [
            _SelectorKind(keys, "key", np.zeros(keys.count, bool)),
            _SelectorKind(pairs, "pair", ~of.keyed[pairs.example]),
            _SelectorKind(paths, "path", ~of.keyed[paths.example]),
        ]

    def _tries(self, rows: Ints, size: Floats, share: Floats) -> Iterator[tuple[_SelectorKind, bool, Floats, Floats]]:
        """Yield the kinds of selectors, whether all matches are taken, and words and labelled words by group and page.

        `size` and `share` are those of each element.
        """
        for kind in self._kinds(rows):
            groups, pages = kind.groups, self._of.pages
            for takes_all in (False, True) if groups.count else ():
                members = slice(None) if takes_all else groups.first
                cells, held = groups.cell[members], groups.row[members]
                w, s = (np.bincount(cells, of_row[held], groups.count * pages) for of_row in (size, share))
                yield kind, takes_all, w.reshape(-1, pages), s.reshape(-1, pages)

    def _mean(self, w: Floats, s: Floats) -> Floats:
        if self._judges_some:
            w, s = w[:, self._judged], s[:, self._judged]
        f1: Floats = (s / np.maximum(w + self._total[self._judged], 1e-9)).sum(axis=1) * (2 / len(self._judged))
        return f1

    def _distinct(self, found: list[tuple[float, bytes, _SelectorKind, int, bool]]) -> list[_Choice]:
        found.sort(key=lambda each: -each[0])
        choices: dict[bytes, _Choice] = {}
        for score, print_, kind, number, takes_all in found:
            if len(choices) == _BEST or score < found[0][0] - _NEAR:
                break
            if print_ not in choices:
                choices[print_] = self._choice(kind, number, takes_all, score)
        return list(choices.values())

    def _choice(self, kind: _SelectorKind, number: int, takes_all: bool, score: float) -> _Choice:
        groups = kind.groups
        members = np.flatnonzero(groups.group == number)
        if not takes_all:
            members = np.intersect1d(members, groups.first, assume_unique=True)
        return _Choice(groups.row[members], self._selector(kind.by, int(groups.example[number]), takes_all), score)

    def _selector(self, by: str, row: int, takes_all: bool) -> Selector:
        of, place = self._of, EVERY if takes_all else FIRST
        if by == "path":
            return Selector(path=int(of.path[row]), place=place)
        if by == "key":
            return Selector(key=int(of.key[row]), place=place)
        return Selector(key=int(of.key[row]), parent=int(of.parent_key[row]), place=place)

    def _with_drops(self, choice: _Choice) -> tuple[TextRule, float, Ints, Floats]:
        """Leave out of a choice, one after the other, what lowers its score most."""
        of = self._of
        rows = (inside_rows(choice.rows, of) & of.keyed & (of.run_to > of.run_from)).nonzero()[0]
        groups = _DropGroups.of(of, rows, self._labels) if len(rows) else None
        words, drops = self._words, list[Selector]()
        first = score = self._score_of(choice.rows, words)
        while groups is not None and len(drops) < _MOST_DROPS:
            gain, number = self._best_drop(groups, choice.rows, words, score)
            if gain <= _DROP_GAIN:
                break
            members = groups.members
            rows = members.row[members.group == number]
            words = np.where(covered_runs(rows, of, len(words)), 0.0, words)
            drops.append(self._selector("key" if number < groups.keys else "pair", int(members.example[number]), True))
            score += gain
        penalty = choice.score - first
        total = score + penalty - _DROP * len(drops)
        return TextRule((choice.selector,), tuple(drops), round(score, 4)), total, choice.rows, words

    def _best_drop(self, groups: _DropGroups, roots: Ints, words: Floats, score: float) -> tuple[float, int]:
        """Return what leaving out the best group gains, and its number."""
        of, members = self._of, groups.members
        prefix, labelled = sums(words), sums(words * self._label)
        at, to = groups.run_from, groups.run_to
        cells = members.count * of.pages
        w = np.bincount(members.cell, prefix[to] - prefix[at], cells).reshape(-1, of.pages)
        s = np.bincount(members.cell, labelled[to] - labelled[at], cells).reshape(-1, of.pages)
        size, share = w.sum(axis=1), s.sum(axis=1)
        may = (share < _DROP_SHARE * size) & (groups.is_field | (groups.kept < _DROP_KEPT * size))
        may &= np.count_nonzero(w > 0, axis=1) >= min(_DROP_PAGES, of.pages)
        if not may.any():
            return 0.0, 0
        root_w, root_s = self._on_pages(roots, prefix, labelled)
        tried = np.flatnonzero(may)
        gains = self._mean(root_w - w[tried], root_s - s[tried]) - score
        best = int(np.argmax(gains))
        return float(gains[best]), int(tried[best])

    def _score_of(self, rows: Ints, words: Floats) -> float:
        w, s = self._on_pages(rows, sums(words), sums(words * self._label))
        return float(self._mean(w[None], s[None])[0])

    def _on_pages(self, rows: Ints, prefix: Floats, labelled: Floats) -> tuple[Floats, Floats]:
        """Return the words, and the labelled ones, that some elements hold on each page."""
        of, page = self._of, self._of.page[rows]
        words = np.bincount(page, of.held(prefix, rows), of.pages)
        return words, np.bincount(page, of.held(labelled, rows), of.pages)

    def _with_additions(self, rule: TextRule, total: float, roots: Ints, words: Floats) -> TextRule:
        """Add selectors of what a rule misses, where that pays."""
        of = self._of
        for _ in range(_MOST_ADDS if rule.score + _ADD_GAIN < 1 else 0):
            covered = inside_rows(roots, of)
            covered[roots] = True
            around = sums(np.bincount(roots, minlength=len(of.key)).astype(float))
            holds = around[of.last] - around[np.arange(len(of.key))] > 0
            rows = np.flatnonzero(~covered & ~holds & (of.held(sums(words * self._label)) > 0))
            best = self._best_addition(rows, roots, words, covered, holds)
            if best is None or best.score <= rule.score + _ADD_GAIN:
                break
            roots = np.sort(np.concatenate([roots, best.rows]))
            rule = replace(rule, roots=(*rule.roots, best.selector), score=round(best.score, 4))
            total = best.score - _ADD
        return replace(rule, score=round(min(rule.score, total + 0.01), 4)) if total < rule.score - 0.01 else rule

    def _best_addition(self, rows: Ints, roots: Ints, words: Floats, covered: Flags, holds: Flags) -> _Choice | None:
        of = self._of
        prefix, labelled = sums(words), sums(words * self._label)
        root_w, root_s = self._on_pages(roots, prefix, labelled)
        size, share = (np.where(covered, 0.0, of.held(total)) for total in (prefix, labelled))
        best: _Choice | None = None
        for kind, takes_all, w, s in self._tries(rows, size, share):
            groups = kind.groups
            no_use = kind.is_bare | (np.bincount(groups.group, holds[groups.row], groups.count) > 0)
            f1 = np.where(no_use, 0.0, self._mean(root_w + w, root_s + s))
            number = int(np.argmax(f1))
            if best is None or f1[number] > best.score:
                best = self._choice(kind, number, takes_all, float(f1[number]))
        return best


def _alike(values: Hashes, rows: Ints) -> Ints:
    return among(values, values[rows]).nonzero()[0]
