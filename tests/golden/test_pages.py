"""Every folder of tests/pages is a test: a page, what we know about it, and the output that was accepted.

`meta.json` is written by hand: `url`, `content_type`, `within` (the part whose rendering is pinned, as a CSS selector),
and the phrases that reading the page `must` and `must_not` keep. `expected.json` is written by `pytest --accept`.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

import scythe
from scythe.page import Page
from scythe.page.content import PageContent

PAGES = Path(__file__).resolve().parent.parent / "pages"
FOLDERS = sorted(path.parent for path in PAGES.glob("*/*/page.html"))


def load(folder: Path) -> tuple[bytes, dict[str, Any]]:
    meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    return (folder / "page.html").read_bytes(), meta


def blocks_within(page: Page, selector: str) -> tuple[int, ...]:
    node = LexborHTMLParser(page.html).css_first(selector)
    assert node is not None, f"no {selector} on the page"
    blocks = page.blocks
    same = [found for found in blocks.box_node if (found.tag, found.attributes) == (node.tag, node.attributes)]
    assert len(same) == 1, f"{selector} says the same as another element"
    box = next(box for box, found in enumerate(blocks.box_node) if found.mem_id == same[0].mem_id)
    return tuple(range(blocks.box_start[box], blocks.box_end[box]))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_the_rendering_is_the_accepted_one(folder: Path, accept: bool) -> None:
    body, meta = load(folder)
    page = Page.from_bytes(body, url=meta["url"], content_type=meta.get("content_type"))
    content = PageContent(page, blocks_within(page, meta["within"]))
    got: dict[str, Any] = {"encoding": page.encoding}
    rendered = {"text": content.text(), "markdown": content.markdown(), "html": content.html()}
    got |= {name: text.split("\n") for name, text in rendered.items()}
    target = folder / "expected.json"
    if accept:
        target.write_text(json.dumps(got, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert got == json.loads(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_reading_keeps_what_it_must_and_leaves_the_rest(folder: Path) -> None:
    body, meta = load(folder)
    doc = scythe.read(body, meta["url"], content_type=meta.get("content_type"))
    text = " ".join(doc.text.split())
    assert [phrase for phrase in meta["must"] if phrase not in text] == []
    assert [phrase for phrase in meta["must_not"] if phrase in text] == []
