"""Hold an archive, after a fault, against what its process was told: lost, doubled, damaged."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.archive.visiting import HOST, SITE
from tests.faults.io.scenario import ARCHIVE, ORIGIN, OUTPUTS, PROFILES, Scenario

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages, read_raw
from scythe.archive.stored_sites import find_site, load_notes, load_robots, stored_profile
from scythe.archive.verify import verify_archive
from scythe.archive.watches import load_cursor, watch_rows
from scythe.errors import ScytheError
from scythe.output.warc import verify_warc
from scythe.url import Url

Line = tuple[str, ...]
_TABLES = "sites urls pages versions extractions fetches records sightings bodies looks lists watches profiles robots"
_STATES = "SELECT state, count(*) FROM urls GROUP BY state"
_SIGHTINGS = "SELECT coalesce(sum(times), 0) FROM sightings"


@dataclass
class Findings:
    """What is wrong, in words; all of these should be empty."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)  # ends that say nothing a user could make use of
    ended: str = ""  # how the process ended, where one did

    def copy(self) -> Findings:
        """Return these as they are now."""
        return Findings([*self.lost], [*self.doubled], [*self.damaged], [*self.unclear], self.ended)

    def all(self) -> list[str]:
        """Return everything, each with what it is."""
        kinds = {"lost": self.lost, "doubled": self.doubled, "damaged": self.damaged, "unclear": self.unclear}
        return [f"{name}: {said}" for name, ones in kinds.items() for said in ones]


def summarise(where: Path | str) -> Counter[str]:
    """Count what an archive has, past most of the archive's own code."""
    with open_archive(where, create=False) as archive, archive.reading() as connection:
        ask = connection.exec_driver_sql
        rows = {name: ask(f"SELECT count(*) FROM {name}").scalar() for name in _TABLES.split()}
        rows |= {f"urls that are {state}": number for state, number in ask(_STATES).all()}
        rows["all sightings"] = ask(_SIGHTINGS).scalar()
    return Counter({name: int(number) for name, number in rows.items() if number})


def judge(folder: Path, scenario: Scenario, told: list[Line], expected: Counter[str]) -> Findings:
    """Open an archive after a fault, look for what was told, go on to the end, and compare with a run without any."""

    def look_at_all(lines: list[Line], findings: Findings) -> None:
        for name in (*OUTPUTS, "feed.json"):
            findings.damaged += [f"{name}: {why}" for why in _damage(folder / name)]
        look(folder / ARCHIVE, [line for line in lines if not is_output(line)], findings)
        outputs = [line for line in lines if is_output(line)]
        findings.lost += [" ".join(line) for line in outputs if not _has_output(folder, *line[1:])]

    work = partial(scenario.work, folder)
    return go_on(folder / ARCHIVE, work, told, expected, look_at_all)


def go_on(
    where: Path | str,
    work: Callable[[Callable[..., None]], None],
    told: list[Line],
    expected: Counter[str],
    look_at: Callable[[list[Line], Findings], None],
) -> Findings:
    """Look at an archive, do the work again to its end, look once more and compare."""
    findings = Findings()
    look_at(told, findings)
    again: list[Line] = []
    try:
        work(lambda *words: again.append(tuple(map(str, words))))
    except (ScytheError, OSError) as error:
        findings.damaged.append(f"does not go on: {error}")
        return findings
    look_at(told + again, findings)
    _compare(summarise(where), expected, findings)
    stored = Counter(line[1] for line in told + again if line[0] in ("stored", "looked"))
    findings.doubled += [f"{what} was stored {times} times" for what, times in stored.items() if times > 1]
    return findings


def look(where: Path | str, told: list[Line], findings: Findings) -> None:
    """Find everything that was told to be in an archive, and nothing damaged."""
    if isinstance(where, Path) and not where.exists():
        findings.lost += [" ".join(line) for line in told]
        return
    try:
        with open_archive(where) as archive:
            findings.damaged += verify_archive(archive)
            pages = _pages(archive)
            findings.lost += [" ".join(line) for line in told if not _is_there(archive, pages, line)]
    except ScytheError as error:
        findings.damaged.append(str(error))


def _compare(found: Counter[str], expected: Counter[str], findings: Findings) -> None:
    findings.lost += [f"{number} {name} too few" for name, number in (expected - found).items()]
    findings.doubled += [f"{number} {name} too many" for name, number in (found - expected).items()]


def _is_there(archive: Archive, pages: set[Line], line: Line) -> bool:
    if line[0] == "stored":
        return line[1:] in pages
    site = find_site(archive, HOST)
    return site is not None and _CHECKS[line[0]](archive, site, *line[1:])


def _pages(archive: Archive) -> set[Line]:
    """Return what is told of every page that is there, once, with what belongs to it."""
    titles = Counter((page.url, page.title) for page in read_pages(archive, PageQuery()))
    bodies = Counter((raw.url, raw.body) for raw in read_raw(archive, PageQuery()))
    numbers = [url.removeprefix(SITE) for url, _ in titles]
    return {
        (number, "new")
        for number in numbers
        if titles[Url(f"{SITE}{number}"), f"page {number} of {HOST}"] == 1
        and bodies[Url(f"{SITE}{number}"), number.encode() * 500] == 1
    }


def _has_url(archive: Archive, where: str) -> bool:
    with archive.reading() as connection:
        return bool(connection.exec_driver_sql(f"SELECT count(*) FROM urls WHERE {where}").scalar())


def _has_profile(archive: Archive, site: int, version: str) -> bool:
    return stored_profile(archive, site, int(version)) == PROFILES[int(version) - 1]


def _has_looked(archive: Archive, site: int, visit: str, what: str) -> bool:
    return what != "lost" and any(int(row.notes or 0) > int(visit) for row in watch_rows(archive, site))


def is_output(line: Line) -> bool:
    """Say whether a line tells of a file beside the archive."""
    return line[0] in ("written", "exported")


def _has_output(folder: Path, name: str, count: str = "") -> bool:
    return (folder / name).exists() and (not count or _length(folder / name) == int(count))


_CHECKS: dict[str, Callable[..., bool]] = {
    "site": lambda *_: True,  # it was looked up already
    "opened": lambda *_: True,
    "left": lambda *_: True,  # a host that was not left is taken over by who finds its owner dead
    "found": lambda archive, _site, path: _has_url(archive, f"url = '{SITE}{path}'"),
    "settled": lambda archive, _site, task: _has_url(archive, f"id = {task} AND state = 'refused'"),
    "profile": _has_profile,
    "robots": lambda archive, _site, _origin: load_robots(archive, ORIGIN) is not None,
    "notes": lambda archive, site, _site: load_notes(archive, site) == "notes",
    "watch": lambda archive, site, _path: bool(watch_rows(archive, site)),
    "looked": _has_looked,
    "handed": lambda archive, _site, record: load_cursor(archive, "hook") >= int(record),
}


def _length(path: Path) -> int:
    if path.name.endswith(".warc.gz"):
        return verify_warc(path).records - 2
    return path.read_bytes().count(b"\n") - (path.suffix == ".csv")


def _damage(path: Path) -> Iterator[str]:
    """Yield what is wrong with an output, which is whole or not there."""
    if not path.exists():
        return
    body = path.read_bytes()
    if path.name.endswith(".warc.gz"):
        yield from verify_warc(path).complaints
    elif not body.endswith(b"\n"):
        yield "is cut off"
    elif path.suffix == ".json":
        try:
            json.loads(body)
        except ValueError as error:
            yield str(error)
