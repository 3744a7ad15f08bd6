from __future__ import annotations

import re
from pathlib import Path

from .conftest import Run


def test_demo_shows_a_table_an_article_and_what_to_do_next(scythe: Run) -> None:
    out = scythe("demo").stdout
    assert "F1" in out
    assert "pages per second" in out
    assert "as Markdown" in out
    assert "What to try next" in out


def test_demo_shows_a_list_page_as_records(scythe: Run) -> None:
    out = " ".join(scythe("demo").stdout.split())
    found = re.search(r"The Field Post: (\d+) records, articles; next page https://demo", out)
    assert found is not None
    assert int(found[1]) >= 15


def test_demo_learns_its_site_and_cuts_the_other_pages(scythe: Run) -> None:
    out = " ".join(scythe("demo", "--pages", "1").stdout.split())
    assert "20 learned, then 120 others cut" in out
    assert "same by the tree" in out
    assert "times as fast" in out


def test_demo_saves_the_same_content_in_another_design(scythe: Run, tmp_path: Path) -> None:
    scythe("demo", "--pages", "3", "--save", "old")
    scythe("demo", "--pages", "3", "--save", "new", "--design", "1")
    old, new = (
        sorted(path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*.html"))
        for name in ("old", "new")
    )
    assert old == new
    assert (tmp_path / "old" / old[-1]).read_bytes() != (tmp_path / "new" / old[-1]).read_bytes()


def test_demo_saves_its_pages_for_other_commands(scythe: Run, tmp_path: Path) -> None:
    scythe("demo", "--pages", "12", "--save", "site")
    assert len(list((tmp_path / "site").rglob("*.html"))) == 13
    scythe("read", "site", "-o", "site.jsonl")
    assert len((tmp_path / "site.jsonl").read_text(encoding="utf-8").splitlines()) == 13


def test_demo_names_an_unknown_method(scythe: Run) -> None:
    assert "magic" in scythe("demo", "--method", "magic", check=2).stderr
