"""Score cross-validated block scores with the benchmark's own metrics: what `auto` reaches on sites it never saw."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from bench.pages import find_sets, load_set
from bench.scoring import aggregate, count

from scythe.model import TextOptions
from scythe.page import Page
from scythe.page.content import PageContent
from scythe.reading.text.block_features import describe
from scythe.reading.text.choose_text import choose, has_headline, head_of, is_thread, settle, without_title
from scythe.reading.text.network import BlockFacts, load


def text_of(page: Page, probabilities: np.ndarray) -> str:
    """Return the text that `auto` would give if the network had answered with these probabilities."""
    blocks, head = page.blocks, head_of(page)
    features = describe(blocks, head, load().vocabulary)
    hidden = np.array([blocks.box_hidden[box] for box in blocks.box], dtype=np.bool_)
    seen = BlockFacts(probabilities, features.words, features.comment, hidden)
    kept = choose(settle(seen, is_thread=is_thread(head)), features.words)
    if has_headline(head):
        kept = without_title(page, kept)
    return PageContent(page, kept, TextOptions()).text()


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--data", type=Path, required=True)
    args.add_argument("--scores", type=Path, required=True, help="what train.py --scores wrote")
    opts = args.parse_args()
    scores = {tuple(key.split("\t")): value for key, value in json.loads(opts.scores.read_text()).items()}
    for path in find_sets(opts.data):
        page_set = load_set(path)
        counts = []
        for case in page_set.cases:
            found = scores.get((page_set.name, case.id))
            page = Page.from_text(case.html, url=case.url)
            counts.append(count(case.truth, text_of(page, np.array(found)) if found else ""))
        rates = aggregate(page_set.metric, counts)
        print(
            f"{page_set.name:<14}{rates.f1:7.4f}{rates.precision:8.4f}{rates.recall:8.4f}{len(counts):6d}", flush=True
        )


if __name__ == "__main__":
    main()
