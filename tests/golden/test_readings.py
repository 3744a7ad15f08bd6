"""What every method reads from the pages of tests/pages, of the demo site and of `odd` is what was accepted.

A change of any number in a method shows here, published or our own; it is taken with `pytest --accept`.
"""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from tests.golden.test_pages import FOLDERS, load

import scythe
from scythe.demo import site
from scythe.page import Page
from scythe.reading.images.image_methods import METHODS as IMAGE_METHODS
from scythe.reading.lists.list_methods import ATTRIBUTE_METHODS, RECORD_METHODS, attribute_method
from scythe.reading.text import BUILT_IN as TEXT_METHODS
from scythe.reading.text import method as text_method

FILE = Path(__file__).with_name("readings.json")


def pages() -> dict[str, Page]:
    """Return the pages by name: of the folders, one of each kind of the demo site, and those full of odd parts."""
    found = {}
    for folder in FOLDERS:
        body, meta = load(folder)
        found[folder.name] = Page.from_bytes(body, url=meta["url"], content_type=meta.get("content_type"))
    for made in site(seed=7, pages=60):
        found.setdefault(f"{made.kind} {made.language}", Page.from_bytes(made.html, url=made.url))
    for path in sorted(FILE.parent.glob("odd/*.html")):
        found[path.stem] = Page.from_bytes(path.read_bytes(), url=f"https://field.example/{path.stem}?page=2")
    return found


PAGES = pages()


def read_texts(page: Page) -> Iterator[tuple[str, Any]]:
    for name in TEXT_METHODS:
        reading = text_method(name)(page, scythe.TextOptions())
        runs = [[row for _, row in run] for _, run in groupby(enumerate(reading.kept), lambda at: at[1] - at[0])]
        kept = " ".join(f"{run[0]}-{run[-1]}" for run in runs)
        yield name, [kept, reading.why, [round(float(score), 5) for score in reading.scores[:40]]]


def read_images(page: Page) -> Iterator[tuple[str, Any]]:
    for name in IMAGE_METHODS:
        images = scythe.read(page, image_method=name).images
        yield name, [round(image.score, 5) for image in images[:40]]


def read_lists(page: Page) -> Iterator[tuple[str, Any]]:
    for name in RECORD_METHODS:
        found = []
        for one in scythe.read_lists(page, method=name, everything=True)[:20]:
            ends = [[*record.fields, *record.links, *record.images] for record in (one.records[0], one.records[-1])]
            found.append([one.kind, round(one.score, 5), one.pattern, list(one.columns), len(one.records), *ends])
        yield name, found


def read_rest(page: Page) -> Iterator[tuple[str, Any]]:
    for name in ATTRIBUTE_METHODS:
        yield f"attributes by {name}", [list(pair) for pair in attribute_method(name)(page)]
    document = scythe.read(page)
    yield "kind", [document.kind.name, document.confidence, *document.kind.probabilities.values()]
    yield "metadata", {name: value for name, value in document.to_dict()["metadata"].items() if value}
    yield "paging", [document.paging.next, document.paging.previous, document.paging.more]


READERS = {"texts": read_texts, "images": read_images, "lists": read_lists, "the rest": read_rest}


def leaves(said: Any) -> list[Any]:
    """Return all that was said in one row; what stands between brackets stays between them."""
    if isinstance(said, dict):
        said = [part for item in said.items() for part in item]
    return ["[", *(leaf for part in said for leaf in leaves(part)), "]"] if isinstance(said, list) else [said]


@pytest.fixture(scope="module")
def accepted(request: pytest.FixtureRequest) -> Any:
    if request.config.getoption("--accept"):
        said = {page: {part: dict(read(PAGES[page])) for part, read in READERS.items()} for page in PAGES}
        rows = (
            f"{json.dumps(page)}: {json.dumps(parts, ensure_ascii=False, default=str)}" for page, parts in said.items()
        )
        FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    return json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("part", READERS)
@pytest.mark.parametrize("page", PAGES)
def test_what_is_read_is_what_was_accepted(page: str, part: str, accepted: Any) -> None:
    got = leaves(json.loads(json.dumps(dict(READERS[part](PAGES[page])), default=str)))
    known = leaves(accepted[page][part])
    words, known_words = ([leaf for leaf in told if not isinstance(leaf, float)] for told in (got, known))
    assert words == known_words
    numbers, known_numbers = ([leaf for leaf in told if isinstance(leaf, float)] for told in (got, known))
    assert numbers == pytest.approx(known_numbers, abs=2e-4)
