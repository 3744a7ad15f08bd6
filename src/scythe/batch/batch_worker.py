"""A batch worker process: reads tasks as JSON lines and extracts units.

It notes the current page in a file shared with its parent, so that the page is known if the system kills it. It exits
when its input ends or its parent dies.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from selectolax.lexbor import SelectolaxError

from scythe.batch.batch_options import BatchOptions
from scythe.batch.extract_unit import extract_unit
from scythe.batch.units import Unit
from scythe.engine.worker_protocol import allow_cpu, limit_memory
from scythe.errors import ScytheError

ILL = 77  # exit code: memory ran out, and what half-built things still hold is not known
EXTRACT, SCAN, LEARN = "extract", "scan", "learn"  # what a task may ask for
_LEARN_S = 900.0  # of CPU time to look through a unit, or to learn a site; mostly it takes some seconds
_GARBAGE = 20_000  # objects between two looks for cycles: pages leave few
_NOTE = struct.Struct("<qq")  # the capture at hand, -1: none; pages done since the process began


class Note:
    """Where a worker is: written by it, read by whoever started it, also after it died."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if create:
            path.write_bytes(_NOTE.pack(-1, 0))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _NOTE.size)

    def put(self, at: int, pages: int) -> None:
        _NOTE.pack_into(self._memory, 0, at, pages)

    def get(self) -> tuple[int, int]:
        at, pages = _NOTE.unpack_from(self._memory)
        return int(at), int(pages)

    def close(self) -> None:
        self._memory.close()


class BatchWorker:
    """Does one task after the other until there are no more."""

    def __init__(self, pipe_in: BinaryIO, pipe_out: BinaryIO, note: Note) -> None:
        self._in, self._out, self._note = pipe_in, pipe_out, note
        self._parent = os.getppid()
        self._pages = 0

    def run(self) -> None:
        self._send({"ready": os.getpid()})
        for line in self._in:
            task = json.loads(line)
            try:
                self._send({"done": self._do(task)})
            except (OSError, ScytheError) as error:
                self._send({"why": str(error)})

    def _do(self, task: dict[str, Any]) -> object:
        """Do a task, which is of one of three kinds."""
        options = BatchOptions.from_dict(task["options"])
        self._note.put(-1, self._pages)
        if task["do"] == EXTRACT:
            blamed = {int(number): why for number, why in task["blamed"].items()}
            unit, note = Unit.from_dict(task["unit"]), self._attend(options.cpu_s)
            return extract_unit(unit, task["out"], options, blamed=blamed, note=note).to_dict()
        from scythe.batch.learn_sites import (  # half of what there is to import
            LearnTask,
            PagePlace,
            ScanTask,
            learn_site,
            scan,
        )

        allow_cpu(_LEARN_S)
        if task["do"] == SCAN:
            return scan(ScanTask(Unit.from_dict(task["unit"]), options, task["scans"], task["profiles"]))
        spots = tuple(PagePlace(*spot) for spot in task["spots"])
        return learn_site(LearnTask(task["site"], spots, task["samples"], options, task["profiles"]))

    def _attend(self, cpu_s: float) -> Callable[[int], None]:
        def note(at: int) -> None:
            if os.getppid() != self._parent:
                sys.exit(0)  # nobody waits for the answer
            self._note.put(at, self._pages)
            self._pages += at >= 0
            allow_cpu(cpu_s)

        return note

    def _send(self, answer: dict[str, Any]) -> None:
        self._out.write(json.dumps(answer).encode() + b"\n")
        self._out.flush()


def spare_pandas() -> None:
    """Let pyarrow look for pandas now and not find it: it would import all of it with the first column, in 0.3 s."""
    if find_spec("pyarrow") is None or "pandas" in sys.modules:
        return
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas())
    try:
        pa.array([""])  # it remembers what it found
    finally:
        del sys.meta_path[0]


class _NoPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


def main(arguments: Sequence[str]) -> None:
    """Run as a process: the arguments are the file for the note and how many bytes of memory there are."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started us
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit_memory(int(arguments[1]))
    spare_pandas()
    gc.freeze()  # what was imported stays
    gc.set_threshold(_GARBAGE)
    pipe_out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints must not get between the answers
    try:
        BatchWorker(sys.stdin.buffer, pipe_out, Note(Path(arguments[0]))).run()
    except (MemoryError, SelectolaxError):  # the tree builder has no other reason to fail
        os._exit(ILL)


if __name__ == "__main__":
    main(sys.argv[1:])
