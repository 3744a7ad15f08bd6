"""Hold a whole run against what was reached before: figures and a file of floors come in, what fell short goes out.

A floor belongs to its data: the file names the SHA-256 of every file that was read, and nothing is compared on others.
Quality may fall by no more than what rounding on another machine makes; speed is kept as a ratio to another tool of the
same run, and may halve, because machines differ and are shared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.cut_tables import Cell, Table
from bench.whole.parts import LESS, MORE, SCYTHE, SPEED, Figure, Section, Setting
from bench.whole.report import Report
from bench.whole.run import PARTS
from scythe.atomic_files import write_atomically
from scythe.errors import BadInput

FORMAT, VERSION = "scythe-floors", 1
SLACK = {"F1": 0.003, "f": 0.01, "%": 0.5, "": 0.1}  # at most so much, in the unit of the figure
_SHARE = 0.1  # and no more than this share of it: nothing lost stays nothing lost
HALVED = 2.0  # a ratio of speeds may come to this part of what it was


@dataclass(frozen=True, slots=True)
class Floor:
    """What a figure must reach."""

    name: str
    better: str  # MORE: at least this; LESS: at most this
    value: float
    peer: str = ""  # that must be there for the figure to be measured

    @property
    def part(self) -> str:
        """The part of a run that measures it."""
        return self.name.partition("/")[0]

    def holds(self, value: float) -> bool:
        """Say whether a figure is good enough."""
        return value >= self.value if self.better == MORE else value <= self.value


@dataclass(frozen=True, slots=True)
class Floors:
    """All floors, and what they were measured on."""

    floors: tuple[Floor, ...]
    setting: Setting
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Held:
    """How one floor was met."""

    floor: Floor
    value: float | None  # None: not measured
    why: str = ""  # it does not count

    @property
    def is_broken(self) -> bool:
        """Say whether the floor was not reached; one of a figure that should have been measured counts as broken."""
        return not self.why and (self.value is None or not self.floor.holds(self.value))


def make_floors(report: Report) -> Floors:
    """Return the floors that follow from a run."""
    figures = [figure for section in report.sections for figure in section.figures]
    floors = tuple(_floor(figure) for figure in figures if figure.better and _is_ours(figure))
    return Floors(floors, report.setting, report.digests)


def _is_ours(figure: Figure) -> bool:
    return figure.who == SCYTHE or figure.name.startswith("schedule/")


def _floor(figure: Figure) -> Floor:
    value = figure.value
    if figure.kind == SPEED:
        value /= HALVED
    else:
        slack = min(SLACK[figure.unit], _SHARE * abs(value))
        value = value - slack if figure.better == MORE else value + slack
    return Floor(figure.name, figure.better, round(value, 4), figure.peer)


def save_floors(path: Path, floors: Floors) -> None:
    """Write floors to a file."""
    rows = {
        floor.name: {"at_least" if floor.better == MORE else "at_most": floor.value}
        | ({"peer": floor.peer} if floor.peer else {})
        for floor in floors.floors
    }
    saved = {
        "format": FORMAT,
        "version": VERSION,
        "setting": asdict(floors.setting),
        "data": dict(sorted(floors.digests.items())),
        "floors": rows,
    }
    write_atomically(path, (json.dumps(saved, indent=1, ensure_ascii=False) + "\n").encode())


def load_floors(path: Path) -> Floors:
    """Read floors. Raises BadInput for a file that holds none."""
    try:
        saved: dict[str, Any] = json.loads(path.read_bytes())
        if (saved["format"], saved["version"]) != (FORMAT, VERSION):
            raise ValueError(f"expected {FORMAT} version {VERSION}, got {saved['format']} version {saved['version']}")
        floors = tuple(_read_floor(str(name), row) for name, row in saved["floors"].items())
        digests = {str(name): str(digest) for name, digest in saved["data"].items()}
        return Floors(floors, Setting(**saved["setting"]), digests)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} holds no floors: {type(error).__name__}: {error}") from error


def _read_floor(name: str, row: Mapping[str, Any]) -> Floor:
    if name.partition("/")[0] not in PARTS:
        raise ValueError(f"{name!r} belongs to no part of a run")
    better, value = (MORE, row["at_least"]) if "at_least" in row else (LESS, row["at_most"])
    return Floor(name, better, float(value), str(row.get("peer", "")))


def check_same(floors: Floors, digests: Mapping[str, str], setting: Setting) -> None:
    """Raise BadInput where a run with these data and this setting cannot be compared with the floors."""
    if setting != floors.setting:
        raise BadInput(f"the floors were measured with {_say(floors.setting)}, this run has {_say(setting)}")
    different = [name for name, digest in digests.items() if floors.digests.get(name) != digest]
    folders = {name.partition("/")[0] for name in digests}
    different += [name for name in floors.digests if name.partition("/")[0] in folders and name not in digests]
    if different:
        raise BadInput(f"the floors were measured on other data: {', '.join(sorted(different))} differ")


def _say(setting: Setting) -> str:
    limit = "no --limit" if setting.limit is None else f"--limit {setting.limit}"
    return f"{limit}, {'' if setting.is_held_out else 'no '}--folds, --crawl-pages {setting.crawl_pages}"


def hold(floors: Floors, sections: Sequence[Section], peers: Sequence[str]) -> list[Held]:
    """Compare every floor of the parts that ran with what they reached."""
    ran = {section.name: section for section in sections}
    values = {figure.name: figure.value for section in sections for figure in section.figures if _is_ours(figure)}
    return [Held(floor, values.get(floor.name), _excuse(floor, ran, peers)) for floor in floors.floors]


def _excuse(floor: Floor, ran: Mapping[str, Section], peers: Sequence[str]) -> str:
    if floor.part not in ran:
        return "not asked for"
    if ran[floor.part].skipped:
        return ran[floor.part].skipped
    return f"{floor.peer} was not compared with" if floor.peer and floor.peer not in peers else ""


def tell_floors(held: Sequence[Held]) -> Table:
    """Return the floors as a table, broken ones first."""
    rows = sorted(_rows(held), key=lambda row: row[-1] != "BELOW")
    broken, counted = sum(one.is_broken for one in held), sum(not one.why for one in held)
    title = f"{broken} of {counted} figures are worse than they may be, {len(held) - counted} were not compared"
    return Table("floors", title, ("figure", "reached", "floor", ""), tuple(rows))


def _rows(held: Sequence[Held]) -> Iterator[tuple[Cell, ...]]:
    for one in held:
        bound = f"{'>=' if one.floor.better == MORE else '<='} {one.floor.value:.5g}"
        state = one.why or ("BELOW" if one.is_broken else "ok")
        yield one.floor.name, "-" if one.value is None or one.why else f"{one.value:.5g}", bound, state
