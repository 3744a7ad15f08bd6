"""Play the acts of the demo on a terminal or as plain lines."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from scythe.atomic_files import write_atomically
from scythe.cli.console import counted, neutralise, show_live
from scythe.demo.crawl_results import total
from scythe.demo.crawl_steps import AT_ONCE
from scythe.demo.live_list import SHOWN, LiveSite
from scythe.demo.report import write_report
from scythe.demo.show import Show
from scythe.demo.watched_list import BEGIN, ShowWatch
from scythe.demo.wording import (
    Promise,
    describe_redesign,
    describe_watch,
    judge_promises,
    pages,
    percent,
    plan_words,
    stamp,
)
from scythe.watching.events import Event, GapEvent, ListEvent, RecordEvent, TroubleEvent, VisitEvent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from scythe.crawling.crawl import Crawl
    from scythe.demo.crawl_results import KindRow, Lap, SamplePages
    from scythe.demo.crawl_steps import Step

_BAR, _BESIDE = 40, 22  # characters, and those of the words beside it


def kinds_table(rows: Iterable[KindRow]) -> Table:
    """Show what was found by kind of page, against what there is."""
    numbers = ("pages", "titles", "text F1", "images", "list entries")
    table = _table("kind", *numbers, right=numbers)
    for row in rows:
        if row.found:
            f1 = "" if row.f1 is None else f"{row.f1:.2f}"
            colour = "" if row.f1 is None else "green" if row.f1 >= 0.95 else "yellow" if row.f1 >= 0.8 else "red"
            right = (_of(row.titles, row.found), Text(f1, colour), _of(*row.images), _of(*row.records))
            table.add_row(row.kind, str(row.found), *right)
    return table


def sample_table(listing: SamplePages) -> Table:
    """Show the first records of a list page."""
    table = _table(*(neutralise(name) for name in listing.columns[:3]))
    table.expand = True
    for record in listing.records[:2]:
        table.add_row(*(Text(neutralise(text)) for text in record[:3]))
    return table


def lap_lines(lap: Lap, width: int, *, is_plain: bool) -> list[Text]:
    """Draw how long a page takes both ways, one bar below the other, in lines of at most `width`."""
    lines, most = [], max(4, min(_BAR, width - _BESIDE))
    for name, seconds, style in (("tree", lap.tree_s, "red"), ("cut", lap.cut_s, "green")):
        wide = max(1, round(most * seconds / max(lap.tree_s, lap.cut_s)))
        bar = ("#" if is_plain else "█") * wide
        each_ms = 1_000 * seconds / max(lap.pages, 1)
        lines.append(Text(f"{name:<5}").append(bar, style).append(f" {each_ms:.2f} ms a page"))
    return lines


def _table(*columns: str, right: Iterable[str] = ()) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", no_wrap=True, overflow="ellipsis")
    return table


def _of(found: int, wanted: int) -> Text:
    if not wanted:
        return Text("-", "dim")
    colour = "green" if found == wanted else "yellow" if found > 0.9 * wanted else "red"
    return Text(str(found), colour).append(f" of {wanted}", "")


INDENT = 3
_LINES = 5  # of a strip, at most: on large sites a mark stands for several pages
_WIDEST = 100
_LOOK_S = 0.2
_LINE_S = 15.0  # between two lines where nobody looks
_MARKS = {"cold": ("·", "dim"), "cut": ("█", "green"), "mixed": ("▓", "yellow"), "tree": ("░", "red")}
_PLAIN = {"cold": ".", "cut": "#", "mixed": "+", "tree": "-"}
_NAMES = {"cold": "read to learn from", "cut": "cut", "mixed": "partly by the tree", "tree": "by the tree"}


class Paper(Console):
    """A console that lets the command end as others do when its reader has left."""

    def on_broken_pipe(self) -> None:
        """Say so, where rich would end the process with the code of a failure."""
        raise BrokenPipeError


class Stage:
    """Numbers the acts and writes what belongs to them."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.is_live = console.is_terminal and not console.is_dumb_terminal
        self.width = max(min(console.width, _WIDEST) - INDENT, 20)
        self.is_plain = console.options.ascii_only
        self._act = 0

    def begin(self, title: str, said: str = "") -> None:
        """Begin an act."""
        self._act += 1
        self.console.print()
        self.console.print(Text(f"{self._act}. {title}", "bold"))
        if said:
            self.say(said)

    def say(self, said: str | Text, style: str = "") -> None:
        """Write a sentence or two, indented."""
        text = said if isinstance(said, Text) else Text(neutralise(said), style)
        for line in text.wrap(self.console, self.width):
            self._write(line)

    def show(self, what: RenderableType) -> None:
        """Write a table or the like, indented, without blanks at the ends of lines."""
        for line in self.console.render_lines(what, self.console.options.update(width=self.width), pad=False):
            self._write(Text.assemble(*((segment.text, segment.style or "") for segment in line)))

    def say_short(self, line: str, style: str = "") -> None:
        """Write one line that is shortened rather than broken."""
        text = Text(neutralise(line), style)
        text.truncate(self.width, overflow="ellipsis" if not self.is_plain else "crop")
        self._write(text)

    def _write(self, line: Text) -> None:
        whole = Text(" " * INDENT).append_text(line)
        whole.rstrip()
        self.console.print(whole, soft_wrap=True, highlight=False)

    def busy(self, said: str) -> AbstractContextManager[object]:
        """Say what is being done for as long as the block takes, where somebody looks."""
        return self.console.status(neutralise(said)) if self.is_live else nullcontext()

    def legend(self, *, with_redesign: bool = False) -> Text:
        """Say what the marks of a strip mean."""
        legend = Text()
        for name, what in _NAMES.items():
            legend.append_text(self._mark(name)).append(f" {what}  ", "dim")
        if with_redesign:
            legend.append_text(self._bound()).append(" redesign", "dim")
        return legend

    def strip(self, steps: Sequence[Step]) -> Text:
        """Draw a mark for each page, or on large sites for some of them together, as most of these were got."""
        each = max(1, -(-len(steps) // (_LINES * self.width)))
        strip, design = Text(), 0
        for at in range(0, len(steps), each):
            some = steps[at : at + each]
            if some[0].design > design:
                strip.append_text(self._bound())
            design = some[0].design
            hows = [step.how for step in some]
            strip.append_text(self._mark(max(_MARKS, key=hows.count)))
        return strip

    def _bound(self) -> Text:
        return Text("|" if self.is_plain else "│", "bold magenta")

    def _mark(self, name: str) -> Text:
        mark, style = _MARKS[name]
        return Text(_PLAIN[name] if self.is_plain else mark, style)

    def follow(
        self, steps: Callable[[], Sequence[Step]], status: Callable[[Crawl], str]
    ) -> Callable[[Crawl], Awaitable[None]]:
        """Return what shows a crawl until cancelled: a strip that grows with a line below, or a line now and then."""

        def draw(run: Crawl) -> Group:
            strip = self.strip(steps())
            lines = strip.wrap(self.console, self.width) if strip else ()
            return Group(*(Text(" " * INDENT).append_text(line) for line in lines), self._dim(status(run)))

        async def watch(run: Crawl) -> None:
            if self.is_live:
                await show_live(lambda: draw(run), _LOOK_S, self.console)
            said = ""
            while True:
                await asyncio.sleep(_LINE_S)
                if (now := status(run)) != said:
                    said = now
                    self.say_short(said)

        return watch

    def _dim(self, said: str) -> Text:
        return Text(" " * INDENT + neutralise(said), "dim", no_wrap=True, overflow="ellipsis")

    def follow_list(self, status: Callable[[LiveSite], str]) -> ShowWatch:
        """Return what begins to show a watch: on a terminal a line that says what time it is and what comes."""

        async def show(site: LiveSite) -> None:
            if self.is_live:
                await show_live(lambda: self._dim(status(site)), _LOOK_S / 2, self.console)

        return lambda site: asyncio.ensure_future(show(site))


_LIST_CHANGES = {"redesigned": "got another design", "gone": "is gone", "back": "is back"}


def play(stage: Stage, show: Show, report: Path, suggest: Callable[[Stage], None]) -> tuple[Promise, ...]:
    """Play all acts; return what was promised, with what came of it."""
    _crawl(stage, show)
    _learn(stage, show)
    _cut(stage, show)
    _race(stage, show)
    _redesign(stage, show)
    if show.options.watch_s:
        _watch(stage, show)
    promises = _report(stage, show, report)
    suggest(stage)
    return promises


def _crawl(stage: Stage, show: Show) -> None:
    stage.begin(
        "Crawl",
        f"The Field Post, {pages(len(show.world.paths))} of invented news at {show.site.url}, as `scythe crawl` does "
        f"it: robots.txt first, at most {AT_ONCE} requests at once. (Elsewhere one a second, by default.)",
    )
    show.crawl(stage.follow(lambda: show.steps, _crawl_status))
    stage.say(stage.strip(show.steps))
    stage.say(stage.legend())
    tally = show.crawled.tallies[0]
    stage.say(
        f"{pages(show.came)} of it in {tally.seconds:.1f} s, each in the archive as soon as it came. Stopped here; the "
        "next run resumes there."
    )


def _crawl_status(run: Crawl) -> str:
    tally = run.tally
    share = tally.cut_share()
    state = "reading the first ones by the tree" if share is None else f"{percent(share)} of the fields cut"
    return f"{pages(tally.pages)}, {tally.pages_per_second():.0f} a second, {tally.waiting} wait; {state}"


def _learn(stage: Stage, show: Show) -> None:
    learned = show.learned
    if learned is None:
        stage.begin("Learn", f"{pages(show.came)} were too few to learn the site from. Try --pages 120.")
        return
    stage.begin(
        "Learn",
        f"After {pages(learned.after)} read by the tree the site was learned, without a word from anybody: "
        f"{counted(learned.layouts, 'layout')} with rules for {', '.join(learned.fields)}.",
    )


def _cut(stage: Stage, show: Show) -> None:
    steps = [step for step in show.steps if step.how != "cold"]
    shares = [step.share for step in steps]
    whole = sum(step.how == "cut" for step in steps)
    stage.begin("Cut")
    if steps:
        stage.say(
            f"Of the {pages(len(steps))} since then {percent(sum(shares) / len(shares))} of the fields were cut out of "
            f"the bytes, {percent(whole / len(steps))} of the pages without any tree. In doubt the tree was asked."
        )
    stage.say("The pages are generated, so their right content is known (F1 1.00: all of the text and nothing else):")
    stage.show(kinds_table(show.score()))
    listing = show.listing
    if listing.records:
        stage.say(f"A list page, as records: {listing.title}")
        stage.show(sample_table(listing))


def _race(stage: Stage, show: Show) -> None:
    stage.begin("Speed-up")
    with stage.busy("Reading and cutting the same pages, three times"):
        laps = show.race()
    if not laps:
        stage.say("Nothing was learned that could be timed.")
        return
    both = total(laps)
    stage.say(f"The same {pages(both.pages)} by both ways, on one core, best of three, CPU time:")
    for line in lap_lines(both, stage.width, is_plain=stage.is_plain):
        stage.say(line)
    best = max(laps, key=lambda lap: lap.times)
    stage.say(
        f"Cut, a page comes {both.times:.1f} times as fast as by the tree; of all kinds {best.kind} gains most, "
        f"{best.times:.0f} times."
    )


def _redesign(stage: Stage, show: Show) -> None:
    stage.begin("Redesign", "The crawl continues, and meanwhile the site gets new markup:")
    show.redesign(stage.follow(lambda: show.steps, lambda run: say_redesign(show)))
    stage.say(stage.strip(show.steps))
    stage.say(stage.legend(with_redesign=True))
    redesign = show.redesigned
    if redesign is None:
        stage.say("There were too few pages for it.")
        return
    for line in describe_redesign(redesign):
        stage.say(line)
    with stage.busy("Timing the pages since then"):
        laps = show.race_again()
    if laps:
        both = total(laps)
        stage.say(
            f"The {pages(both.pages)} since then, timed again: cut {both.times:.1f} times as fast as by the tree."
        )


def say_redesign(show: Show) -> str:
    """Say how far a redesign got."""
    redesign, came = show.judge_redesign(), pages(show.came)
    if redesign is None:
        return f"{came}; still the old design"
    if redesign.noticed is None:
        return f"{came}, {redesign.pages} in the new design"
    if redesign.healed is None:
        return f"{came}, {redesign.pages} in the new design: noticed on page {redesign.noticed}, not healed yet"
    return f"{came}, {redesign.pages} in the new design: healed after {pages(redesign.healed)}"


def _watch(stage: Stage, show: Show) -> None:
    stage.begin(
        "Watch",
        f"A list of another paper, which shows its newest {SHOWN} records and grows while `scythe watch` follows it. "
        "Its clock runs fast: a second is four hours and a half.",
    )
    diary = ListDiary(stage)
    watched = show.watch(diary.tell, stage.follow_list(diary.status))
    for line in describe_watch(watched):
        stage.say(line)


class ListDiary:
    """Writes what a watch tells as it comes."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._visits = 0
        self._next = ""

    def tell(self, event: Event) -> None:
        """Write an event down; what was there at the first visit is only counted."""
        at = stamp(event.at)
        if isinstance(event, VisitEvent):
            self._tell_visit(event, at)
        elif isinstance(event, RecordEvent):
            if self._visits > 1:
                self._stage.say_short(f"           + {event.fields.get('title') or event.link}")
        elif isinstance(event, ListEvent) and event.what in _LIST_CHANGES:
            self._stage.say_short(f"{at}  the list {_LIST_CHANGES[event.what]}")
        elif isinstance(event, GapEvent):
            more = f"{event.recovered} more on older pages" if event.recovered else "no more on the one before"
            self._stage.say_short(f"{at}  all that the page shows is new, {more}")
        elif isinstance(event, TroubleEvent):
            self._stage.say_short(f"{at}  no answer: {event.why}")

    def _tell_visit(self, event: VisitEvent, at: str) -> None:
        self._visits += 1
        self._next = "no next visit" if event.next_at is None else f"next visit {stamp(event.next_at)}"
        what = f"{event.new} records there" if self._visits == 1 else f"{event.new} new"
        self._stage.say_short(f"{at}  {what}; {plan_words(event)}", "bold")

    def status(self, site: LiveSite) -> str:
        """Say what time it is at the list, and what was published and seen so far."""
        now = site.clock.seconds()
        came = len(site.published(BEGIN, now))
        return f"{stamp(now)}: {came} published since Monday morning; {self._next or 'first visit'}"


def _report(stage: Stage, show: Show, target: Path) -> tuple[Promise, ...]:
    stage.begin("Report")
    results = show.results()
    promises = judge_promises(results)
    page = write_report(results).encode()
    write_atomically(target, page)
    good, bad = ("ok", "NOT") if stage.is_plain else ("✓", "✗")
    for promise in promises:
        mark = Text(good, "green") if promise.is_kept else Text(bad, "bold red")
        stage.say(mark.append(f" {promise.says}{': ' + promise.came if promise.came else ''}", "default"))
    traffic = f"{results.requests} requests, {results.received / 1e6:.1f} MB and {counted(results.records, 'record')}"
    stage.say(f"{traffic} in {results.seconds:.0f} s.")
    stage.say(Text("With charts, for a browser: ").append(str(target), "bold").append(f" ({len(page) / 1e3:.0f} kB)"))
    return promises
