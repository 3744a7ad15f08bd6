"""Read page sets into arrays to train from: features, labels and sites of every page, in one file.

    python train/text/dataset.py --data DIR --out build/pages.npz

Training then needs nothing but numpy and torch, so that it may run where scythe is not installed.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bench.folds import FOLDS
from bench.site_names import fold_of, site_of
from labels import Labels, label_chunks, label_gold

from pages import AROUND, BLOCK_COLUMNS, KINDS, LEVEL_NUMBERS, save
from scythe.page import Page
from scythe.reading.text.block_features import LEVELS, WORD, Features, Vocabulary, describe, split_names
from scythe.reading.text.choose_text import has_headline, head_of, is_thread

NAMES, WORDS, PAGE = (2500, 8), (5000, 12), (500, 6)  # how many at most, and on how many sites each must occur
KIND_OF_SET = {"forums": "thread"} | dict.fromkeys(
    ("articles", "big9", "chaos", "dragnet", "fundus", "newsgold", "postlight", "trafilatura"), "article"
)
KIND_NAMES = {"forum": "thread"}  # as the page sets say it, and as we do


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line) | {"set": path.name.split(".")[0]}


def site_name(row: dict[str, Any]) -> str:
    return site_of(row.get("url"), row.get("site"), row["id"])


def tokens_of(row: dict[str, Any]) -> tuple[str, set[str], set[str], set[str]]:
    """Return the site of a page and the names, words and page tokens on it."""
    page = Page.from_text(row["html"], url=row.get("url"))
    blocks = page.blocks
    names = {f"<{tag}>" for tag in {*blocks.box_tag, *blocks.lead_tag}}
    for text in {*blocks.box_names, *blocks.lead_names}:
        names.update(split_names(text))
    words = {word for text in blocks.text for word in WORD.findall(text[:120].lower())[:10]}
    words = {word for word in words if not word.isdigit() or len(word) == 4}
    return site_name(row), names, words, set(head_of(page).tokens)


def collect_vocabulary(rows: Iterable[tuple[str, set[str], set[str], set[str]]]) -> Vocabulary:
    """Choose names, words and page tokens by the number of sites that use them; labels play no part."""
    seen: tuple[dict[str, set[str]], ...] = (defaultdict(set), defaultdict(set), defaultdict(set))
    for site, *found in rows:
        for users, tokens in zip(seen, found, strict=True):
            for token in tokens:
                users[token].add(site)
    names, words, page = seen
    counts = [f"={number}" for number in range(11)]
    return Vocabulary(_common(names, *NAMES), counts + _common(words, *WORDS), _common(page, *PAGE))


def _common(seen: dict[str, set[str]], most: int, sites: int) -> list[str]:
    ranked = sorted(seen.items(), key=lambda item: (-len(item[1]), item[0]))
    return [token for token, users in ranked if len(users) >= sites][:most]


def describe_row(vocabulary: Vocabulary, row: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arrays of one page, None for a page without blocks."""
    page = Page.from_text(row["html"], url=row.get("url"))
    if not len(page.blocks):
        return None
    if row["metric"] == "chunks":
        labels = label_chunks(page.blocks, row["must"], row["must_not"])
    else:
        labels = label_gold(page.blocks, row["gold"])
    head = head_of(page)
    kind = row.get("kind") or KIND_OF_SET.get(row["set"], "")
    kind = KIND_NAMES.get(kind, kind)
    return {
        **_arrays(describe(page.blocks, head, vocabulary)),
        **_labels(labels),
        "hidden": np.array(page.blocks.box_hidden, dtype=np.bool_)[np.array(page.blocks.box, dtype=np.intp)],
        "info": {
            "set": row["set"], "id": row["id"], "fold": fold_of(site_name(row), FOLDS), "thread": is_thread(head),
            "kind": KINDS.index(kind) if kind in KINDS else -1, "headline": has_headline(head),
            "gold_words": labels.gold_words, "chunked": labels.hits is None,
        },
    }  # fmt: skip


def _arrays(features: Features) -> dict[str, np.ndarray]:
    """Return the features of a page without what is the same for a box or for the whole page."""
    f = features
    held = np.zeros((len(f.box_parent), LEVEL_NUMBERS), dtype=np.float16)
    box = f.box
    for level in range(LEVELS):
        start = AROUND + level * LEVEL_NUMBERS
        held[box] = f.numbers[:, start : start + LEVEL_NUMBERS]
        box = f.box_parent[box]
    ends = np.arange(1, len(f.box_parent) + 1)  # boxes box:end lie inside
    for number in range(len(ends) - 1, 0, -1):
        ends[f.box_parent[number]] = max(ends[f.box_parent[number]], ends[number])
    return {
        "numbers": f.numbers[:, :BLOCK_COLUMNS].astype(np.float16),
        "whole": f.numbers[0, AROUND + LEVELS * LEVEL_NUMBERS :].astype(np.float32),
        "held": held, "words": f.words, "box": f.box, "heading": f.heading, "cluster": f.cluster, "comment": f.comment,
        "box_parent": f.box_parent, "box_inside": ends, "box_start": f.box_start, "box_end": f.box_end,
        "names": np.array(f.names.ids, dtype=np.int32), "names_size": np.diff(f.names.offsets),
        "leads": np.array(f.leads.ids, dtype=np.int32), "leads_size": np.diff(f.leads.offsets),
        "openings": np.array(f.openings.ids, dtype=np.int32), "openings_size": np.diff(f.openings.offsets),
        "page_ids": np.array(f.page_ids, dtype=np.int32),
    }  # fmt: skip


def _labels(labels: Labels) -> dict[str, np.ndarray]:
    """Return the words of the gold in each block, and for chunks one row per block of each place where one stands."""
    entries, places = [], []
    count = sum(bool(found) for _, found in labels.chunks)
    for number, (wanted, found) in enumerate(labels.chunks):
        kept = found[:1] if wanted else found
        for start, end in kept:
            entries += [(block, len(places)) for block in range(start, end)]
            places.append((number, wanted, 1 / len(kept) / max(count, 3)))
    hits = labels.hits if labels.hits is not None else np.zeros(len(labels.words))
    return {
        "label_words": labels.words, "hits": hits,
        "entries": np.array(entries, dtype=np.int32).reshape(-1, 2),
        "places": np.array(places, dtype=np.float32).reshape(-1, 3),
    }  # fmt: skip


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--data", type=Path, required=True, help="folder of *.jsonl.xz page sets")
    args.add_argument("--out", type=Path, required=True)
    args.add_argument("--workers", type=int, default=2)
    opts = args.parse_args()
    paths = sorted(opts.data.glob("*.jsonl.xz"))
    with ProcessPoolExecutor(opts.workers) as pool:
        rows = (row for path in paths for row in rows_of(path))
        vocabulary = collect_vocabulary(pool.map(tokens_of, rows, chunksize=8))
        rows = (row for path in paths for row in rows_of(path))
        pages = [found for found in pool.map(partial(describe_row, vocabulary), rows, chunksize=8) if found]
    words = [list(table) for table in (vocabulary.names, vocabulary.words, vocabulary.page)]
    save(opts.out, pages, words)
    print(f"{len(pages)} pages, {opts.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
