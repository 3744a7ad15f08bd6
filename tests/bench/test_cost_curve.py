"""`bench.cost_curve`: what a page costs after so many pages of a site."""

import json
import lzma
from pathlib import Path

from bench.cost_curve import draw_curve


def test_a_row_for_each_number_of_pages_that_some_site_has(tmp_path: Path) -> None:
    pages = [("a", number) for number in range(7)] + [("b", number) for number in range(3)]
    rows = [
        {
            "site": site,
            "url": f"https://{site}.example/{number}",
            "html": f"<p>Text of page {number}, in some words.</p>",
        }
        for site, number in pages
    ]
    path = tmp_path / "sites.jsonl.xz"
    path.write_bytes(lzma.compress("\n".join(map(json.dumps, rows)).encode()))
    table = draw_curve(path, ())
    assert table.columns == ("pages", "sites", "scythe, learned on the way", "scythe.read")
    assert [row[:2] for row in table.rows] == [(1, 2), (3, 2), (6, 1)]
    assert all(isinstance(cell, float) and cell > 0 for row in table.rows for cell in row[2:])
