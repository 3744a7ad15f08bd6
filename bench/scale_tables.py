"""Tell plans for many pages: costs, a question and what was checked come in, tables go out."""

from __future__ import annotations

from collections.abc import Sequence

from bench.cut_tables import Cell, Table
from bench.scale import Question
from bench.scale_batch import BatchPlan, plan_batches
from bench.scale_check import Checked
from bench.scale_costs import Costs
from bench.scale_crawl import SHARES, CrawlPlan, plan_crawl
from bench.scale_frontier import plan_frontier
from bench.scale_web import Web, make_hosts

_STEPS = ("first pass", "learn", "take up profiles", "decode", "cut", "tree", "cold", "write")
_FLEETS = (1, 10, 100, 1_000)


def make_tables(costs: Costs, question: Question, checks: Sequence[Checked], web: Web | None = None) -> list[Table]:
    """Return all there is to tell."""
    web = web or Web()
    pages, parts, cluster = question.pages, question.parts, question.cluster
    plans = plan_batches(web, costs, parts, pages, cluster)
    machines = sorted({*_FLEETS, cluster.machines})
    crawls = [
        plan_crawl(web, costs, parts, pages, question.with_machines(number), delay_s=question.delay_s)
        for number in machines
    ]
    tables = [_costs(costs, web), _web(web, pages), _batches(plans, question), _steps(plans)]
    tables += [_crawls(crawls, web), _frontier(costs, pages, crawls)]
    return tables + ([_checks(checks)] if checks else [])


def _costs(costs: Costs, web: Web) -> Table:
    """Say what single steps cost, for a page as they were measured and for one as the web has them."""
    lines = [("decode", "any", costs.decode)]
    for parts, ways in costs.ways.items():
        lines += [(name, parts, getattr(ways, name)) for name in ("cut", "tree", "cold", "write")]
    rows = tuple(
        (name, parts, line.us(costs.page_kb), line.us(web.page_kb), 1e6 / max(line.us(web.page_kb), 1e-9))
        for name, parts, line in lines
    )
    shares = "; ".join(f"{parts}: {ways.tree_share:.0%} of learned pages" for parts, ways in costs.ways.items())
    note = (
        f"Measured on {costs.pages}, {costs.page_kb:.0f} KB at the mean. The tree was asked for: {shares}. "
        f"Learning a site from {costs.learn_pages} pages: {costs.learn_s:.2f} s; taking a profile up: "
        f"{costs.take_up_ms:.1f} ms, {costs.profile_kb:.0f} KB. Asking for a page and storing it: "
        f"{costs.crawl_ms:.2f} ms; a page and {costs.links:.0f} new addresses stored: {costs.stored_kb:.1f} KB, "
        f"{costs.store_ms:.2f} ms of one connection, {costs.address_bytes:.0f} bytes for each address."
    )
    columns = ("step", "parts", "us/page measured", f"us/page of {web.page_kb:.0f} KB", "pages/core-second")
    return Table("Costs", "CPU of one core", columns, rows, note)


def _web(web: Web, pages: float) -> Table:
    """Say what web is planned for."""
    hosts = make_hosts(web, pages)
    rows = []
    for least in (1, 8, 100, 1_000, 10_000, 100_000):
        some = hosts.from_pages(least)
        rows.append(
            (f"{least}", some.total / hosts.total * 100, some.total, some.total_pages / hosts.total_pages * 100)
        )
    note = f"{hosts.total:.3g} hosts; the largest has {hosts.pages[-1]:.0f} pages."
    return Table("Web", f"{pages:.3g} pages", ("pages at least", "% hosts", "hosts", "% pages"), tuple(rows), note)


def _batches(plans: Sequence[BatchPlan], question: Question) -> Table:
    rows = tuple(
        (
            plan.name, _threshold(plan), plan.hosts_learned / 1e6, plan.pages_cut * 100, plan.total_core_hours,
            plan.read_tb, plan.written_tb, plan.days, plan.bottleneck,
        )
        for plan in plans
    )  # fmt: skip
    columns = (
        "pages come",
        "learn from",
        "M hosts learned",
        "% cut",
        "core hours",
        "TB read",
        "TB written",
        "days",
        "waits for",
    )
    cluster = question.cluster
    note = f"On {cluster.machines} machines of {cluster.cores} cores with {cluster.network_gbit:.0f} Gbit/s each."
    return Table("Batch", f"{question.pages:.3g} pages from WARC files: {question.parts}", columns, rows, note)


def _threshold(plan: BatchPlan) -> str:
    return "none" if plan.learn_from == float("inf") else f"{plan.learn_from:.0f} pages"


def _steps(plans: Sequence[BatchPlan]) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (plan.name, _threshold(plan), *(plan.core_hours.get(step, 0.0) for step in _STEPS)) for plan in plans
    )
    return Table("Batch, by step", "core hours", ("pages come", "learn from", *_STEPS), rows)


def _crawls(plans: Sequence[CrawlPlan], web: Web) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (f"{plan.machines}", plan.pages_per_s, plan.limited_by, *(plan.days[share] for share in SHARES))
        for plan in plans
    )
    polite = plans[0].polite_days
    rows += (("any number", None, "delay", *(polite[share] for share in SHARES)),)
    columns = ("machines", "pages/s at most", "by", *(f"days to {share:.0%}" for share in SHARES))
    note = (
        f"{plans[0].requests:.3g} requests, {plans[0].delay_s:g} s between the first byte of an answer, which takes "
        f"{web.answer_s:g} s, and the next; {plans[-1].busiest_hosts:.0f} hosts have pages left at 99 %."
    )
    return Table("Crawl", "hosts asked one request at a time", columns, rows, note)


def _frontier(costs: Costs, pages: float, crawls: Sequence[CrawlPlan]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for crawl in crawls:
        mean = pages * 0.9 / (crawl.days[0.9] * 86_400)  # while most of it goes on
        plan = plan_frontier(costs, pages, mean)
        rows.append((
            f"{crawl.machines}", plan.addresses / 1e9, plan.size_tb, plan.index_gb, plan.wanted_per_s,
            plan.writes_per_s, plan.servers, plan.because,
        ))  # fmt: skip
    columns = (
        "machines",
        "G addresses",
        "TB",
        "GB looked up in",
        "pages/s wanted",
        "pages/s a server",
        "servers",
        "for",
    )
    return Table("Frontier", "what PostgreSQL holds and takes", columns, tuple(rows))


def _checks(checks: Sequence[Checked]) -> Table:
    rows = tuple((one.what, one.foretold_s, one.real_s, one.off * 100) for one in checks)
    note = "On sites and a crawl that no cost was measured on."
    return Table("Checked", "what was foretold against what came", ("run", "s foretold", "s", "% off"), rows, note)
