"""The soak tool: verdicts from samples, and a short run of everything it runs for hours."""

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tools.soak import Settings, soak
from tools.soak_plot import plot_all
from tools.soak_processes import Watched
from tools.soak_report import Seen, fit, make_report, to_json, to_markdown

HOUR_S = 3_600.0
USED = {"handles": 17, "threads": 5, "processes": 2, "temporary": 0}


def make_samples(slope_mb_h: float = 0.0, **grows: float) -> list[dict[str, Any]]:
    """Make two hours of samples of one process whose memory grows so fast, and whose counts grow by so much."""
    random, samples = Random(1), []
    for number in range(720):
        at_s = number * 10.0
        mb = 180.0 + slope_mb_h * at_s / HOUR_S + random.uniform(-2, 2)
        mb += 60.0 if number % 50 == 0 else 0.0  # a page that is large now and then
        counts = {name: count + int(grows.get(name, 0) * at_s / 7_200) for name, count in USED.items()}
        used = {"rss_mb": mb, "pss_mb": mb / 2, "anonymous_mb": mb / 2, "cpu_s": at_s / 100, **counts}
        archive = {"bytes": 4_000_000 + 10_000 * number, "fetches": number, "pages": number}
        asked = {"count": 20, "p50_ms": 10.0, "p99_ms": None, "failed": 0}
        samples.append({"at_s": at_s, "processes": {"watch": used}, "archive": archive, "asked": asked, "errors": 0})
    return samples


def seen(errors: tuple[str, ...] = (), rounds: tuple[dict[str, Any], ...] = (), seconds: float = 7_200.0) -> Seen:
    return Seen(seconds, seconds / 3, rounds, {"requests": 3, "paths": {}}, {"lost": 0}, list(errors))


def test_what_fills_up_is_told_from_what_leaks() -> None:
    times = [10.0 * number for number in range(720)]
    filled = fit(times, [100 + min(at / HOUR_S * 5, 5) for at in times])
    assert filled.mb_h > 1 > abs(filled.late_mb_h)
    assert fit(times, [100 + at / HOUR_S * 5 for at in times]).late_mb_h == pytest.approx(5.0, abs=0.01)
    assert fit((1.0, 1.0), (5.0, 9.0)).mb_h == fit((), ()).mb_h == 0.0


def test_what_stays_as_it_is_passes() -> None:
    report = make_report(make_samples(), seen(), ("watch", "ui"))
    assert (report.is_judged, report.faults, list(report.processes)) == (True, [], ["watch"])
    assert "**passed**" in to_markdown(report)
    assert len(list(plot_all(make_samples(), ("watch",), 2_400.0))) == 4


CRAWLS = tuple({"kind": "new", "began_s": 60.0 * n, "peak_mb": 200.0 + n / 20, "code": 0} for n in range(120))


@pytest.mark.parametrize(
    ("samples", "what", "said"),
    [
        (make_samples(1.6), seen(), "watch: memory grows by"),
        (make_samples(handles=40), seen(), "watch: handles grow from"),
        (make_samples(threads=20), seen(), "watch: threads grow from"),
        (make_samples(temporary=20), seen(), "watch: temporary files grow from"),
        (make_samples(), seen(rounds=CRAWLS), "short crawls"),
        (make_samples(50.0)[:6], seen(("boom",), seconds=60.0), "error: boom"),  # too short for any other fault
    ],
    ids=["memory", "handles", "threads", "temporary", "crawls", "error"],
)
def test_what_grows_or_fails_is_a_fault(samples: list[dict[str, Any]], what: Seen, said: str) -> None:
    report = make_report(samples, what, ("watch",))
    assert [fault.startswith(said) for fault in report.faults] == [True]
    assert json.loads(to_json(report))["faults"] == report.faults
    assert "**failed**" in to_markdown(report)


def test_a_process_is_measured_with_its_children(tmp_path: Path) -> None:
    child = "import time; print('up', flush=True); time.sleep(60)"
    code = f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {child!r}]).returncode)"
    process = Watched("pair", [sys.executable, "-c", code], tmp_path)
    while "up" not in process.output.read_text():
        assert not process.poll()
    assert process.used().processes == 2
    assert process.end().code != 0
    assert process.used().processes == 0


@pytest.mark.soak
@pytest.mark.parametrize("is_postgres", [False, True], ids=["sqlite", "postgres"])
def test_a_short_run_has_no_errors_and_writes_its_report(tmp_path: Path, is_postgres: bool) -> None:
    report = soak(Settings(30.0, tmp_path / "run", is_postgres, every_s=2.0))
    assert report.faults == []
    assert set(report.processes) == {"crawl", "watch", "ui"}
    assert min(report.asked["requests"], report.archive["pages"], report.found["records"]) > 20
    written = {file.name for file in (tmp_path / "run").iterdir()}
    assert {"samples.jsonl", "report.json", "report.md", "memory.svg", "answers.svg"} <= written
