"""The file of arrays that `dataset.py` writes and training reads: all pages end to end. Needs numpy alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

KINDS = ("article", "thread", "product", "listing", "collection", "service", "documentation")
BLOCK_COLUMNS = AROUND = 77  # features of a block by itself; behind them come those of the boxes around it
LEVEL_NUMBERS = 8  # features of a box
PER_BLOCK = "numbers words box heading cluster comment hidden leads_size openings_size label_words hits".split()
PER_BOX = "held box_parent box_inside box_start box_end names_size".split()
LISTS = "names leads openings page_ids entries places".split()
SMALL = {"words": np.float32, "label_words": np.float32, "hits": np.float32}


def save(path: Path, pages: list[dict[str, Any]], vocabulary: list[list[str]]) -> None:
    """Write all pages. Columns of numbers lie one behind the other, which packs better."""
    joined: dict[str, Any] = {"whole": np.stack([page["whole"] for page in pages])}
    for key in (*PER_BLOCK, *PER_BOX, *LISTS):
        column = np.concatenate([page[key] for page in pages])
        if column.dtype.kind == "i":
            column = column.astype(np.int32)
        column = column.astype(SMALL.get(key, column.dtype))
        joined[key] = np.ascontiguousarray(column.T) if key in ("numbers", "held") else column
    sizes = {key: [len(page[key]) for page in pages] for key in LISTS}
    sizes |= {"blocks": [len(page["box"]) for page in pages], "boxes": [len(page["box_parent"]) for page in pages]}
    joined |= {f"size_{key}": np.array(size, dtype=np.int32) for key, size in sizes.items()}
    told = {"info": [page["info"] for page in pages], "vocabulary": vocabulary}
    joined["told"] = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    np.savez_compressed(path, **joined)


def load(path: Path) -> tuple[dict[str, np.ndarray], list[dict[str, Any]], list[list[str]]]:
    """Return the columns, what is told of each page, and the vocabulary."""
    with np.load(path) as file:
        columns = {key: file[key] for key in file.files}
    told = json.loads(columns.pop("told").tobytes())
    for key in ("numbers", "held"):
        columns[key] = columns[key].T
    return columns, told["info"], told["vocabulary"]
