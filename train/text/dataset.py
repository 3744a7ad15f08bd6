"""Load page sets for training: folders of packed pages come in, samples with features and labels go out."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tldextract
from bench.folds import FOLDS
from bench.site_names import fold_of as bench_fold
from bench.site_names import site_of as site_name
from labels import Labels, label_chunks, label_gold
from numpy.typing import NDArray

from scythe.page import Page
from scythe.reading.text.block_features import WORD, Features, Vocabulary, describe, split_names
from scythe.reading.text.choose_text import head_of, is_thread

NAMES, WORDS, PAGE = (2500, 8), (5000, 12), (500, 6)  # how many at most, and on how many sites each must occur
_domain = tldextract.TLDExtract(suffix_list_urls=())


@dataclass(frozen=True)
class Sample:
    """One page ready for training."""

    set_name: str
    id: str
    site: str
    features: Features
    labels: Labels
    is_thread: bool  # comments are content here
    hidden: NDArray[np.bool_]  # per block
    fold: int = 0  # of its site, as `python -m bench --folds` shares sites out


def rows_of(path: Path) -> Iterator[dict]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def site_of(row: dict) -> str:
    """Return the registered name without its suffix, so that example.com and example.co.uk fall into one fold."""
    for text in (row.get("url"), row.get("site"), row["id"]):
        if text and _domain(text).domain:
            return _domain(text).domain.lower()
    return row["id"]


def fold_of(site: str, folds: int) -> int:
    return int(hashlib.md5(site.encode(), usedforsecurity=False).hexdigest(), 16) % folds


def collect_vocabulary(paths: list[Path]) -> Vocabulary:
    """Choose names, words and page tokens by the number of sites that use them; labels play no part."""
    names, words, page = defaultdict(set), defaultdict(set), defaultdict(set)
    for path in paths:
        for row in rows_of(path):
            site, read = site_of(row), Page.from_text(row["html"], url=row.get("url"))
            blocks = read.blocks
            for token in head_of(read).tokens:
                page[token].add(site)
            for tag in {*blocks.box_tag, *blocks.lead_tag}:
                names[f"<{tag}>"].add(site)
            for text in {*blocks.box_names, *blocks.lead_names}:
                for name in split_names(text):
                    names[name].add(site)
            for text in blocks.text:
                for word in WORD.findall(text[:120].lower())[:10]:
                    if not word.isdigit() or len(word) == 4:
                        words[word].add(site)
    counts = [f"={number}" for number in range(11)]
    return Vocabulary(_common(names, *NAMES), counts + _common(words, *WORDS), _common(page, *PAGE))


def _common(seen: dict[str, set[str]], most: int, sites: int) -> list[str]:
    ranked = sorted(seen.items(), key=lambda item: (-len(item[1]), item[0]))
    return [token for token, users in ranked if len(users) >= sites][:most]


def load(paths: list[Path], vocabulary: Vocabulary) -> list[Sample]:
    """Read, describe and label every page that has at least one block."""
    samples = []
    for path in paths:
        for row in rows_of(path):
            page = Page.from_text(row["html"], url=row.get("url"))
            if not len(page.blocks):
                continue
            if row["metric"] == "chunks":
                labels = label_chunks(page.blocks, row["must"], row["must_not"])
            else:
                labels = label_gold(page.blocks, row["gold"])
            head = head_of(page)
            features = describe(page.blocks, head, vocabulary)
            hidden = np.array([page.blocks.box_hidden[box] for box in page.blocks.box], dtype=np.bool_)
            name = path.name.split(".")[0]
            fold = bench_fold(site_name(row.get("url"), row.get("site"), row["id"]), FOLDS)
            samples.append(Sample(name, row["id"], site_of(row), features, labels, is_thread(head), hidden, fold))
    return samples
