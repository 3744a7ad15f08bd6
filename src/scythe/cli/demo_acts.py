"""The acts of the demo, one after the other: a show and a stage come in, results and what did not hold go out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from scythe.cli.demo_stage import Stage
from scythe.cli.demo_tables import kinds_table, lap_lines, sample_table
from scythe.cli.ending import counted
from scythe.demo.crawled import AT_ONCE
from scythe.demo.growing import BEGIN, SHOWN, to_look
from scythe.demo.promises import Promise, judge_promises
from scythe.demo.race import total
from scythe.demo.report import write_report
from scythe.demo.show import Show
from scythe.demo.wording import describe_redesign, describe_watch, pages, percent, plan_words, stamp
from scythe.export import write_atomically
from scythe.watching.events import Event, GapEvent, RecordEvent, RegionEvent, TroubleEvent, VisitEvent

if TYPE_CHECKING:
    from scythe.crawling.run import Crawl
    from scythe.demo.replay import Replay
    from scythe.demo.results import Results
    from scythe.watching.run import Watch

_REGIONS = {"redesigned": "got another design", "gone": "is gone", "back": "is back"}


def play(stage: Stage, show: Show, report: Path, suggest: Callable[[Stage], None]) -> tuple[Promise, ...]:
    """Play all acts; return what was promised, with what came of it."""
    _crawl(stage, show)
    _learn(stage, show)
    _cut(stage, show)
    _race(stage, show)
    _redesign(stage, show)
    if show.options.has_corners:
        _corners(stage, show)
    if show.options.watch_s:
        _watch(stage, show)
    promises = _report(stage, show, report)
    suggest(stage)
    return promises


def _crawl(stage: Stage, show: Show) -> None:
    stage.begin(
        "Crawl",
        f"The Field Post, {pages(len(show.world.paths))} of invented news at {show.site.url}, as `scythe crawl` does "
        f"it: robots.txt first, at most {AT_ONCE} requests at once. (Elsewhere one a second, unless told otherwise.)",
    )
    show.crawl(stage.follow(lambda: show.steps, _crawl_status))
    stage.say(stage.strip(show.steps))
    stage.say(stage.legend())
    tally = show.crawled.tallies[0]
    stage.say(
        f"{pages(show.came)} of it in {tally.seconds:.1f} s, each in the archive as soon as it came. Stopped here; the "
        "next run goes on from there."
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
    stage.begin("Redesign", "The crawl goes on, and while its next pages come in the site gets other markup:")
    show.redesign(stage.follow(lambda: show.steps, Redesigning(show)))
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


def _corners(stage: Stage, show: Show) -> None:
    """Not an act of its own: what fails needs a while until it is tried again, and the watch comes in between."""
    show.visit_corners(stage.follow(lambda: (), lambda run: f"Odd corners of the site: {pages(run.tally.done)}"))


class Redesigning:
    """Says how far it got, from page to page."""

    def __init__(self, show: Show) -> None:
        self._show = show

    def __call__(self, run: Crawl) -> str:
        redesign = self._show.judge_redesign()
        came = pages(self._show.came)
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
        at = stamp(event.at.timestamp())
        if isinstance(event, VisitEvent):
            self._tell_visit(event, at)
        elif isinstance(event, RecordEvent):
            if self._visits > 1:
                self._stage.say_short(f"           + {event.fields.get('title') or event.link}")
        elif isinstance(event, RegionEvent) and event.what in _REGIONS:
            self._stage.say_short(f"{at}  the list {_REGIONS[event.what]}")
        elif isinstance(event, GapEvent):
            more = f"{event.recovered} more on older pages" if event.recovered else "no more on the one before"
            self._stage.say_short(f"{at}  all that the page shows is new, {more}")
        elif isinstance(event, TroubleEvent):
            self._stage.say_short(f"{at}  no answer: {event.why}")

    def _tell_visit(self, event: VisitEvent, at: str) -> None:
        self._visits += 1
        look = to_look(event)
        self._next = "no next visit" if look.next_at is None else f"next visit {stamp(look.next_at)}"
        what = f"{event.new} records there" if self._visits == 1 else f"{event.new} new"
        self._stage.say_short(f"{at}  {what}; {plan_words(look)}", "bold")

    def status(self, watch: Watch, replay: Replay) -> str:
        """Say what time it is at the list, and what was published and seen so far."""
        now = replay.pace.now()
        shelf = replay.shelves[0]
        came = replay.count(shelf, now) - replay.count(shelf, BEGIN)
        return f"{stamp(now)}: {came} published since Monday morning; {self._next or 'first visit'}"


def _report(stage: Stage, show: Show, target: Path) -> tuple[Promise, ...]:
    stage.begin("Report")
    show.finish(stage.follow(lambda: (), lambda run: "Once more what failed the first time"))
    results = show.results()
    promises = judge_promises(results)
    page = write_report(results).encode()
    write_atomically(target, page)
    good, bad = ("ok", "NOT") if stage.is_plain else ("✓", "✗")
    for promise in promises:
        mark = Text(good, "green") if promise.is_kept else Text(bad, "bold red")
        stage.say(mark.append(f" {promise.says}{': ' + promise.came if promise.came else ''}", "default"))
    stage.say(_sum_up(results))
    stage.say(Text("With charts, for a browser: ").append(str(target), "bold").append(f" ({len(page) / 1e3:.0f} kB)"))
    return promises


def _sum_up(results: Results) -> str:
    return (
        f"{results.requests} requests, {results.received / 1e6:.1f} MB and {counted(results.records, 'record')} "
        f"in {results.seconds:.0f} s."
    )
