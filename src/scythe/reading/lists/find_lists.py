"""Find, rank and classify the lists of a page, best first.

Scores come from a trained forest and are corrected by rules for data tables and running text, which are rare in the
training pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scythe.model import ListKind, Loss, RecordList
from scythe.page import Page
from scythe.page.elements import blocks_of_leaves
from scythe.page.page import note_list_losses
from scythe.reading.forest import Forest, load
from scythe.reading.lists.candidates import Candidate, PageCandidates, find_candidates, places_of, starts_of
from scythe.reading.lists.fill import fill_list, fill_placed
from scythe.reading.lists.list_features import Described, Floats, describe, feature_columns, measure
from scythe.reading.text.choose_text import see

if TYPE_CHECKING:
    from scythe.page.map import Node

Get = Callable[[str], float]
Rules = tuple[tuple[ListKind, Callable[[Get], bool]], ...]
MENUS = frozenset(("menu", "breadcrumb", "pager", "tags", "share", "footer", "related"))  # not what a page is about
SURE = 0.35  # score from which a list is content whatever its names say


def name_kinds(rows: Floats, scores: Floats) -> list[ListKind]:
    """Return the kind of each row of features."""
    return [_kind(_getter(row), _CONTENT if score >= SURE else _ALL) for row, score in zip(rows, scores, strict=True)]


def _getter(row: Floats) -> Get:
    at, item = feature_columns(), row.item  # a kind needs few of the numbers of a row
    return lambda name: item(at[name])


def _kind(get: Get, rules: Rules) -> ListKind:
    """Return the first kind whose signs are there."""
    for kind, holds in rules:
        if holds(get):
            return kind
    return "menu" if _is_linked(get) and get("chars") <= 25 else "list"


def _named(get: Get, role: str, *, above: bool = True) -> bool:
    """Say whether the names of records, holder or what is above them speak of a role."""
    near = get(f"records are {role}") >= 0.5 or get(f"holder is {role}") > 0
    return near or (above and get(f"above is {role}") > 0)


def _is_linked(get: Get) -> bool:
    return get("link share") >= 0.7 and get("chars") <= 60


def _is_related(get: Get) -> bool:
    return _named(get, "related") or get("heading says related") > 0


def _is_signed(get: Get) -> bool:
    """Say whether records are what people wrote in a thread."""
    return _named(get, "thread") and get("records have author") >= 0.5 and get("long records") >= 0.3


_FURNITURE: Rules = (
    ("breadcrumb", lambda get: _named(get, "breadcrumb") and get("chars") <= 80),
    ("pager", lambda get: _named(get, "pager") and get("chars") <= 40),
    ("share", lambda get: _named(get, "share") and get("chars") <= 60 and get("records") <= 20),
    ("tags", lambda get: _named(get, "tags") and _is_linked(get) and get("chars") <= 40),
    ("footer", lambda get: (get("inside footer") > 0 or _named(get, "footer")) and get("chars") <= 250),
    ("menu", lambda get: (get("inside nav") > 0 or _named(get, "menu")) and get("link share") >= 0.5),
    ("menu", lambda get: get("inside header") > 0 and _is_linked(get)),
    ("related", lambda get: get("linked records") >= 0.5 and _is_related(get)),
)
_CONTENT: Rules = (
    ("table", lambda get: get("record tag tr") > 0),
    ("definitions", lambda get: get("record tag dt") > 0 or get("holder tag dl") > 0),
    ("posts", lambda get: _named(get, "comment") or _is_signed(get)),
    ("products", lambda get: get("price records") >= 0.5 or _named(get, "product", above=False)),
    ("results", lambda get: _named(get, "result") and get("a records") >= 0.5),
    ("gallery", lambda get: get("img records") >= 0.8 and get("chars") <= 30),
    ("articles", lambda get: _named(get, "article", above=False) and get("a records") >= 0.5 and get("chars") >= 40),
    ("articles", lambda get: get("headed records") >= 0.5 and get("a records") >= 0.5 and get("chars") >= 40),
)
_ALL: Rules = (*_FURNITURE, *_CONTENT)

CUT = 0.2  # lists below it are menus and the like: chosen by cross-validation, train/records
LEAST = 0.12  # a clear list counts from here on when no other list does
_CELLS, _PROSE, _SAME = 0.6, 0.5, 0.5  # what is left of a score
_NEAR = 0.9  # of the score of a part
_FAR = 0.5  # of the score of a field: from .15 to .7 our labelled pages do not mind


def settle(described: Described, scores: Floats) -> Floats:
    """Return the scores after all rules."""
    return _prefer_records(described, _prefer_wholes(described, _correct(described, scores)))


def _prefer_wholes(described: Described, scores: Floats) -> Floats:
    """Lift candidates above their parts where both score about the same and all records of the whole look alike."""
    part, whole = described.parts
    count, alike, texts = (described.column(name) for name in ("records", "heads usual", "texts kinds"))
    near = (scores[part] > scores[whole]) & (scores[whole] >= _NEAR * scores[part])
    near &= (alike[whole] == 1.0) & (texts[whole] >= 0.9) & (count[whole] <= 4 * count[part])
    lifted = scores.copy()
    np.maximum.at(lifted, whole[near], scores[part[near]] + 1e-4)
    return lifted


def _prefer_records(described: Described, scores: Floats) -> Floats:
    """Lift candidates above what is one field of each of their records: the texts of comments are not the comments."""
    field, record = described.fields
    near = (scores[field] > scores[record]) & (scores[record] >= _FAR * scores[field])
    near &= described.column("heads usual")[record] >= 0.9
    lifted = scores.copy()
    # of several the one that scored best comes first
    np.maximum.at(lifted, record[near], scores[field[near]] + 1e-4 * (1 + scores[record[near]]))
    return lifted


def _correct(described: Described, scores: Floats) -> Floats:
    """Return the scores after the rules for cells, running text, repetition and tables of data."""
    get = described.column
    # a cell with one text is a field: the row is the record
    fields = (get("record tag td") > 0) & (get("leaves") < 1.3) & (get("cells of") + get("column of") > 0)
    # paragraphs of running text are alike, but no records
    lone = (get("rows") <= 1.5) & (get("record tag li") == 0) & (get("record tag tr") == 0)
    prose = ((get("record tag p") > 0) | lone) & (get("sentence records") >= 0.6) & (get("link share") < 0.3)
    prose &= (get("leaves") < 4) & (get("chars") >= 80)
    # "Subscribe" twenty times is no list
    same = (get("texts usual") >= 0.5) & (get("records") >= 4)
    settled = scores * np.where(fields, _CELLS, 1.0) * np.where(prose, _PROSE, 1.0) * np.where(same, _SAME, 1.0)
    # rows with the same cells, each with a short text, are a table of data whatever their words are
    told = (get("record tag tr") > 0) & (get("cell each") >= 3) & (get("tags usual") >= 0.6) & (get("records") >= 4)
    told &= (get("leaves") >= 1.7) & (get("leaf chars") <= 40) & (get("parents") <= 0.5)
    told &= get("furniture above") == 0
    corrected: Floats = np.where(told, np.maximum(settled, CUT), settled)
    return corrected


def is_clear(described: Described, one: int, score: float) -> bool:
    """Say whether the best candidate of a page may count although its score is low: all its records look alike."""
    alike, paragraphs = described.column("heads usual")[one], described.column("record tag p")[one]
    kind = name_kinds(described.rows[[one]], np.array([score]))[0]
    return score >= LEAST and bool(alike >= 0.9) and not paragraphs and kind not in MENUS


@dataclass(frozen=True, slots=True)
class Ranked:
    """A list that no better one overlaps."""

    candidate: Candidate
    score: float  # 0..1, how likely it is what the page is about
    kind: str


def rank(
    page: Page, candidates: Sequence[Candidate], forest: Forest | None = None, *, everything: bool = True
) -> list[Ranked]:
    """Return the best candidates that share no text, best first; below `CUT` they are not what the page is about.

    Without `everything` these are left out. `forest` replaces the shipped one.
    """
    if not candidates:
        return []
    elements = page.elements
    described = describe(elements, measure(elements, score_leaves(page)), candidates)
    forest = forest or load()
    scores = settle(described, forest.predict(_columns_of(described, forest.features)))
    chosen = choose(candidates, scores, len(elements.text), 0.0 if everything else CUT)
    kinds = name_kinds(described.rows[chosen], scores[chosen])
    best = chosen[0]
    if scores[best] < CUT and is_clear(described, best, scores[best]):
        scores[best] = CUT
    return [
        Ranked(candidates[one], round(float(scores[one]), 4), kind) for one, kind in zip(chosen, kinds, strict=True)
    ]


def _columns_of(described: Described, names: tuple[str, ...]) -> Floats:
    """Return the columns a forest was trained on; the shipped one takes all, in order."""
    if names == described.names:
        return described.rows
    at = feature_columns()
    return described.rows[:, [at[name] for name in names]]


def score_leaves(page: Page) -> Floats | None:
    """Return for each leaf how likely it is main text, as the network for main text sees its block."""
    blocks, elements = page.blocks, page.elements
    if not len(blocks) or not elements.text:
        return None
    scores = see(page).probabilities
    found: Floats = scores[np.minimum(blocks_of_leaves(elements, blocks), len(scores) - 1)]
    return found


def choose(candidates: Sequence[Candidate], scores: Floats, leaves: int, least: float = 0.0) -> list[int]:
    """Return the numbers of the candidates to keep, best first: none shares a leaf with a better one.

    The best is kept whatever its score, others from `least`.
    """
    taken, chosen, columns = bytearray(leaves), list[int](), PageCandidates.of(candidates)
    marks = np.frombuffer(taken, np.uint8)
    order = np.argsort(-scores, kind="stable")
    for one in order[: max(1, np.count_nonzero(scores >= least))].tolist():
        _, _, starts, ends = columns.spans_of(one)
        first, last = int(starts[0]), int(ends[-1])
        # mostly nothing is taken between the first and the last record, and one look is enough
        if taken.find(1, first, last) >= 0:
            before = starts_of(marks[first:last].astype(np.int64))
            if (before[ends - first] > before[starts - first]).any():
                continue
        chosen.append(one)
        marks[places_of(starts, ends - starts)] = 1
    return chosen


def rank_lists(page: Page, forest: Forest | None = None, *, everything: bool = True) -> list[Ranked]:
    """Return where the lists of a page are, best first, with `everything` menus and the like among them."""
    losses: list[Loss] = []
    candidates = find_candidates(page.elements, losses)
    note_list_losses(page, losses)
    return rank(page, candidates, forest, everything=everything)


def read_records(page: Page, *, everything: bool = False, forest: Forest | None = None) -> tuple[RecordList, ...]:
    """Return the lists of a page, best first; `everything` adds menus, pagers, footers and what else repeats.

    `forest` replaces the ranker that ships.
    """
    ranked = rank_lists(page, forest, everything=everything)
    return tuple(
        fill_list(page, one.candidate, one.score, one.kind) for one in ranked if everything or one.score >= CUT
    )


def place_records(page: Page) -> list[tuple[RecordList, list[list[Node]]]]:
    """Return all lists of a page, menus and the like last, with the outermost elements of each record."""
    elements = page.elements
    placed = []
    for one in rank_lists(page):
        record_list, candidate = fill_placed(page, one.candidate, one.score, one.kind)
        places = [[elements.node[row] for row in _outermost(elements.end, *rows)] for rows in candidate.rows]
        placed.append((record_list, places))
    return placed


def _outermost(ends: Sequence[int], first: int, last: int) -> list[int]:
    """Return the rows of a run of siblings."""
    rows = []
    while first < last:
        rows.append(first)
        first = ends[first]
    return rows
