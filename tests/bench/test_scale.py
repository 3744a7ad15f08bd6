"""Plans for many pages: the web has the shape it was fitted to, plans add up, and small ones come true."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.command import app
from bench.scale_batch import BatchPlanner, Cluster, plan_batches
from bench.scale_check import check_batch
from bench.scale_costs import FULL, TEXT, Costs, Line, Ways, load_costs
from bench.scale_crawl import finish, plan_crawl
from bench.scale_frontier import plan_frontier
from bench.scale_measure import Timed, make_sites, measure_pages, time_decoding, write_warc
from bench.scale_store import measure_store
from bench.scale_web import Hosts, Web, make_hosts
from typer.testing import CliRunner

from scythe.batch.captures import read_captures
from scythe.errors import BadInput

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it warns of itself when it is imported
    import fastwarc.warc  # noqa: F401

WAYS = Ways(Line(500, 1), Line(4_000, 20), Line(1_000, 20), Line(0, 1), tree_share=0.1, row_kb=2.0)
COSTS = Costs(
    machine="this one", pages="some", page_kb=100, decode=Line(0, 1), ways={TEXT: WAYS, FULL: WAYS}, learn_s=2.0,
    learn_pages=24, take_up_ms=3.0, profile_kb=30, crawl_ms=1.0, more_requests=4, store_ms=1.0, stored_kb=8.0,
    address_bytes=160, links=10,
)  # fmt: skip


def test_hosts_have_the_pages_asked_for_and_the_shape_they_were_fitted_to() -> None:
    hosts = make_hosts(Web(), 2.48e9)
    assert hosts.total_pages == pytest.approx(2.48e9)
    assert hosts.total == pytest.approx(47.6e6, rel=0.15)
    assert hosts.from_pages(135_000).total == pytest.approx(400, rel=0.5)
    assert hosts.from_pages(8).total_pages / hosts.total_pages > 0.95
    assert hosts.from_pages(8).total / hosts.total < 0.4
    assert make_hosts(Web(), 2.48e9).count.tolist() == hosts.count.tolist()


@pytest.mark.parametrize("pages", [0, 1e20, float("nan")])
def test_numbers_of_pages_that_nobody_can_mean_are_refused(pages: float) -> None:
    with pytest.raises(BadInput):
        make_hosts(Web(), pages)


def test_steps_of_a_plan_add_up_to_what_single_pages_cost() -> None:
    hosts = Hosts(np.array([2.0, 1.0]), np.array([5.0, 100.0]))
    plan = BatchPlanner(Web(page_kb=100), COSTS, TEXT, hosts, Cluster()).make("by host", 8)
    us = {step: hours * 3.6e9 for step, hours in plan.core_hours.items()}
    assert us["decode"] == us["first pass"] == pytest.approx(110 * 100)
    assert us["cold"] == pytest.approx(10 * 3_000)
    assert us["cut"] == pytest.approx(90 * 600)
    assert us["tree"] == pytest.approx(10 * 6_000)
    assert us["learn"] == pytest.approx(1.05 * 2e6)
    assert plan.pages_cut == pytest.approx(90 / 110)


def test_learning_pays_where_a_host_has_enough_pages_and_they_come_together() -> None:
    cold, all_mixed, best_mixed, all_grouped, best = plan_batches(Web(), COSTS, TEXT, 1e9, Cluster())
    assert best.total_core_hours < cold.total_core_hours
    assert best.total_core_hours < all_grouped.total_core_hours < all_mixed.total_core_hours
    assert best.total_core_hours < best_mixed.total_core_hours
    saved_us = WAYS.cold.us(153) - 0.9 * WAYS.cut.us(153) - 0.1 * WAYS.tree.us(153)
    assert best.learn_from == pytest.approx(2.1e6 / saved_us, rel=0.3)
    assert cold.hosts_learned == 0


def test_days_shrink_with_machines_until_the_network_is_full() -> None:
    def days(machines: int, gbit: float) -> tuple[float, str]:
        plan = plan_batches(Web(), COSTS, TEXT, 1e9, Cluster(machines, network_gbit=gbit))[0]
        return plan.days, plan.bottleneck

    assert days(20, 10)[0] == pytest.approx(days(10, 10)[0] / 2)
    assert days(10, 0.1)[1] == "network"


def test_a_crawl_lasts_as_long_as_its_largest_host() -> None:
    hosts = Hosts(np.array([10.0, 1.0]), np.array([10.0, 1_000.0]))
    assert finish(hosts, 2.0, float("inf"))[1.0] == pytest.approx(2_000)
    assert finish(hosts, 2.0, 1.0)[1.0] == pytest.approx(110 + 990 * 2)  # first shared, then by the delay alone
    assert finish(hosts, 2.0, 0.1)[1.0] == pytest.approx(1_100 / 0.1)


def test_crawls_are_foretold_as_a_simulation_of_single_requests_goes() -> None:
    pages = [1, 2, 3, 5, 8, 40]
    hosts = Hosts(np.ones(len(pages)), np.array(pages, dtype=float))
    left, free_at, moment, done = list(pages), [0.0] * len(pages), 0.0, []
    while any(left):  # three requests a second in all, hosts in turn, one each second
        ready = [i for i, count in enumerate(left) if count and free_at[i] <= moment + 1e-9]
        for i in sorted(ready, key=lambda i: free_at[i])[:3]:
            left[i] -= 1
            free_at[i] = moment + 1.0
            done.append(moment + 1.0)
        moment += 1.0
    assert finish(hosts, 1.0, 3.0)[1.0] == pytest.approx(done[-1], rel=0.05)
    assert finish(hosts, 1.0, 3.0)[0.5] == pytest.approx(done[len(done) // 2 - 1], rel=0.15)


def test_more_machines_reach_half_sooner_but_not_the_end() -> None:
    few, many = (plan_crawl(Web(), COSTS, TEXT, 1e9, Cluster(number), delay_s=1.0) for number in (100, 10_000))
    assert many.days[0.5] < few.days[0.5] / 4
    assert many.days[1.0] >= few.polite_days[1.0] * 0.999
    assert few.requests > 1e9


def test_a_frontier_is_divided_for_what_runs_out_first() -> None:
    assert plan_frontier(COSTS, 1e6, 10).servers == 1
    assert plan_frontier(COSTS, 1e6, 100_000).because == "writes"
    large = plan_frontier(COSTS, 1e10, 10)
    assert (large.because, large.servers) == ("memory", 19)
    assert large.size_tb == pytest.approx(1e10 * (8.0 - 8 * 0.16) / 1e9)


def test_costs_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    path.write_text(COSTS.to_json())
    assert load_costs(path) == COSTS
    assert set(load_costs().ways) == {TEXT, FULL}
    path.write_text("{}")
    with pytest.raises(BadInput, match="no costs"):
        load_costs(path)


def test_a_line_never_foretells_less_than_nothing() -> None:
    for us in ([1.0, 10.0, 100.0], [100.0, 50.0, 1.0], [7.0, 7.0, 7.0]):
        timed = Timed([10.0, 20.0, 30.0], us)
        assert timed.line().fixed_us >= 0
        assert timed.line().per_kb_us >= 0
        assert sum(map(timed.line().us, timed.kb)) == pytest.approx(sum(us), rel=0.01)
    assert Timed().line() == Line(0.0, 0.0)


def test_pages_survive_the_file_they_are_timed_in(tmp_path: Path) -> None:
    pages = [("https://a.example/1", b"<p>1"), ("https://a.example/2", b"<p>2" * 900)]
    unit = write_warc(tmp_path / "a.warc.gz", pages)
    assert [(capture.url, capture.body) for capture in read_captures(unit)] == pages
    line, packed = time_decoding(pages)
    assert line.per_kb_us > 0
    assert 0 < packed < 2


@pytest.mark.soak
def test_a_small_batch_takes_about_as_long_as_foretold() -> None:
    sites = make_sites(None, limit=3)
    measured = measure_pages([sites[0][:14]])
    costs = replace(
        COSTS,
        decode=measured.decode,
        ways=measured.ways,
        learn_s=measured.learn_s[0],
        take_up_ms=measured.take_up_s[0] * 1e3,
    )
    checked = check_batch(costs, [sites[1][:12], sites[2][:7]], TEXT, learn_from=8)
    assert abs(checked.off) < 0.6  # `python -m bench scale --measure` on a quiet machine: bench/results/scale.md
    assert measured.ways[TEXT].cut.us(34) < measured.ways[TEXT].cold.us(34)


def test_storing_is_measured_in_either_database(where: str) -> None:
    pages = [
        (f"https://a.example/{i}", b"<title>%d</title><p>Barley and rye grow in field %d." % (i, i)) for i in range(3)
    ]
    stored = measure_store(where, pages, 128)
    assert 1 < stored.kb < 50
    assert stored.wall_ms > 0
    assert 50 < stored.address_bytes < 2_000


def test_the_command_prints_plans_from_the_costs_measured_before() -> None:
    done = CliRunner().invoke(app, ["scale", "--pages", "1e9", "--json"])
    answer = json.loads(done.stdout)
    assert [table["name"] for table in answer["tables"]] == [
        "Costs", "Web", "Batch", "Batch, by step", "Crawl", "Frontier",
    ]  # fmt: skip
    assert answer["costs"]["ways"][TEXT]["cut"]["fixed_us"] > 0
    said = CliRunner().invoke(app, ["scale", "--parts", "text,images,records", "--machines", "3"])
    assert said.exit_code == 0
    assert "On 3 machines" in said.stdout


def test_the_command_says_what_it_has_no_costs_for() -> None:
    done = CliRunner().invoke(app, ["scale", "--parts", "images"])
    assert done.exit_code == 2
    assert "costs are known for text" in done.stderr
    assert CliRunner().invoke(app, ["scale", "--pages", "3"]).exit_code == 2
