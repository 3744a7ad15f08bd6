"""Sum up what was timed on learned sites: times come in, two tables go out."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bench.cut import CREATE, FIND, Key
from bench.cut_tables import Cell, Table
from bench.learned import WAYS, LearnedRun

SIZES = ("value", "body")


def make_learned_tables(run: LearnedRun) -> list[Table]:
    """Return the table of fields and the table of whole pages."""
    return [tell_fields(run), tell_whole_pages(run)]


def tell_fields(run: LearnedRun) -> Table:
    """Compare the cutter with parsers on the fields of learned sites."""
    groups = [[i for i, one in enumerate(run.fields) if one.size == size] for size in SIZES]
    costs: dict[str, list[float | None]] = {}
    for parser in run.parsers:
        for shared in (False, True):
            name = f"{parser}, one parse per {'page' if shared else 'field'}"
            costs[name] = [_total(run, parser, picked, shared) for picked in groups]
    for way in WAYS:
        costs[way] = [_weigh(run, picked, lambda i, way=way: _find(run, way, i)) for picked in groups]  # type: ignore[misc]
    fastest = [_fastest(run, picked, shared=False) for picked in groups]
    fastest_shared = [_fastest(run, picked, shared=True) for picked in groups]
    rows: list[tuple[Cell, ...]] = []
    for name, means in costs.items():
        cells: list[Cell] = [name]
        for mean, alone, shared_cost in zip(means, fastest, fastest_shared, strict=True):
            cells += [mean, _ratio(alone, mean), _ratio(shared_cost, mean)]
        rows.append(tuple(cells))
    columns = ["way", *(f"{size}{mark}" for size in SIZES for mark in ("", " x", " x shared"))]
    return Table("fields", f"Learned fields: {_describe(run)}", tuple(columns), tuple(rows))


def _describe(run: LearnedRun) -> str:
    parts = []
    for size in SIZES:
        fields = [one for one in run.fields if one.size == size]
        tasks = sum(one.pages for one in fields)
        sure = sum(one.sure for one in fields)
        parts.append(f"{tasks} {size} tasks ({100 * sure / max(tasks, 1):.1f} % without doubt)")
    return ", ".join(parts)


def tell_whole_pages(run: LearnedRun) -> Table:
    """Compare whole pages, text included."""
    rows: list[tuple[Cell, ...]] = []
    for category in [*dict.fromkeys(run.categories.values()), "all"]:
        sites = [site for site, own in run.categories.items() if category in (own, "all")]
        means = [_mean(run, (Key(way, CREATE, -1, site) for site in sites)) for way in run.page_ways]
        rows.append((category, sum(run.pages[site] for site in sites), *means))
        ratios = [_ratio(mean, means[0]) for mean in means] if run.page_ways else []
        rows.append(("  times Site.extract", None, *ratios))
    return Table("pages", "Whole pages, text included", ("category", "pages", *run.page_ways), tuple(rows))


def _mean(run: LearnedRun, keys: Iterable[Key]) -> float | None:
    known = [key for key in keys if key in run.times.ns]
    calls = sum(run.times.calls[key] for key in known)
    return sum(run.times.ns[key] for key in known) / calls / 1e3 if calls else None


def _weigh(run: LearnedRun, picked: list[int], cost: Callable[[int], float | None]) -> float | None:
    """Return the mean cost of fields, each counted once for every page that it is cut from."""
    costs = [(cost(i), len(run.fields[i].bodies)) for i in picked]
    known = [(mean, pages) for mean, pages in costs if mean is not None and pages]
    return sum(mean * pages for mean, pages in known) / sum(pages for _, pages in known) if known else None


def _find(run: LearnedRun, way: str, number: int) -> float | None:
    return _mean(run, [Key(way, FIND, number, run.fields[number].place)])


def _total(run: LearnedRun, parser: str, picked: list[int], shared: bool) -> float | None:
    def cost(number: int) -> float | None:
        place = run.fields[number].place
        create, find = _mean(run, [Key(parser, CREATE, -1, place)]), _find(run, parser, number)
        if create is None or find is None:
            return None
        return create / (sum(one.place == place for one in run.fields) if shared else 1) + find

    return _weigh(run, picked, cost)


def _fastest(run: LearnedRun, picked: list[int], *, shared: bool) -> float | None:
    totals = [_total(run, parser, picked, shared) for parser in run.parsers]
    return min((total for total in totals if total is not None), default=None)


def _ratio(slow: Cell, fast: Cell) -> float | None:
    return slow / fast if isinstance(slow, float) and isinstance(fast, float) and fast else None
