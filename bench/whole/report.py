"""Write a whole run down: sections come in, results.md, results.json and charts go out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.cut_tables import Table, format_cell
from bench.machine import Machine
from bench.whole.charts import CHARTS, draw_charts
from bench.whole.parts import Section, Setting
from scythe.atomic_files import write_atomically

FORMAT, VERSION = "scythe-bench", 1
RESULTS, NUMBERS = "results.md", "results.json"
_CAUTION = (
    "Quality is the same on every machine. Times are CPU times of one run on one machine: compare within a table, and "
    "take a tenth up or down for noise."
)


@dataclass(frozen=True, slots=True)
class Report:
    """One run and what it ran on."""

    sections: tuple[Section, ...]
    machine: Machine
    command: str
    setting: Setting
    digests: Mapping[str, str]


def write_report(folder: Path, report: Report) -> list[Path]:
    """Write tables, numbers and charts into a folder, made where it is not there; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    charts = draw_charts(report.sections)
    written = []
    for name, svg in charts.items():
        written.append(folder / name)
        write_atomically(written[-1], svg.encode())
    for name, text in ((RESULTS, to_markdown(report, list(charts))), (NUMBERS, to_json(report))):
        written.append(folder / name)
        write_atomically(written[-1], text.encode())
    return written


def to_json(report: Report) -> str:
    """Write everything for programs."""
    saved = {
        "format": FORMAT,
        "version": VERSION,
        "command": report.command,
        "setting": asdict(report.setting),
        "machine": asdict(report.machine),
        "data": dict(report.digests),
        "sections": [asdict(section) for section in report.sections],
    }
    return json.dumps(saved, indent=1, ensure_ascii=False) + "\n"


def to_markdown(report: Report, charts: Sequence[str] = ()) -> str:
    """Write everything for people: the tables of the README first, then all others."""
    lines = ["# Benchmarks of scythe", "", f"`{report.command}`", "", report.machine.summary(), "", _CAUTION, ""]
    if report.setting.limit is not None:
        lines += [f"A quick look: only the first {report.setting.limit} pages, sites or lists of each set.", ""]
    for section in report.sections:
        lines += [*_tell(section, charts)]
    details = [section for section in report.sections if section.details]
    if details:
        lines += ["# Details", ""]
    for section in details:
        lines += [f"## {section.title}: details", ""]
        for table in section.details:
            lines += [f"{table.name}: {table.title}", "", *write_table(table), ""]
            lines += [table.note, ""] if table.note else []
    return "\n".join(lines).rstrip() + "\n"


def _tell(section: Section, charts: Sequence[str]) -> Iterator[str]:
    yield from (f"## {section.title}", "")
    if section.skipped:
        yield from (f"Skipped: {section.skipped}.", "")
        return
    yield from (f"{section.said} ({section.name}, {section.seconds:.0f} s)", "")
    for table in section.tables:
        yield from (*write_table(table), "")
    if CHARTS.get(section.name) in charts:
        yield from (f"![{section.title}]({CHARTS[section.name]})", "")


def write_table(table: Table) -> Iterator[str]:
    """Yield the lines of a table as Markdown."""
    yield _row(table.columns)
    yield "|" + "---|" * len(table.columns)
    for row in table.rows:
        yield _row([format_cell(cell) for cell in row])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
