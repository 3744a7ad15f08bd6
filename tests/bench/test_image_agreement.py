"""How far contexts of images agree with a labelled set is counted by field."""

from __future__ import annotations

import json
from pathlib import Path

from bench.image_agreement import measure_agreement

URL = "https://s.example/1"
HTML = "<body><p>abcd</p><a href=/x><img src=/a.jpg></a><p>efgh</p><img src=/b.jpg>"


def test_agreement_is_counted_by_field(tmp_path: Path) -> None:
    row = {"site": "s", "page_url": URL, "relevant": 0, "link": "/x", "opos": 0.8, "tpos": 0.5, "anc": ["a", "body"]}
    rows = [
        {**row, "src": "/a.jpg", "img_text": '<body><a href="/x"><img src="/a.jpg">'},
        {**row, "src": "/b.jpg", "img_text": '<html><body><img src="/b.jpg">', "og": 1},
        {**row, "src": "/c.jpg", "img_text": '<html><body><img src="/c.jpg">'},
    ]
    labelled, pages = tmp_path / "rows.jsonl", tmp_path / "pages.jsonl"
    labelled.write_text("\n".join(map(json.dumps, rows)))
    pages.write_text("\n".join(json.dumps({"url": url, "html": HTML}) for url in (URL, "https://other.example/")))
    found = measure_agreement(pages, labelled)
    assert (found["pairs"], found["uses"], found["rows"]) == (2, 2, 3)
    assert (found["src"], found["tags"], found["path"], found["is_lead"]) == (1.0, 0.5, 0.5, 0.5)
    assert (found["link"], found["text_before"], found["is_figure"]) == (0.5, 0.5, 1.0)
