"""Correct scores by what needs no learning: features and scores of candidates come in, scores go out.

The labelled pages hold few tables of data and hardly any plain articles, so what a table and what running text is
stands here as rules.
"""

from __future__ import annotations

import numpy as np

from scythe.read.records.features import Described
from scythe.read.records.kinds import MENUS, name_kinds
from scythe.read.records.ranges import Floats

CUT = 0.2  # regions below it are menus and the like: chosen by cross-validation, train/records
LEAST = 0.12  # a clear list counts from here on when no other region does
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
