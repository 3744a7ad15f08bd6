from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.cut_tables import Table
from bench.learned import LEARN_PAGES, WAYS, LearnedRun, learn_site, spread, time_learned
from bench.learned_tables import make_learned_tables
from bench.sites import SitePages, load_sites

PAGES = 16
STORY = "The reapers of field {n} rose before dawn and walked out in a line. By noon of day {n} the carts were full. "


def make_page(number: int) -> dict[str, object]:
    story = "".join(f"<p>{part}{STORY.format(n=number)}{STORY.format(n=part)}</p>" for part in range(8))
    html = (
        "<!doctype html><html><title>Field</title><body><ul class='menu'><li><a href='/'>Home</a></li></ul>"
        f"<main><h1 class='title'>Field number {number}</h1><span class='price'>{number * 7} crowns</span>"
        f"<div class='story'>{story}</div></main><footer>All rights reserved.</footer></body></html>"
    )
    return {"html": html, "url": f"https://example.org/field/{number}", "gold": {"price": [f"{number * 7} crowns"]}}


@pytest.fixture
def sites(tmp_path: Path) -> list[SitePages]:
    path = tmp_path / "fields.jsonl"
    rows = [{"site": "told", **make_page(n)} for n in range(PAGES)]
    rows += [{**make_page(n), "site": "untold", "gold": ""} for n in range(PAGES)]
    rows += [{"site": "small", **make_page(1)}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load_sites(path)


@pytest.fixture
def run(sites: list[SitePages]) -> LearnedRun:
    return time_learned(sites, rounds=1, tick=lambda site, count: None)


def test_pages_to_learn_from_are_spread_over_the_site() -> None:
    assert spread(40) == [0, 4, 8, 12, 16, 20, 24, 28, 32, 36]
    assert len(set(spread(LEARN_PAGES + 1))) == LEARN_PAGES


def test_values_of_the_page_set_are_learned_by_example(sites: list[SitePages]) -> None:
    told, untold, _ = sites
    assert "price" in learn_site(told).profile.fields
    assert "price" not in learn_site(untold).profile.fields
    assert "text" in learn_site(untold).profile.fields


def test_fields_are_timed_by_cutter_and_parsers(run: LearnedRun) -> None:
    fields, pages = make_learned_tables(run)
    ways = {row[0]: dict(zip(fields.columns, row, strict=True)) for row in fields.rows}
    assert ways["cutter"]["value x"] > 1  # type: ignore[operator]
    assert ways["lexbor, one parse per page"]["value"] <= ways["lexbor, one parse per field"]["value"]  # type: ignore[operator]
    assert isinstance(pages, Table)


def test_sites_with_too_few_pages_are_left_out(run: LearnedRun) -> None:
    assert {one.site for one in run.fields} == {"told", "untold"}


def test_whole_pages_are_timed_where_text_was_learned(run: LearnedRun) -> None:
    assert sum(run.pages.values()) == PAGES - LEARN_PAGES
    assert set(run.pages) <= {"untold cut", "untold other"}


def test_whole_pages_are_compared_with_reading_them_cold(run: LearnedRun) -> None:
    _, pages = make_learned_tables(run)
    assert pages.columns[:5] == ("category", "pages", "Site.extract", "Site.extract, via tree", "scythe.read")
    assert pages.rows[-2][:2] == ("all", PAGES - LEARN_PAGES)
    assert all(row[0].startswith("fields, ") for row in pages.rows[:-2:2])
    assert all(row[2] == 1.0 for row in pages.rows[1::2])


def test_nothing_learned_gives_tables_without_times() -> None:
    fields, pages = make_learned_tables(LearnedRun())
    assert [row[1] for row in fields.rows] == [None] * len(WAYS)
    assert pages.rows == (("all", 0), ("  times Site.extract", None))
