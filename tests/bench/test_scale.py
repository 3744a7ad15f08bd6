"""Plans for many pages: the web has the shape it was fitted to, plans add up, and small ones come true."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from bench.command import app
from bench.scale_batch import BatchPlanner, Cluster
from bench.scale_costs import FULL, TEXT, Costs, Line, Ways, load_costs
from bench.scale_crawl import finish
from bench.scale_store import measure_store
from bench.scale_web import Hosts, Web
from typer.testing import CliRunner

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


def test_costs_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    path.write_text(COSTS.to_json())
    assert load_costs(path) == COSTS
    assert set(load_costs().ways) == {TEXT, FULL}
    path.write_text("{}")
    with pytest.raises(BadInput, match="no costs"):
        load_costs(path)


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
