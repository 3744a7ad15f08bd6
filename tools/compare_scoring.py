"""Compare the compiled scorer with the arrays: page sets come in; CPU time, differences and other choices go out.

python tools/compare_scoring.py folder/*.jsonl.xz
"""

from __future__ import annotations

import json
import lzma
import sys
import time
from collections.abc import Callable
from pathlib import Path

from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.reading.text import auto
from scythe.reading.text import network as fast
from scythe.reading.text.auto import head_of
from scythe.reading.text.block_features import Head
from scythe.reading.text.network import Network, load

Way = Callable[[Blocks, Head, Network], fast.Scores | None]


def score_set(path: Path, way: Way) -> tuple[float, list[fast.Scores]]:
    """Score every page of a set right after it was cut into blocks; return CPU seconds and scores."""
    network, seconds, scores = load(), 0.0, []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            page = Page.from_text(row["html"], url=row.get("url"))
            blocks, head = page.blocks, head_of(page)
            if not len(blocks):
                continue
            start = time.process_time()
            found = way(blocks, head, network)
            seconds += time.process_time() - start
            assert found is not None, "scythe was built without its compiled module"
            scores.append(found)
    return seconds, scores


def compare(path: Path) -> str:
    """Say how the two ways differ on a set."""
    compiled_s, compiled = score_set(path, fast.score_compiled)
    arrays_s, arrays = score_set(path, fast.score_arrays)
    pages, blocks = len(arrays), sum(len(scores[0]) for scores in arrays)
    worst = max(float(abs(a[0] - b[0]).max()) for a, b in zip(compiled, arrays, strict=True))
    others = sum(auto.choose(*a[:2]) != auto.choose(*b[:2]) for a, b in zip(compiled, arrays, strict=True))
    return (
        f"{path.name.partition('.')[0]}: {pages} pages, {blocks / pages:.0f} blocks each; "
        f"arrays {arrays_s / pages * 1e3:.2f} ms, compiled {compiled_s / pages * 1e3:.2f} ms; "
        f"largest difference {worst:.1e}, other choice on {others} pages"
    )


if __name__ == "__main__":
    first = Page.from_text("<p>x")
    fast.score_compiled(first.blocks, head_of(first), load())  # builds tables, once per process
    for name in sys.argv[1:]:
        print(compare(Path(name)), flush=True)
