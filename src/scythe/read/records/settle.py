"""Correct scores by what needs no learning: features and scores of candidates come in, scores go out.

The labelled pages hold few tables of data and hardly any plain articles, so what a table and what running text is
stands here as rules.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scythe.read.records.ranges import Floats

CUT = 0.22  # regions below it are menus and the like: chosen by cross-validation, train/records
LEAST = 0.15  # the best region counts from here on when no other does, unless it is furniture of the page
_CELLS, _PROSE, _SAME = 0.6, 0.5, 0.5  # what is left of a score


def settle(names: Sequence[str], rows: Floats, scores: Floats) -> Floats:
    """Return the scores after the rules for cells, running text and tables of data."""
    at = {name: column for column, name in enumerate(names)}

    def get(name: str) -> Floats:
        return rows[:, at[name]]

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
