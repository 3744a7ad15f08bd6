"""Measure the areas that the published attribute methods choose, and what each reading of the papers is worth.

python tools/measure_attributes.py DIR/records/swde.jsonl.xz [EVERY]

A file holds one page a line as JSON: `html` and `gold`, which maps attributes to their accepted values. EVERY 3 takes
each third page. For every variant: the share of the gold values that stand in the area (of those that are the text of
a leaf), the share of pages with all of them in the area, the share of the page's leaves that the area has, and
precision, recall and F1 of the pairs read from it.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.record_scoring import count_attributes, fold

from scythe.demo.scoring import Counts, rate
from scythe.page import Page
from scythe.page.elements import Elements
from scythe.reading.attributes.dictionary import shipped
from scythe.reading.papers import cnbe, hmm
from scythe.reading.papers import hmm as wvc
from scythe.reading.papers.label_pairs import PairLabel, Pairs, find_labels, pair_labels

SKIPPED = {"InStock", "OutOfStock", "url", "currency"}
NAMES = shipped()


@dataclass(frozen=True)
class Sheet:
    """One page with the leaves that are gold values, by attribute."""

    elements: Elements
    gold: dict[str, tuple[str, ...]]
    places: tuple[tuple[int, ...], ...]


Area = Callable[[Sheet], int]
Read = Callable[[Sheet, int], Pairs]


def load(path: Path, every: int) -> Iterator[Sheet]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % every == 0:
                row = json.loads(line)
                elements = Page.from_text(row["html"]).elements
                gold = {name: tuple(values) for name, values in row["gold"].items() if name not in SKIPPED}
                texts = [fold(text) for text in elements.text]
                places = (
                    tuple(leaf for leaf, text in enumerate(texts) if text and text in set(map(fold, values)))
                    for values in gold.values()
                )
                yield Sheet(elements, gold, tuple(leaves for leaves in places if leaves))


def inside(sheet: Sheet, row: int, labels: list[PairLabel]) -> Pairs:
    first, end = sheet.elements.leaf_start[row], sheet.elements.leaf_end[row]
    return pair_labels(sheet.elements, [label for label in labels if first <= label.leaf < end], NAMES)


def measure(name: str, sheets: list[Sheet], area: Area, read: Read) -> str:
    """Return one row of figures."""
    held = known = whole = 0
    share = 0.0
    counts = Counts()
    for sheet in sheets:
        row = area(sheet)
        first, end = sheet.elements.leaf_start[row], sheet.elements.leaf_end[row]
        found = [any(first <= leaf < end for leaf in leaves) for leaves in sheet.places]
        held, known, whole = held + sum(found), known + len(found), whole + all(found)
        share += (end - first) / max(len(sheet.elements.text), 1)
        for counted in count_attributes(read(sheet, row), sheet.gold).values():
            counts += counted
    pages = len(sheets)
    rates = rate(counts)
    figures = (held / max(known, 1), whole / pages, share / pages, rates.precision, rates.recall, rates.f1)
    return f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |"


def main() -> None:
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    sheets = list(load(Path(sys.argv[1]), every))
    print(
        "| variant | values in area | pages with all | area, of the page | P | R | F1 |\n|---|---|---|---|---|---|---|"
    )
    labels = {id(sheet): find_labels(sheet.elements, 0, len(sheet.elements.text), NAMES) for sheet in sheets}
    names = {id(sheet): cnbe.find_names(sheet.elements, NAMES) for sheet in sheets}

    def read(sheet: Sheet, row: int) -> Pairs:
        return inside(sheet, row, labels[id(sheet)])

    def show(container: tuple[wvc.RecordCharacteristic, ...], variants: dict[str, hmm.Ends]) -> None:
        models = {id(sheet): hmm.build_model(sheet.elements, container) for sheet in sheets}
        for name, ends in variants.items():

            def area(sheet: Sheet, ends: hmm.Ends = ends) -> int:
                return hmm.find_path(sheet.elements, models[id(sheet)], ends)[-1]

            print(measure(f"hmm, {name}", sheets, area, read), flush=True)

    usual = wvc.make_container()
    print(measure("whole page", sheets, lambda sheet: 0, read), flush=True)
    printed: tuple[hmm.Ends, ...] = (hmm.by_weight, hmm.by_delta, hmm.by_product, hmm.by_number)
    show(usual, {ends.__name__: ends for ends in printed})
    show(usual, {f"by_share({stay})": hmm.by_share(stay) for stay in (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)})
    show(usual[:1], {"delimiters only": hmm.by_share()})
    show(usual[1:], {"dictionary only": hmm.by_share()})
    show((*usual, wvc.mark_quantities()), {"with quantities": hmm.by_share()})
    for density in (0.05, 0.075, 0.1, 0.15, 0.2):

        def area(sheet: Sheet, density: float = density) -> int:
            return cnbe.find_dense_area(sheet.elements, [label.leaf for label in names[id(sheet)]], density)

        line = measure(
            f"cnbe, density {density}", sheets, area, lambda sheet, row: inside(sheet, row, names[id(sheet)])
        )
        print(line, flush=True)


if __name__ == "__main__":
    main()
