"""Measure time and memory of hostile and huge pages, each in a process of its own.

python tools/measure_limits.py
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.faults.pages import INSIDE, PAGES

SENTENCE = (
    "<p class='text'>A plain sentence of the kind that people write, with <a href='/x'>a link</a> in it, and a second "
    "one that goes on for a while so that the paragraph has an ordinary length.</p>\n"
)
HUGE = {
    "MB of paragraphs": lambda n: SENTENCE * (n * 1_000_000 // len(SENTENCE)),
    "MB of text": lambda n: "<p>" + "words " * (n * 166_666),
}
CASES = [
    ("nested div", 100_000),
    ("nested div", 1_000_000),
    ("nested span", 1_000_000),
    ("nested b", 1_000_000),
    ("nested table row cell", 100_000),
    ("nested list item", 300_000),
    ("attributes on one tag", 100_000),
    ("attributes on one tag", 1_000_000),
    ("fonts of distinct size in paragraphs", 100_000),
    ("one-letter paragraphs", 100_000),
    ("links", 100_000),
    ("options", 100_000),
    ("line breaks", 200_000),
    ("less-than signs", 1_000_000),
    ("comment openings", 1_000_000),
    ("class tokens", 1_000_000),
    ("long attribute", 1_000_000),
    ("MB of paragraphs", 10),
    ("MB of paragraphs", 50),
    ("MB of text", 50),
]


def measure(name: str, size: int) -> None:
    """Read one page and print what it cost."""
    from scythe.page import Page

    body = (HUGE.get(name) or PAGES[name])(size).encode()
    length = len(body)
    start = time.process_time()
    page = Page.from_bytes(body)
    del body
    blocks = page.blocks
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    kept = name in HUGE or any(INSIDE in text for text in blocks.text)
    losses = ", ".join(f"{loss.count} {loss.what}" for loss in page.losses)
    print(json.dumps([length, seconds, peak, kept, losses]))


def main() -> None:
    print("| page | size, MB | CPU, s | peak memory, MB | inner text kept | lost |\n|---|---|---|---|---|---|")
    for name, size in CASES:
        child = [sys.executable, __file__, name, str(size)]
        length, seconds, peak, kept, losses = json.loads(subprocess.run(child, capture_output=True, check=True).stdout)
        row = (f"{size:,} {name}", f"{length / 1e6:.1f}", f"{seconds:.2f}", str(peak), "yes" if kept else "no")
        print(f"| {' | '.join(row)} | {losses or '-'} |")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(sys.argv[1], int(sys.argv[2]))
    else:
        main()
