"""`scythe schedule` as a user runs it: trials over traces, and the plan of an archive."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.conftest import Run, Terminal
from typer.testing import CliRunner, Result

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.stored_sites import add_site
from scythe.archive.watches import add_watch
from scythe.cli.schedule import schedule as app
from scythe.cli.schedule_report import Experiment, _until, run_experiment
from scythe.crawl_model import Extracted, FoundUrl, Looked, Outcome
from scythe.schedule.policies import POLICIES, make_policy
from scythe.schedule.simulate import Rhythm, make_arrivals, write_trace
from scythe.url import Url
from scythe.watch_model import DAY_S, Goals, Observation, VisitPlan
from scythe.watching.watch_options import ListOptions

NOW = datetime.now(UTC).replace(microsecond=0)
PAGE = Url("https://news.example/latest")
RHYTHM = Rhythm(per_day=40, days=60)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Sixty days of a list without bursts that shows 20 records."""
    path = tmp_path / "news.csv"
    write_trace(path, "news", make_arrivals(1, RHYTHM))
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the verb in this process: where many runs are compared, a process for each takes most of the time."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, arguments)


def svg_texts(path: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_a_policy_runs_over_a_trace_and_its_figures_are_a_table(scythe: Run, trace: Path) -> None:
    done = scythe("schedule", "--simulate", "news.csv", "--shown", "20", "--policy", "fixed")
    heading, *_ = done.stdout.splitlines()
    assert heading.startswith("news: 32 days, ")
    row = next(line for line in done.stdout.splitlines() if line.strip().startswith("fixed")).split()
    assert float(row[1]) == pytest.approx(24, abs=0.1)
    assert "the rate over P" in done.stdout
    assert done.stderr == ""


def test_all_policies_can_be_compared_as_json(scythe: Run, trace: Path) -> None:
    done = scythe("schedule", "--simulate", "news.csv", "--shown", "20", "--policy", "all", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["policy"] for row in rows] == list(POLICIES)
    assert {row["trace"] for row in rows} == {"news"}
    assert all(0 <= row["missed"] <= 1 and row["fetches_day"] > 0 and row["shown"] == 20 for row in rows)


def test_policies_are_given_with_commas_or_one_by_one(scythe: Run, trace: Path) -> None:
    wanted = ("--policy", "ses,average", "--policy", "fixed", "--json")
    done = scythe("schedule", "--simulate", "news.csv", "--shown", "20", *wanted)
    assert [json.loads(line)["policy"] for line in done.stdout.splitlines()] == ["ses", "average", "fixed"]


def test_goals_change_the_figures(here: Callable[..., Result], trace: Path) -> None:
    def run(*more: str) -> dict[str, float]:
        done = here("--simulate", "news.csv", "--shown", "20", "--policy", "seasonal", "--json", *more)
        answer: dict[str, float] = json.loads(done.stdout)
        return answer

    plain, soon, recovered = run(), run("--max-delay", "1h"), run("--recover")
    assert soon["fetches_day"] > 23 > plain["fetches_day"]
    assert recovered["missed"] == 0
    assert run("--cold")["fetches_day"] != plain["fetches_day"]
    assert run("--warm-up", "40d")["days"] == pytest.approx(plain["days"] - 12, abs=0.1)


def test_what_a_list_shows_comes_from_meta_json_unless_it_is_said(scythe: Run, trace: Path, tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text(json.dumps({"news": {"P": 30}}))
    asked = ("schedule", "--simulate", "news.csv", "--policy", "average", "--json")
    assert json.loads(scythe(*asked).stdout)["shown"] == 30
    assert json.loads(scythe(*asked, "--shown", "12").stdout)["shown"] == 12


def test_a_folder_gives_a_table_for_each_trace_and_one_of_the_means(scythe: Run, trace: Path, tmp_path: Path) -> None:
    write_trace(tmp_path / "jobs.csv.xz", "jobs", make_arrivals(2, RHYTHM))
    (tmp_path / "meta.json").write_text(json.dumps({"news": {"P": 30}, "jobs": {"P": 10}}))
    done = scythe("schedule", "--simulate", ".", "--policy", "average", "-o", "both.svg")
    assert [line for line in done.stdout.splitlines() if "days" in line or "mean of" in line][-1] == "mean of 2 traces"
    assert {"jobs: the last 14 of 60 days", "news: the last 14 of 60 days"} <= set(svg_texts(tmp_path / "both.svg"))


def test_the_plot_has_a_lane_for_each_policy(scythe: Run, trace: Path, tmp_path: Path) -> None:
    asked = ("schedule", "--simulate", "news.csv", "--shown", "20")
    done = scythe(*asked, "--policy", "seasonal,ses", "-o", "plot.svg", "--last", "7d")
    assert done.stderr == "plot written to plot.svg\n"
    written = set(svg_texts(tmp_path / "plot.svg"))
    assert {"news: the last 7 of 60 days", "seasonal", "ses", "came", "forecast", "visit"} <= written
    scythe(*asked, "--policy", "ses", "-o", "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--simulate", "news.csv"), "neither --shown nor meta.json"),
        (("--simulate", "none.csv", "--shown", "3"), "no such file"),
        (("--simulate", "news.csv", "--shown", "20", "--policy", "psychic"), "unknown policy 'psychic'"),
        (("--simulate", "news.csv", "--shown", "20", "--warm-up", "100d"), "--warm-up can be shorter"),
        (("--simulate", "news.csv", "--shown", "20", "-o", "plot.pdf"), "plots are written to .svg or .png"),
        (("--simulate", "news.csv", "--shown", "20", "-o", "no/plot.svg"), "no such folder"),
        (("--simulate", "news.csv", "--shown", "20", "example.org"), "not a SITE"),
        (("--simulate", "news.csv", "--shown", "20", "--max-delay", "soon"), "a duration such as"),
        (("--policy", "ses"), "name one with --simulate"),
    ],
)
def test_what_cannot_be_meant_is_said_in_a_line(
    here: Callable[..., Result], trace: Path, arguments: Sequence[str], said: str
) -> None:
    done = here(*arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_who_looks_sees_which_policy_runs(
    trace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    wanted = Experiment(trace, ("fixed", "average"), Goals(), 20, 28 * DAY_S, "warm", None, DAY_S, as_json=True)
    run_experiment(wanted)
    assert [json.loads(line)["policy"] for line in capsys.readouterr().out.splitlines()] == ["fixed", "average"]
    assert "news: average" in terminal.getvalue()
    assert "2/2" in terminal.getvalue()


def test_a_page_that_is_not_visited_any_more_is_never_due() -> None:
    now = datetime(2026, 5, 4, tzinfo=UTC)
    assert [_until(at, now) for at in (None, now, now + timedelta(hours=3))] == ["never", "due", "3 h"]


def look(archive: Archive, site: int, at: datetime, looked: Sequence[Looked]) -> None:
    """Visit the one list page that is due, as a watch does."""
    (task,) = next_tasks(archive, site, "news.example", 1, now=at + timedelta(days=30), kinds=("list",))
    due_at = at + timedelta(seconds=min(one.plan.wait_s for one in looked if one.plan is not None))
    store_outcomes(
        archive,
        [
            Outcome(
                task,
                "retry",
                at,
                why="forecast",
                status=200,
                retry_at=due_at,
                extracted=Extracted(),
                looked=tuple(looked),
            )
        ],
    )


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    """An archive with a page of two lists that was visited ten times."""
    path = tmp_path / "watch.scythe.db"
    with open_archive(path) as archive:
        site = add_site(archive, "news.example", PAGE)
        add_watch(archive, site, FoundUrl(PAGE, "news.example"), ListOptions(policy="poisson").to_json(), now=NOW)
        estimator = make_policy("poisson", Goals())
        for number in range(10):
            at = NOW - timedelta(hours=3 + 4 * (9 - number))
            since = 14_400.0 if number else None
            seen = Observation(at.timestamp(), shown=20, new=4 + number % 3, since_s=since)
            estimator.note(seen)
            plan = VisitPlan(4 * 3_600, 5.5, 0.0031, 42.0, "forecast")
            text = json.dumps(estimator.to_plain())
            first = Looked(1, seen, plan, "Latest \x1b[31m& more", estimator=text, lost=2 if number == 5 else 0)
            second = Looked(2, seen, VisitPlan(86_400, 1.0, 0.0, 1.0, "ceiling"), "[bold]Jobs")
            look(archive, site, at, [first, second])
    return path


def test_the_plan_says_when_each_list_is_visited_and_why(scythe: Run, watched: Path) -> None:
    done = scythe("schedule")
    lines = done.stdout.splitlines()
    first = next(line for line in lines if "Latest" in line)
    due = NOW + timedelta(hours=1)
    assert f"{due:%Y-%m-%d %H:%M}" in first
    assert {"5.5", "0.31", "42.0", "49", "2", "forecast", "ago"} <= set(first.split())
    assert "[bold]Jobs" in done.stdout
    assert "\x1b" not in done.stdout
    assert lines[-1] == "1 page, 2 lists, 43 new records a day; times are UTC"


def test_the_plan_as_json_has_a_line_for_each_list(scythe: Run, watched: Path) -> None:
    rows = [json.loads(line) for line in scythe("schedule", "--json").stdout.splitlines()]
    assert [row["region"] for row in rows] == ["Latest \x1b[31m& more", "[bold]Jobs"]
    assert rows[0]["page"] == PAGE
    assert rows[0]["next_at"] == (NOW + timedelta(hours=1)).isoformat()
    assert rows[0]["last_at"] == (NOW - timedelta(hours=3)).isoformat()
    assert (rows[0]["records"], rows[0]["lost"], rows[0]["rate_day"], rows[0]["risk"]) == (49, 2, 42.0, 0.0031)
    assert rows[0]["why"] == "forecast"


def test_the_plan_is_drawn_from_the_journal(scythe: Run, watched: Path, tmp_path: Path) -> None:
    done = scythe("schedule", "-o", "plan.svg")
    assert done.stderr == "2 lists drawn in plan.svg\n"
    written = svg_texts(tmp_path / "plan.svg")
    assert written.count("next visit") == 2
    assert written.count("forecast") == 1  # the second list has no estimator
    assert "missed" in written
    titles = ElementTree.parse(tmp_path / "plan.svg").getroot().iter("{http://www.w3.org/2000/svg}title")
    assert any("of them missed" in (title.text or "") for title in titles)


def test_a_site_is_named_by_its_host_or_its_address(scythe: Run, watched: Path) -> None:
    for site in ("news.example", "https://news.example/latest", "news.example/latest", "https://news.example"):
        assert len(scythe("schedule", site, "--json").stdout.splitlines()) == 2
    done = scythe("schedule", "other.example")
    assert (
        done.stdout == "watch.scythe.db: other.example is not watched here; without SITE all that is watched is shown\n"
    )


def test_a_page_that_was_never_visited_is_due(scythe: Run, tmp_path: Path) -> None:
    with open_archive(tmp_path / "watch.scythe.db") as archive:
        site = add_site(archive, "news.example", PAGE)
        add_watch(archive, site, FoundUrl(PAGE, "news.example"), ListOptions().to_json(), now=NOW)
    done = scythe("schedule")
    row = next(line for line in done.stdout.splitlines() if PAGE in line)
    assert "due" in row.split()
    assert "first visit" in row


def test_an_archive_that_watches_nothing_says_how_to_begin(scythe: Run, tmp_path: Path) -> None:
    with open_archive(tmp_path / "site.db"):
        pass
    done = scythe("schedule", "--archive", "site.db")
    assert done.stdout == "site.db: no page is watched here; `scythe watch SITE --archive site.db` begins with one\n"
    as_json = scythe("schedule", "--archive", "site.db", "--json")
    assert as_json.stdout == ""
    assert "no page is watched" in as_json.stderr


def test_an_archive_that_is_not_there_is_an_error(scythe: Run) -> None:
    done = scythe("schedule", check=1)
    assert "there is no archive; `scythe watch SITE" in done.stderr
