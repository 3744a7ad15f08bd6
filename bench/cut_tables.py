"""Sum up a run of the cutting benchmark: times of single ways come in, the paper's Tables 5 to 9 and ours go out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bench.cut import CREATE, FIND, FIRST, REST, Key, Run
from bench.patterns import LEARNED_PAGES, Pattern
from scythe.site.papers.string_search import UNKNOWN

Cell = str | int | float | None
GROUPS = ("ASTFM", "div", "H", "p, span, ul")
SIZES = ("value", "middle", "body")
STEPS = ("prepare", "from 0", "from index")


@dataclass(frozen=True, slots=True)
class Table:
    """One table; times are microseconds of CPU per element and page unless the column says otherwise."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def format_cell(cell: Cell) -> str:
    """Write a number with three digits that count, a text as it is."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        size = abs(cell)
        return f"{cell:.{0 if size >= 100 else 1 if size >= 10 else 2 if size > 1 else 3}f}"
    return str(cell)


class Summary:
    """Means over any selection of patterns; a task is one element of one page."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.fields = {site.name: sum(p.site == site.name for p in run.patterns) for site in run.sites}
        self.parsers = list(dict.fromkeys(key.method for key in run.times.ns if key.part == CREATE))
        names = dict.fromkeys(key.method for key in run.times.ns if key.part in (FIRST, REST))
        order = list(dict.fromkeys(method for method, _ in run.judged))
        self.methods = sorted(names, key=order.index)

    def pick(self, wanted: Callable[[Pattern], bool] = lambda pattern: True) -> list[int]:
        """Return the indexes of the patterns wanted."""
        return [i for i, pattern in enumerate(self.run.patterns) if wanted(pattern)]

    def tasks(self, picked: Iterable[int]) -> int:
        """Return the number of tasks of these patterns."""
        return sum(len(self.run.patterns[i].ranges) for i in picked)

    def mean(self, method: str, picked: Iterable[int], parts: tuple[str, ...] = (FIRST, REST)) -> float | None:
        """Return the mean time of a way to cut, or None where it was not timed."""
        keys = [Key(method, part, i, self.run.patterns[i].site) for i in picked for part in parts]
        return _mean((self.run.times.ns[key], self.run.times.calls[key]) for key in keys if key in self.run.times.ns)

    def create(self, parser: str, picked: Iterable[int], *, shared: bool = False) -> float | None:
        """Return the mean time to parse; `shared`: divided among all elements of the page."""
        return _mean(self._creations(parser, picked, shared))

    def _creations(self, parser: str, picked: Iterable[int], shared: bool) -> Iterator[tuple[float, int]]:
        for i in picked:
            site = self.run.patterns[i].site
            key = Key(parser, CREATE, -1, site)
            yield self.run.times.ns[key] / (self.fields[site] if shared else 1), self.run.times.calls[key]

    def find(self, parser: str, picked: Iterable[int]) -> float | None:
        """Return the mean time to find an element in a tree and write its HTML."""
        return self.mean(parser, picked, (FIND,))

    def total(self, parser: str, picked: list[int], *, shared: bool = False) -> float | None:
        """Return what an element costs by a parser."""
        create, find = self.create(parser, picked, shared=shared), self.find(parser, picked)
        return None if create is None or find is None else create + find

    def fastest(self, picked: list[int], *, shared: bool = False) -> float | None:
        """Return what an element costs by the fastest parser."""
        totals = [self.total(parser, picked, shared=shared) for parser in self.parsers]
        return min((total for total in totals if total is not None), default=None)

    def judge(self, method: str) -> tuple[float, float]:
        """Return how many tasks gave the text that the tree has there and how many another one, in per cent."""
        judged = [one for (name, _), one in self.run.judged.items() if name == method]
        pages = max(1, sum(one.pages for one in judged))
        return 100 * sum(one.right for one in judged) / pages, 100 * sum(one.wrong for one in judged) / pages

    def bytes_mean(self, picked: list[int]) -> float | None:
        """Return the mean size of the elements."""
        patterns = [self.run.patterns[i] for i in picked]
        return _mean((1e3 * pattern.bytes_mean, 1) for pattern in patterns)


def _mean(pairs: Iterable[tuple[float, int]]) -> float | None:
    """Return the sum of the first over that of the second, divided by 1000: nanoseconds become microseconds."""
    total, count = 0.0, 0
    for value, calls in pairs:
        total, count = total + value, count + calls
    return total / count / 1e3 if count else None


def _times(slow: float | None, fast: float | None) -> float | None:
    return slow / fast if slow and fast else None


def make_tables(run: Run) -> list[Table]:
    """Return the tables in the order of the paper, ours at the end."""
    summary = Summary(run)
    makers = (tell_pages, tell_parsers, tell_searches, tell_ways, tell_hints, tell_tags, tell_sizes, tell_seconds)
    return [make(summary) for make in makers]


def _categories(summary: Summary) -> list[tuple[str, list[int]]]:
    names = dict.fromkeys(pattern.category for pattern in summary.run.patterns)
    rows = [(name, summary.pick(lambda pattern, name=name: pattern.category == name)) for name in names]  # type: ignore[misc]
    return [*rows, ("all", summary.pick())]


def tell_pages(summary: Summary) -> Table:
    """Say what was timed: Tables 3 and 4."""
    rows = []
    for name, picked in _categories(summary):
        sites = [site for site in summary.run.sites if name in (site.category, "all")]
        sizes = [len(body) for site in sites for body in site.bodies]
        fixed = sum(summary.run.patterns[i].rule.inner_tag_count != UNKNOWN for i in picked)
        rows.append((name, len(sites), len(sizes), sum(sizes) / len(sizes) / 1e3, len(picked), fixed))
    columns = ("category", "sites", "pages", "KB", "tags", "fixed inner count")
    return Table("tables 3, 4", "Pages and opening tags", columns, tuple(rows))


def tell_parsers(summary: Summary) -> Table:
    """Table 5: parsers (C create, F find) and the regular expression."""
    columns = ["category", *(f"{parser} {step}" for parser in summary.parsers for step in "CF"), "regex"]
    rows = []
    for name, picked in _categories(summary):
        cells: list[Cell] = [name]
        for parser in summary.parsers:
            cells += [summary.create(parser, picked), summary.find(parser, picked)]
        rows.append((*cells, summary.mean("regex", picked)))
    return Table("table 5", "Parsers: C to create the tree, F to find an element", tuple(columns), tuple(rows))


def tell_searches(summary: Summary) -> Table:
    """Table 6: search algorithms from the start of the page and from the best index."""
    rows = []
    for name in dict.fromkeys(name for name, _ in summary.run.searches):
        prepare, zero, index = (ns / calls / 1e3 for ns, calls in (summary.run.searches[name, s] for s in STEPS))
        rows.append((name, prepare, zero, prepare + zero, index, prepare + index))
    rows.sort(key=lambda row: -row[3])
    columns = ("search", "P", "S from 0", "T from 0", "S from index", "T from index")
    note = "Those with capitals are written in Python, for the order among them; the others are what scythe can use."
    return Table("table 6", "Searching for the opening tag: P prepare, S search, T total", columns, tuple(rows), note)


def tell_ways(summary: Summary) -> Table:
    """Table 7: without hints (1), learning them (2), with the best as constants (3)."""
    rows = []
    for name, picked in _categories(summary):
        learning = [summary.mean("learning", picked, part) for part in ((FIRST,), (REST,), (FIRST, REST))]
        one, three = summary.mean("simple", picked), summary.mean("all hints", picked)
        rows.append((name, one, *learning, three, summary.mean("end marker", picked), summary.bytes_mean(picked)))
    columns = ("category", "(1)", "(2) before", "(2) after", "(2) all", "(3)", "end marker", "bytes")
    note = f"(1) simple, (2) learning: the first {LEARNED_PAGES} pages and the others, (3) hints as constants"
    return Table("table 7", "Three ways of UzunExt", columns, tuple(rows), note)


def tell_hints(summary: Summary) -> Table:
    """Table 8: each hint alone, over all tasks and over those with a fixed number of inner tags."""
    every, fixed = summary.pick(), summary.pick(lambda pattern: pattern.rule.inner_tag_count != UNKNOWN)
    simple = [summary.mean("simple", picked) for picked in (every, fixed)]
    rows = []
    for name in (
        "simple",
        *(f"only {hint}" for hint in ("startingPosition", "innerTagCount", "repetition")),
        "all hints",
    ):
        times = [summary.mean(name, picked) for picked in (every, fixed)]
        gains = [_times(slow, fast) for slow, fast in zip(simple, times, strict=True)]
        rows.append((name, times[0], gains[0], times[1], gains[1]))
    columns = ("hint", "all tasks", "x", "fixed inner count", "x")
    title = f"Each hint alone: {summary.tasks(every)} tasks, {summary.tasks(fixed)} with a fixed inner tag count"
    return Table("table 8", title, columns, tuple(rows))


def tell_tags(summary: Summary) -> Table:
    """Table 9: tag groups, with and without a fixed number of inner tags."""
    rows = []
    for group in (*GROUPS, "all"):
        for fixed in (True, False):
            picked = summary.pick(
                lambda pattern, group=group, fixed=fixed: (  # type: ignore[misc]
                    group in (pattern.group, "all") and (pattern.rule.inner_tag_count != UNKNOWN) == fixed
                )
            )
            means = [summary.mean(method, picked) for method in ("simple", "all hints", "end marker")]
            rows.append((group, "yes" if fixed else "no", summary.tasks(picked), summary.bytes_mean(picked), *means))
    columns = ("tags", "fixed inner count", "tasks", "bytes", "simple", "all hints", "end marker")
    return Table("table 9", "Effects of tags", columns, tuple(rows))


def tell_sizes(summary: Summary) -> Table:
    """Compare every way with the fastest parser, small and large elements apart."""
    groups = [summary.pick(lambda pattern, size=size: pattern.size == size) for size in SIZES]  # type: ignore[misc]
    rows: list[tuple[Cell, ...]] = []
    for parser in summary.parsers:
        for shared in (False, True):
            costs = [summary.total(parser, picked, shared=shared) for picked in groups]
            cells = [cell for cost, picked in zip(costs, groups, strict=True) for cell in _rate(summary, cost, picked)]
            rows.append((f"{parser}, one parse per {'page' if shared else 'element'}", *cells, None, None))
    for method in summary.methods:
        cells = [cell for picked in groups for cell in _rate(summary, summary.mean(method, picked), picked)]
        rows.append((method, *cells, *summary.judge(method)))
    columns = ["way", *(f"{size}{mark}" for size in SIZES for mark in ("", " x", " x shared")), "right %", "wrong %"]
    note = (
        "x: how many times faster than the fastest parser; shared: where one parse serves all elements of a page; "
        "right, wrong: by the tree's text of the element; the cutter gives nothing where it doubts"
    )
    return Table("sizes", "Every way against the fastest parser", tuple(columns), tuple(rows), note)


def _rate(summary: Summary, cost: float | None, picked: list[int]) -> tuple[Cell, Cell, Cell]:
    """Return a time and how many times it is below that of the fastest parser, parsing per element and per page."""
    return cost, _times(summary.fastest(picked), cost), _times(summary.fastest(picked, shared=True), cost)


def tell_seconds(summary: Summary) -> Table:
    """Count second searches, with positions kept as they are and as shares of the page."""
    rows = []
    for name in summary.run.seconds[0] if summary.run.seconds else ():
        counts = [seconds[name] for seconds in summary.run.seconds]
        pages = sum(count.pages for count in counts)
        searched = 100 * sum(count.searched for count in counts) / max(1, sum(count.before for count in counts))
        rows.append((name, pages, sum(c.first for c in counts), sum(c.rest for c in counts), searched))
    columns = ("begin at", "tasks", f"second searches, first {LEARNED_PAGES} pages", "the others", "searched %")
    note = "searched: bytes looked at, second searches included, as a share of the bytes before the element"
    return Table("second searches", "The learned starting position", columns, tuple(rows), note)
