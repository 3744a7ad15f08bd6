"""How fast a crawl is and what memory it takes: short here, in full by `make long-tests`."""

from pathlib import Path

import pytest
from bench.trial_runs import Ledger, serve_trial
from bench.trials.crawl_speed import Sample, Settings, compare, growth_mb, run_scrapy, run_scythe, watch_memory

pytestmark = pytest.mark.fault


@pytest.mark.slow
def test_a_crawl_extracts_every_page_that_scrapy_saves(tmp_path: Path) -> None:
    pytest.importorskip("scrapy")
    said = Settings(pages=42)
    ledger = Ledger(tmp_path / "ledger")
    with serve_trial("--pages", "42", "--bytes", "100000", "--map", "--ledger", str(ledger.path)) as url:
        crawls = [run_scythe(url, ledger, tmp_path, way, said, watch=True) for way in ("links", "list")]
        saved = [run_scrapy(url, ledger, tmp_path, way, said) for way in ("links", "list")]
    assert [crawl.pages for crawl in (*crawls, *saved)] == [42] * 4
    assert any(sample.workers_mb > 0 for sample in crawls[0].samples)


def test_growth_is_that_of_the_pages_after_the_warm_ones() -> None:
    samples = [Sample(1_000 * n, 100 + max(0, n - 10) * 0.5, 50 + min(n, 10)) for n in range(31)]
    parent, workers = growth_mb(samples, warm=10_000)
    assert parent == pytest.approx(5.0)
    assert workers == pytest.approx(0.0)


@pytest.mark.soak
def test_extracting_5000_pages_is_faster_than_scrapy_only_saving_them(tmp_path: Path) -> None:
    pytest.importorskip("scrapy")
    scythe, scrapy = compare(Settings(repeat=1, ways=("links",)), tmp_path)
    assert scythe.pages == scrapy.pages == 5_000
    assert scythe.pages_per_s >= scrapy.pages_per_s


@pytest.mark.soak
def test_memory_is_flat_over_40000_pages(tmp_path: Path) -> None:
    said = Settings(pages=2_000, page_bytes=0, copies=20)
    crawl = watch_memory(said, tmp_path)
    parent, workers = growth_mb(crawl.samples, warm=crawl.pages // 2)
    assert crawl.pages == 40_000
    assert parent + workers < 5
