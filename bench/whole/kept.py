"""Take up what was measured before: a results.json comes in, the sections that still hold go out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.cut_tables import Table
from bench.machine import Machine
from bench.whole.parts import Figure, Section, Setting
from bench.whole.report import FORMAT, NUMBERS, VERSION
from bench.whole.run import PARTS
from scythe.errors import BadInput


def load_kept(
    folder: Path, names: Sequence[str], machine: Machine, setting: Setting, digests: Mapping[str, str]
) -> tuple[Section, ...]:
    """Return the sections of an earlier run in a folder, but for those of `names`, which are measured anew.

    Raises BadInput where there was none, or where it ran on another machine, with other packages, on other data or
    with other limits. Whether models had seen the sites is said by each section.
    """
    path = folder / NUMBERS
    try:
        saved: dict[str, Any] = json.loads(path.read_bytes())
        if (saved["format"], saved["version"]) != (FORMAT, VERSION):
            raise ValueError(f"expected {FORMAT} version {VERSION}")
        sections = [_section(row) for row in saved["sections"] if row["name"] not in names]
        other = _differences(saved, machine, setting, digests)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} holds no results to keep: {type(error).__name__}: {error}") from error
    if other:
        raise BadInput(f"{path} cannot be kept: it was measured with another {' and another '.join(other)}")
    return tuple(section for section in sections if section.name in PARTS)


def _differences(saved: Mapping[str, Any], machine: Machine, setting: Setting, digests: Mapping[str, str]) -> list[str]:
    found = []
    if saved["machine"] != json.loads(json.dumps(asdict(machine))):
        found.append("machine or packages")
    if any(saved["setting"][name] != getattr(setting, name) for name in ("limit", "crawl_pages")):
        found.append("--limit or --crawl-pages")
    if any(saved["data"].get(name, digest) != digest for name, digest in digests.items()):
        found.append("version of the data")
    return found


def _section(row: Mapping[str, Any]) -> Section:
    return Section(
        name=str(row["name"]),
        title=str(row["title"]),
        said=str(row["said"]),
        tables=tuple(_table(table) for table in row["tables"]),
        details=tuple(_table(table) for table in row["details"]),
        figures=tuple(Figure(**figure) for figure in row["figures"]),
        seconds=float(row["seconds"]),
        skipped=str(row["skipped"]),
    )


def _table(row: Mapping[str, Any]) -> Table:
    rows = tuple(tuple(cells) for cells in row["rows"])
    return Table(str(row["name"]), str(row["title"]), tuple(row["columns"]), rows, str(row["note"]))
