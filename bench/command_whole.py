"""`python -m bench` itself: options come in, files of tables and charts go out, and a summary to standard output."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from bench.crawl import PAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.progress import Progress, TaskID

    from bench.machine import Machine
    from bench.whole.floors import Floors
    from bench.whole.parts import Section, Setting, Wish
    from bench.whole.report import Report


@dataclass(frozen=True, slots=True)
class Files:
    """Where results go, and what they are held against."""

    out: Path
    keeps: bool = False  # parts that were measured before
    floors: Path | None = None
    pin: Path | None = None


def run_whole(wish: Wish, only: str, files: Files) -> int:
    """Measure everything, write it down, and return the exit code: 1 where a floor is not reached."""
    from bench.machine import describe_machine
    from bench.whole.floors import check_same, load_floors, make_floors, save_floors
    from bench.whole.report import Report, write_report
    from bench.whole.run import PARTS, check_data, choose_parts, digest_data

    names = choose_parts(only)
    check_data(wish.data, names)
    digests = digest_data(wish.data, tuple(PARTS) if files.keeps else names)
    machine, setting = describe_machine(), wish.setting
    kept: tuple[Section, ...] = ()
    if files.keeps:
        kept, setting = _keep(files.out, names, machine, setting, digests)
    known = load_floors(files.floors) if files.floors is not None else None
    if known is not None:
        check_same(known, digests, setting)
    files.out.mkdir(parents=True, exist_ok=True)  # now, rather than after an hour
    _say(machine.summary())
    sections = {section.name: section for section in kept}
    for section in _measure(wish, names):
        sections[section.name] = section
        ordered = tuple(sections[name] for name in PARTS if name in sections)
        report = Report(ordered, machine, _command(wish, only), setting, digests)
        written = write_report(files.out, report)  # after each part: what was measured is there, whatever comes
    _show(report, written)
    if files.pin is not None:
        save_floors(files.pin, make_floors(report))
        typer.echo(f"floors written to {files.pin}")
    return _hold(known, report.sections, wish) if known is not None else 0


def _keep(
    out: Path, names: Sequence[str], machine: Machine, setting: Setting, digests: Mapping[str, str]
) -> tuple[tuple[Section, ...], Setting]:
    """Return what was measured before; with parts that had seen the sites the whole has."""
    from bench.whole.kept import load_kept
    from bench.whole.parts import SEEN

    kept = load_kept(out, names, machine, setting, digests)
    has_seen = any(section.said.endswith(SEEN) for section in kept)
    return kept, replace(setting, is_held_out=setting.is_held_out and not has_seen)


def _command(wish: Wish, only: str) -> str:
    """Return what was asked for, without the places of this machine."""
    words = ["python -m bench", "--data DIR" * (wish.data is not None), f"--only {only}" * bool(only)]
    words += [f"--limit {wish.limit}" * (wish.limit is not None), "--folds DIR" * (wish.folds is not None)]
    words += [f"--crawl-pages {wish.crawl_pages}" * (wish.crawl_pages != PAGES), "--no-peers" * (not wish.compares)]
    return " ".join(word for word in words if word)


def _say(text: str) -> None:
    typer.echo(f"bench: {text}", err=True)


def _measure(wish: Wish, names: Sequence[str]) -> Iterator[Section]:
    from bench.whole.run import run
    from scythe.cli.console import count_progress

    progress = count_progress()
    with progress:
        bar = _Bar(progress)
        for section in run(wish, names, tick=bar.tick, begin=bar.begin):
            _say(f"{section.name}: {section.skipped or f'{section.seconds:.0f} s'}")
            yield section


class _Bar:
    """One bar for what is under way, begun anew with each thing that is counted by itself."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID = progress.add_task("", total=None)
        self._name, self._what, self._done = "", "", 0

    def begin(self, name: str) -> None:
        """Show the next part."""
        self._name, self._what = name, ""
        self._progress.update(self._task, description=name, total=None, completed=0)

    def tick(self, what: str, total: int) -> None:
        """Show the next step."""
        if what != self._what and (not total or total != self._progress.tasks[0].total):
            self._done = 0
        self._what, self._done = what, self._done + 1
        self._progress.update(
            self._task, description=f"{self._name}, {what}", total=total or None, completed=self._done
        )


def _show(report: Report, written: Sequence[Path]) -> None:
    """Print the tables of every part, and where everything is."""
    from bench.whole.report import write_table

    for section in report.sections:
        typer.echo(f"{section.title}\n")
        typer.echo(f"skipped: {section.skipped}\n" if section.skipped else f"{section.said}\n")
        for table in section.tables:
            typer.echo("\n".join(write_table(table)) + "\n")
    typer.echo(report.machine.summary())
    typer.echo(f"written: {', '.join(map(str, written))}")


def _hold(known: Floors, sections: Sequence[Section], wish: Wish) -> int:
    from bench.peers import release
    from bench.whole.floors import hold, tell_floors
    from bench.whole.report import write_table

    there = (*wish.peers, "scrapy") if wish.compares and release("scrapy") else wish.peers
    held = hold(known, sections, there)
    table = tell_floors(held)
    typer.echo(f"\nfloors: {table.title}\n")
    typer.echo("\n".join(write_table(table)))
    return int(any(one.is_broken for one in held))


def make_wish(data: Path | None, limit: int | None, folds: Path | None, *, peers: bool, crawl_pages: int) -> Wish:
    """Return what the options ask for. Raises BadInput for a folder without models."""
    from bench.folds import load_folds
    from bench.peers import installed
    from bench.whole.parts import Wish

    return Wish(
        data=data,
        limit=limit,
        peers=installed() if peers else (),
        compares=peers,
        folds=load_folds(folds) if folds is not None else None,
        crawl_pages=crawl_pages,
    )
