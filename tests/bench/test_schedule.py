"""The benchmark of schedules on made-up lists."""

import json
from bisect import bisect_right
from pathlib import Path

import pytest
from bench.command import app
from bench.schedule_tables import make_tables
from typer.testing import CliRunner

from bench import schedule as bench
from scythe.schedule.policies import POLICIES
from scythe.schedule.simulate import PolicyTask, Rhythm, Trace, make_arrivals, start_of, write_trace
from scythe.watch_model import DAY_S, Goals

ADAPTERS = {
    "fixed": bench.FixedHour,
    "average": bench.Average,
    "ses": bench.Ses,
    "adaptive": bench.NutchLike,
    "poisson": bench.Poisson,
    "seasonal": bench.Seasonal,
    "auto": bench.Auto,
}


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    quick, slow = Rhythm(per_day=60, days=60), Rhythm(per_day=6, days=60)
    return [Trace("quick", 20, make_arrivals(1, quick)), Trace("slow", 12, make_arrivals(2, slow))]


@pytest.fixture
def folder(tmp_path: Path, traces: list[Trace]) -> Path:
    for trace in traces:
        write_trace(tmp_path / f"{trace.name}.csv.xz", trace.name, trace.arrivals)
    (tmp_path / "meta.json").write_text(json.dumps({trace.name: {"P": trace.shown} for trace in traces}))
    return tmp_path


def run_other_simulator(trace: Trace, adapter: type[bench.Auto]) -> tuple[int, int]:
    """Return fetches and missed records of an adapter, asked as another simulator does."""
    start = start_of(trace.arrivals, trace.shown)
    policy = adapter(trace.shown, start.rate_per_s, list(start.profile))
    begin, end = trace.arrivals[0] + 28 * DAY_S, trace.arrivals[-1]
    now, since_s, new, fetches, missed, seen = begin, 0.0, 0, 0, 0, bisect_right(trace.arrivals, begin)
    while (at := now + policy.next(now, new, since_s)) <= end:
        here = bisect_right(trace.arrivals, at)
        new, missed = min(here - seen, trace.shown), missed + max(here - seen - trace.shown, 0)
        fetches, since_s, now, seen = fetches + 1, at - now, at, here
    return fetches, missed


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_an_adapter_does_what_our_own_simulator_does(name: str, traces: list[Trace]) -> None:
    for trace in traces:
        score = bench.score(PolicyTask(name, Goals()), trace)
        fetches, missed = run_other_simulator(trace, ADAPTERS[name])  # type: ignore[arg-type]
        days = (trace.arrivals[-1] - trace.arrivals[0]) / DAY_S - 28
        assert score.fetches_day * days == pytest.approx(fetches)
        assert score.missed * score.arrivals == pytest.approx(missed)


def test_the_table_shows_duplicates_against_the_constant_schedule(traces: list[Trace]) -> None:
    tasks = [PolicyTask(name, Goals()) for name in ("average", "ses", "nutch", "stormcrawler")]
    first, *each = make_tables(bench.score_policies(traces, tasks), per_trace=True)
    rows = {str(row[0]): dict(zip(first.columns, row, strict=True)) for row in first.rows}
    assert rows["average"]["against average"] == 0
    assert float(rows["ses"]["against average"]) < 0  # type: ignore[arg-type]
    assert float(rows["ses"]["missed %"]) > float(rows["average"]["missed %"])  # type: ignore[arg-type]
    assert [table.name for table in each] == ["average", "ses", "nutch", "stormcrawler"]
    assert [row[0] for row in each[0].rows] == ["quick", "slow"]
    assert all(len(row) == len(table.columns) for table in (first, *each) for row in table.rows)


def test_following_back_misses_nothing(traces: list[Trace]) -> None:
    score = bench.score(PolicyTask("ses", Goals(recovers=True)), traces[0])
    assert score.missed == 0
    assert score.requests_day > score.fetches_day


def test_the_command_prints_tables_and_json_and_draws(folder: Path) -> None:
    asked = ["schedule", "--data", str(folder), "--policy", "average", "--policy", "fixed", "--max-delay", "6h"]
    shown = CliRunner().invoke(app, [*asked, "--per-trace"])
    assert shown.exit_code == 0
    assert "worst missed %" in shown.stdout
    assert "quick" in shown.stdout
    plot = folder / "frontier.svg"
    told = CliRunner().invoke(app, [*asked, "--json", "--plot", str(plot), "--cold"])
    tables = json.loads(told.stdout)["tables"]
    assert [table["name"] for table in tables] == ["schedule", "frontier"]
    assert tables[0]["rows"][1][1] == pytest.approx(4, rel=0.02)
    for file in (plot, folder / "frontier-p95.svg"):
        assert file.read_text().startswith("<svg")
        assert "quick" not in file.read_text()
