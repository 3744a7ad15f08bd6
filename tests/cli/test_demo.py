from __future__ import annotations

from pathlib import Path

from .conftest import Run


def test_demo_shows_a_table_an_article_and_what_to_do_next(scythe: Run) -> None:
    out = scythe("demo").stdout
    assert "F1" in out
    assert "pages per second" in out
    assert "as Markdown" in out
    assert "What to try next" in out


def test_demo_saves_its_pages_for_other_commands(scythe: Run, tmp_path: Path) -> None:
    scythe("demo", "--pages", "12", "--save", "site")
    assert len(list((tmp_path / "site").rglob("*.html"))) == 13
    scythe("read", "site", "-o", "site.jsonl")
    assert len((tmp_path / "site.jsonl").read_text(encoding="utf-8").splitlines()) == 13


def test_demo_names_an_unknown_method(scythe: Run) -> None:
    assert "magic" in scythe("demo", "--method", "magic", check=2).stderr
