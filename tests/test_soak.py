"""The soak tool: slopes and verdicts from samples, and a short run of everything it runs for hours."""

from __future__ import annotations

import json
import os
import sys
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tools.soak import Settings, is_refused, soak
from tools.soak_plot import plot_all
from tools.soak_processes import Watched, measure
from tools.soak_report import Seen, fit, grow, make_report, to_json, to_markdown
from tools.soak_site import Plan, crawled_sites, watched_site

from scythe.archive.open import open_archive
from scythe.archive.profile_history import save_robots
from scythe.archive.results import StoredRobots

HOUR_S = 3_600.0
USED = {"handles": 17, "threads": 5, "processes": 2, "temporary": 0}


def make_samples(slope_mb_h: float = 0.0, noise_mb: float = 2.0, **grows: float) -> list[dict[str, Any]]:
    """Make two hours of samples of one process whose memory grows so fast, and whose counts grow by so much."""
    random, samples = Random(1), []
    for number in range(720):
        at_s = number * 10.0
        mb = 180.0 + slope_mb_h * at_s / HOUR_S + random.uniform(-noise_mb, noise_mb)
        mb += 60.0 if number % 50 == 0 else 0.0  # a page that is large now and then
        counts = {name: count + int(grows.get(name, 0) * at_s / 7_200) for name, count in USED.items()}
        used = {"rss_mb": mb, "pss_mb": mb / 2, "anonymous_mb": mb / 2, "cpu_s": at_s / 100, **counts}
        archive = {"bytes": 4_000_000 + 10_000 * number, "fetches": number, "pages": number}
        asked = {"count": 20, "p50_ms": 10.0, "p99_ms": None, "failed": 0}
        samples.append({"at_s": at_s, "processes": {"watch": used}, "archive": archive, "asked": asked, "errors": 0})
    return samples


def seen(errors: tuple[str, ...] = (), rounds: tuple[dict[str, Any], ...] = (), seconds: float = 7_200.0) -> Seen:
    return Seen(seconds, seconds / 3, rounds, {"requests": 3, "paths": {}}, {"lost": 0}, list(errors))


def test_a_slope_is_found_under_noise_and_outliers() -> None:
    for slope in (0.0, 1.5, -3.0):
        samples = make_samples(slope)
        found = fit([one["at_s"] for one in samples], [one["processes"]["watch"]["rss_mb"] for one in samples])
        assert found.mb_h == pytest.approx(slope, abs=0.25)
        assert found.points == 720


@pytest.mark.parametrize(("times", "values"), [((), ()), ((1.0,), (5.0,)), ((1.0, 1.0), (5.0, 9.0))])
def test_too_few_points_have_no_slope(times: tuple[float, ...], values: tuple[float, ...]) -> None:
    assert fit(times, values).mb_h == 0.0


def test_twenty_thousand_points_are_no_trouble() -> None:
    times = [10.0 * number for number in range(20_000)]
    found = fit(times, [at / HOUR_S for at in times])
    assert found.mb_h == pytest.approx(1.0, abs=0.001)


def test_what_fills_up_is_told_from_what_leaks() -> None:
    times = [10.0 * number for number in range(720)]
    filled = fit(times, [100 + min(at / HOUR_S * 5, 5) for at in times])
    assert filled.mb_h > 1 > abs(filled.late_mb_h)
    leaked = fit(times, [100 + at / HOUR_S * 5 for at in times])
    assert leaked.late_mb_h == pytest.approx(5.0, abs=0.01)


def test_a_crawl_that_robots_txt_kept_away_did_not_fail(tmp_path: Path) -> None:
    where, origin = str(tmp_path / "archive.db"), "http://127.0.0.1:8001"
    with open_archive(where) as archive:
        for number, status in ((8_001, 503), (8_002, 200)):
            save_robots(archive, StoredRobots(f"http://127.0.0.1:{number}", status, b"", datetime.now(UTC)))
    assert [is_refused(where, origin, code) for code in (0, 1, 2)] == [False, True, False]
    assert not is_refused(where, "http://127.0.0.1:8002", 1)
    assert not is_refused(where, "http://127.0.0.1:8003", 1)
    rounds = tuple(
        {"kind": "new", "began_s": 9e3, "code": 1, "peak_mb": 90.0, "is_refused": it} for it in (True, False)
    )
    report = make_report(make_samples(), seen(rounds=rounds), ("watch",))
    assert (report.rounds["failed"], report.rounds["refused"]) == (1, 1)


def test_growth_compares_the_ends() -> None:
    assert (grow([]).by, grow([3]).by, grow([1, 9, 9, 4]).by) == (0, 0, 3)


def test_what_stays_as_it_is_passes() -> None:
    report = make_report(make_samples(0.0), seen(), ("watch", "ui"))
    assert report.is_judged
    assert report.faults == []
    assert list(report.processes) == ["watch"]
    assert report.archive["bytes_per_one_of_pages"] == 10_000
    assert "**passed**" in to_markdown(report)


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (make_samples(1.6), "watch: memory grows by"),
        (make_samples(handles=40), "watch: handles grow from"),
        (make_samples(threads=20), "watch: threads grow from"),
        (make_samples(temporary=20), "watch: temporary files grow from"),
    ],
    ids=["memory", "handles", "threads", "temporary"],
)
def test_what_grows_is_a_fault(samples: list[dict[str, Any]], said: str) -> None:
    report = make_report(samples, seen(), ("watch",))
    assert [fault.startswith(said) for fault in report.faults] == [True]
    assert json.loads(to_json(report))["faults"] == report.faults
    assert "**failed**" in to_markdown(report)


def test_peaks_of_short_crawls_are_judged_too() -> None:
    rounds = tuple(
        {"kind": "new", "began_s": 60.0 * number, "peak_mb": 200.0 + number / 20, "code": 0} for number in range(120)
    )
    report = make_report(make_samples(), seen(rounds=rounds), ("watch",))
    assert [fault.startswith("short crawls") for fault in report.faults] == [True]


def test_an_error_is_a_fault_however_short_the_run() -> None:
    short = make_samples(50.0)[:6]
    assert make_report(short, seen(seconds=60.0), ("watch",)).faults == []
    assert make_report(short, seen(("boom",), seconds=60.0), ("watch",)).faults == ["error: boom"]


def test_plots_are_drawings_with_every_line() -> None:
    drawn = dict(plot_all(make_samples(1.0), ("watch",), 2_400.0))
    assert sorted(drawn) == ["answers.svg", "archive.svg", "handles.svg", "memory.svg"]
    for drawing in drawn.values():
        assert len(ET.fromstring(drawing).findall("{*}path")) >= 3


def test_sites_change_and_fail_and_every_round_has_its_own() -> None:
    plan = Plan(2 * HOUR_S)
    site, sites = watched_site(plan, 1e9), crawled_sites(plan, 1e9)
    assert len(site.redesigns) == 12
    assert {outage.how for outage in site.outages} == {"503", "refused", "hang"}
    assert sites.hosts == 1 + plan.rounds == 121
    assert all(len(shelf.arrivals) > 500 for shelf in site.shelves)


def test_a_process_is_measured_with_its_children(tmp_path: Path) -> None:
    own = measure(os.getpid(), tmp_path)
    assert own.rss_mb > own.anonymous_mb > 1
    assert min(own.handles, own.threads, own.processes) >= 1
    child = "import sys, time; print('up', flush=True); print('a word', file=sys.stderr, flush=True); time.sleep(60)"
    code = f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {child!r}]).returncode)"
    process = Watched("pair", [sys.executable, "-c", code], tmp_path)
    while "up" not in process.output.read_text():
        assert not process.poll()
    assert process.used().processes == 2
    assert process.end().code != 0
    assert process.said()[0] == "a word"
    assert process.used().processes == 0


@pytest.mark.soak
@pytest.mark.parametrize("is_postgres", [False, True], ids=["sqlite", "postgres"])
def test_a_short_run_has_no_errors_and_writes_its_report(tmp_path: Path, is_postgres: bool) -> None:
    report = soak(Settings(30.0, tmp_path / "run", is_postgres, every_s=2.0))
    assert report.faults == []
    assert set(report.processes) == {"crawl", "watch", "ui"}
    assert report.asked["requests"] > 20
    assert report.archive["pages"] > 20
    assert report.found["records"] > 20
    written = {file.name for file in (tmp_path / "run").iterdir()}
    assert {"samples.jsonl", "report.json", "report.md", "memory.svg", "answers.svg"} <= written
