"""Write the tables of one unit: documents come in, Parquet files and last of all a manifest go out.

A file takes its name when it is whole and on the disk. The manifest comes last, so a unit that has one is done; what
was left by a run that was killed has no manifest, or is named as unfinished.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any

from scythe.batch.options import BatchOptions
from scythe.batch.profiles import ProfileFolder
from scythe.batch.report import UnitReport
from scythe.batch.unit import Unit
from scythe.export import replacing, write_atomically
from scythe.model import Document, Metadata
from scythe.tables import TableBuilder

TABLES = ("documents", "images", "records")
DONE = "_done"
_LEVEL = 1  # of zstd: level 3 takes twice the time for files that are 8 % shorter
_VERSION = 1  # of the manifest


class TableFiles:
    """The files of one unit, open for writing; a context that leaves nothing behind when it ends early."""

    def __init__(self, unit: Unit, out: Path, options: BatchOptions) -> None:
        self._unit, self._out = unit, out
        tables = [name for name in TABLES if name == "documents" or name in options.parts]
        kept = [part for part in options.parts if part not in TABLES]
        self._builder = TableBuilder(tables, kept, extra=_origin(), keys=("file", "offset"))
        self._files = ExitStack()
        self._writers: dict[str, Any] = {}
        self.rows = dict.fromkeys(TABLES, 0)

    def __enter__(self) -> TableFiles:
        self._files.__enter__()
        return self

    def __exit__(self, *why: Any) -> None:
        for writer in self._writers.values():
            writer.is_open = False  # it would end its file when it is forgotten, which is gone by then
        self._files.__exit__(*why)

    def add(self, document: Document, origin: Mapping[str, object], said: Metadata | None) -> None:
        """Add the rows of one document."""
        self._builder.add(document, origin, said)
        if self._builder.is_full:
            self._flush()

    def finish(self) -> dict[str, int]:
        """Put the files in their places; return their sizes by path below the output folder."""
        self._flush()
        for writer in self._writers.values():
            writer.close()
        self._files.close()
        names = {table: f"{table}/{self._unit.name}.parquet" for table in TABLES}
        for table in TABLES:
            if table not in self._writers:
                (self._out / names[table]).unlink(missing_ok=True)  # of a run that was told otherwise
        return {names[table]: (self._out / names[table]).stat().st_size for table in self._writers}

    def _flush(self) -> None:
        for table, batch in self._builder.take().items():
            self.rows[table] += batch.num_rows
            self._writer(table).write_batch(batch)

    def _writer(self, table: str) -> Any:
        if table not in self._writers:
            from pyarrow import parquet

            folder = self._out / table
            folder.mkdir(parents=True, exist_ok=True)
            file = self._files.enter_context(replacing(folder / f"{self._unit.name}.parquet", sync=True))
            schema = self._builder.schemas[table]
            self._writers[table] = parquet.ParquetWriter(file, schema, compression="zstd", compression_level=_LEVEL)
        return self._writers[table]


def _origin() -> dict[str, Any]:
    """Return the columns that say where a row comes from."""
    import pyarrow as pa

    columns = dict.fromkeys(("site", "content_type", "digest", "truncated", "file"), pa.string())
    return columns | {"offset": pa.int64(), "status": pa.int32(), "fetched_at": pa.timestamp("us", "UTC")}


def read_manifest(unit: Unit, out: Path, options: BatchOptions) -> UnitReport | None:
    """Return what came of a unit in an earlier run; None where it is to be done (again)."""
    try:
        kept = json.loads(_manifest(unit, out).read_bytes())
        if kept["version"] != _VERSION or kept["input"] != _input_of(unit) or kept["options"] != _digest(options):
            return None
        report = UnitReport.from_dict(kept["report"], resumed=True)
        are_there = all((out / name).stat().st_size == size for name, size in report.files.items())
    except (OSError, ValueError, KeyError, TypeError):  # none, or none that this version wrote
        return None
    folder = ProfileFolder(options.profiles) if options.profiles is not None else None
    is_same = all((folder.digest_of(site) if folder else "") == known for site, known in report.profiles.items())
    return report if are_there and is_same else None


def write_manifest(report: UnitReport, out: Path, options: BatchOptions) -> None:
    """Say that a unit is done, and what came of it."""
    kept = {"version": _VERSION, "input": _input_of(report.unit), "options": _digest(options)}
    path = _manifest(report.unit, out)
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = kept | {"report": replace(report, resumed=False).to_dict()}
    write_atomically(path, json.dumps(plain, ensure_ascii=False, indent=1).encode("utf-8", "replace"))


def forget(unit: Unit, out: Path) -> None:
    """Take back that a unit is done, before its files are written anew."""
    _manifest(unit, out).unlink(missing_ok=True)


def _manifest(unit: Unit, out: Path) -> Path:
    return out / DONE / f"{unit.name}.json"


def _input_of(unit: Unit) -> dict[str, Any]:
    """Return what tells whether the files of a unit are still those that were read."""
    stats = [Path(name).stat() for name in unit.files or (unit.path,)]
    newest = max(stat.st_mtime_ns for stat in stats)
    return {
        "unit": unit.to_dict() | {"files": list(unit.files)},
        "bytes": sum(s.st_size for s in stats),
        "mtime_ns": newest,
    }


def _digest(options: BatchOptions) -> str:
    """Return what tells options from others that give other rows. Profiles are compared by what is in them."""
    rows = options.to_dict()
    told = {name: rows[name] for name in ("parts", "address", "page_bytes")} | {"scythe": metadata.version("scythe")}
    return blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=8).hexdigest()
